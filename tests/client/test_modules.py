"""The client's modules by themselves: the tests in `*.test.mjs`, run by Node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.mark.needs("node")
@pytest.mark.parametrize("file", sorted(Path(__file__).parent.glob("*.test.mjs")), ids=lambda file: file.name)
def test_modules(file: Path) -> None:
    done = subprocess.run(["node", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
