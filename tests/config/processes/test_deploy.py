"""Containers: a valid Compose file, the commands of `make stack`, and locked requirements without addresses."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import compose_spec
import pytest
import yaml

from config.processes.server import GOODBYE_SECONDS, GRACE_SECONDS
from deploy import procfile
from deploy.images import FILES, OWN, images
from deploy.procfile import commands
from deploy.proxy import unit_caddyfile
from deploy.stack import STOP_SECONDS, stack_environment
from games.live import draining

ROOT = Path(__file__).resolve().parents[3]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
SITE_SERVICES = {"release", "web", "tables", "worker", "keeper", "analyst", "beat"}


def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return parsed


def test_the_compose_file_follows_the_specification() -> None:
    """compose_spec is a typed model of the specification that refuses unknown keys and values."""
    text = yaml.safe_dump(without_variables(compose()))
    assert set(compose_spec.PyCompose.from_yaml(text).service_names()) == set(compose()["services"])


def without_variables(value: Any) -> Any:
    """Return the value as Compose sees it: `${NAME:-default}` is the default, `${NAME:?why}` and `${NAME}` a dummy."""
    if isinstance(value, dict):
        return {key: without_variables(inner) for key, inner in value.items() if key != "x-talon"}
    if isinstance(value, list):
        return [without_variables(inner) for inner in value]
    if isinstance(value, str):
        text = re.sub(r"\$\{\w+:-((?:[^{}]|\$\{\w+\})*)\}", r"\1", value)
        text = re.sub(r"\$\{\w+(?::\?[^}]*)?\}", "text", text)
        return int(text) if text != value and text.isdigit() else text
    return value


def test_compose_runs_the_commands_of_the_procfile() -> None:
    lines = commands()
    services = compose()["services"]
    assert {name: services[name]["command"] for name in SITE_SERVICES} == {name: lines[name] for name in SITE_SERVICES}


def test_the_image_collects_static_files_as_the_stack_does() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert shlex.join(commands()["static"]) in dockerfile
    assert f"CMD {str(commands()['web']).replace(chr(39), chr(34))}" in dockerfile


@pytest.mark.parametrize("service", ["web", "tables"])
def test_a_process_gets_enough_time_to_hand_over_its_players(service: str) -> None:
    longest = draining.SECONDS + draining.PATIENCE + GOODBYE_SECONDS + GRACE_SECONDS + draining.NOTICES_WITHIN
    given = re.fullmatch(r"(\d+)s", compose()["services"][service]["stop_grace_period"])
    assert given
    assert longest < int(given[1])
    assert longest < STOP_SECONDS


def test_every_service_has_a_health_check_or_ends() -> None:
    missing = {
        name
        for name, service in compose()["services"].items()
        if "healthcheck" not in service and service.get("restart") != "no"
    }
    assert not missing


@pytest.mark.parametrize(
    ("stored", "started"), [("", True), ("17\n", True), ("16\n", False)], ids=["new", "same", "older"]
)
def test_postgresql_refuses_the_data_of_another_version(stored: str, started: bool, tmp_path: Path) -> None:
    service = compose()["services"]["postgres"]
    (volume,) = service["volumes"]
    assert volume.endswith(f":{service['environment']['PGDATA']}")
    if stored:
        (tmp_path / "PG_VERSION").write_text(stored)
    (tmp_path / "docker-entrypoint.sh").write_text('#!/bin/sh\necho "started: $*"\n')
    (tmp_path / "docker-entrypoint.sh").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PGDATA": str(tmp_path), "PG_MAJOR": "17"}
    command = [part.replace("$$", "$") for part in service["entrypoint"] + service["command"]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == f"started: {shlex.join(service['command'])}\n" * started
    assert ("PostgreSQL 16, not 17. Nothing was changed" in done.stderr) == (not started)


def test_the_compose_file_contains_no_secrets() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "METRICS_TOKEN", "VAPID_PRIVATE_KEY", "LEDGER_KEY"):
        values = re.findall(rf"^\s*{name}: (.+)$", text, re.MULTILINE)
        assert values
        assert all(value.startswith("${") for value in values)


@pytest.mark.parametrize("name", ["METRICS_TOKEN", "VAPID_PRIVATE_KEY", "LEDGER_KEY", "SECRET_KEY_FALLBACKS"])
def test_containers_get_all_optional_keys(name: str) -> None:
    services = compose()["services"]
    assert {services[one]["environment"].get(name) for one in SITE_SERVICES} == {f"${{{name}:-}}"}


def test_mail_is_not_discarded_by_default() -> None:
    found = compose()["x-talon"]["environment"]["EMAIL_URL"]
    assert re.fullmatch(r"\$\{EMAIL_URL:\?[^}]+\}", found)


def test_only_the_proxy_is_reachable_from_outside() -> None:
    assert [name for name, service in compose()["services"].items() if "ports" in service] == ["proxy"]


def test_the_proxy_serves_the_collected_files() -> None:
    services = compose()["services"]
    (brought,) = services["static"]["volumes"]
    volume, _, place = brought.partition(":")
    assert services["static"]["command"] == ["cp", "-r", "/var/lib/talon/static/.", place]
    assert f"{volume}:{place}:ro" in services["proxy"]["volumes"]
    assert services["proxy"]["depends_on"]["static"] == {"condition": "service_completed_successfully"}
    caddyfile = (ROOT / "deploy" / "Caddyfile").read_text()
    assert set(re.findall(r"root (\S+)", caddyfile)) == {place.removesuffix("/static")}
    (kept,) = re.findall(r"path_regexp (\S+)", caddyfile)
    assert re.search(kept, "/static/css/base.0123456789ab.css")  # content never changes
    assert not re.search(kept, "/static/staticfiles.json")


def test_all_services_know_that_tables_are_separate() -> None:
    services = compose()["services"]
    assert {services[one]["environment"].get("TABLES_ELSEWHERE") for one in SITE_SERVICES} == {"1"}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_locks_are_hashed_and_name_no_host(lock: Path) -> None:
    text = lock.read_text()
    assert not re.search(r"https?://|file:|--(extra-)?index-url|--find-links|@ ", text)
    pins = re.findall(r"^([a-z0-9][\w.\[\]-]*)==", text, re.MULTILINE)
    assert len(pins) > (0 if lock.stem == "uv" else 20)
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)


def test_locks_hold_every_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    base, extras = project["dependencies"], project["optional-dependencies"]
    solver = [*base, *extras["solver"]]
    wanted = {"uv": ["uv"], "base": base, "solver": solver, "dev": [*solver, *extras["dev"]]}
    assert {path.stem for path in LOCKS} == set(wanted)
    for stem, requirements in wanted.items():
        names = {re.split(r"[\[<>=~ ]", requirement)[0].lower() for requirement in requirements}
        locked = set(
            re.findall(
                r"^([a-z0-9][\w.-]*)(?:\[.*\])?==", (ROOT / f"requirements/{stem}.txt").read_text(), re.MULTILINE
            )
        )
        assert names <= locked


def test_locks_name_the_extras_that_packages_ask_for() -> None:
    """Otherwise pip looks for the newest release with the extra, and finds one without a hash."""
    lock = (ROOT / "requirements/dev.txt").read_text()
    pinned = dict(re.findall(r"^([a-z0-9][\w.-]*)(?:\[(.*)\])?==", lock, re.MULTILINE))
    required = [requirement for package in distributions() for requirement in package.requires or []]
    found = [re.match(r"([\w.-]+)\[(\w+)\]", one) for one in required if "extra ==" not in one]
    asked = {(match[1].lower(), match[2]) for match in found if match}
    assert ("coverage", "toml") in asked
    assert {(name, extra) for name, extra in asked if name in pinned and extra not in pinned[name]} == set()


def test_the_locks_agree_with_each_other() -> None:
    def pins(stem: str) -> set[str]:
        return set(re.findall(r"^[a-z0-9].*?==\S+", (ROOT / f"requirements/{stem}.txt").read_text(), re.MULTILINE))

    assert pins("base") <= pins("solver") <= pins("dev")


def test_the_lock_of_the_client_names_no_host() -> None:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text())
    packages = {path: package for path, package in lock["packages"].items() if path}
    assert len(packages) > 1
    assert all("resolved" not in package and package["integrity"] for package in packages.values())
    declared = json.loads((ROOT / "frontend" / "package.json").read_text())["devDependencies"]
    assert all(packages[f"node_modules/{name}"]["version"] == version for name, version in declared.items())


def test_the_stack_without_servers_names_its_needs() -> None:
    for environment in ({}, {"DATABASE_URL": "sqlite:///x"}, {"DATABASE_URL": "postgres://x/y"}):
        with pytest.raises(SystemExit, match="make run"):
            stack_environment(environment)


def test_the_stack_serves_collected_files() -> None:
    servers = {"DATABASE_URL": "postgres://x/y", "REDIS_URL": "redis://x"}
    assert stack_environment(servers)["COLLECTED_STATIC"] == "1"
    assert stack_environment(servers | {"COLLECTED_STATIC": "0"})["COLLECTED_STATIC"] == "0"


def test_foreign_images_are_versioned_and_all_or_none_pinned() -> None:
    named = re.findall(r"^(?:\s*image: |FROM )(\S+)", "\n".join(path.read_text() for path in FILES), re.MULTILINE)
    found = {image: at for path in FILES for image, at in images(path.read_text()).items()}
    assert {name.partition("@")[0] for name in named} == {*found, OWN}
    assert not [image for image in found if image.endswith(":latest")]
    assert len({bool(at) for at in found.values()}) == 1, "make images pins all of them"


@pytest.mark.needs("systemd-analyze", "caddy")
def test_the_units_are_valid_and_run_the_processes_that_the_proxy_expects(tmp_path: Path) -> None:
    """Units are checked with this checkout in the place of /opt/talon."""
    for unit in (ROOT / "deploy" / "systemd").glob("talon*.*"):
        (tmp_path / unit.name).write_text(unit.read_text().replace("/opt/talon", str(ROOT)))
    wanted = re.findall(r"talon@([\w-]+)\.service", (tmp_path / "talon.target").read_text())
    assert {name.partition("-")[0] for name in wanted} == commands().keys() - {"release", "static"}
    for name in wanted:
        (tmp_path / f"talon@{name}.service").symlink_to(tmp_path / "talon@.service")
    names = ["talon.target", "talon-release.service", *(f"talon@{name}.service" for name in wanted)]
    verified = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / name) for name in names)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    caddyfile = unit_caddyfile("talon.example.org")
    assert re.findall(r"to (127.+)", caddyfile) == ["127.0.0.1:8003 127.0.0.1:8004", "127.0.0.1:8001 127.0.0.1:8002"]
    (tmp_path / "Caddyfile").write_text(caddyfile)
    adapt = ["caddy", "adapt", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    assert subprocess.run(adapt, capture_output=True, check=False).returncode == 0


def test_a_unit_runs_the_command_of_its_name_at_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[object] = []
    monkeypatch.setattr(os, "execv", lambda program, arguments: run.extend([program, arguments]))
    monkeypatch.setattr(sys, "argv", ["procfile", "tables-8003"])
    monkeypatch.setenv("PORT", "1")
    procfile.main()
    assert run == [Path(sys.executable), commands()["tables"]]
    assert os.environ["PORT"] == "8003"
