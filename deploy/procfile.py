"""Commands of the production deployment: `make stack` and the systemd units run them, docker-compose.yml repeats them.

`python -m deploy.procfile web-8001` runs one of them, at this port.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

PROCFILE = Path(__file__).with_name("Procfile")


def commands() -> dict[str, list[str]]:
    """Return the command lines by process name."""
    lines = (line.partition(":") for line in PROCFILE.read_text().splitlines() if line.strip())
    return {name.strip(): shlex.split(command) for name, _, command in lines}


def main() -> None:
    """Become the process that the argument names, with this environment's programs."""
    name, _, port = sys.argv[1].partition("-")
    program, *arguments = commands()[name]
    if port:
        os.environ["PORT"] = port
    os.execv(Path(sys.executable).with_name(program), [program, *arguments])  # noqa: S606


if __name__ == "__main__":
    main()
