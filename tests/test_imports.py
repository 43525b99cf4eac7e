"""Import rules: accounts → leaderboards → games → games.solver → games.rules, and likewise between parts of games.

An import inside a function or under `if TYPE_CHECKING:` counts like any other.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCAL = {"accounts", "benchmarks", "config", "deploy", "games", "leaderboards", "tests"}
SOLVER_PACKAGES = {"numba", "numpy"}

# Modules directly in games belong to the part "games", except these.
PARTS = {
    # Foundations of everything else in games.
    "games ground": {
        "games.addresses", "games.admission", "games.bodies", "games.db", "games.errors", "games.events",
        "games.limits",
        "games.metrics", "games.ladders", "games.models", "games.players", "games.readings", "games.reasons",
        "games.registry", "games.replicas", "games.statements",
    },
    # Entry points of Django, Celery and Channels.
    "games doors": {
        "games.admin", "games.api", "games.apps", "games.management", "games.race_api",
        "games.reference_api", "games.routing", "games.tasks", "games.templatetags", "games.urls",
    },
}  # fmt: skip

PURE = {"games.rules", "games.solver"}
GROUND = PURE | {"games ground"}
SHARED = GROUND | {"games.fairplay", "games"}
LIVE_AND_DEALS = SHARED | {"games.live", "games.deals"}
ROOMS = LIVE_AND_DEALS | {
    "games.analysis",
    "games.hints",
    "games.presence",
    "games.races",
    "games.replays",
    "games.ghosts",
    "games.appeals",
    "games.pages",
}

# Each part, and the other parts of the project that it may import.
ALLOWED: dict[str, set[str]] = {
    "games.rules": set(),
    "games.solver": {"games.rules"},
    "games ground": PURE,
    "games.fairplay": GROUND,
    "games": GROUND | {"games.fairplay"},
    "games.live": SHARED,
    "games.deals": SHARED,
    "games.hints": LIVE_AND_DEALS,
    "games.analysis": LIVE_AND_DEALS | {"games.replays"},
    "games.presence": LIVE_AND_DEALS,
    "games.races": LIVE_AND_DEALS,
    "games.replays": LIVE_AND_DEALS,
    "games.ghosts": LIVE_AND_DEALS | {"games.races", "games.replays"},
    "games.appeals": LIVE_AND_DEALS | {"games.races", "games.ghosts"},
    "games.pages": ROOMS,
    "games doors": ROOMS,
    "leaderboards": ROOMS | {"games doors"},
    "accounts": ROOMS | {"games doors", "leaderboards"},
    "config": ROOMS | {"games doors", "leaderboards", "accounts"},
    "deploy": set(),
}
# Migrations run when tables are migrated, not with the code.
MIGRATIONS = "migrations"
# Functions that import by name, which an import check cannot see.
BY_NAME = {"import_string", "import_module", "__import__", "get_model"}


def part_of(module: str) -> str:
    """Return the part of the project that holds the module; its first name if none does."""
    homes = {home: part for part, modules in PARTS.items() for home in modules} | {
        part: part for part in ALLOWED if " " not in part
    }
    fitting = [home for home in homes if module == home or module.startswith(f"{home}.")]
    return homes[max(fitting, key=len)] if fitting else module.partition(".")[0]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(path: Path) -> list[str]:
    """Return every module that a file imports, anywhere in the file."""
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            found += (f"{base}.{alias.name}" if is_module(f"{base}.{alias.name}") else base for alias in node.names)
    return found


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def imported_by_name(path: Path) -> list[str]:
    """Return the calls in a file that import by a literal name; a setting may name a module."""
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    found = (ast.unparse(call) for call in calls if called(call) in BY_NAME)
    return [call for call in found if not re.fullmatch(r"\w+\(settings\.\w+\)", call)]


def called(call: ast.Call) -> str:
    """Return the last name of a call's function; empty if it has none."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


@cache
def files() -> list[Path]:
    tops = sorted({part.partition(".")[0] for part in ALLOWED if " " not in part})
    return [path for top in tops for path in (ROOT / top).rglob("*.py") if MIGRATIONS not in path.parts]


def forbidden(path: Path) -> list[str]:
    own = part_of(module_name(path))
    return [
        name
        for name in imports(path)
        if name.partition(".")[0] in LOCAL and part_of(name) != own and part_of(name) not in ALLOWED[own]
    ]


def circle(uses: dict[str, set[str]]) -> list[str]:
    """Return a cycle of modules, the last being the first; empty if there is none."""
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found[::-1]
    return []


def test_there_is_something_to_check() -> None:
    assert {part_of(module_name(path)) for path in files()} == set(ALLOWED)
    assert [name for modules in PARTS.values() for name in modules if not is_module(name)] == []


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_imports_of(part: str) -> None:
    found = {
        str(path.relative_to(ROOT)): wrong
        for path in files()
        if part_of(module_name(path)) == part and (wrong := forbidden(path))
    }
    assert not found


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle({module_name(path): set(imports(path)) - {module_name(path)} for path in files()}) == []


def test_a_circle_is_detected() -> None:
    assert circle({"a": {"b"}, "b": {"c", "d"}, "c": {"a"}}) in (
        ["a", "b", "c", "a"],
        ["b", "c", "a", "b"],
        ["c", "a", "b", "c"],
    )
    assert circle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_no_module_is_imported_by_name() -> None:
    assert {str(path.relative_to(ROOT)): found for path in files() if (found := imported_by_name(path))} == {}


@pytest.mark.parametrize(("part", "besides"), [("games.rules", set()), ("games.solver", SOLVER_PACKAGES)])
def test_pure_parts_use_only_the_standard_library(part: str, besides: set[str]) -> None:
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
def test_pure_parts_import_without_django(part: str) -> None:
    code = f"import sys; sys.modules['django'] = None; sys.modules['celery'] = None; import {part}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_wrong_import_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    wrong = tmp_path / "games" / "rules" / "wrong.py"
    wrong.parent.mkdir(parents=True)
    for file in ("rules/__init__.py", "attempts.py"):
        (tmp_path / "games" / file).touch()
    wrong.write_text(
        "if TYPE_CHECKING:\n    from accounts.models import User\n"
        "def late():\n    from games.models import Deal\n    from .. import attempts\n    from games import rules\n"
        "def hidden():\n    import_string(_USER)\n    django.apps.get_model('accounts', 'User')\n"
        "    import_module(settings.SESSION_ENGINE)\n"
    )
    assert sorted(forbidden(wrong)) == ["accounts.models", "games.attempts", "games.models"]
    assert imported_by_name(wrong) == ["import_string(_USER)", "django.apps.get_model('accounts', 'User')"]
