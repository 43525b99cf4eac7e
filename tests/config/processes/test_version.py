"""The version's only place is `games.rules.version`; commands, probes, metrics and staff pages show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from games.rules.version import __version__
from tests.config.running import run


@pytest.mark.parametrize(
    "command",
    [("manage.py", "version"), ("manage.py", "--version"), ("-m", "config.processes.server", "--version")],
)
def test_commands_print_the_version(command: tuple[str, ...], tmp_path: Path) -> None:
    assert run(*command, var=tmp_path).stdout == f"Talon {__version__}\n"


@pytest.mark.django_db
def test_metrics_have_the_version(client: Client) -> None:
    assert f'talon_build_info{{version="{__version__}"}} 1.0' in client.get("/metrics").content.decode()
