"""Completeness of the documentation: settings, make targets, commands, tasks and metrics; links and files exist."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from django.core.management import get_commands

from config.celery import app
from config.http.header_limits import MAX_HEAD_BYTES, MAX_LINE_BYTES
from config.processes.server import server_config
from config.settings import _SERVICE_SCOPES
from deploy.procfile import commands
from games.live.sockets.base_consumer import PING_AHEAD, SESSION_GOOD_FOR

ROOT = Path(__file__).resolve().parents[3]
BACKUP = (ROOT / "docs" / "backup.md").read_text()
OPERATIONS = BACKUP + "".join(
    (ROOT / "docs" / f"{name}.md").read_text()
    for name in ("install", "upgrade", "move", "watch", "trouble", "settings", "operations")
)
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
LOCAL_APPS = {"accounts", "games", "leaderboards"}


def missing(names: set[str]) -> set[str]:
    return {name for name in names if f"`{name}`" not in OPERATIONS and f"`{name} " not in OPERATIONS}


def test_every_setting_is_explained() -> None:
    text = (ROOT / "config" / "settings.py").read_text()
    names = set(re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", text))
    assert len(names) > 10
    names |= {f"{service.upper()}_CLIENT_{part}" for service in _SERVICE_SCOPES for part in ("ID", "SECRET")}
    names |= set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    for path in (ROOT / "config").rglob("*.py"):
        names |= set(re.findall(r"os\.environ(?:\.get)?[(\[]\"([A-Z_]+)\"", path.read_text()))
    assert {name for name in names if not re.search(rf"`{name}[`=]", OPERATIONS)} == set()


def test_documented_intervals_match_the_code() -> None:
    protocol = " ".join((ROOT / "docs" / "protocol.md").read_text().split())
    client = (ROOT / "frontend" / "static" / "js" / "shared" / "connection.js").read_text()
    every = re.search(r"PING_EVERY = (\d+)000;", client)
    assert every
    assert f"Clients send one every {every[1]} seconds" in protocol
    assert int(every[1]) < PING_AHEAD, "a ping triggers the check before a move needs it"
    checked = (
        f"at a `ping` after {SESSION_GOOD_FOR - PING_AHEAD:g} seconds, or at any message after {SESSION_GOOD_FOR:g},"
    )
    assert checked in protocol
    server = server_config()
    assert f"WebSocket pings every {server.ws_ping_interval:g} seconds" in protocol
    assert f"longer than {server.ws_ping_interval:g} s (the server pings at that interval)" in OPERATIONS
    assert f"more than {MAX_HEAD_BYTES // 1024} KiB, and lines of them of more than {MAX_LINE_BYTES:,}" in OPERATIONS


def test_restore_steps_match_the_containers() -> None:
    steps = BACKUP.partition("\n## Restore")[2]
    services = set(yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"])
    assert set(re.findall(r"docker compose exec (?:-T )?(\w+)", steps)) <= services
    stopped = re.search(r"docker compose stop (.*)", steps)
    assert stopped
    assert set(stopped[1].split()) == commands().keys() - {"release", "static"}, "all that write"
    # Without -T, a terminal in between would change the bytes of a dump.
    assert re.findall(r"docker compose exec (?!-T )\S+ (?:pg_\w+|redis-cli)", OPERATIONS) == []


def test_every_make_target_is_explained() -> None:
    verbs = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"run", "test", "stack", "bench", "lint", "lock", "help"} <= verbs
    assert missing({f"make {verb}" for verb in verbs}) == set()


def test_every_command_is_explained() -> None:
    commands = {name for name, app in get_commands().items() if app in LOCAL_APPS}
    assert missing(commands) == set()


def test_every_periodic_task_is_explained() -> None:
    assert missing({entry["task"] for entry in app.conf.beat_schedule.values()}) == set()


def test_every_metric_is_explained() -> None:
    names: set[str] = set()
    for part in ("games", "leaderboards", "accounts", "config"):
        for path in ROOT.glob(f"{part}/**/*.py"):
            names |= set(re.findall(r"(?:Counter|Gauge|Histogram|_one|_by)\(\s*\"(talon_\w+)\"", path.read_text()))
    assert names
    assert missing(names) == set()


def test_the_index_has_one_line_for_every_document() -> None:
    listed = re.findall(r"^- \[([\w-]+\.md)\]\(\1\): ", (ROOT / "docs" / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md")


def test_links_and_named_files_exist() -> None:
    tops = "accounts|benchmarks|config|deploy|docs|frontend|games|leaderboards|requirements|tests"
    for page in PAGES:
        text = page.read_text()
        links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
        files = [page.parent / link for link in links]
        files += [ROOT / name for name in re.findall(rf"`((?:{tops})/[\w./-]+\.\w+)`", text)]
        assert [str(file) for file in files if not file.exists()] == [], page


def test_anchors_match_headings() -> None:
    for page in PAGES:
        for target, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)", page.read_text()):
            assert anchor in anchors(page.parent / target if target else page), f"{page}: {target}#{anchor}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def places(cell: str) -> list[str]:
    return [name for name in re.findall(r"`([\w./<>-]+)`", cell) if "/" in name and "<" not in name]


def test_the_map_names_existing_files() -> None:
    map_ = (ROOT / "CONTRIBUTING.md").read_text().partition("## Where to look")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in map_.splitlines() if line.startswith("| ") and "open |" not in line]
    assert 10 <= len(rows) <= 30
    assert [place for row in rows for place in places(row[2]) if not (ROOT / place).exists()] == []


def test_every_package_is_listed() -> None:
    """Packages inside these are not listed: their folder names say enough."""
    plan = (ROOT / "docs" / "architecture.md").read_text().partition("## Packages")[2].partition("\n## ")[0]
    named = {place for line in plan.splitlines() if line.startswith("| `") for place in places(line.split("|")[1])}
    packages = {path.parent for app in LOCAL_APPS for path in (ROOT / app).glob("*/__init__.py")}
    listed = {
        f"{path.relative_to(ROOT)}/"
        for path in packages
        if not {"migrations", "management", "templatetags"} & set(path.parts)
    }
    assert named >= listed | {f"{name}/" for name in ("config", "deploy", "frontend", "tests", *LOCAL_APPS)}
