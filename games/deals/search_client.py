"""Client of the deal search process (`games.deals.search_process`): starts it and reads its output."""

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
from games.deals.difficulty import DifficultyFigures
from games.rules import Record, Variant

#: Seconds between two calls of `stop`.
GLANCE: Final = 1.0


def search(
    variant: Variant,
    seconds: float,
    *,
    stop: Callable[[], bool] = lambda: False,
    **parameters: Any,  # noqa: ANN401 - JSON values
) -> Iterator[dict[str, Any]]:
    """Run the search process and yield its output lines; kill it when the generator is closed or `stop` returns True.

    `parameters` holds the other parameters of the search: `tries` or `seeds`, `grade`, `patience`, `nice`.
    """
    options = None if variant.name else dict(variant.options)
    request = {"name": variant.name or variant.game, "options": options, "seconds": seconds, **parameters}
    process = subprocess.Popen(
        [sys.executable, "-m", "games.deals.search_process"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,  # buffered lines would be invisible to `select`
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            # The pipe stays open: the search exits when it closes, at the latest when this process ends.
            process.stdin.write(json.dumps(request).encode() + b"\n")
            while not stop():
                if not select.select([process.stdout], [], [], GLANCE)[0]:
                    continue
                line = process.stdout.readline()
                if not line:
                    return
                yield json.loads(line)
        finally:
            process.kill()


def checked(line: dict[str, Any], variant: Variant) -> Certificate:
    """Return the certificate for a deal found, after the rules in this process have replayed its record.

    :raises CertificateError: when the record does not win.
    """
    record = Record.from_bytes(b64decode(line["record"]))
    options = None if variant.name else dict(variant.options)
    figures = DifficultyFigures(**line["figures"]) if line.get("figures") else None
    proven = winning_record(variant.name or variant.game, record.seed, record.tokens, options)
    return Certificate(proven, figures, line["grade"])
