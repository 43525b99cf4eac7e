"""Import rules, read from the folders: config → accounts → leaderboards → games, and layers inside games.

An import inside a function or under `if TYPE_CHECKING:` counts like any other. Django's entry modules (`admin`, `apps`,
`tasks`, ...) may import everything in their app; `models` is the ground of its app.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from games.rules import GAMES

ROOT = Path(__file__).resolve().parent.parent
APPS = ("games", "leaderboards", "accounts", "config")
"""The top-level packages; each may import those before it."""
LAYERS = (("rules",), ("solver",), ("manifests",), ("core", "db"), ("fairplay",), ("attempts",), ("live", "deals"))
"""The lower layers of games; each may import those before it. `OUTER` comes last, all other folders in between."""
OUTER = ("pages", "api")
ENTRIES = {"admin", "apps", "management", "tasks", "templatetags", "urls", "routing"}
"""Modules and packages that Django, Celery and Channels look for."""
MOST_MODULES = 20
SOLVER_PACKAGES = {"numba", "numpy"}
# Migrations run when tables are migrated, not with the code.
MIGRATIONS = "migrations"
# Functions that import by name, which an import check cannot see.
BY_NAME = {"import_string", "import_module", "__import__", "get_model"}


def layer(module: str) -> tuple[int, int]:
    """Return the layer of a module: its app's, and inside games its folder's."""
    app, *path = module.split(".")
    if app not in APPS:
        return len(APPS), 0
    if app != "games":
        return APPS.index(app), 0
    folder = path[0] if path else ""
    for number, folders in enumerate(LAYERS):
        if folder in folders:
            return 0, number
    if folder == "models":
        return layer("games.core")
    if folder in OUTER:
        return 0, len(LAYERS) + 1
    return 0, len(LAYERS) + (0 if (ROOT / "games" / folder).is_dir() and folder not in {*ENTRIES, ""} else 2)


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(path: Path) -> list[str]:
    package = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    found: list[str] = []
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            found += (f"{base}.{alias.name}" if is_module(f"{base}.{alias.name}") else base for alias in node.names)
    return found


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements inside a node, without looking into expressions, which are most of the code."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt | ast.excepthandler | ast.match_case):
            yield inner
            yield from statements(inner)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def imported_by_name(path: Path) -> list[str]:
    """Return the calls in a file that import by a literal name.

    A setting may name a module, and a package may find its own modules by the names of the games.
    """
    text = path.read_text()
    if not any(name in text for name in BY_NAME):
        return []
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    found = (ast.unparse(call) for call in calls if called(call) in BY_NAME)
    return [call for call in found if not re.fullmatch(r"\w+\((settings\.\w+|f'\{__name__\}\.\{[\w.]+\}')\)", call)]


def called(call: ast.Call) -> str:
    """Return the last name of a call's function; empty if it has none."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


@cache
def files(*folder: str) -> list[Path]:
    folders = [ROOT.joinpath(*folder)] if folder else [ROOT / app for app in APPS]
    return [path for top in folders for path in top.rglob("*.py") if MIGRATIONS not in path.parts]


def own_imports(path: Path) -> list[str]:
    return [name for name in imports(path) if name.partition(".")[0] in (*APPS, "tests", "benchmarks", "deploy")]


def forbidden(path: Path) -> list[str]:
    """Return the imports of a file from a higher layer."""
    own = layer(module_name(path))
    return [name for name in own_imports(path) if layer(name) > own]


def circle(uses: dict[str, set[str]]) -> list[str]:
    """Return a cycle of modules, the last being the first; empty if there is none."""
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found[::-1]
    return []


def packages() -> list[Path]:
    return [path.parent for path in files() if path.name == "__init__.py"]


def uses_between(package: Path) -> dict[str, set[str]]:
    """Return which of a package's subpackages import which others; entry modules and models do not count."""
    inside = {module_name(path) for path in package.iterdir() if (path / "__init__.py").exists()}
    prefix = module_name(package).count(".") + 2
    uses: dict[str, set[str]] = {name: set() for name in inside}
    for path in files(*package.relative_to(ROOT).parts):
        own = ".".join(module_name(path).split(".")[:prefix])
        if own in inside and own.rpartition(".")[2] not in ENTRIES and path.stem not in ENTRIES:
            others = {".".join(n.split(".")[:prefix]) for n in imports(path) if not n.endswith(".models")}
            uses[own] |= (others & inside) - {own}
    return uses


def test_imports_point_down() -> None:
    found = {str(path.relative_to(ROOT)): wrong for path in files() if (wrong := forbidden(path))}
    assert not found


def test_pages_are_imported_by_urls_alone() -> None:
    """A page imports services, never a page; nothing outside `games.pages` imports a part of one."""
    urls = ROOT / "games" / "urls.py"
    pages = {name for name in imports(urls) if name.startswith("games.pages.")}
    wrong = {}
    for path in files():
        inside = "pages" in path.relative_to(ROOT).parts
        wrong[module_name(path)] = [
            name for name in imports(path) if name in pages or (name.startswith("games.pages.") and not inside)
        ]
    assert {module: names for module, names in wrong.items() if names and module != module_name(urls)} == {}


def test_modules_have_no_cycles() -> None:
    assert circle({module_name(path): set(imports(path)) - {module_name(path)} for path in files()}) == []


def test_packages_have_no_cycles() -> None:
    assert {str(package): found for package in packages() if (found := circle(uses_between(package)))} == {}


def test_nothing_is_imported_by_name() -> None:
    assert {str(path.relative_to(ROOT)): found for path in files() if (found := imported_by_name(path))} == {}


def test_folders_stay_small() -> None:
    modules: dict[Path, int] = defaultdict(int)
    scripts = (ROOT / "frontend" / "static" / "js").rglob("*.js")
    for path in (*files(), *scripts):
        modules[path.parent.relative_to(ROOT)] += path.name != "__init__.py"
    assert {str(folder): number for folder, number in modules.items() if number > MOST_MODULES} == {}


def test_packages_have_docstrings() -> None:
    without = [path for path in packages() if not ast.get_docstring(ast.parse((path / "__init__.py").read_text()))]
    assert [str(path.relative_to(ROOT)) for path in without if not ENTRIES & set(path.parts)] == []


def test_module_names_are_unique() -> None:
    """Two modules share a name only in packages that have the same job, so that a name says which file is meant."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in files():
        places[path.stem].append(module_name(path).rpartition(".")[0])
    repeated = {name for name, found in places.items() if len(found) > 1}
    assert repeated <= SAME_JOB, repeated - SAME_JOB


# Names that say the same job in each package.
SAME_JOB = ENTRIES | set(GAMES) | {
    "__init__", "__main__", "access", "api", "errors", "housekeeping", "loss_proof",
    "models", "moves", "position", "protocol", "search", "view_models", "views",
}  # fmt: skip


@pytest.mark.parametrize(("part", "besides"), [("rules", set()), ("solver", SOLVER_PACKAGES)])
def test_pure_parts_use_the_standard_library_alone(part: str, besides: set[str]) -> None:
    known = sys.stdlib_module_names | besides | {"games"}
    found = {
        str(path.relative_to(ROOT)): name
        for path in files("games", part)
        for name in imports(path)
        if name.partition(".")[0] not in known
    }
    assert not found


@pytest.mark.parametrize("part", ["games.rules", "games.solver"])
def test_pure_parts_import_with_django_absent(part: str) -> None:
    code = f"import sys; sys.modules['django'] = None; sys.modules['celery'] = None; import {part}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_wrong_imports_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    wrong = tmp_path / "games" / "attempts" / "wrong.py"
    wrong.parent.mkdir(parents=True)
    for folder in ("attempts", "races", "rules"):
        (tmp_path / "games" / folder).mkdir(exist_ok=True)
        (tmp_path / "games" / folder / "__init__.py").touch()
    wrong.write_text(
        "if TYPE_CHECKING:\n    from accounts.models import User\n"
        "def late():\n    from games.models import Deal\n    from .. import races\n    from games import rules\n"
        "def hidden():\n    import_string(_USER)\n    django.apps.get_model('accounts', 'User')\n"
        "    import_module(settings.SESSION_ENGINE)\n    import_module(f'{__name__}.{game}')\n"
    )
    assert sorted(forbidden(wrong)) == ["accounts.models", "games.races"]
    assert imported_by_name(wrong) == ["import_string(_USER)", "django.apps.get_model('accounts', 'User')"]
