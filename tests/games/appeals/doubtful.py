"""Games under review or rejected, with reasons that include figures and names."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from games.core.verdict_reasons import VerdictReason, reason
from games.models import Attempt, Deal
from tests import factories
from tests.factories import make_deal

#: Data that must never reach a player: figures, another player's attempt, a staff member and a note.
SECRETS = ("987654", "0.0123", "5f0c0d9e", "ada-of-staff", "seen-with-eve", "unheard_of")
REASONS: list[VerdictReason] = [
    reason("pace", "31 plays within 987654 ms, which need 1987654 ms.", plays=31, ms=987654, needs=1987654),
    reason("steady", "The gaps vary by 0.0123 only.", variation=0.0123),
    reason("copied_line", "Another account decided the same before.", attempt="5f0c0d9e-0000-4000-8000-000000000000"),
    reason("unheard_of", "Eve was seen-with-eve.", of="seen-with-eve"),
    reason("staff", "ada-of-staff has seen-with-eve.", by="ada-of-staff", state="rejected"),
]
CODES = ["pace", "steady", "copied_line", "other", "staff"]


def past(variant: str = "stonewall") -> Deal:
    """Create a daily deal whose games are public."""
    return make_deal(variant, day=(timezone.now() - timedelta(days=3)).date())


def doubtful(
    player: Any,
    deal: Deal | None = None,
    *,
    state: str = Attempt.State.REVIEW,
    judged: datetime | None = None,
    **fields: Any,
) -> Attempt:
    deal = deal or past()
    fields = {"started_at": deal.opens_at, "reasons": REASONS, **fields}
    return factories.finished(deal, player, state=state, verified_at=judged or timezone.now(), **fields)
