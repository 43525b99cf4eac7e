"""A short soak finds nothing wrong with the unchanged service."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.services.soak.breaking import KINDS
from tests.services.soak.running import Wish, soak


@pytest.mark.needs("pgbouncer")
@pytest.mark.services
@pytest.mark.slow
def test_a_short_soak_behind_pgbouncer_finds_nothing_wrong(cluster: Path, tmp_path: Path) -> None:
    """`make soak` runs one without PgBouncer; `test_faults` covers each fault on its own."""
    wish = Wish(seconds=24, seed=20261121, players=24, hurried=True, pooled=True, misfortune_every=10)
    outcome = soak(wish, tmp_path, print, cluster)
    assert outcome.faults == []
    assert set(outcome.blows) == set(KINDS)
    assert outcome.tokens > 100
    assert outcome.verdicts["verified"] > 20
    assert outcome.races["finished"], "ratings are folded under a lock and copied in bulk"
