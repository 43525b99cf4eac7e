"""Checks on a machine with only Python: what needs more is skipped with advice, except in CI."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements import HIDDEN_PROGRAMS, REQUIREMENTS

ROOT = Path(__file__).resolve().parents[3]
#: Needs that stay available inside the namespace.
PRESENT = {"make", "html-validate", "namespaces"}

_HIDE = """
ip link set lo up
for program in "$@"; do
  place=$(PATH=$PATH:/usr/sbin command -v "$program") && mount --bind /dev/null "$(readlink -f "$place")"
done
[ ! -d /usr/lib/postgresql ] || mount -t tmpfs none /usr/lib/postgresql
unset CI CHROMIUM TEST_DATABASE_URL TEST_REDIS_URL PYTEST_XDIST_WORKER PYTEST_XDIST_WORKER_COUNT
exec "$PYTHON" -m pytest -m needs -q -rs -p no:cacheprovider --basetemp "$BASETEMP" --ignore "$THIS_FILE"
"""


@pytest.mark.slow
@pytest.mark.needs("namespaces")
def test_tests_without_their_needs_are_skipped_with_advice(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "--map-root-user", "--net", "--mount", "sh", "-c", _HIDE, "sh", *sorted(HIDDEN_PROGRAMS)],
        cwd=ROOT,
        env={**os.environ, "PYTHON": sys.executable, "THIS_FILE": __file__, "BASETEMP": str(tmp_path / "nested")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    reasons = re.findall(r"^SKIPPED \[\d+\] \S+ missing: (.*)$", done.stdout, re.MULTILINE)
    for name in REQUIREMENTS.keys() - PRESENT:
        assert any(f"{name} ({REQUIREMENTS[name].install})" in reason for reason in reasons), name


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
