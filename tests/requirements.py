"""Programs and servers that some tests need besides Python, and how to install them.

A test declares `@pytest.mark.needs("node")`, or uses one of the fixtures in `FIXTURES`. If something is missing, the
test is skipped, and the reason names what to install; with CI=true in the environment it fails instead. Tests that
declare no need run on a PATH without these programs, so that a forgotten mark shows on every machine.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest
import redis

from deploy import proxy
from deploy.servers import PgBouncer, Redis, postgres_programs
from tests.postgres import NAMED_URL, USUAL_URL, answers

ROOT: Final = Path(__file__).resolve().parents[1]
REDIS_URL: Final = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/0")
CHROMIUM: Final = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome") or ""
#: Chromium without the parts that draw a window, where it is installed: a quarter faster, but without notifications.
HEADLESS_SHELL: Final = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or CHROMIUM
MINI_BROWSERS: Final = sorted(Path("/usr/lib").glob("*/webkit2gtk-4*/MiniBrowser"))
HTML_VALIDATOR: Final = ROOT / "frontend" / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"
CONNECT_SECONDS: Final = 3


class Requirement(NamedTuple):
    """Something a test needs besides Python."""

    is_available: Callable[[], bool]
    install: str


def is_on_path(*programs: str) -> Callable[[], bool]:
    return lambda: all(shutil.which(program) for program in programs)


def has_postgres_server() -> bool:
    """Check that tests have a server to use, or can start one: see `tests.postgres`."""
    if NAMED_URL:
        return answers(NAMED_URL)
    return has_postgres_programs("initdb", "postgres") or answers(USUAL_URL)


def redis_answers() -> bool:
    try:
        with redis.Redis.from_url(REDIS_URL, socket_connect_timeout=CONNECT_SECONDS) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def has_postgres_programs(*programs: str) -> bool:
    """Check that PostgreSQL's own programs are installed, which are rarely on the PATH."""
    folder = postgres_programs()
    return folder is not None and all((folder / program).exists() for program in programs)


REQUIREMENTS: Final[dict[str, Requirement]] = {
    "caddy": Requirement(proxy.is_installed, "apt install caddy"),
    "chromium": Requirement(lambda: bool(CHROMIUM), "apt install chromium, or set CHROMIUM to its path"),
    "firefox": Requirement(
        lambda: bool(shutil.which("firefox-esr") or shutil.which("firefox")), "apt install firefox-esr"
    ),
    "html-validate": Requirement(HTML_VALIDATOR.exists, "npm --prefix frontend ci"),
    "make": Requirement(is_on_path("make"), "apt install make"),
    "node": Requirement(is_on_path("node"), "apt install nodejs"),
    "pg_basebackup": Requirement(lambda: has_postgres_programs("pg_basebackup"), "apt install postgresql-client"),
    "pgbouncer": Requirement(PgBouncer.is_installed, "apt install pgbouncer"),
    "postgres": Requirement(lambda: has_postgres_programs("initdb", "postgres"), "apt install postgresql"),
    "postgres server": Requirement(
        has_postgres_server,
        "apt install postgresql, or set TEST_DATABASE_URL to a server where tests may create databases",
    ),
    "promtool": Requirement(is_on_path("promtool"), "apt install prometheus"),
    "redis": Requirement(Redis.is_installed, "apt install redis-server"),
    "redis server": Requirement(redis_answers, "start Redis, or set TEST_REDIS_URL"),
    "systemd-analyze": Requirement(is_on_path("systemd-analyze"), "apt install systemd"),
    "webkit": Requirement(
        lambda: bool(MINI_BROWSERS) and is_on_path("WebKitWebDriver", "Xvfb")(),
        "apt install webkit2gtk-driver libwebkit2gtk-4.1-0 xvfb",
    ),
}

#: Needs that tests have because of their fixtures.
FIXTURES: Final[dict[str, tuple[str, ...]]] = {
    "chromium": ("chromium",),
    "promtool": ("promtool",),
    "cluster": ("postgres", "redis"),
    "postgres_server": ("postgres server",),
    "redis_url": ("redis server",),
}

#: Programs hidden from tests that declare no needs.
HIDDEN_PROGRAMS: Final = {
    *(
        "chromium",
        "chromium-headless-shell",
        "google-chrome",
        "firefox",
        "firefox-esr",
        "WebKitWebDriver",
        "Xvfb",
        "node",
        "npm",
        "npx",
    ),
    *("initdb", "postgres", "pg_basebackup", "pgbouncer", "redis-server", "promtool", "caddy", "systemd-analyze"),
}

is_available = cache(lambda name: REQUIREMENTS[name].is_available())


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def mark_fixture_needs(item: pytest.Item) -> None:
    """Add the needs of the test's fixtures to its marks."""
    names = [name for fixture in getattr(item, "fixturenames", ()) for name in FIXTURES.get(fixture, ())]
    if names:
        item.add_marker(pytest.mark.needs(*names))


def needs_of(item: pytest.Item) -> list[str]:
    return [name for mark in item.iter_markers("needs") for name in mark.args]


def check_needs(item: pytest.Item) -> None:
    """Skip the test if something it needs is missing; fail it in CI.

    :raises KeyError: for a need that is not in `REQUIREMENTS`.
    """
    missing = [f"{name} ({REQUIREMENTS[name].install})" for name in needs_of(item) if not is_available(name)]
    if not missing:
        return
    reason = f"missing: {', '.join(missing)}"
    if in_ci():
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def link_programs(folder: Path, names: Iterable[str] = HIDDEN_PROGRAMS) -> None:
    """Fill a folder with links to every program on the PATH except the named ones."""
    hidden = set(names)
    for place in map(Path, os.get_exec_path()):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if program.name not in hidden and not link.is_symlink():
                link.symlink_to(program)
