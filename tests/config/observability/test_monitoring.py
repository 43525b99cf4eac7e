"""Dashboard and alerts: they use existing metrics only, and each has a section in the runbook."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from config.observability.state_metrics import Children

ROOT = Path(__file__).resolve().parents[3]
PROMETHEUS = ROOT / "deploy" / "prometheus"
RUNBOOK = (ROOT / "docs" / "runbook.md").read_text()
RULES = [rule for group in yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "talon.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = {
    **{rule["alert"]: rule["expr"] for rule in RULES},
    **{f"{panel['title']} {target['refId']}": target["expr"] for panel in PANELS for target in panel["targets"]},
    "annotations": DASHBOARD["annotations"]["list"][0]["expr"],
}

#: Series and labels that Prometheus itself adds.
ITS_OWN = {"up": {"job", "instance"}, "ALERTS": {"alertname", "alertstate"}}
TARGET = {"job", "instance", "le"}
WORDS = {"by", "or", "and", "unless", "bool", "on", "without"}


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


SECTIONS = {slug(part.split("\n", 1)[0]): part for part in RUNBOOK.split("\n## ")[1:]}


def metrics_of(expression: str) -> set[str]:
    bare = re.sub(r"\{[^}]*\}|\b(?:by|without) \([^)]*\)|\[\w+\]", " ", expression)
    return {
        name
        for name in re.findall(r"(?<![\w.])[a-zA-Z_]\w*(?![\w(]| \()", bare)
        if name not in WORDS and not re.search(rf"\b{name}\s*\(", bare)
    }


def labels_of(expression: str) -> set[str]:
    chosen = {name for group in re.findall(r"\{([^}]*)\}", expression) for name in re.findall(r"(\w+)\s*[=!]", group)}
    grouped = re.findall(r"\b(?:by|without) \(([^)]*)\)", expression)
    return chosen | {name.strip() for group in grouped for name in group.split(",")}


def labels_shown(text: str) -> set[str]:
    return set(re.findall(r"\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}", text))


@pytest.fixture
def told(client: Client, settings: Any) -> dict[str, set[str]]:
    """Return the metrics of a web process and a worker, with their labels."""
    settings.SEALED_STOCK = 14
    client.get("/")
    worker = CollectorRegistry()
    worker.register(Children())
    text = client.get("/metrics").content.decode() + generate_latest(worker).decode()
    declared = {
        name: set(getattr(collector, "_labelnames", ()))
        for collector, names in REGISTRY._collector_to_names.items()
        for name in names
    }
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        labels = declared.get(family.name, set()) | {label for sample in family.samples for label in sample.labels}
        ends = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("_total",)}.get(family.type, ("",))
        found |= {f"{family.name}{end}": labels | TARGET for end in ends}
    return found | ITS_OWN


@pytest.mark.django_db
def test_every_metric_and_label_exists(told: dict[str, set[str]]) -> None:
    assert {what: names for what, text in EXPRESSIONS.items() if not (names := metrics_of(text)) <= told.keys()} == {}
    strange = {
        what: labels
        for what, text in EXPRESSIONS.items()
        if (labels := labels_of(text) - set().union(*(told[name] for name in metrics_of(text))))
    }
    assert strange == {}
    assert all(metrics_of(text) for text in EXPRESSIONS.values())


def shown() -> Iterator[tuple[str, str]]:
    """Yield texts that show labels, with the expressions of those labels."""
    for rule in RULES:
        yield rule["annotations"]["summary"], rule["expr"]
    for panel in PANELS:
        for target in panel["targets"]:
            yield target["legendFormat"], target["expr"]


@pytest.mark.django_db
def test_legends_and_summaries_show_remaining_labels(told: dict[str, set[str]]) -> None:
    for text, expression in shown():
        grouped = re.findall(r"\bby \(([^)]*)\)", expression)
        left = {name.strip() for name in grouped[0].split(",")} if grouped else set()
        if not re.search(r"\b(?:sum|min|max|count)\b", expression):
            left = set().union(*(told[name] for name in metrics_of(expression)))
        assert labels_shown(text) - {"value"} <= left, (text, expression)


def anchors(text: str) -> list[str]:
    return re.findall(r"docs/runbook\.md#([\w-]+)", text)


def test_every_alert_has_urgency_and_instructions() -> None:
    for rule in RULES:
        assert rule["labels"]["severity"] in {"page", "look"}, rule
        [anchor] = anchors(rule["annotations"]["page"])
        assert f"`{rule['alert']}`" in SECTIONS[anchor].partition("**Look at**")[0], rule


def test_every_panel_has_instructions() -> None:
    for panel in PANELS:
        [anchor] = anchors(panel["description"])
        assert anchor in SECTIONS, panel
        assert panel["targets"], panel


def test_every_section_is_complete_and_linked() -> None:
    leading = [*(rule["annotations"]["page"] for rule in RULES), *(panel["description"] for panel in PANELS)]
    assert {name for text in leading for name in anchors(text)} == SECTIONS.keys()
    for anchor, text in SECTIONS.items():
        parts = re.findall(r"^\*\*(Symptom\.|Look at|Do)\*\* \S", text, re.MULTILINE)
        assert parts == ["Symptom.", "Look at", "Do"], anchor


def test_sections_name_existing_panels_alerts_and_headings() -> None:
    assert set(re.findall(r"`(Talon\w+)`", RUNBOOK)) == {rule["alert"] for rule in RULES}
    named = {name for group in re.findall(r"panels? ((?:\*[^*]+\*(?: and )?)+)", RUNBOOK) for name in group.split("*")}
    assert len(named) > 5
    assert named - {"", " and "} <= {panel["title"] for panel in PANELS}
    headings = {slug(text) for text in re.findall(r"^#+ (.+)$", RUNBOOK, re.MULTILINE)}
    assert set(re.findall(r"\]\(#([\w-]+)\)", RUNBOOK)) <= headings


def test_alerts_and_panels_have_unique_names() -> None:
    for names in ([rule["alert"] for rule in RULES], [panel["id"] for panel in DASHBOARD["panels"]]):
        assert len(names) == len(set(names))


def test_prometheus_finds_every_service_that_serves_metrics() -> None:
    parsed = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    ports = {
        name: services[name]["environment"].get("METRICS_PORT") or services[name]["environment"]["PORT"]
        for name in ("web", "tables", "worker", "keeper", "analyst")
    }
    jobs = {job["job_name"]: job["dns_sd_configs"][0] for job in parsed["scrape_configs"]}
    assert {name: (config["names"], str(config["port"])) for name, config in jobs.items()} == {
        f"talon-{name}": ([name], port) for name, port in ports.items()
    }
    assert parsed["rule_files"] == ["alerts.yml"]
    jobs_named = {name for text in EXPRESSIONS.values() for name in re.findall(r'job="([\w-]+)"', text)}
    assert jobs_named <= jobs.keys()
