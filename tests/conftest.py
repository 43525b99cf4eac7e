"""Shared by every test: databases of their own, and real servers where a test asks for them."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec
import pytest
import redis
from django.core.cache import cache
from django.db import connection
from django.utils import translation
from hypothesis import HealthCheck, settings
from pytest_django import Settings
from whitenoise.middleware import WhiteNoiseMiddleware

from games import readings
from games.readings import CACHES, Cached, SharedCache
from tests.config.running import run
from tests.once import made_once
from tests.postgres import new_database, running_postgres
from tests.requirements import REDIS_URL, check_needs, link_programs, mark_fixture_needs, needs_of

# For the servers that tests start, as `drawn_deals` and `one_ladder` are for the tests themselves.
os.environ["SEALED_STOCK"] = os.environ["DEAL_PATIENCE"] = "0"
os.environ["LADDERS"] = "0"
# A machine with much to do has room for all who come, unless a test asks for a queue.
os.environ["ADMISSION"] = "0"

# Compiled code is kept even where the environment is against it, or each of the many servers would compile it anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# New random examples in every run, in CI as well, where hypothesis by itself tries the same ones for ever. A failure
# prints how to try its example again.
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """What a run may be asked for."""
    parser.addoption(
        "--full", action="store_true", help="200 positions a variant instead of a few, where tests lay them out"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without a search for garbage, and leave what is there then out of every later one.

    What is imported stays, hundreds of thousands of objects, and looking them over took a third of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs something which is missing, before its fixtures are made."""
    check_needs(item)


@pytest.fixture(scope="session")
def bare_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH without the programs that tests have to ask for."""
    folder = tmp_path_factory.mktemp("programs")
    link_programs(folder)
    return str(folder)


@pytest.fixture(autouse=True)
def stated_needs_only(request: pytest.FixtureRequest, bare_path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all programs and servers from a test that does not say what it needs."""
    if not needs_of(request.node):
        monkeypatch.setenv("PATH", bare_path)


@pytest.fixture(autouse=True)
def drawn_deals(settings: Settings) -> None:
    """Deals are drawn and go out at once, without a search for a winning line, unless a test asks for it."""
    settings.SEALED_STOCK = settings.DEAL_PATIENCE = 0


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """Hashes that cost nothing; real ones take a third of a second each."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def one_ladder(settings: Settings) -> None:
    """All results are on one ladder, unless a test asks for the rule: most players of tests have not played before."""
    settings.LADDERS = False


@pytest.fixture(autouse=True)
def no_cached_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is read from the database each time, unless a test sets how long a value is fresh.

    Values of earlier tests are gone, which would be served if the database failed.
    """
    cache.clear()
    for one in CACHES.values():
        monkeypatch.setattr(one, "fresh", 0.0)


@pytest.fixture(scope="session", autouse=True)
def checked_readings() -> Iterator[None]:
    """Every value that is cached has the type its cache declares: in service it would never be found again."""
    store = SharedCache._store

    def check(to: SharedCache[Any], key: str, made: Cached[Any]) -> None:
        stored = msgspec.msgpack.encode((made.read_at, made.value), enc_hook=readings._encode_custom)
        assert to._decoder.decode(stored) == (made.read_at, made.value)
        store(to, key, made)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SharedCache, "_store", check)
        yield


@pytest.fixture(autouse=True)
def english() -> None:
    """Each test begins in English: the language of the last request stays with its thread."""
    translation.activate("en-gb")


@pytest.fixture(autouse=True)
def still_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The windows that requests are counted in begin with the test: none ends in the middle of it."""
    begun = int(time.time())
    monkeypatch.setattr("django_ratelimit.core._get_window", lambda _value, period: begun + period)


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the test with the needs of its fixtures, so that `-m needs` selects it."""
    mark_fixture_needs(item)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the browser's tests together: no async test can run between them, beside Playwright's loop.

    Those that take long come before the others, so that no worker is left with one when all else is done.

    In CI, where a machine may stop for seconds, a test of real processes, of a browser, or of tables and races that run
    on the clock is tried once more when it fails.
    """
    items.sort(key=lambda item: ("browser" in item.path.parts, item.get_closest_marker("slow") is None))
    for item in items:
        kinds = {*(mark.name for mark in item.iter_markers()), *item.path.parts}
        if os.environ.get("CI") == "true" and {"browser", "services", "races", "live"} & kinds:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_use_migrations: bool) -> bool:
    """Whether the database is there when the tests begin: a migrated SQLite file is copied, migrating takes seconds."""
    return django_db_use_migrations and connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_keepdb: bool, request: pytest.FixtureRequest
) -> Iterator[None]:
    """SQLite in a file of this run: the shared in-memory database locks whole tables between threads.

    The file is in memory where there is such a file system: every commit waits for the disk, and there are many.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder:
        if connection.vendor == "sqlite":
            connection.settings_dict["TEST"]["NAME"] = f"{folder}/talon.sqlite3"
        if django_db_keepdb:
            shutil.copytree(request.getfixturevalue("sqlite_template"), folder, dirs_exist_ok=True)
        yield
        connection.close()


@pytest.fixture(scope="session", autouse=True)
def quick_flush() -> Iterator[None]:
    """Empty the tables after a test without a transaction, but for those that migrating fills.

    Django would empty these as well and announce a migration to have them filled again, which takes twenty times as
    long as all the rest. On PostgreSQL it would truncate, which makes new files for every table and index, however
    empty; foreign keys are checked when all is deleted.
    """

    def sql_flush(style: Any, connection: Any, **how: Any) -> list[str]:
        found = connection.introspection.django_table_names(only_existing=True, include_views=False)
        tables = sorted(set(found) - FILLED_BY_MIGRATING)
        if connection.vendor == "postgresql":
            return [f"DELETE FROM {connection.ops.quote_name(table)}" for table in tables]
        statements: list[str] = connection.ops.sql_flush(style, tables, **how)
        return statements

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.core.management.commands.flush.sql_flush", sql_flush)
        patch.setattr("django.core.management.commands.flush.emit_post_migrate_signal", lambda *_: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_static_files() -> Iterator[None]:
    """Find the client's files once: every test client has middleware of its own, which would look through them all."""
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
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL that runs."""
    with running_postgres() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a fresh, empty PostgreSQL database."""
    with new_database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a PostgreSQL database that has been migrated, to be copied: migrating takes seconds.

    Tests that ask for a copy are in one group, so that one worker makes it.
    """
    with new_database(postgres_server) as url:
        _migrate(tmp_path_factory.mktemp("template"), DATABASE_URL=url)
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture
def migrated_postgres_url(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database that has been migrated."""
    with new_database(postgres_server, postgres_template) as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedded site's folder with its key and a migrated database, to be copied: migrating takes seconds."""
    return made_once(tmp_path_factory, "migrated", _migrate)


@pytest.fixture
def migrated_var(sqlite_template: Path, tmp_path: Path) -> Path:
    """A folder for an embedded site whose database has been migrated."""
    return Path(shutil.copytree(sqlite_template, tmp_path / "var"))


@pytest.fixture(scope="session")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client's files as production serves them; collected once for all who look at them."""
    return made_once(tmp_path_factory, "collected", _collect) / "static"


def _collect(var: Path) -> None:
    done = run("manage.py", "collectstatic", "--noinput", "--verbosity", "0", var=var, COLLECTED_STATIC="1")
    assert done.returncode == 0, done.stderr


def _migrate(var: Path, **variables: str) -> None:
    done = run("manage.py", "migrate", "--verbosity", "0", var=var, **variables)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def redis_url() -> Iterator[str]:
    """The URL of an empty Redis database that no other test process uses meanwhile.

    Databases 1 to 15 are leased by a key in the one TEST_REDIS_URL names.
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
