"""Processes that run commands inside a site for tests, beside its servers.

Each reads one JSON object a line, `{"do": name, ...arguments}`, and writes one, `{"done": result}` or
`{"failed": traceback}`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
#: Cheap password hashes; real ones take a third of a second each.
QUICK_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


class ControlProcess:
    """A process of a module that calls `serve`, started for its first command; `log` gets its errors."""

    def __init__(self, module: str, environment: dict[str, str], log: Path) -> None:
        self._module, self._environment, self._log = module, environment, log
        self._process: subprocess.Popen[str] | None = None

    def ask(self, command: str, **arguments: Any) -> Any:
        """Run a command and return its result.

        :raises AssertionError: with the traceback of a command that failed.
        """
        if self._process is None:
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", self._module],
                    cwd=ROOT,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": command, **arguments}) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline())
        assert "done" in reply, reply["failed"]
        return reply["done"]

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def serve(*commands: Callable[..., object]) -> None:
    """Run the commands that come on standard input. Django must be set up."""
    from django.db import connections  # noqa: PLC0415

    known = {command.__name__: command for command in commands}
    for line in sys.stdin:
        request = json.loads(line)
        reply: dict[str, object]
        try:
            reply = {"done": known[request.pop("do")](**request)}
        except Exception:  # noqa: BLE001 - the test raises it
            reply = {"failed": traceback.format_exc()}
        connections.close_all()
        print(json.dumps(reply), flush=True)
