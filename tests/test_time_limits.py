"""Code of the apps: tasks let their time limits through, and queries use Django's documented API only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("accounts", "config", "games", "leaderboards")
LIMIT = "SoftTimeLimitExceeded"
BROAD = {"Exception", "BaseException"}

#: Functions that never run in a task's own thread, in which the limit is raised.
ELSEWHERE = {
    ("config/doctor/check_list.py", "_found"),
    ("games/core/background_threads.py", "run_in_background.run"),
    ("games/core/thread_pool.py", "ThreadPool._run_next"),
    ("games/hints/search_queue.py", "SearchQueue._work"),
    ("games/live/journal.py", "Journal._work"),
    ("games/live/journal_store.py", "JournalStore.close"),
    ("games/db/replicas/lag_monitor.py", "LagMonitor._run"),
}


def swallowing(tree: ast.AST, name: str = "") -> Iterator[str]:
    """Yield the functions of a module that catch everything and do not let a time limit through.

    Coroutines are left out: tasks have no event loop.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from swallowing(node, f"{name}.{node.name}".lstrip("."))
            continue
        if (isinstance(node, ast.Try) and not lets_through(node)) or (isinstance(node, ast.Call) and suppresses(node)):
            yield name
        yield from swallowing(node, name)


def lets_through(node: ast.Try | ast.TryStar) -> bool:
    for handler in node.handlers:
        caught = names_in(handler.type)
        reraises = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in handler.body)
        if LIMIT in caught:
            return reraises
        if handler.type is None or caught & BROAD:
            return reraises
    return True


def suppresses(node: ast.Call) -> bool:
    """Return whether a call is `suppress(Exception)`, or Django's `on_commit(..., robust=True)`."""
    if names_in(node.func) & {"suppress"} and any(names_in(argument) & BROAD for argument in node.args):
        return True
    return any(keyword.arg == "robust" for keyword in node.keywords)


def names_in(node: ast.AST | None) -> set[str]:
    nodes = list(ast.walk(node)) if node is not None else []
    return {each.id for each in nodes if isinstance(each, ast.Name)} | {
        each.attr for each in nodes if isinstance(each, ast.Attribute)
    }


def test_no_code_of_a_task_swallows_its_time_limit() -> None:
    found = {
        (str(path.relative_to(ROOT)), name)
        for path, text in sources(PARTS, re.compile(r"\bexcept\b|suppress|robust="))
        for name in swallowing(ast.parse(text))
    }
    assert found == ELSEWHERE


def sources(parts: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    """Yield the files of packages that contain a pattern: parsing all takes seconds."""
    for path in (path for part in parts for path in (ROOT / part).rglob("*.py")):
        if pattern.search(text := path.read_text()):
            yield path, text


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


def test_no_private_query_api() -> None:
    words = re.compile(rf"\.(?:{'|'.join(ATTRIBUTES)})\b|{STATE}|get_related_populators|models(?:\.| import .*)sql")
    assert {str(path): uses for path, text in sources(APPS, words) if (uses := [*private_uses(text)])} == {}


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
