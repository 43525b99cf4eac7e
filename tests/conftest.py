"""Shared test setup: separate databases, and real servers for tests that ask for them."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec
import pytest
import redis
from django.conf import settings as site
from django.core.cache import cache
from django.core.management.color import no_style
from django.db import connection, connections
from django.utils import translation
from django_ratelimit import core as ratelimit
from hypothesis import HealthCheck, settings
from whitenoise.middleware import WhiteNoiseMiddleware

from games.core import limits
from games.db import shared_cache
from games.db.shared_cache import CACHES, Cached, ProcessCache, SharedCache
from tests.config.running import run
from tests.control import QUICK_HASHERS
from tests.factories import reuse_seeds
from tests.once import made_from, made_once
from tests.postgres import ServerAddress, make_cluster, new_database, running_postgres
from tests.requirements import REDIS_URL, check_needs, link_programs, mark_fixture_needs, needs_of
from tests.scheduling import BROWSER, LONG, Scheduler, group_of

# Settings for the servers that tests start; `pytest_configure` does the same for the tests themselves.
os.environ["SEALED_STOCK"] = os.environ["DEAL_PATIENCE"] = "0"
os.environ["LADDERS"] = "0"

# Write bytecode even if the environment disables it; otherwise each of the many servers would compile again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# New random examples in every run, in CI too, where Hypothesis would repeat the same ones by default. A failure prints
# how to reproduce its example.
settings.register_profile(
    "talon",
    derandomize=False,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("talon")

REDIS_DATABASES = range(1, 16)
REDIS_LEASE_SECONDS = 1800
MEMORY = "/dev/shm"
FILLED_BY_MIGRATING = {"django_content_type", "auth_permission"}

#: What a migrated database depends on.
MIGRATIONS = ("*/migrations/*.py", "*/*/migrations/*.py", "requirements/base.txt")
#: What the collected static files depend on.
STATIC_SOURCES = (
    *("frontend/static/**/*", "frontend/locale/**/*", "frontend/packages/**/*", "frontend/artwork/*.py"),
    *("frontend/*.py", "config/assets/*.py", "config/settings.py", "requirements/base.txt"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full", action="store_true", help="many more positions, games or deals, where tests play random ones"
    )
    parser.addoption("--folders", action="store_true", help="print how long the tests of each folder took")


def pytest_configure() -> None:
    """Set what holds for all tests that do not ask otherwise."""
    # Draw and publish deals at once, without a search for a winning line.
    site.SEALED_STOCK = site.DEAL_PATIENCE = 0
    # Put all results on one ladder: most players in tests are newcomers.
    site.LADDERS = False
    site.PASSWORD_HASHERS = QUICK_HASHERS
    # Count a network's visitors like one player, so that few requests reach a limit.
    limits.CROWD = 1  # type: ignore[misc]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not terminalreporter.config.getoption("--folders"):
        return
    seconds: defaultdict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds["/".join(report.nodeid.split("/")[:2])] += report.duration
    terminalreporter.section("seconds by folder")
    for folder, sum_of_tests in sorted(seconds.items(), key=lambda item: -item[1]):
        terminalreporter.line(f"{sum_of_tests:8.0f} {folder}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return Scheduler(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect with the garbage collector off, and freeze all objects that exist afterwards.

    Imports create hundreds of thousands of permanent objects; scanning them took a third of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose needs are missing, before its fixtures are set up."""
    check_needs(item)


@pytest.fixture(scope="session")
def bare_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH without the programs that tests must declare as needs."""
    return str(made_once(tmp_path_factory, "programs", link_programs))


@pytest.fixture(autouse=True)
def clean_slate(request: pytest.FixtureRequest, bare_path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start each test with nothing of earlier ones; a single fixture, because each costs all tests some time.

    Hide programs and servers that need declaring from a test that declares no needs. Read everything from the database
    each time, unless the test sets how long a value stays fresh. Start rate-limit windows with the test, so that none
    ends in the middle of it.
    """
    if not needs_of(request.node):
        monkeypatch.setenv("PATH", bare_path)
    translation.activate("en-gb")  # a thread keeps the language of its last request
    cache.clear()
    reuse_seeds()
    for one in CACHES.values():
        monkeypatch.setattr(one, "fresh", 0.0)
        if isinstance(one, ProcessCache):
            one._stored.clear()
    begun = int(time.time())
    monkeypatch.setattr(ratelimit, "_get_window", lambda _value, period: begun + period)


@pytest.fixture
def stopped_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the rate limits at the beginning of every window."""
    now = int(time.time())
    monkeypatch.setattr("django_ratelimit.core._get_window", lambda _value, period: now + period)
    monkeypatch.setattr("django_ratelimit.core.time", SimpleNamespace(time=lambda: now))


@pytest.fixture(scope="session", autouse=True)
def checked_readings() -> Iterator[None]:
    """Check that every cached value has the type its cache declares; otherwise production would never find it again."""
    store = SharedCache._store

    def check(to: SharedCache[Any], key: str, cached: Cached[Any]) -> None:
        stored = msgspec.msgpack.encode((cached.read_at, cached.value), enc_hook=shared_cache._encode_custom)
        assert to._decoder.decode(stored) == (cached.read_at, cached.value)
        store(to, key, cached)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SharedCache, "_store", check)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the test with the needs of its fixtures, so that `-m needs` selects it."""
    mark_fixture_needs(item)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the tests, and let flaky kinds run twice in CI.

    Browser tests stay together, because no async test can run between them, beside Playwright's loop. Long groups and
    slow tests come first, so that no worker is left with one at the end. In CI, where a machine may stall for seconds,
    failed tests of real processes, of a browser, or of tables, races and searches that run on the clock are rerun
    once.
    """
    items.sort(
        key=lambda item: (
            item.nodeid.startswith(BROWSER),
            LONG.index(group) if (group := group_of(item.nodeid)) in LONG else len(LONG),
            not item.nodeid.startswith("tests/ordinary_life/"),
            item.get_closest_marker("slow") is None,
        )
    )
    for item in items:
        kinds = {*(mark.name for mark in item.iter_markers()), *item.nodeid.split("/")}
        if os.environ.get("CI") == "true" and {"browser", "services", "races", "live", "hints"} & kinds:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_use_migrations: bool) -> bool:
    """True for SQLite with migrations: a migrated file is copied, because migrating takes seconds."""
    return django_db_use_migrations and connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_keepdb: bool, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Put SQLite into a file of this run: the shared in-memory database locks whole tables between threads.

    The file is on a memory file system if there is one, because every one of many commits waits for the disk.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        if connection.vendor == "sqlite":
            connection.settings_dict["TEST"]["NAME"] = f"{folder}/talon.sqlite3"
        elif template := os.environ.get("TEST_TEMPLATE"):
            connection.settings_dict["TEST"]["TEMPLATE"] = template
        if django_db_keepdb:
            shutil.copytree(request.getfixturevalue("sqlite_template"), folder, dirs_exist_ok=True)
        yield
        connection.close()


@lru_cache
def flushed_tables() -> list[str]:
    """Return the tables that a transactional test leaves empty."""
    existing = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(existing) - FILLED_BY_MIGRATING)


@pytest.fixture(scope="session", autouse=True)
def quick_flush() -> Iterator[None]:
    """Delete all rows after a transactional test, except in tables that migrations fill.

    Django would empty these too and emit a signal to refill them, which takes twenty times as long as all the rest. On
    PostgreSQL it would truncate, which creates new files for every table and index, however empty; with DELETE, foreign
    keys are checked at the end. Most tables are empty anyway, which one query tells. The command itself would first
    look for modules in every app.
    """

    def flush(command: str, *, database: str, **_: Any) -> None:
        assert command == "flush"
        connection = connections[database]
        quoted = {table: connection.ops.quote_name(table) for table in flushed_tables()}
        filled = [f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {name})" for table, name in quoted.items()]
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(filled))
            statements = [f"DELETE FROM {quoted[table]}" for (table,) in cursor.fetchall()]
        if connection.vendor == "sqlite":
            statements += connection.ops.sequence_reset_by_name_sql(no_style(), [{"table": table} for table in quoted])
        connection.ops.execute_sql_flush(statements)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.test.testcases.call_command", flush)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_static_files() -> Iterator[None]:
    """Find the client's files once: every test client has its own middleware, which would search them again."""
    found: dict[str, Any] = {}
    search = WhiteNoiseMiddleware.add_files_from_finders

    def find(middleware: Any) -> None:
        if not found:
            search(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", find)
        yield


@pytest.fixture(scope="session")
def cluster() -> Path:
    """A stopped PostgreSQL cluster with a migrated database, the source of every copy."""
    return made_from((*MIGRATIONS, "tests/postgres.py"), "cluster", make_cluster)


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> Iterator[ServerAddress]:
    with running_postgres(lambda: request.getfixturevalue("cluster")) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: ServerAddress) -> Iterator[str]:
    with new_database(postgres_server.url) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres_server: ServerAddress, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a migrated PostgreSQL database to copy, because migrating takes seconds.

    Tests that need a copy are in one group, so that only one worker creates it.
    """
    # A copy even of a migrated one, because no session may be connected to a template.
    with new_database(postgres_server.url, postgres_server.migrated or "template1") as url:
        if not postgres_server.migrated:
            _migrate(tmp_path_factory.mktemp("template"), DATABASE_URL=url)
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture
def migrated_postgres_url(postgres_server: ServerAddress, postgres_template: str) -> Iterator[str]:
    with new_database(postgres_server.url, postgres_template) as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template() -> Path:
    """An embedded site's folder with its key and a migrated database, to copy, because migrating takes seconds."""
    return made_from(MIGRATIONS, "migrated", _migrate)


@pytest.fixture
def migrated_var(sqlite_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sqlite_template, tmp_path / "var"))


@pytest.fixture(scope="session")
def collected() -> Path:
    """The client's files as production serves them."""
    return made_from(STATIC_SOURCES, "collected", _collect) / "static"


def _collect(var: Path) -> None:
    done = run("manage.py", "collectstatic", "--noinput", "--verbosity", "0", var=var, COLLECTED_STATIC="1")
    assert done.returncode == 0, done.stderr


def _migrate(var: Path, **variables: str) -> None:
    done = run("manage.py", "migrate", "--verbosity", "0", var=var, **variables)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The URL of an empty Redis database that no other test process uses at the same time.

    Databases 1 to 15 are leased by a key in the one that TEST_REDIS_URL names.
    """
    server = redis.Redis.from_url(REDIS_URL, socket_connect_timeout=3)
    lease = next(
        (
            (number, key)
            for number in REDIS_DATABASES
            if server.set(key := f"talon:tests:{number}", os.getpid(), nx=True, ex=REDIS_LEASE_SECONDS)
        ),
        None,
    )
    assert lease is not None, "all test databases of this Redis are leased"
    number, key = lease
    url = urlunsplit(urlsplit(REDIS_URL)._replace(path=f"/{number}"))
    with redis.Redis.from_url(url) as leased:
        leased.flushdb()
        try:
            yield url
        finally:
            leased.flushdb()
            server.delete(key)
            server.close()
