"""Recount the perft files: `python -m tests.rules.perft [--write] [VARIANT …]`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from tests.rules.reference import VARIANTS

from . import Block, count, count_slowly, divide, read_blocks, write_blocks


def recount(block: Block, deepest: int) -> tuple[int, ...] | None:
    """Recount a block with both implementations; if they differ, print the difference and return None."""
    counts: list[int] = []
    for depth in range(1, max(deepest, len(block.counts)) + 1):
        counts.append(count(block.open(), depth))
        if counts[-1] != count_slowly(block.open_slow(), depth):
            print(*divide(block.open(), block.open_slow(), depth), sep="\n")
            return None
    return tuple(counts)


def main(arguments: list[str]) -> int:
    """Check the counts of the given variants (default: all), or freeze them with --write."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules.perft", description=main.__doc__)
    parser.add_argument("variant", nargs="*", help="all of them when none is named")
    parser.add_argument("--write", action="store_true", help="freeze the counts on which both agree")
    parser.add_argument("--depth", type=int, default=0, help="count at least so deep")
    options = parser.parse_args(arguments)
    failed = False
    for name in options.variant or VARIANTS:
        blocks = read_blocks(name)
        counts = [recount(block, options.depth) for block in blocks]
        agreed = [replace(block, counts=new) for block, new in zip(blocks, counts, strict=True) if new is not None]
        changed = len(agreed) < len(blocks) or agreed != blocks
        print(f"{name}: {'differs' if changed else 'as frozen'}")
        if options.write and len(agreed) == len(blocks):
            write_blocks(name, agreed)
        failed = failed or len(agreed) < len(blocks) or (changed and not options.write)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
