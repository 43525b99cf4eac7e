"""Runner of the browser's checks in Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
VERIFY: Final = ROOT / "frontend" / "static" / "js" / "verify"


def in_node(*asked: tuple[str, Any]) -> list[Any]:
    """Run the browser's checks and return their answers; each request is a function's name and its argument."""
    given = {"verify": VERIFY.as_uri(), "asked": [{"what": what, "given": value} for what, value in asked]}
    program = Path(__file__).with_name("in_node.mjs")
    done = subprocess.run(["node", str(program)], input=json.dumps(given), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers
