"""`python -m games.deals.to_order`: looks for a certified deal of any game, in a process of its own.

A line of standard input is {"name": text, "options": object or null, "tries": number, "seconds": number}; instead of a
number of tries it may name the `seeds` in hexadecimal, and with a `grade` only a deal of that grade ends the search.
`patience` is for `certify`, `nice` the process's niceness. Standard output has a line for each seed tried,
`{"tried": 1}`, and `{"record": base64, "grade": number or null, "figures": object or null}` for each of them that can
be won. The process can be killed, ends when standard input does, and holds up nobody; a seed is told to the parent
alone. It loads neither Django's applications nor any settings, so it takes a quarter of the memory.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from games.deals.certification import CertificateError, certify

NICENESS = 5
SEED_BYTES = 32


def look(asked: dict[str, Any]) -> None:
    """Try seeds until one is certified, or tries or time are used up."""
    latest = time.monotonic() + asked["seconds"]
    for seed in _seeds(asked):
        found = None
        with suppress(CertificateError):  # the solver's fault, and the next seed may do
            found = certify(
                asked["name"],
                seed,
                asked["options"],
                cancel=lambda: time.monotonic() >= latest,
                patience=asked.get("patience", 0),
            )
        _say({"tried": 1})
        if found is not None:
            figures = found.figures and asdict(found.figures)
            _say({"record": b64encode(found.record.to_bytes()).decode(), "grade": found.grade, "figures": figures})
            if asked.get("grade") in {None, found.grade}:
                return
        if time.monotonic() >= latest:
            return


def _seeds(asked: dict[str, Any]) -> Iterator[bytes]:
    if "seeds" in asked:
        yield from map(bytes.fromhex, asked["seeds"])
    else:
        yield from (secrets.token_bytes(SEED_BYTES) for _ in range(asked["tries"]))


def _end_with_parent() -> None:
    """End this process when its standard input does, even in the middle of a search."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(0)


def _say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    os.nice(order.get("nice", NICENESS))
    look(order)
