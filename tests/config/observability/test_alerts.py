"""Alert rules, checked by Prometheus' own tool: silent on a normal day, and each fires only for its problem."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

PROMETHEUS = Path(__file__).resolve().parents[3] / "deploy" / "prometheus"
RULES = PROMETHEUS / "alerts.yml"
ALERTS = [rule["alert"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
WAIT = "talon_journal_wait_seconds_bucket"
LATENCY = "talon_django_http_requests_latency_including_middlewares_seconds_bucket"
STATUS = "talon_django_http_responses_total_by_status_total"

#: A normal day, one value a minute.
QUIET = {
    'up{job="talon-web",instance="web-1"}': "1x300",
    'up{job="talon-web",instance="web-2"}': "1x300",
    'up{job="talon-tables",instance="tables-1"}': "1x300",
    'up{job="talon-worker",instance="worker"}': "1x300",
    'talon_reachable{server="database",instance="web-1"}': "1x300",
    'talon_reachable{server="database",instance="web-2"}': "1x300",
    'talon_reachable{server="redis",instance="web-1"}': "1x300",
    'talon_replica_lag_seconds{replica="replica1",instance="web-1"}': "0.5x59 8x1 0.5x239",
    'process_resident_memory_bytes{job="talon-web",instance="web-1"}': "200e6x300",
    'talon_worker_memory_bytes{job="talon-worker",instance="worker"}': "300e6x300",
    f'{WAIT}{{le="0.1"}}': "0+6000x300",
    f'{WAIT}{{le="0.5"}}': "0+6000x300",
    f'{WAIT}{{le="+Inf"}}': "0+6000x300",
    'talon_refusals_total{code="server_busy"}': "3x300",
    'talon_refusals_total{code="illegal_move"}': "0+600x300",
    "talon_race_overdue_seconds": "4x300",
    f'{STATUS}{{status="200"}}': "0+6000x300",
    f'{STATUS}{{status="500"}}': "0+1x300",
    f'{STATUS}{{status="503"}}': "0+600x300",
    f'{LATENCY}{{le="1.0"}}': "0+6000x300",
    f'{LATENCY}{{le="2.5"}}': "0+6100x300",
    f'{LATENCY}{{le="+Inf"}}': "0+6100x300",
    "talon_newcomers_queued_total": "0x59 40x1 80x239",
    "talon_verdicts_oldest_seconds": "2x300",
    'talon_verdicts_total{state="verified"}': "0+60x300",
    'talon_verdicts_total{state="rejected"}': "0x299 1",
    'talon_tasks_total{task="talon.close_due",state="SUCCESS"}': "0+2x300",
    'talon_tasks_total{task="talon.sweep",state="FAILURE"}': "0x100 1x200",
    "talon_journal_days": "2x300",
    'talon_mails_withheld_total{budget="confirmation_site"}': "0x300",
    'talon_mails_withheld_total{budget="confirmation"}': "0+1x300",
    'talon_worker_children{instance="worker"}': "2x300",
    'talon_deals_missing{day="today"}': "0x300",
    'talon_deals_missing{day="tomorrow"}': "0x300",
    'talon_deals_missing{day="after"}': "9x300",
    'talon_sealed_deals{variant="braid"}': "14x300",
}


class Trouble(NamedTuple):
    """Differences from a normal day from minute 100 on, when the alert fires, and when it does not yet."""

    series: dict[str, str | None]
    fires_at: int
    not_at: int = 100
    also: frozenset[str] = frozenset()


TROUBLES = {
    "TalonProcessAway": Trouble({'up{job="talon-web",instance="web-1"}': "1x99 0x200"}, 102, 100),
    "TalonWebAway": Trouble(
        {f'up{{job="talon-web",instance="web-{n}"}}': "1x99 0x200" for n in (1, 2)},
        102,
        also=frozenset({"TalonProcessAway"}),
    ),
    "TalonTablesAway": Trouble(
        {'up{job="talon-tables",instance="tables-1"}': "1x99 0x200"}, 102, also=frozenset({"TalonProcessAway"})
    ),
    "TalonDatabaseAway": Trouble({'talon_reachable{server="database",instance="web-2"}': "1x99 0x200"}, 102, 100),
    "TalonRedisAway": Trouble({'talon_reachable{server="redis",instance="web-1"}': "1x99 0x200"}, 103, 101),
    "TalonReplicaBehind": Trouble(
        {'talon_replica_lag_seconds{replica="replica1",instance="web-1"}': "0.5x99 6+60x200"}, 103, 101
    ),
    "TalonMemoryGrows": Trouble(
        {'process_resident_memory_bytes{job="talon-web",instance="web-1"}': "200e6x99 700e6x200"}, 116, 114
    ),
    "TalonMovesWait": Trouble({f'{WAIT}{{le="0.1"}}': "0+6000x99 594000+5000x200"}, 110, 103),
    "TalonMovesRefused": Trouble({'talon_refusals_total{code="server_busy"}': "3x99 3+60x200"}, 104, 100),
    "TalonRacesStand": Trouble({"talon_race_overdue_seconds": "4x99 31+60x200"}, 102, 100),
    "TalonFaults": Trouble({f'{STATUS}{{status="500"}}': "0x99 0+60x200"}, 110, 103),
    "TalonPagesSlow": Trouble({f'{LATENCY}{{le="1.0"}}': "0+6000x99 594000+3000x200"}, 115, 108),
    "TalonNewcomersWait": Trouble({"talon_newcomers_queued_total": "0x99 0+40x200"}, 106, 103),
    "TalonVerdictsWait": Trouble({"talon_verdicts_oldest_seconds": "2x99 121+60x200"}, 103, 101),
    "TalonRecordsRefused": Trouble({'talon_verdicts_total{state="review"}': "0x99 0+1x200"}, 120, 103),
    "TalonTasksSilent": Trouble(
        {'talon_tasks_total{task="talon.close_due",state="SUCCESS"}': "0+2x99 198x200"}, 112, 106
    ),
    "TalonTasksFail": Trouble({'talon_tasks_total{task="talon.remind",state="FAILURE"}': "0x99 0+1x200"}, 110, 102),
    "TalonJournalGrows": Trouble({"talon_journal_days": "2x99 4x200"}, 161, 159),
    "TalonWorkerEmpty": Trouble({'talon_worker_children{instance="worker"}': "2x99 0x200"}, 103, 101),
    "TalonMailsWithheld": Trouble({'talon_mails_withheld_total{budget="confirmation_site"}': "0x99 0+1x200"}, 102, 100),
    "TalonDealsMissing": Trouble({'talon_deals_missing{day="today"}': "0x99 1x200"}, 111, 109),
    "TalonDealsLate": Trouble({'talon_deals_missing{day="tomorrow"}': "0x99 2x200"}, 221, 219),
    "TalonStockShort": Trouble({'talon_sealed_deals{variant="braid"}': "14x99 3x200"}, 161, 159),
}

#: Missing series, which no alert may take for a good sign.
GONE = {
    "TalonWebAway": Trouble({f'up{{job="talon-web",instance="web-{n}"}}': None for n in (1, 2)}, 105, 0),
    "TalonTablesAway": Trouble({'up{job="talon-tables",instance="tables-1"}': None}, 105, 0),
    "TalonTasksSilent": Trouble({'talon_tasks_total{task="talon.close_due",state="SUCCESS"}': None}, 105, 4),
    # No players, and no stock configured.
    "": Trouble({name: None for name in QUIET if name.startswith((WAIT, "talon_sealed", "talon_refusals"))}, 200),
}


def scenario(name: str, trouble: Trouble) -> dict[str, Any]:
    """Return a promtool test: the alerts that fire before and during the problem."""
    series = {**QUIET, **trouble.series}
    firing = "group by (alertname) (ALERTS{alertstate='firing'})"
    fired = sorted({name, *trouble.also} - {""})
    return {
        "name": name,
        "interval": "1m",
        "input_series": [{"series": key, "values": values} for key, values in series.items() if values],
        "promql_expr_test": [
            {"expr": f"{firing} and on (alertname) ALERTS{{alertname='{name}'}}", "eval_time": f"{trouble.not_at}m"},
            {
                "expr": firing,
                "eval_time": f"{trouble.fires_at}m",
                "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1} for alert in fired],
            },
        ],
    }


@pytest.fixture(scope="module")
def promtool() -> str:
    return str(shutil.which("promtool"))


def check(*command: str | Path) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def play(promtool: str, folder: Path, *scenarios: dict[str, Any]) -> None:
    file = folder / "alerts.json"  # JSON is also YAML
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": scenarios}))
    check(promtool, "test", "rules", file)


def test_the_rules_are_valid(promtool: str) -> None:
    check(promtool, "check", "rules", RULES)


def test_the_configuration_is_valid(promtool: str) -> None:
    check(promtool, "check", "config", "--syntax-only", PROMETHEUS / "prometheus.yml")


def test_every_alert_has_a_scenario() -> None:
    assert list(TROUBLES) == ALERTS


def test_a_normal_day_fires_no_alert(promtool: str, tmp_path: Path) -> None:
    play(promtool, tmp_path, *(scenario("", Trouble({}, minute)) for minute in (10, 60, 110, 220, 299)))


def test_each_problem_and_missing_series_fires_only_its_alert(promtool: str, tmp_path: Path) -> None:
    play(promtool, tmp_path, *(scenario(*item) for item in (*TROUBLES.items(), *GONE.items())))


def test_alert_texts_are_filled_in(promtool: str, tmp_path: Path) -> None:
    told = scenario("TalonVerdictsWait", TROUBLES["TalonVerdictsWait"])
    expected = {
        "exp_labels": {"severity": "page"},
        "exp_annotations": {
            "summary": "A finished game has waited 5m 1s for its verdict: check whether workers run.",
            "page": "docs/runbook.md#verdicts-are-late",
        },
    }
    told["alert_rule_test"] = [{"eval_time": "103m", "alertname": "TalonVerdictsWait", "exp_alerts": [expected]}]
    play(promtool, tmp_path, told)
