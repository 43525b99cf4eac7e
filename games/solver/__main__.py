"""``python -m games.solver`` and ``talon solve``: solve a deal, a position of a record, or a position text."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Any

from games.rules import CATALOGUE, Record, RulesError, Table, from_position, open_table, read_seed
from games.rules.position_text import read_options
from games.solver import Budget, Effort, GaveUp, Result, Solution, SolverError, Unwinnable, shorten, solve

WON, LOST, BAD_INPUT, UNKNOWN = 0, 1, 2, 3
DESCRIPTION = "Look for a winning line from a position, with all cards known."
EPILOG = """exit codes: 0 a winning line was found, 1 there is none, 2 bad input, 3 not found within the budget

examples:
  %(prog)s braid 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
  %(prog)s tarot SEED -o draw=3 -o fool=trump --seconds 20
  %(prog)s --record game.json --at 40 --json
  %(prog)s --position "stonewall | t0 AS.2S | ..."
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments and examples to a parser."""
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("variant", nargs="?", help=f"one of {', '.join(CATALOGUE)}, or a game with -o")
    parser.add_argument("seed", nargs="?", help="the deal's seed, 64 hexadecimal digits")
    parser.add_argument(
        "-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    parser.add_argument("--position", metavar="TEXT", help="a position in one line, instead of a deal")
    parser.add_argument("--record", metavar="FILE", help="a record (JSON or packed), instead of a deal")
    parser.add_argument("--at", type=int, metavar="N", help="after the record's first N tokens (default: after all)")
    parser.add_argument("--nodes", type=int, default=5_000_000, help="positions to search (default: %(default)s)")
    parser.add_argument("--seconds", type=float, help="time limit (default: none)")
    parser.add_argument("--memory", type=int, default=512, help="memory limit in megabytes (default: %(default)s)")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="number of the search's random stream")
    parser.add_argument("--shorten", action="store_true", help="shorten the line found")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _table_of_record(path: str, at: int | None) -> Table:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise SolverError(f"cannot read {path}: {error.strerror}") from error
    if data[:1].isspace() or data.startswith(b"{"):
        try:
            record = Record.from_json(json.loads(data))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise SolverError(f"{path} is not JSON: {error}") from error
    else:
        record = Record.from_bytes(data)
    if at is not None and not 0 <= at <= len(record.tokens):
        raise SolverError(f"the record has {len(record.tokens)} tokens")
    table = record.open_table()
    for token in record.tokens[:at]:
        table.push(token)
    return table


def _table(arguments: argparse.Namespace) -> Table:
    sources = [name for name in ("variant", "position", "record") if getattr(arguments, name) is not None]
    if len(sources) != 1:
        raise SolverError("give a variant and a seed, or --position, or --record")
    if arguments.position is not None:
        return from_position(arguments.position)
    if arguments.record is not None:
        return _table_of_record(arguments.record, arguments.at)
    if arguments.seed is None:
        raise SolverError("give the deal's seed as 64 hexadecimal digits")
    return open_table(arguments.variant, read_seed(arguments.seed), read_options(arguments.option) or None)


class _ProgressLine:
    """A progress line on standard error, rewritten in place."""

    def __init__(self, *, shown: bool) -> None:
        self.shown = shown

    def __call__(self, effort: Effort) -> None:
        if self.shown:
            rate = effort.nodes / max(effort.seconds, 1e-3)
            text = f"{effort.nodes:,} positions, try {effort.tries}, {effort.seconds:.1f} s, {rate:,.0f} a second"
            sys.stderr.write(f"\r{text:<78}")
            sys.stderr.flush()

    def close(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * 78 + "\r")


def as_json(result: Result) -> dict[str, Any]:
    """Return the result as a dict of JSON types."""
    words = {Solution: "won", Unwinnable: "unwinnable", GaveUp: "unknown"}
    data: dict[str, Any] = {"result": words[type(result)], **asdict(result)}
    if isinstance(result, Solution):
        data["length"] = len(result.tokens)
    return data


def _report(result: Result) -> str:
    effort = f"{result.effort.nodes:,} positions in {result.effort.seconds:.2f} s"
    match result:
        case Solution(tokens=tokens):
            return f"{' '.join(tokens)}\nWon in {len(tokens)} tokens; {effort}."
        case Unwinnable():
            return f"No line wins; {effort}."
        case GaveUp(reason=reason):
            return f"Not decided, ended by {reason}; {effort}."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. The arguments default to the command line."""
    parser = argparse.ArgumentParser(prog="python -m games.solver")
    add_arguments(parser)
    return run(parser.parse_args(argv))


def run(arguments: argparse.Namespace) -> int:
    """Solve the position that the arguments select, report the result, and return the exit code."""
    stop = Event()
    previous_handler = signal.signal(signal.SIGINT, lambda *_: stop.set())
    progress = _ProgressLine(shown=not arguments.quiet and sys.stderr.isatty())
    try:
        budget = Budget(arguments.nodes, arguments.seconds, arguments.memory)
        table = _table(arguments)
        result = solve(table, budget, seed=arguments.random, cancel=stop.is_set, progress=progress)
        if arguments.shorten and isinstance(result, Solution):
            result = Solution(shorten(table, result.tokens, cancel=stop.is_set), result.effort)
    except (SolverError, RulesError) as error:
        progress.close()
        if arguments.json:
            sys.stdout.write(json.dumps({"error": {"code": error.code, "message": str(error)}}) + "\n")
        else:
            sys.stderr.write(f"{error}\n")
        return BAD_INPUT
    finally:
        signal.signal(signal.SIGINT, previous_handler)
    progress.close()
    sys.stdout.write((json.dumps(as_json(result)) if arguments.json else _report(result)) + "\n")
    return {Solution: WON, Unwinnable: LOST, GaveUp: UNKNOWN}[type(result)]


if __name__ == "__main__":
    sys.exit(main())
