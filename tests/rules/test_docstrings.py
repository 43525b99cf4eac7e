"""Docstrings of the rules and the solver: every public name has one, with its errors, units and source."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import games.rules.errors
import games.solver.errors

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for room in ("rules", "solver") for path in (ROOT / "games" / room).rglob("*.py"))
UNITS = {
    "ms": "millisecond",
    "elapsed_ms": "millisecond",
    "end_ms": "millisecond",
    "clock": "millisecond",
    "seconds": "second",
    "nodes": "position",
    "memory": "MiB|bytes",
    "seed": "32 byte|32-byte|random stream",
}

Definition = ast.FunctionDef | ast.ClassDef


class Public(NamedTuple):
    """A public function, method or class: its location, and its own docstring or the inherited one."""

    where: str
    node: Definition
    doc: str


def _modules() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in SOURCES}


def _classes(modules: dict[Path, ast.Module]) -> dict[str, list[ast.ClassDef]]:
    found: dict[str, list[ast.ClassDef]] = {}
    for module in modules.values():
        for node in module.body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


def _inherited(node: ast.ClassDef, method: str, classes: dict[str, list[ast.ClassDef]]) -> str:
    """Return the docstring of a method that the class or one of its bases declares."""
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name == method and (doc := ast.get_docstring(member)):
            return doc
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    found = (_inherited(one, method, classes) for base in bases for one in classes.get(base, ()))
    return next(filter(None, found), "")


def _public() -> Iterator[Public]:
    modules = _modules()
    classes = _classes(modules)
    for path, module in modules.items():
        for node in module.body:
            if not isinstance(node, Definition) or node.name.startswith("_"):
                continue
            where = f"{path.relative_to(ROOT)}: {node.name}"
            yield Public(where, node, ast.get_docstring(node) or "")
            if not isinstance(node, ast.ClassDef):
                continue
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    yield Public(f"{where}.{member.name}", member, _inherited(node, member.name, classes))


PUBLIC = list(_public())


def _raised(node: Definition) -> set[str]:
    """Return the errors that a function raises by name in its own body; for a class, in its constructor."""
    if isinstance(node, ast.ClassDef):
        makers = [one for one in node.body if isinstance(one, ast.FunctionDef)]
        return {name for one in makers if one.name in {"__init__", "__post_init__"} for name in _raised(one)}
    errors = [one.exc for one in ast.walk(node) if isinstance(one, ast.Raise) and one.exc is not None]
    calls = [error.func if isinstance(error, ast.Call) else error for error in errors]
    return {call.id for call in calls if isinstance(call, ast.Name)} - _quantities(node)


def _quantities(node: Definition) -> set[str]:
    """Return the parameters of a function or the fields of a class, by name."""
    if isinstance(node, ast.ClassDef):
        fields = [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
        return {field.id for field in fields if isinstance(field, ast.Name)}
    return {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}


def _without_units(one: Public) -> list[str]:
    return [name for name in sorted(_quantities(one.node) & UNITS.keys()) if not re.search(UNITS[name], one.doc)]


def test_every_public_name_has_a_docstring() -> None:
    assert len(PUBLIC) > 200
    assert [one.where for one in PUBLIC if not one.doc] == []
    assert [str(path) for path, module in _modules().items() if not ast.get_docstring(module)] == []


def test_the_errors_raised_are_declared() -> None:
    silent = {
        one.where: missing
        for one in PUBLIC
        if (missing := {error for error in _raised(one.node) if f":raises {error}:" not in one.doc})
    }
    assert silent == {}


def test_the_errors_declared_exist() -> None:
    known = {*vars(builtins), *vars(games.rules.errors), *vars(games.solver.errors)}
    declared = {error for one in PUBLIC for error in re.findall(r":raises (\w*)", one.doc)}
    assert declared
    assert declared <= known


def test_quantities_have_units() -> None:
    """Milliseconds, seconds, positions, MiB and bytes must be named."""
    assert {one.where: missing for one in PUBLIC if (missing := _without_units(one))} == {}


def test_pages_cited_exist_with_the_sections_cited() -> None:
    cited = [
        citation
        for path in SOURCES
        for citation in re.findall(r'(docs/\w+\.md)(?:,\s+"([^"]+)")?', path.read_text().replace('\\"', '"'))
    ]
    assert cited
    for page, section in cited:
        text = (ROOT / page).read_text()
        assert not section or re.search(rf"^#+ {re.escape(' '.join(section.split()))}$", text, re.MULTILINE), (
            page,
            section,
        )
    assert [str(path) for path in SOURCES if re.search(r"rules section \d", path.read_text())] == []
