"""Shared by every test: databases of their own, and real servers where a test asks for them."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import redis
from django.db import connection
from django.utils import translation
from hypothesis import HealthCheck, settings
from pytest_django import Settings
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.config.running import run
from tests.once import made_once
from tests.requirements import need

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

DATABASE_URL = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/0")
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
def fresh_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is read from the database each time, unless a test asks for the shared copies."""
    monkeypatch.setattr("leaderboards.boards.copies.fresh", 0.0)
    monkeypatch.setattr("leaderboards.spreads.copies.fresh", 0.0)
    monkeypatch.setattr("games.presence.summary.copies.fresh", 0.0)
    monkeypatch.setattr("games.pages.day.copies.fresh", 0.0)
    monkeypatch.setattr("games.pages.home.copies.fresh", 0.0)
    monkeypatch.setattr("games.pages.tables.copies.fresh", 0.0)
    monkeypatch.setattr("games.pages.archive.copies.fresh", 0.0)
    monkeypatch.setattr("config.gauges.copies.fresh", 0.0)


@pytest.fixture(autouse=True)
def english() -> None:
    """Each test begins in English: the language of the last request stays with its thread."""
    translation.activate("en-gb")


@pytest.fixture(autouse=True)
def still_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The windows that requests are counted in begin with the test: none ends in the middle of it."""
    begun = int(time.time())
    monkeypatch.setattr("django_ratelimit.core._get_window", lambda _value, period: begun + period)


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


@contextmanager
def postgres_database(template: str = "template1") -> Iterator[str]:
    """The URL of a new PostgreSQL database, a copy of another one; it is dropped afterwards."""
    name = f"talon_test_{uuid.uuid4().hex[:12]}"
    try:
        server = psycopg.connect(DATABASE_URL, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        need(False, f"PostgreSQL at TEST_DATABASE_URL: {error}")
        raise
    with server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield urlunsplit(urlsplit(DATABASE_URL)._replace(path=f"/{name}"))
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The URL of a fresh, empty PostgreSQL database."""
    with postgres_database() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a PostgreSQL database that has been migrated, to be copied: migrating takes seconds.

    Tests that ask for a copy are in one group, so that one worker makes it.
    """
    with postgres_database() as url:
        _migrate(tmp_path_factory.mktemp("template"), DATABASE_URL=url)
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture
def migrated_postgres_url(postgres_template: str) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database that has been migrated."""
    with postgres_database(postgres_template) as url:
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
    try:
        server.ping()
    except redis.RedisError as error:
        need(False, f"Redis at TEST_REDIS_URL: {error}")
        raise
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
