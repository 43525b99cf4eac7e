"""`python -m games.deals.to_order`: looks for a certified deal of any game, in a process of its own.

Standard input is {"name": text, "options": object or null, "tries": number, "seconds": number}; instead of a number of
tries it may name the `seeds` in hexadecimal, and with a `grade` only a deal of that grade ends the search. Standard
output has a line for each seed tried, `{"tried": 1}`, and `{"record": base64, "grade": number or null}` for each of
them that can be won. The process can be killed and holds up nobody; a seed is told to the parent alone.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
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
            found = certify(asked["name"], seed, asked["options"], cancel=lambda: time.monotonic() >= latest)
        _say({"tried": 1})
        if found is not None:
            _say({"record": b64encode(found.record.to_bytes()).decode(), "grade": found.grade})
            if asked.get("grade") in {None, found.grade}:
                return
        if time.monotonic() >= latest:
            return


def _seeds(asked: dict[str, Any]) -> Iterator[bytes]:
    if "seeds" in asked:
        yield from map(bytes.fromhex, asked["seeds"])
    else:
        yield from (secrets.token_bytes(SEED_BYTES) for _ in range(asked["tries"]))


def _say(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    os.nice(NICENESS)
    look(json.load(sys.stdin))
