"""Imports point one way: accounts and leaderboards → games → games.solver → games.rules."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCAL = {"accounts", "benchmarks", "config", "deploy", "games", "leaderboards", "tests"}
SOLVER_PACKAGES = {"numba", "numpy"}

# Each part, and what of the project it may use besides itself.
ALLOWED: dict[str, set[str]] = {
    "games.rules": set(),
    "games.solver": {"games.rules"},
    "games": {"games.rules", "games.solver"},
    "leaderboards": {"games", "games.rules", "games.solver"},
    "accounts": {"games", "games.rules", "games.solver", "leaderboards"},
    "deploy": set(),
}
# Read when the tables are migrated, not when the code runs.
MIGRATIONS = "migrations"


def part_of(module: str) -> str:
    """The longest part of the project that holds the module; its first name when none does."""
    fitting = [part for part in ALLOWED if module == part or module.startswith(f"{part}.")]
    return max(fitting, key=len, default=module.partition(".")[0])


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports when it runs, wherever in the file it does."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    for node in running_nodes(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def running_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING:`, which only name types."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from running_nodes(node)


def files() -> list[Path]:
    tops = sorted({part.partition(".")[0] for part in ALLOWED})
    return [path for top in tops for path in (ROOT / top).rglob("*.py") if MIGRATIONS not in path.parts]


def forbidden(path: Path) -> list[str]:
    own = part_of(module_name(path))
    return [
        name
        for name in imports(path)
        if name.partition(".")[0] in LOCAL and part_of(name) != own and part_of(name) not in ALLOWED[own]
    ]


def test_there_is_something_to_check() -> None:
    assert {part_of(module_name(path)) for path in files()} == set(ALLOWED)


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_imports_of(part: str) -> None:
    found = {
        str(path.relative_to(ROOT)): wrong
        for path in files()
        if part_of(module_name(path)) == part and (wrong := forbidden(path))
    }
    assert not found


@pytest.mark.parametrize(("part", "besides"), [("games.rules", set()), ("games.solver", SOLVER_PACKAGES)])
def test_pure_parts_use_the_standard_library_alone(part: str, besides: set[str]) -> None:
    known = sys.stdlib_module_names | LOCAL | besides
    found = {
        str(path.relative_to(ROOT)): name
        for path in files()
        if part_of(module_name(path)) == part
        for name in imports(path)
        if name.partition(".")[0] not in known
    }
    assert not found


@pytest.mark.parametrize("part", ["games.rules", "games.solver"])
def test_pure_parts_import_with_django_absent(part: str) -> None:
    code = f"import sys; sys.modules['django'] = None; sys.modules['celery'] = None; import {part}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_wrong_import_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    wrong = tmp_path / "games" / "rules" / "wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text("def late():\n    from games.models import Deal\n    from .. import deals\n")
    assert forbidden(wrong) == ["games.models", "games.models.Deal", "games", "games.deals"]
