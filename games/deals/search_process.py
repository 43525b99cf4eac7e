"""Search process for a certified deal of any game: `python -m games.deals.search_process`.

It reads one JSON line from standard input: {"name": text, "options": object or null, "tries": number, "seconds":
number}. Instead of `tries` it may list the `seeds` in hex; with a `grade`, only a deal of that grade ends the search.
`patience` is passed to `certify`, and `nice` sets the process's niceness. Standard output gets a line `{"tried": 1}`
for each seed tried, and `{"record": base64, "grade": number or null, "figures": object or null}` for each winnable one.

A separate process can be killed at any time and blocks no one. It exits when standard input closes. Only the parent
learns the seeds. It loads neither Django's apps nor any settings, so it takes a quarter of the memory.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
import time
from base64 import b64encode
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from games.deals.certification import CertificateError, certify
from games.rules.shuffle import SEED_BYTES

#: Niceness of a search that someone waits for, and of one for the stock.
NICENESS: Final = 5
STOCK_NICENESS: Final = 19


def search(request: dict[str, Any]) -> None:
    """Try seeds until one is certified with the wanted grade, or the tries or the time run out."""
    latest = time.monotonic() + request["seconds"]
    drawn = (secrets.token_bytes(SEED_BYTES) for _ in range(request.get("tries", 0)))
    for seed in map(bytes.fromhex, request["seeds"]) if "seeds" in request else drawn:
        certificate = None
        with suppress(CertificateError):  # a solver bug; the next seed may still work
            certificate = certify(
                request["name"],
                seed,
                request["options"],
                cancel=lambda: time.monotonic() >= latest,
                patience=request.get("patience", 0),
            )
        _write_line({"tried": 1})
        if certificate is not None:
            figures = certificate.figures and asdict(certificate.figures)
            _write_line(
                {
                    "record": b64encode(certificate.record.to_bytes()).decode(),
                    "grade": certificate.grade,
                    "figures": figures,
                }
            )
            if request.get("grade") in {None, certificate.grade}:
                return
        if time.monotonic() >= latest:
            return


def _end_with_parent() -> None:
    """Exit when standard input closes, even in the middle of a search."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(0)


def _write_line(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    os.nice(order.get("nice", NICENESS))
    search(order)
