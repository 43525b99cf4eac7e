"""Settings: backends follow from the environment, and production is strict."""

from __future__ import annotations

import os
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import global_settings
from django.core.exceptions import ImproperlyConfigured

from config.celery import app
from config.secret_key import stored_secret_key
from tests.config.running import ROOT, environment, run

PRODUCTION = {
    "PUBLIC_URL": "https://talon.example",
    "SECRET_KEY": "check-" * 12 + "0123456789",
    "DATABASE_URL": "postgres://talon:pw@127.0.0.1:5432/talon",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
}


Show = Callable[..., dict[str, Any]]


@pytest.fixture
def settings_under(tmp_path: Path) -> Show:
    """Run the settings module again, under these variables alone."""

    def show(**variables: str) -> dict[str, Any]:
        with patch.dict(os.environ, environment(tmp_path, **variables), clear=True):
            return vars(global_settings) | runpy.run_path(str(ROOT / "config" / "settings.py"))

    return show


def test_nothing_set_means_sqlite_and_memory(settings_under: Show) -> None:
    shown = settings_under()
    database = shown["DATABASES"]["default"]
    assert database["ENGINE"] == "django.db.backends.sqlite3"
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert database["CONN_MAX_AGE"] is None
    assert shown["CHANNEL_LAYERS"]["default"]["BACKEND"] == "config.backends.layers.ThreadedMemoryLayer"
    assert shown["CACHES"]["default"]["BACKEND"].endswith("LocMemCache")
    assert shown["CELERY_BROKER_URL"].startswith("memory://")
    assert shown["DEBUG"] is False
    assert "*" not in shown["ALLOWED_HOSTS"]
    assert len(shown["SECRET_KEY"]) >= 50
    assert settings_under()["SECRET_KEY"] == shown["SECRET_KEY"]


def test_replicas_are_read_from_where_they_are_named(settings_under: Show) -> None:
    url = PRODUCTION["DATABASE_URL"]
    shown = settings_under(**PRODUCTION, REPLICA_URLS=f"{url},{url}")
    assert shown["REPLICAS"] == ["replica1", "replica2"]
    assert list(shown["DATABASES"]) == ["default", "replica1", "replica2"]
    assert "pool" not in shown["DATABASES"]["replica2"]["OPTIONS"]
    assert shown["DATABASE_ROUTERS"]
    assert "config.http.read_your_writes.ReadYourWrites" in shown["MIDDLEWARE"]
    without = settings_under(**PRODUCTION)
    assert (list(without["DATABASES"]), without["REPLICAS"], without["DATABASE_ROUTERS"]) == (["default"], [], [])
    assert "config.http.read_your_writes.ReadYourWrites" not in without["MIDDLEWARE"]


def test_servers_named_by_the_environment_are_used(settings_under: Show) -> None:
    shown = settings_under(**PRODUCTION)
    database = shown["DATABASES"]["default"]
    assert database["ENGINE"] == "config.backends.postgresql"
    assert database["OPTIONS"]["pool"]["max_size"] > 1
    assert database["DISABLE_SERVER_SIDE_CURSORS"]
    assert shown["CHANNEL_LAYERS"]["default"]["BACKEND"].startswith("channels_redis.")
    assert shown["CACHES"]["default"]["BACKEND"].endswith("RedisCache")
    assert shown["CELERY_BROKER_URL"] == PRODUCTION["REDIS_URL"]


def test_each_use_of_redis_may_have_servers_of_its_own(settings_under: Show) -> None:
    others = {"LAYER_URLS": "redis://a:6379/0,redis://b:6379/0", "BROKER_URL": "redis://c:6379/0"}
    shown = settings_under(**PRODUCTION, **others)
    hosts = shown["CHANNEL_LAYERS"]["default"]["CONFIG"]["hosts"]
    assert [host["address"] for host in hosts] == ["redis://a:6379/0", "redis://b:6379/0"]
    assert shown["CELERY_BROKER_URL"] == "redis://c:6379/0"
    assert shown["CACHES"]["default"]["LOCATION"] == PRODUCTION["REDIS_URL"]
    assert len(shown["REDIS_SERVERS"]) == 4
    alone = settings_under(**PRODUCTION)
    assert alone["REDIS_SERVERS"] == [PRODUCTION["REDIS_URL"]]


def test_keys_of_another_service_turn_signing_in_by_it_on(settings_under: Show) -> None:
    given = settings_under(GITHUB_CLIENT_ID="one", GITHUB_CLIENT_SECRET="two")
    assert list(given["SOCIALACCOUNT_PROVIDERS"]) == ["github"]
    assert given["SOCIALACCOUNT_PROVIDERS"]["github"]["APPS"] == [{"client_id": "one", "secret": "two"}]
    assert given["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]["form-action"] == ["'self'", "https://github.com"]


def test_the_deployment_check_is_clean(tmp_path: Path) -> None:
    command = ("-W", "error::UserWarning", "manage.py", "check", "--deploy", "--fail-level", "INFO")
    done = run(*command, var=tmp_path, **PRODUCTION, EMAIL_URL="smtp+tls://talon:text@mail.example:587")
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_production_protects_cookies_and_pages(settings_under: Show) -> None:
    shown = settings_under(**PRODUCTION)
    assert shown["DEBUG"] is False
    secured = ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY")
    assert [name for name in secured if not shown[name]] == []
    assert shown["SECURE_HSTS_SECONDS"] >= 365 * 24 * 3600
    assert shown["ALLOWED_HOSTS"] == ["talon.example"]
    assert shown["LOG_FORMAT"] == "json"
    policy = shown["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]
    assert policy["default-src"] == ["'none'"]
    assert not any("unsafe" in source for sources in policy.values() if isinstance(sources, list) for source in sources)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"PUBLIC_URL": "https://talon.example"}, "SECRET_KEY must be set"),
        ({**PRODUCTION, "SECRET_KEY": "0123456789" * 4}, "SECRET_KEY must have 50 random characters"),
        ({**PRODUCTION, "SECRET_KEY": "abab" * 20}, "SECRET_KEY must have 50 random characters"),
        ({**PRODUCTION, "DEBUG": "1"}, "DEBUG shows secrets"),
        ({"PUBLIC_URL": "talon.example"}, "PUBLIC_URL must look like"),
        (
            {"DATABASE_URL": "mysql://ada:hidden@db/talon"},
            "^(?!.*hidden)DATABASE_URL must begin with one of postgres://",
        ),
        ({"DATABASE_URL": "talon"}, "DATABASE_URL must begin with one of postgres://"),
        ({"EMAIL_URL": "foo://"}, "EMAIL_URL must begin with one of smtp://"),
        ({"REDIS_URL": "http://redis"}, "REDIS_URL, .* must begin with one of redis://"),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT must be json or text"),
        ({"GITHUB_CLIENT_ID": "one"}, "GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET must be set together"),
        ({"REPLICA_URLS": PRODUCTION["DATABASE_URL"]}, "REPLICA_URLS"),
        ({"REPLICA_LAG": "0"}, "REPLICA_LAG"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(variables: dict[str, str], message: str, settings_under: Show) -> None:
    with pytest.raises(ImproperlyConfigured, match=message):
        settings_under(**variables)


def test_cookies_have_the_host_prefix_over_https(settings_under: Show) -> None:
    """Browsers refuse the prefix over http, so it is not used there."""
    names = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "LANGUAGE_COOKIE_NAME")
    secure, plain = settings_under(**PRODUCTION), settings_under()
    assert (secure["COOKIE_PREFIX"], plain["COOKIE_PREFIX"]) == ("__Host-", "")
    assert all(secure[name].startswith("__Host-") and not plain[name].startswith("__Host-") for name in names)
    paths = [path for app in ("accounts", "config", "games", "leaderboards") for path in (ROOT / app).rglob("*.py")]
    texts = [path.read_text() for path in paths if path.name != "settings.py"]
    naming = re.compile(r"^ *\w*cookie(?:_name)?(?:: Final)? = (f?\".+)", re.MULTILINE | re.IGNORECASE)
    named = [name for text in texts for name in naming.findall(text)]
    assert len(named) == 6
    assert all(name.startswith('f"{settings.COOKIE_PREFIX}') for name in named)
    used = {name for text in texts for name in re.findall(r"\.set_(?:signed_)?cookie\(\s*([^,]+),", text)}
    assert used == {"settings.LANGUAGE_COOKIE_NAME", "COOKIE", "RANKED_COOKIE"}, "only by the names above"


def test_separate_tables_leave_room_for_more_sockets(settings_under: Show) -> None:
    assert settings_under()["MAX_SOCKETS"] == 2_000
    assert settings_under(TABLES_ELSEWHERE="1")["MAX_SOCKETS"] == 4_000


def test_staff_need_a_second_factor_in_production(settings_under: Show) -> None:
    assert settings_under(**PRODUCTION)["STAFF_SECOND_FACTOR"] is True
    off = settings_under(**PRODUCTION, STAFF_SECOND_FACTOR="0")
    assert off["STAFF_SECOND_FACTOR"] is False
    assert settings_under()["STAFF_SECOND_FACTOR"] is False


def test_the_generated_key_is_persistent_and_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "secret_key"
    key = stored_secret_key(path)
    assert len(key) >= 50
    assert path.stat().st_mode & 0o777 == 0o600
    assert stored_secret_key(path) == key
    assert [file.name for file in path.parent.iterdir()] == ["secret_key"]


def test_every_scheduled_task_exists() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


def test_links_for_others_begin_with_the_public_address() -> None:
    """The Host header may name any port of an allowed host, so nothing builds links from the request."""
    folders = ("accounts", "config", "games", "leaderboards", "frontend/templates")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.*") if path.suffix in {".py", ".html"}]
    assert len(sources) > 500
    assert not [path for path in sources if re.search(r"build_absolute_uri|request\.get_host }}", path.read_text())]
