"""Source games of puzzles: only lost games whose cards help no one any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.analysis.findings import Findings, Turn
from games.analysis.models import Analysis
from games.attempts.lifecycle import close_attempt, start_attempt
from games.models import Attempt, Deal
from games.puzzles.generation import puzzle_filling, sources
from games.puzzles.models import SearchedGame
from games.puzzles.puzzle import Puzzle
from games.rules import from_position
from tests.factories import begin_practice, won_records
from tests.games.puzzles.puzzles import LABYRINTH, stored_puzzle

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]

RECORD = won_records("labyrinth")[0]
TOKENS = 4
#: Winnable after one token, lost after two, and again after three and four.
FINDINGS = Findings([5, 4, -1, 4, -1], turns=[Turn(1, 2), Turn(3, 4)])
NOW = timezone.now()
DAY = timedelta(days=1)
CLOSED: dict[str, Any] = {"day": (NOW - DAY).date(), "opens_at": NOW - DAY, "closes_at": NOW - timedelta(minutes=30)}


def lost_game(player: User, findings: Findings = FINDINGS, **fields: Any) -> Attempt:
    """Create an analyzed game: practice, or at a deal with these fields."""
    attempt = close_attempt(begin_practice(player, RECORD, *RECORD.tokens[:TOKENS]).pk, "resigned")
    if fields:
        is_race = fields.get("for_race", False)
        Deal.objects.filter(pk=attempt.deal_id).update(**fields)
        Attempt.objects.filter(pk=attempt.pk).update(ranked=not is_race, deadline=NOW if is_race else None)
    state = Analysis.State.DONE
    Analysis.objects.create(attempt=attempt, asked_at=NOW, state=state, done_at=NOW, findings=findings.pack())
    return attempt


@pytest.mark.parametrize(
    "fields",
    [
        CLOSED | {"closes_at": NOW + DAY},
        CLOSED,
        {"for_race": True},
        {"for_race": True, "revealed_at": NOW + DAY},
    ],
    ids=["open", "closed, not revealed", "race that runs", "race that will be finished"],
)
def test_no_puzzle_is_made_from_a_secret_deal(
    player: User, fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    lost_game(player, **fields)
    User.objects.update(preferences={"puzzles_from_practice": True})
    assert sources.next_game("labyrinth") is None
    assert not SearchedGame.objects.exists(), "it may become a source later"
    stored_puzzle(LABYRINTH)
    searched: list[list[str]] = []

    def search(_variant: str, positions: list[str], **_: object) -> list[Puzzle]:
        searched.append(positions)
        monkeypatch.setattr(settings, "PUZZLE_STOCK", 0)  # nothing is needed any more
        return []

    monkeypatch.setattr(puzzle_filling, "search", search)
    monkeypatch.setattr(puzzle_filling, "is_busy", lambda: False)
    puzzle_filling._fill()
    assert searched == [[]], "a simulated player's game"


@pytest.mark.parametrize(
    "fields",
    [CLOSED | {"closes_at": NOW - 2 * DAY}, {"for_race": True, "revealed_at": NOW - DAY}],
    ids=["revealed daily", "finished race"],
)
def test_a_revealed_game_is_a_source_once(player: User, fields: dict[str, Any]) -> None:
    attempt = lost_game(player, **fields)
    found = sources.next_game("labyrinth")
    assert found is not None
    key, positions = found
    assert (key, len(positions)) == (attempt.pk, 4), "up to the last turning point"
    table = from_position(positions[0])
    assert table.position() == RECORD.open_table().position()
    for token, position in zip(RECORD.tokens, positions[1:], strict=False):
        table.push(token)
        assert table.position() == position
    assert sources.next_game("labyrinth") is None
    assert sources.next_game("braid") is None


def test_practice_is_a_source_only_with_consent(player: User) -> None:
    lost_game(player)
    assert sources.next_game("labyrinth") is None
    User.objects.filter(pk=player.pk).update(preferences={"puzzles_from_practice": True})
    other = start_attempt(create_guest(), Deal.objects.get())
    assert sources.next_game("labyrinth") is None, "someone is playing this deal"
    close_attempt(other.pk, "resigned")
    assert sources.next_game("labyrinth") is not None


def test_a_game_that_was_never_winnable_is_skipped(player: User) -> None:
    User.objects.filter(pk=player.pk).update(preferences={"puzzles_from_practice": True})
    lost_game(player, Findings([-1] * (TOKENS + 1)))
    assert sources.next_game("labyrinth") is None
    assert SearchedGame.objects.count() == 1


def test_erasure_takes_the_source_from_a_puzzle(ada: User) -> None:
    attempt = lost_game(ada, **CLOSED | {"closes_at": NOW - 2 * DAY})
    stored = stored_puzzle(LABYRINTH, source=attempt, source_n=1)
    erase_player(ada)
    stored.refresh_from_db()
    assert stored.source is None
    assert Attempt.objects.filter(pk=attempt.pk).exists()


def test_a_guests_deletion_keeps_the_puzzle(player: User) -> None:
    stored = stored_puzzle(LABYRINTH, source=lost_game(player))
    player.delete()
    stored.refresh_from_db()
    assert stored.source is None
