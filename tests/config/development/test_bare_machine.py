"""Checks on a machine with only Python: those of the client are skipped, except in CI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("program", ["node", "chromium", "redis-server"])
def test_a_test_without_declared_needs_sees_no_programs(program: str) -> None:
    assert not any((Path(place) / program).exists() for place in os.get_exec_path())


@pytest.fixture
def make(tmp_path: Path) -> str:
    """A PATH with `make` but without Node."""
    for name in ("make", "sh"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    return str(tmp_path)


@pytest.mark.needs("make")
@pytest.mark.parametrize(("ci", "fails"), [("", False), ("true", True)])
def test_client_checks_are_skipped_without_node_except_in_ci(make: str, ci: str, *, fails: bool) -> None:
    done = subprocess.run(
        [f"{make}/make", "client"], cwd=ROOT, env={"PATH": make, "CI": ci}, capture_output=True, text=True, check=False
    )
    assert (done.returncode != 0) is fails, done.stderr
    assert "npm" in (done.stderr if fails else done.stdout)


def test_the_checks_are_pinned_without_an_address() -> None:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text())
    packages = {path: package for path, package in lock["packages"].items() if path}
    assert len(packages) > 1
    assert all("resolved" not in package and package["integrity"] for package in packages.values())
    declared = json.loads((ROOT / "frontend" / "package.json").read_text())["devDependencies"]
    assert all(packages[f"node_modules/{name}"]["version"] == version for name, version in declared.items())
