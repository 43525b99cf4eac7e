"""The documentation keeps up: settings, verbs, commands, tasks, metrics; links and named files exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LOCAL_APPS = {"accounts", "games", "leaderboards"}


def missing(names: set[str]) -> set[str]:
    return {name for name in names if f"`{name}`" not in OPERATIONS and f"`{name} " not in OPERATIONS}


def test_every_setting_is_explained() -> None:
    text = (ROOT / "config" / "settings.py").read_text()
    names = set(re.findall(r"env\.\w+\(\s*\"([A-Z_]+)\"", text))
    assert len(names) > 10
    names |= set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    for path in (ROOT / "config").glob("*.py"):
        names |= set(re.findall(r"os\.environ(?:\.get)?[(\[]\"([A-Z_]+)\"", path.read_text()))
    assert {name for name in names if not re.search(rf"`{name}[`=]", OPERATIONS)} == set()


def test_every_verb_is_explained() -> None:
    verbs = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"run", "test", "stack", "bench", "lint", "lock", "help"} <= verbs
    assert missing({f"make {verb}" for verb in verbs}) == set()


def test_every_command_is_explained() -> None:
    commands = {name for name, app in get_commands().items() if app in LOCAL_APPS}
    assert missing(commands) == set()


def test_every_periodic_task_is_explained() -> None:
    from config.celery import app

    assert missing({entry["task"] for entry in app.conf.beat_schedule.values()}) == set()


def test_every_metric_is_explained() -> None:
    names: set[str] = set()
    for path in [*ROOT.glob("games/*.py"), *ROOT.glob("leaderboards/*.py"), *ROOT.glob("accounts/*.py")]:
        names |= set(re.findall(r"(?:Counter|Gauge|Histogram)\(\s*\"(talon_\w+)\"", path.read_text()))
    assert names
    assert missing(names) == set()


def test_the_readme_begins_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert readme.index("make run") < readme.index("make test")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_named_files_exist(page: Path) -> None:
    tops = "accounts|benchmarks|config|deploy|docs|frontend|games|leaderboards|requirements|tests"
    for target in re.findall(rf"`((?:{tops})/[\w./-]+\.\w+)`", page.read_text()):
        assert (ROOT / target).exists(), target
