"""Runner of the browser's checks in Node."""

from __future__ import annotations

import atexit
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
VERIFY: Final = ROOT / "frontend" / "static" / "js" / "verify"
PROGRAM: Final = Path(__file__).with_name("in_node.mjs")


@cache
def _process() -> subprocess.Popen[str]:
    """Start the one process that runs all checks: most of their time is Node's start."""
    process = subprocess.Popen(
        ["node", PROGRAM, VERIFY.as_uri()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(process.communicate)  # Node ends with its input
    return process


def in_node(*requests: tuple[str, Any]) -> list[Any]:
    """Run the browser's checks and return their results; each request is a function's name and its argument."""
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    results = []
    for what, argument in requests:
        process.stdin.write(json.dumps({"what": what, "argument": argument}) + "\n")
        process.stdin.flush()
        reply = json.loads(process.stdout.readline())
        assert "failed" not in reply, reply["failed"]
        results.append(reply["done"])
    return results
