"""Commands of the production deployment; `make stack` runs them and docker-compose.yml repeats them."""

from __future__ import annotations

import shlex
from pathlib import Path

PROCFILE = Path(__file__).with_name("Procfile")


def commands() -> dict[str, list[str]]:
    """Return the command lines by process name."""
    lines = (line.partition(":") for line in PROCFILE.read_text().splitlines() if line.strip())
    return {name.strip(): shlex.split(command) for name, _, command in lines}
