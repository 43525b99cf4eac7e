"""Has a process of its own look for a certified deal (`games.deals.to_order`), and reads what it says."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any, Final

from django.conf import settings

from games.deals.certification import Certificate, winning_record
from games.deals.difficulty import Figures
from games.rules import Record, Variant

#: Seconds between two checks whether to stop.
GLANCE: Final = 1.0


def search(
    wanted: Variant,
    seconds: float,
    *,
    stop: Callable[[], bool] = lambda: False,
    **how: Any,  # noqa: ANN401 - JSON values
) -> Iterator[dict[str, Any]]:
    """What the search process says, line by line; it is killed when nobody listens any more, or when `stop` says so.

    `how` is what `to_order` may be asked beside the game: `tries` or `seeds`, `grade`, `patience`, `nice`.
    """
    options = None if wanted.name else dict(wanted.options)
    asked = {"name": wanted.name or wanted.game, "options": options, "seconds": seconds, **how}
    process = subprocess.Popen(
        [sys.executable, "-m", "games.deals.to_order"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,  # so that what can be read is still in the pipe
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            # The pipe stays open: the process ends when it closes, that is, with this one.
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            while not stop():
                if not select.select([process.stdout], [], [], GLANCE)[0]:
                    continue
                line = process.stdout.readline()
                if not line:
                    return
                yield json.loads(line)
        finally:
            process.kill()


def checked(said: dict[str, Any], wanted: Variant) -> Certificate:
    """What was found; the rules replay it once more, in this process."""
    record = Record.from_bytes(b64decode(said["record"]))
    options = None if wanted.name else dict(wanted.options)
    figures = Figures(**said["figures"]) if said.get("figures") else None
    proven = winning_record(wanted.name or wanted.game, record.seed, record.tokens, options)
    return Certificate(proven, figures, said["grade"])
