"""The doctor: each check finds its fault, injected here, and a healthy site has none."""

from __future__ import annotations

import json
import os
import sqlite3
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import environ
import psycopg
import pytest
import redis
from allauth.mfa.models import Authenticator
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.conf import settings as django_settings
from django.core.cache import cache
from django.core.files.storage import FileSystemStorage
from django.core.management import CommandError, call_command
from django.db.utils import ConnectionHandler
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.sign_in.second_factors import SecretsAdapter
from config.assets.static import SOURCES
from config.doctor import address, check_list, data, database, echo, servers, workers
from config.doctor.finding import Check, Finding
from config.doctor.templatetags import site_health
from deploy.procfile import commands
from deploy.servers import Redis, free_port
from games.core.table_capacity import OPEN, RUNNING, VERSIONS
from games.deals import publishing
from games.models import Attempt, Deal, LedgerEntry
from games.rules.version import __version__
from leaderboards.models import DealBucket
from tests import factories
from tests.config.running import run, running
from tests.factories import make_account, make_deal

pytestmark = pytest.mark.django_db


def faults(check: Check) -> list[str]:
    return [finding.fault for finding in check()]


def doctor(*options: str) -> tuple[int, str]:
    output = StringIO()
    try:
        call_command("doctor", *options, stdout=output, stderr=StringIO())
    except SystemExit as end:
        return int(str(end.code)), output.getvalue()
    return 0, output.getvalue()


# The command and the staff's page.


def test_a_healthy_embedded_site_has_no_findings(migrated_var: Path) -> None:
    with running("-m", "config.processes.embedded", var=migrated_var, PORT="0") as process:
        public = process.await_line(r"ready at (http://\S+)/")[1]
        done = run("manage.py", "doctor", "--json", var=migrated_var, PUBLIC_URL=public)
    assert (done.returncode, json.loads(done.stdout)) == (0, []), done.stderr


def test_exit_codes_and_json(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding("disk", "The disk is full.", "make room", "")
    monkeypatch.setattr("config.doctor.management.commands.doctor.QUICK", [lambda: iter([finding])])
    assert doctor("--quick") == (1, "disk: The disk is full.\n    make room\n1 faults found\n")
    code, printed = doctor("--quick", "--json")
    assert (code, json.loads(printed)) == (1, [finding._asdict()])
    monkeypatch.setattr("config.doctor.management.commands.doctor.QUICK", [])
    assert doctor("--quick") == (0, "The site is healthy.\n")
    with pytest.raises(CommandError, match="unrecognized"):
        doctor("--no-such-option")


def test_a_check_that_fails_is_a_finding() -> None:
    def broken() -> Iterator[Finding]:
        raise ValueError("surprise")

    (finding,) = check_list.examine([broken])
    assert finding.cause == "The check broken failed: ValueError: surprise"


def test_every_repair_exists() -> None:
    texts = [Path(str(module.__file__)).read_text() for module in (database, data, workers, servers, address)]
    assert {name for name in check_list.REPAIRS if any(f'fix="{name}"' in text for text in texts)} == {
        *check_list.REPAIRS
    }


def test_superusers_see_the_findings_on_the_first_page(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding("beat", "No beat sends the periodic tasks.", "docker compose up -d beat")
    monkeypatch.setattr(check_list, "FIRST", [])  # in their thread, they would wait for this test's transaction
    monkeypatch.setattr(check_list, "QUICK", [lambda: iter([finding])])
    monkeypatch.setattr(site_health, "PATIENCE", 60.0)
    page = factories.signed_in(make_account(is_staff=True, is_superuser=True)).get("/admin/").content.decode()
    assert finding.cause in page
    assert finding.command in page
    assert f"Talon {__version__}" in page
    page = factories.signed_in(make_account(is_staff=True)).get("/admin/").content.decode()
    assert finding.cause not in page
    assert f"Talon {__version__}" in page


def test_slow_checks_do_not_delay_the_first_page(monkeypatch: pytest.MonkeyPatch) -> None:
    is_shown = threading.Event()

    def slow() -> list[Finding]:
        assert is_shown.wait(60)
        return []

    monkeypatch.setattr(check_list, "examine", lambda _checks: slow())
    superuser = factories.signed_in(make_account(is_staff=True, is_superuser=True))
    assert "The checks of the site are running." in superuser.get("/admin/").content.decode()
    is_shown.set()
    monkeypatch.setattr(site_health, "PATIENCE", 60.0)
    assert "The checks of the site are running." not in superuser.get("/admin/").content.decode()


# The database.


@contextmanager
def connected(monkeypatch: pytest.MonkeyPatch, url: str) -> Iterator[None]:
    """Let the checks of the database look at this one."""
    found = {**environ.Env.db_url_config(url), "ENGINE": "django.db.backends.postgresql"}
    handler = ConnectionHandler({"default": found})
    monkeypatch.setattr(database, "connection", handler["default"])
    try:
        yield
    finally:
        handler["default"].close()


def test_an_unreachable_database_is_the_only_finding(tmp_path: Path) -> None:
    url = "postgres://talon:hidden@127.0.0.1:1/talon"
    done = run("manage.py", "doctor", var=tmp_path, DATABASE_URL=url)
    assert done.returncode == 1
    first, _command, count = done.stdout.splitlines()
    assert first.startswith("database: DATABASE_URL: PostgreSQL at 127.0.0.1:1, database talon, user talon: Connection")
    assert count == "1 faults found"


def test_missing_migrations_are_found_and_fixed(migrated_var: Path) -> None:
    with closing(sqlite3.connect(migrated_var / "talon.sqlite3")) as file, file:
        file.execute("DELETE FROM django_migrations WHERE app = 'ghosts' AND name = '0002_reword_labels'")
    done = run("manage.py", "doctor", "--json", var=migrated_var)
    assert [finding["fault"] for finding in json.loads(done.stdout)] == ["migrations"]
    done = run("manage.py", "doctor", "--json", "--fix", "--quick", var=migrated_var)
    assert "Repairing: migrate" in done.stderr
    assert [finding["fault"] for finding in json.loads(done.stdout)] == ["deals"]


def test_a_database_that_refuses_writes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(database.database) == []
    monkeypatch.setattr(database, "check_writable", lambda: "not writable")
    assert faults(database.database) == ["database_writes"]


@pytest.mark.services
def test_faults_of_the_server_are_found(
    migrated_postgres_url: str, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    with connected(monkeypatch, migrated_postgres_url):
        assert faults(database.clock) == faults(database.connections) == faults(database.collation) == []
        monkeypatch.setattr(database, "time", SimpleNamespace(time=lambda: time.time() + 60))
        assert faults(database.clock) == ["clock"]
        monkeypatch.setattr(database, "CONNECTIONS", 0.0)
        monkeypatch.setitem(settings.DATABASES["default"].setdefault("OPTIONS", {}), "pool", {"max_size": 4})
        assert faults(database.connections) == ["pool", "connections"]


@pytest.mark.services
def test_a_changed_collation_is_found(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"talon_test_collated_{os.getpid()}"
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'und'".encode())
        try:
            with connected(monkeypatch, f"{postgres_url.rpartition('/')[0]}/{name}"):
                assert faults(database.collation) == []
                admin.execute("UPDATE pg_database SET datcollversion = '1' WHERE datname = %s", [name])
                (finding,) = database.collation()
            assert f"reindexdb {name}" in finding.command
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.services
def test_corrupt_indexes_are_found(migrated_postgres_url: str, migrated_var: Path) -> None:
    """One index is in another order than its collation says, another one was never finished."""
    with psycopg.connect(migrated_postgres_url, autocommit=True) as admin:
        admin.execute("INSERT INTO django_content_type (app_label, model) VALUES ('a', 'x'), ('B', 'x')")
        admin.execute(
            "UPDATE pg_index SET indcollation = replace(indcollation::text, '100', "
            "(SELECT oid::text FROM pg_collation WHERE collname = 'und-x-icu'))::oidvector "
            "WHERE indexrelid::regclass::text LIKE 'django_content_type_app_label%'"
        )
        admin.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'django_session_pkey'::regclass")
    code = (
        "import django; django.setup(); from config.doctor import database; "
        "print(*(finding.cause for finding in database.indexes()), sep='\\n')"
    )
    settings = {"DATABASE_URL": migrated_postgres_url, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = run("-c", code, var=migrated_var, **settings)
    found = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert found[0] == "The index django_session_pkey is corrupt."
    assert found[1].startswith("The index django_content_type_app_label")
    assert len(found) == 2
    with psycopg.connect(migrated_postgres_url) as admin:
        assert admin.execute("SELECT 1 FROM pg_extension WHERE extname = 'amcheck'").fetchone() is None


def test_a_corrupt_sqlite_file_is_found(migrated_var: Path) -> None:
    path = migrated_var / "talon.sqlite3"
    content = bytearray(path.read_bytes())
    content[20 * 4096 : 60 * 4096] = bytes(40 * 4096)
    path.write_bytes(content)
    code = "import django; django.setup(); from config.doctor import database; print(list(database.indexes()))"
    done = run("-c", code, var=migrated_var, DJANGO_SETTINGS_MODULE="config.settings")
    assert "SQLite file is corrupt" in done.stdout or "malformed" in done.stderr


def test_a_replica_that_is_behind_is_found(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REPLICAS = ["replica1"]
    monkeypatch.setattr(database, "REPLICA_SECONDS", 0.0)
    monkeypatch.setattr(database, "database_problem", lambda _alias: "")
    monkeypatch.setattr(database, "watch", lambda _alias: SimpleNamespace(is_fit=lambda: False, lag=12.0))
    (finding,) = database.replicas()
    assert finding.cause == "replica1 in REPLICA_URLS is 12 s behind or no replica."


def test_a_full_disk_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=2**30))
    assert faults(database.disk) == []
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=2**20))
    assert faults(database.disk) == ["disk"]


def test_old_time_zones_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "UTC").touch()
    monkeypatch.setattr(database, "zoneinfo", SimpleNamespace(TZPATH=(str(tmp_path),)))
    for year, found in ((timezone.now().year, []), (2019, ["time_zones"])):
        (tmp_path / "tzdata.zi").write_text(f"# version {year}b\nZ UTC 0 - UTC\n")
        assert faults(database.time_zones) == found


# Redis, mail, workers.


@pytest.mark.services
@pytest.mark.needs("redis")
def test_faults_of_redis_are_found(settings: Settings) -> None:
    server = Redis()
    settings.REDIS_SERVERS = [server.url]
    assert faults(servers.redis_servers) == ["redis"]
    try:
        server.start()
        assert faults(servers.redis_servers) == []
        with redis.Redis(port=server.port) as client:
            client.config_set("maxmemory-policy", "allkeys-lru")
            assert faults(servers.redis_servers) == ["redis_evicts"]
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", "1mb")
            assert faults(servers.redis_servers) == ["redis_full"]
            client.config_set("maxmemory", "0")
            client.execute_command("REPLICAOF", "127.0.0.1", "1")
            assert faults(servers.redis_servers) == ["redis_read_only"]
    finally:
        server.remove()


def test_a_mail_server_that_refuses_is_named(settings: Settings) -> None:
    assert faults(servers.mail) == []
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = servers.SMTP, "127.0.0.1", 1
    (finding,) = servers.mail()
    assert finding.cause.startswith("EMAIL_URL: the mail server 127.0.0.1:1 refuses this site:")


@pytest.mark.services
def test_missing_workers_and_beat_are_found(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, redis_url: str
) -> None:
    settings.REDIS_SERVERS, settings.BROKER_URL = [redis_url], redis_url
    queues = {"worker@a": [{"name": "verdicts"}], "analyst@a": [{"name": "analysis"}, {"name": "puzzles"}]}
    control = SimpleNamespace(inspect=lambda timeout: SimpleNamespace(active_queues=lambda: queues))
    monkeypatch.setattr(workers, "current_app", SimpleNamespace(control=control))
    (finding,) = workers.workers()
    assert finding.cause.endswith("housekeeping and certifying and evidence: the service keeper does not run.")
    assert faults(workers.beat) == ["beat"]


def test_each_queue_has_the_service_that_serves_it() -> None:
    for queue in [queue.name for queue in django_settings.CELERY_TASK_QUEUES]:
        line = commands()[workers.SERVICES.get(queue, "keeper")]
        assert queue in line[line.index("--queues") + 1].split(",")


def test_stuck_queues_are_found_and_requeued(monkeypatch: pytest.MonkeyPatch) -> None:
    ago = timezone.now() - timedelta(hours=1)
    pending = factories.finished(make_deal("stonewall"), started_at=ago)
    Attempt.objects.create(
        deal=make_deal("plot"), player=make_account(), state="playing", ranked=True, started_at=ago, deadline=ago
    )
    assert faults(workers.queues) == ["verdicts", "periodic_tasks"]
    monkeypatch.setattr("config.doctor.management.commands.doctor.QUICK", [workers.queues])
    monkeypatch.setattr("games.core.events.request_verdict", lambda _attempt: True)
    assert doctor("--quick", "--fix")[0] == 1
    pending.refresh_from_db()
    assert pending.verify_tries == 1


def test_missing_deals_and_an_empty_stock_are_found(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(workers.deals) == ["deals"]
    publishing.todays_deals()
    assert faults(workers.deals) == []
    settings.SEALED_STOCK = 14
    assert faults(workers.deals) == [], "an embedded site makes its deals when no one plays"
    monkeypatch.setattr(workers, "connection", SimpleNamespace(vendor="postgresql"))
    assert faults(workers.deals) == ["stock"]


def test_missing_tables_and_other_versions_are_found(settings: Settings) -> None:
    settings.TABLES_ELSEWHERE = True
    cache.delete_many([RUNNING, OPEN, VERSIONS])
    assert faults(workers.tables) == ["tables"]
    cache.set_many({RUNNING: 1, OPEN: 1, VERSIONS: {__version__: time.time()}})
    assert faults(workers.tables) == []
    cache.set(VERSIONS, {__version__: time.time(), "0.0.1": time.time(), "0.0.0": time.time() - 60})
    (finding,) = workers.tables()
    assert finding.cause == f"This is version {__version__}, but table processes run 0.0.1."
    cache.delete_many([RUNNING, OPEN, VERSIONS])


# The public address.


@contextmanager
def proxy(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, answer: Callable[[Any], dict[str, str]]
) -> Iterator[None]:
    """Serve what a site behind a proxy sees of each request; the public address is no loopback name."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(answer(self.headers)).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.2", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.PUBLIC_URL = f"http://127.0.0.2:{server.server_port}"
    monkeypatch.setenv("PUBLIC_URL", settings.PUBLIC_URL)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ({}, []),
        ({"scheme": "https"}, ["proxy_headers"]),
        ({"host": "web:8000"}, ["proxy_headers"]),
        ({"address": address.FORGED}, ["forged_address"]),
        ({"version": "0.0.1"}, ["versions"]),
    ],
)
def test_faults_of_the_proxy_are_found(
    wrong: dict[str, str], found: list[str], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen(headers: Any) -> dict[str, str]:
        assert headers["X-Forwarded-For"] == address.FORGED
        return {"address": "127.0.0.1", "scheme": "http", "host": headers["Host"], "version": __version__, **wrong}

    with proxy(settings, monkeypatch, seen):
        assert faults(address.public_address) == found


def test_an_address_that_leads_elsewhere_is_found(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PUBLIC_URL = f"http://127.0.0.1:{free_port()}"
    assert faults(address.public_address) == faults(address.sockets) == [], "no address was set"
    monkeypatch.setenv("PUBLIC_URL", settings.PUBLIC_URL)
    assert faults(address.public_address) == ["public_url"]
    assert faults(address.sockets) == ["sockets"]


def test_only_the_doctor_gets_an_echo(client: Client) -> None:
    headers = {echo.HEADER: echo.signature()}
    seen = client.get(echo.PATH, headers=headers, REMOTE_ADDR="203.0.113.7", HTTP_HOST="127.0.0.1").json()
    assert seen == {"address": "203.0.113.7", "scheme": "http", "host": "127.0.0.1", "version": __version__}
    assert client.get(echo.PATH).status_code == 404
    assert client.get(echo.PATH, headers={echo.HEADER: f"{echo.PATH}:forged:too"}).status_code == 404


def certified(folder: Path, begins: datetime, ends: datetime) -> ssl.SSLContext:
    """Make a certificate for localhost, and the context of a server with it."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]),
    )
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, begins, ends)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    pem = serialization.Encoding.PEM
    (folder / "cert.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


@pytest.mark.parametrize("case", ["good", "late", "untrusted", "ended"])
def test_a_certificate_near_its_end_is_found(
    case: str, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, days_left = datetime.now(UTC), {"late": 5, "ended": -1}.get(case, 60)
    context = certified(tmp_path, now - timedelta(days=90 - days_left), now + timedelta(days=days_left))
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    monkeypatch.setattr(server, "handle_error", lambda *_: None)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.PUBLIC_URL = f"https://localhost:{server.server_port}"
    if case != "untrusted":
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    try:
        assert faults(address.certificate) == ([] if case == "good" else ["certificate"])
    finally:
        server.shutdown()
        server.server_close()


# Data.


def test_static_files_of_other_sources_are_found(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, collected: Path, tmp_path: Path
) -> None:
    settings.COLLECTED_STATIC = True
    monkeypatch.setattr(data, "staticfiles_storage", FileSystemStorage(collected))
    assert faults(data.static_files) == []
    monkeypatch.setattr(data, "staticfiles_storage", FileSystemStorage(tmp_path))
    assert faults(data.static_files) == ["static_files"]
    (tmp_path / SOURCES).write_text("of another version")
    assert faults(data.static_files) == ["static_files"]


def test_a_changed_key_is_found(settings: Settings) -> None:
    factories.session_of(make_account())
    secret = SecretsAdapter().encrypt("JBSWY3DPEHPK3PXP")
    Authenticator.objects.create(user=make_account(), type=Authenticator.Type.TOTP, data={"secret": secret})
    assert faults(data.secret_key) == []
    previous, settings.SECRET_KEY = settings.SECRET_KEY, "another key"
    assert faults(data.secret_key) == ["secret_key"]
    Authenticator.objects.all().delete()
    assert faults(data.secret_key) == ["secret_key"], "by the sessions alone"
    settings.SECRET_KEY_FALLBACKS = [previous]
    assert faults(data.secret_key) == []


def test_a_broken_ledger_is_found() -> None:
    publishing.todays_deals()
    assert faults(data.ledger_chain) == []
    LedgerEntry.objects.filter(index=4).update(hash="0" * 64)
    (finding,) = data.ledger_chain()
    assert "line 4" in finding.cause


def test_a_board_that_differs_is_found() -> None:
    attempt = factories.settled(make_deal("stonewall"))
    assert faults(data.boards) == []
    DealBucket.objects.filter(level=1).update(entries=5)
    (finding,) = data.boards()
    assert finding.command == f"manage.py verify --deal {Deal.objects.get(pk=attempt.deal_id).day}/stonewall"


def test_a_record_that_no_longer_replays_is_found() -> None:
    attempt = factories.settled(make_deal("stonewall"))
    assert faults(data.records) == []
    Attempt.objects.filter(pk=attempt.pk).update(cards_up=52)
    (finding,) = data.records()
    assert finding.command == f"manage.py verify {attempt.public_id}"
