"""The `talon-rules` distribution: it installs without a network and works outside the source tree."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from games.rules import End, Record, open_table
from games.rules.version import __version__
from games.solver import Budget, Solution, solve
from tests.solver.deals import deal, seed_of

ROOT = Path(__file__).resolve().parents[2]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
#: Environment without Python and pip settings, so that commands find neither the tree, an index nor our modules.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=CLEAN, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("wheel")
    built = run(*PIP, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", to, ROOT / "games", cwd=to)
    assert built.returncode == 0, built.stderr
    return next(to.glob("talon_rules-*.whl"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("environment")
    created = run(sys.executable, "-m", "venv", "--without-pip", home, cwd=home)
    assert created.returncode == 0, created.stderr
    programs = home / "bin"
    installed = run(*PIP, "--python", programs / "python", "install", "--no-index", wheel, cwd=home)
    assert installed.returncode == 0, installed.stderr
    return programs


def written(path: Path, tokens: tuple[str, ...]) -> Path:
    record = Record(1, "labyrinth", None, seed_of(0), tokens, (10,) * len(tokens), End("resigned", 40))
    path.write_text(json.dumps(record.to_json()))
    return path


def test_a_record_is_verified_outside_the_tree(programs: Path, tmp_path: Path) -> None:
    first = open_table("labyrinth", seed_of(0)).legal_moves()[0]
    result = run(programs / "talon", "verify", written(tmp_path / "record", (first, "d", "u")), cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    altered = run(programs / "talon", "verify", written(tmp_path / "record", ("t0-t1",)), cwd=tmp_path)
    assert (altered.returncode, altered.stderr) == (1, "")
    missing = run(programs / "talon", "verify", "nothing", cwd=tmp_path)
    assert missing.returncode == 2
    assert missing.stderr.startswith("talon: ")


def test_all_commands_are_there(programs: Path, tmp_path: Path) -> None:
    shown = run(programs / "talon", "--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert {"deal", "play", "verify", "perft", "solve"} <= set(re.findall(r"^ +(\w+) ", shown.stdout, re.MULTILINE))
    assert run(programs / "talon", "--version", cwd=tmp_path).stdout == f"talon {__version__}\n"
    dealt = run(programs / "talon", "deal", "stonewall", "00" * 32, "--json", cwd=tmp_path)
    assert json.loads(dealt.stdout)["view"] == open_table("stonewall", bytes(32)).view()
    usage = run(programs / "talon", "solve", "--help", cwd=tmp_path).stdout
    assert usage.startswith("usage: talon solve ")
    assert "python -m" not in usage


def test_the_solver_runs_plain_with_the_same_result(programs: Path, tmp_path: Path) -> None:
    index = 0
    while not isinstance(expected := solve(deal("labyrinth", index), Budget(nodes=3_000)), Solution):
        index += 1
    seed = seed_of(index).hex()
    done = run(programs / "talon", "solve", "labyrinth", seed, "--nodes", "3000", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert (done.returncode, found["result"]) == (0, "won")
    assert found["effort"]["nodes"] == expected.effort.nodes
    assert found["tokens"] == list(expected.tokens)


def test_nothing_else_is_loaded_or_claimed(programs: Path, tmp_path: Path) -> None:
    """The name `games` is a namespace package: another distribution may add modules to it."""
    code = "import games, games.rules, games.solver; print(games.__file__)"
    done = run(programs / "python", "-c", code, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "None\n")


def test_the_wheel_contains_the_sources_unchanged(wheel: Path) -> None:
    rooms = ("rules", "solver")
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for room in rooms
        for path in (ROOT / "games" / room).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    with zipfile.ZipFile(wheel) as archive:
        result = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
        about = next(archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    assert result == sources
    assert {f"games/{room}/py.typed" for room in rooms} <= result.keys()
    assert f"\nVersion: {__version__}\n" in about
    assert set(re.findall(r"^Requires-Dist: (.*)", about, re.MULTILINE)) == {"numba>=0.61; extra == 'compiled'"}
