"""Commitment to a race's terms, public from the countdown on (docs/records.md, "Races")."""

from __future__ import annotations

from typing import Any

from games import rules
from games.races.models import Race


def terms_of(race: Race) -> dict[str, Any]:
    """Return the terms of a race with a deal, as its file repeats them."""
    assert race.deal is not None
    return {
        "number": race.number,
        "rated": race.rated,
        "version": race.deal.rules_version,
        "name": race.variant or race.game,
        "options": None if race.variant else dict(race.options),
        "limit_s": race.limit_s,
        "starts_at": race.starts_at,
        "free_undo": race.free_undo,
    }


def commitment_of(race: Race) -> str | None:
    """Return the SHA-256 that commits to a race's deal, game, limit and start; None before the countdown."""
    if race.starts_at is None or race.deal is None:
        return None
    terms = rules.race_terms(race_id=race.public_id, **terms_of(race))
    return rules.race_commitment(terms, race.deal.commitment)
