"""Has a process of its own look for a certified deal (`games.deals.to_order`), and reads what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from games.deals.certification import Certificate, winning_record
from games.rules import Record, Variant


def search(wanted: Variant, seconds: float, **how: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - JSON values
    """What the search process says, line by line; it is killed when nobody listens any more.

    `how` is what `to_order` may be asked beside the game: `tries` or `seeds`, and `grade`.
    """
    options = None if wanted.name else dict(wanted.options)
    asked = {"name": wanted.name or wanted.game, "options": options, "seconds": seconds, **how}
    process = subprocess.Popen(
        [sys.executable, "-m", "games.deals.to_order"],
        cwd=settings.BASE_DIR,
        env={"DJANGO_SETTINGS_MODULE": "config.settings", **os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(asked).encode())
            process.stdin.close()
            for line in process.stdout:
                yield json.loads(line)
        finally:
            process.kill()


def checked(said: dict[str, Any], wanted: Variant) -> Certificate:
    """What was found; the rules replay it once more, in this process."""
    record = Record.from_bytes(b64decode(said["record"]))
    options = None if wanted.name else dict(wanted.options)
    return Certificate(
        winning_record(wanted.name or wanted.game, record.seed, record.tokens, options), None, said["grade"]
    )
