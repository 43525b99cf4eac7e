"""Race file: a finished race as a document that anyone can verify (docs/records.md, "Races").

A commitment to the race's terms is public from the countdown on.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from games import rules
from games.attempts.lifecycle import record_of
from games.core.errors import ErrorCode, Refusal
from games.db.players import player_services
from games.models import Attempt
from games.presentation.view_models import shown_part
from games.races.models import Entrant, Race
from games.rules.races.document import VERSION

#: Attempt states whose record is published.
_PUBLISHED: Final = (Attempt.State.VERIFIED, Attempt.State.REVIEW)
#: Entrant states whose place is based on the record.
_RACED: Final = (Entrant.State.WON, Entrant.State.RETIRED, Entrant.State.TIMED_OUT)


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


def is_public(race: Race, now: datetime | None = None) -> bool:
    """Return whether the race is finished, and every other race on its deal over."""
    if race.state != Race.State.FINISHED or race.deal is None:
        return False
    return race.deal.is_revealed(now or timezone.now())


def race_file(race: Race) -> rules.RaceFile:
    """Return the race file.

    :raises Refusal: not_found for a puzzle race; not_revealed until this race is finished and every other one on its
        deal is over.
    """
    if race.is_puzzle_race:
        raise Refusal(ErrorCode.NOT_FOUND, "A puzzle race has no file.")
    if not is_public(race):
        raise Refusal(ErrorCode.NOT_REVEALED, "A race can be downloaded once all races on its deal are finished.")
    assert race.deal is not None
    commitment = commitment_of(race)
    assert commitment is not None
    entrants = list(race.entrants.select_related("attempt__deal").order_by(F("place").asc(nulls_last=True), "pk"))
    names = player_services().names_on_pages(
        [entrant.player_id for entrant in entrants if entrant.player_id is not None]
    )
    return rules.RaceFile(
        id=race.public_id,
        room=race.room.kind,
        **terms_of(race),
        commitment=commitment,
        seed=bytes(race.deal.seed),
        entrants=tuple(_entry(entrant, *names.get(entrant.player_id or 0, (None, None))) for entrant in entrants),
        # A race stored without progress times is placed as files of version 2 are.
        file_version=2 if any(_lacks_progress(entrant) for entrant in entrants) else VERSION,
    )


def _lacks_progress(entrant: Entrant) -> bool:
    return entrant.cards_up is not None and entrant.progress_ms is None


def file_name(race: Race) -> str:
    """Return the download name of the file."""
    return f"talon-race-{race.public_id.hex[:12]}.json"


def _entry(entrant: Entrant, name: str | None, player: UUID | None) -> rules.Entry:
    attempt = entrant.attempt
    shown = entrant.state in _RACED and attempt is not None and attempt.state in _PUBLISHED
    return shown_part(
        rules.Entry,
        entrant,
        name=name,
        player=player,
        state=str(entrant.state),
        record=record_of(attempt) if attempt is not None and shown else None,
        in_review=entrant.place is None and entrant.state in _RACED,
    )
