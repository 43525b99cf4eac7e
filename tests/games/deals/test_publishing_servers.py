"""Concurrent publishing by several processes on PostgreSQL, where transactions really overlap."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from games.rules import CATALOGUE
from tests.config.running import ROOT, environment, run

pytestmark = [pytest.mark.services]

SEAL = """
from tests.games import certified
for index in range(3):
    for variant in {variants!r}:
        certified.seal(variant, index)
"""
PUBLISH = """
import json, sys
from django.db import transaction
from django.utils import timezone
from games.deals import publishing, sealed_stock
from games.rules import CATALOGUE
sealed_stock.KEPT_FOR_DAYS = 0
def raced(variant):
    with transaction.atomic():
        found = sealed_stock.take_spare(variant)
        return found and publishing.make_deal(CATALOGUE[variant], found, opens_at=timezone.now(), for_race=True)
sys.stdin.readline()
made = [bool(raced(variant)) for variant in {variants!r}]
publishing.ensure_deals(timezone.now().date(), ahead=1)
made += [bool(raced(variant)) for variant in {variants!r}]
print(json.dumps(sum(made)))
"""
COUNT = """
import json
from games.deals import ledger
from games.models import Deal, SealedDeal, LedgerEntry
daily = Deal.objects.exclude(day=None)
proven = Deal.objects.filter(proven=True)
faults = [str(fault) for fault in ledger.check()]
print(json.dumps([daily.count(), proven.count(), SealedDeal.objects.count(), LedgerEntry.objects.count(), faults]))
"""


def script(code: str) -> list[str]:
    return ["-c", f"import django; django.setup()\n{code.format(variants=list(CATALOGUE))}"]


def test_every_sealed_deal_is_dealt_once(migrated_postgres_url: str, tmp_path: Path) -> None:
    variables = {"DATABASE_URL": migrated_postgres_url, "DJANGO_SETTINGS_MODULE": "config.settings"}
    variables |= {"SEALED_STOCK": "1", "DEAL_PATIENCE": "900"}
    sealing = run(*script(SEAL), var=tmp_path, **variables)
    assert sealing.returncode == 0, sealing.stderr
    pipe = subprocess.PIPE
    publishers = [
        subprocess.Popen(
            [sys.executable, *script(PUBLISH)],
            cwd=ROOT,
            env=environment(tmp_path, **variables),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        for _ in range(3)
    ]
    done = []
    for publisher in publishers:
        assert publisher.stdin is not None
        publisher.stdin.write("go\n")
        publisher.stdin.flush()
    for publisher in publishers:
        output, errors = publisher.communicate(timeout=120)
        assert publisher.returncode == 0, errors
        done.append(json.loads(output))
    daily, proven, left, lines, faults = json.loads(run(*script(COUNT), var=tmp_path, **variables).stdout)
    assert left == 0
    assert proven == 3 * len(CATALOGUE), "every sealed deal was dealt once"
    assert sum(done) == proven - daily
    assert (lines, faults) == (daily, [])
