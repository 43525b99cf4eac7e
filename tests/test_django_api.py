"""The apps build and read queries through Django's documented API only: private parts change without notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "games", "leaderboards")
#: Modules that compile SQL, and functions of `django.db.models.query` beside its documented classes.
MODULES = ("django.db.models.sql", "django.db.models.query.get_related_populators")
ATTRIBUTES = {
    *("as_sql", "get_compiler", "sql_with_params", "get_converters", "apply_converters", "klass_info"),
    *("get_db_converters", "get_related_populators", "query", "ops", "_do_insert", "_insert"),
}
#: `Attempt._state.adding` is documented; setting it is not.
STATE = "_state"


def private_uses(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                found = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), names=names):
                found = [f"{module}.{alias.name}" for alias in names]
            case _:
                found = []
        yield from (name for name in found if name.startswith(MODULES))
        if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
            yield ast.unparse(node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and STATE in ast.unparse(node.value):
            yield ast.unparse(node)


@pytest.mark.parametrize("app", APPS)
def test_no_private_query_api(app: str) -> None:
    found = {str(path.relative_to(ROOT)): [*private_uses(path.read_text())] for path in (ROOT / app).rglob("*.py")}
    assert {path: uses for path, uses in found.items() if uses} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from django.db.models.sql import compiler",
        "from django.db.models.query import get_related_populators",
        "import django.db.models.sql.compiler",
        "queryset.query.get_compiler(connection=connection)",
        "connection.ops.quote_name(name)",
        "row._state.adding = False",
    ],
)
def test_private_use_is_noticed(source: str) -> None:
    assert [*private_uses(source)]
