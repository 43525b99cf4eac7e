"""Builds of explorers: which deals and games count, what causes a new build, and failures."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.lifecycle.bans import ban_player, lift_ban
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.explorer import building, explorer_build
from games.explorer.deal_summary import DealSummary
from games.explorer.lookup import crossing_at
from games.explorer.models import Explorer
from games.explorer.trails import digest_of
from games.models import Attempt, Deal
from games.rules import from_position
from games.tasks import build_explorers
from leaderboards.verdicts import decisions
from tests.factories import make_deal
from tests.games.explorer.played import certified_line, finished, past_deal, wanderer, winner
from tests.games.races.finished_races import race_of

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = certified_line()
State = Attempt.State


@pytest.fixture(autouse=True)
def _builds_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build in this process and without the solver."""
    monkeypatch.setattr(building, "SECONDS", 0.0)
    monkeypatch.setattr(building, "run", explorer_build.build)


def account(name: str) -> User:
    return User.objects.create_user(name)


def played(deal: Deal, *names: str) -> list[Attempt]:
    games = [winner(RECORD), *(wanderer(RECORD, number) for number in range(1, len(names)))]
    return [finished(account(name), deal, RECORD, game) for name, game in zip(names, games, strict=True)]


def at_opening(deal: Deal) -> int:
    """Return how many games the stored positions count at the opening."""
    crossing = crossing_at(Explorer.objects.get(pk=deal.pk), digest_of(RECORD.open_table()))
    assert crossing is not None
    return crossing.games


def test_only_verified_games_of_public_players_count() -> None:
    deal = past_deal(RECORD)
    counted = played(deal, "Ada", "Brook", "Cleo")
    others: list[dict[str, Any]] = [{"state": State.REVIEW}, {"state": State.REJECTED}, {"ranked": False}]
    for number, fields in enumerate(others):
        finished(account(f"other{number}"), deal, RECORD, winner(RECORD), **fields)
    finished(create_guest(), deal, RECORD, winner(RECORD))
    banned, erased = account("Dora"), account("Emil")
    for player in (banned, erased):
        finished(player, deal, RECORD, winner(RECORD))
    ban_player(banned)
    erase_player(erased)
    assert building.build_due() == 1
    explorer = Explorer.objects.get()
    assert (explorer.games, explorer.wins) == (3, 1)
    assert set(building.counted_games(deal)) == set(counted)
    assert at_opening(deal) == 3
    assert building.build_due() == 0, "it is built once"


def banned_for_a_while(player: User) -> None:
    ban_player(player)
    lift_ban(player)


@pytest.mark.parametrize(
    ("change", "games"),
    [
        (lambda attempt: erase_player(attempt.player), 2),
        (lambda attempt: ban_player(attempt.player), 2),
        (lambda attempt: banned_for_a_while(attempt.player), 3),
        (lambda attempt: decisions.decide(attempt.pk, State.REJECTED, "a test"), 2),
    ],
    ids=["erased", "banned", "unbanned", "rejected"],
)
def test_a_change_of_the_games_causes_a_new_build(change: Callable[[Attempt], Any], games: int) -> None:
    deal = past_deal(RECORD)
    attempts = played(deal, "Ada", "Brook", "Cleo")
    building.build_due()
    change(attempts[1])
    assert building.build_due() == 1
    assert (Explorer.objects.get().games, at_opening(deal)) == (games, games)


def test_an_erased_guest_leaves_a_races_explorer() -> None:
    race = race_of(timezone.now())
    assert race.deal is not None
    Deal.objects.filter(pk=race.deal.pk).update(
        for_race=True, revealed_at=timezone.now(), variant="labyrinth", game="labyrinth", seed=RECORD.seed
    )
    race.deal.refresh_from_db()
    guest, other = create_guest(), create_guest()
    for player in (guest, other):
        finished(player, race.deal, RECORD, winner(RECORD), ranked=False, deadline=timezone.now())
    finished(other, race.deal, RECORD, winner(RECORD), ranked=False)  # practice afterwards
    building.build_due()
    assert Explorer.objects.get().games == 2
    erase_player(guest)
    building.build_due()
    assert Explorer.objects.get().games == 1


def test_no_explorer_before_the_reveal() -> None:
    today = make_deal("labyrinth", seed=RECORD.seed)
    played(today, "Ada", "Brook")
    secret = race_of(timezone.now(), state="settling", finished_at=None).deal
    void = race_of(timezone.now(), state="void").deal
    assert secret is not None
    assert void is not None
    Deal.objects.filter(pk__in=[secret.pk, void.pk]).update(for_race=True)
    Deal.objects.filter(pk=void.pk).update(revealed_at=timezone.now())
    assert building.build_due() == 0
    opened = timezone.now() - timedelta(days=1)
    Deal.objects.filter(pk=today.pk).update(opens_at=opened, closes_at=timezone.now() - timedelta(minutes=59))
    assert building.build_due() == 0
    Deal.objects.filter(pk=today.pk).update(closes_at=timezone.now() - timedelta(minutes=61))
    assert building.build_due() == 1


def test_a_build_waits_for_the_last_verdicts() -> None:
    deal = past_deal(RECORD)
    late = played(deal, "Ada", "Brook")[1]
    Attempt.objects.filter(pk=late.pk).update(state=State.PENDING)
    assert building.build_due() == 0
    Attempt.objects.filter(pk=late.pk).update(state=State.VERIFIED)
    assert building.build_due() == 1


def test_a_change_during_a_build_causes_another(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = played(past_deal(RECORD), "Ada", "Brook")

    def interrupted(task: explorer_build.BuildTask) -> explorer_build.BuiltExplorer:
        erase_player(attempts[0].player)
        return explorer_build.build(task)

    monkeypatch.setattr(building, "run", interrupted)
    building.build_due()
    monkeypatch.setattr(building, "run", explorer_build.build)
    assert building.build_due() == 1
    assert Explorer.objects.get().games == 1


def test_a_slower_worker_does_not_overwrite_a_newer_build(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = past_deal(RECORD)
    played(deal, "Ada", "Brook")

    def overtaken(task: explorer_build.BuildTask) -> explorer_build.BuiltExplorer:
        Explorer.objects.update(built=2, changes=2, games=7)
        return explorer_build.build(task)

    monkeypatch.setattr(building, "run", overtaken)
    building.build_due()
    assert Explorer.objects.get().games == 7


def test_analyses_are_handed_to_the_build() -> None:
    deal = past_deal(RECORD)
    first, second = played(deal, "Ada", "Brook")
    findings = Findings([3, 2, 1, 0]).pack()
    Analysis.objects.create(attempt=second, asked_at=timezone.now(), findings=findings)
    assert [game.verdicts for game in building.task_of(deal, {}).games] == [[], [3, 2, 1, 0]]
    assert building.task_of(deal, {}).position == RECORD.open_table().position()
    assert from_position(building.task_of(deal, {}).position).cards_up == RECORD.open_table().cards_up
    assert first.pk < second.pk


def test_proofs_are_handed_to_the_next_build(monkeypatch: pytest.MonkeyPatch) -> None:
    deal, proofs = past_deal(RECORD), list[dict[int, int]]()
    played(deal, "Ada", "Brook")

    def run(task: explorer_build.BuildTask) -> explorer_build.BuiltExplorer:
        proofs.append(task.proofs)
        return explorer_build.BuiltExplorer([], DealSummary(), {2**64 - 1: -1})

    monkeypatch.setattr(building, "run", run)
    building.build_due()
    building.expire(Deal.objects.filter(pk=deal.pk))
    building.build_due()
    assert proofs == [{}, {2**64 - 1: -1}]


def test_a_worker_thread_builds_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(building, "SECONDS", 5.0)
    played(past_deal(RECORD), "Ada", "Brook", "Cleo")
    thread = building.background_building.start()
    assert thread is not None
    assert building.background_building.start() is None, "one build at a time"
    thread.join(120)
    explorer = Explorer.objects.get()
    assert (explorer.games, explorer.built, explorer.chunks) == (3, 1, 1)


def test_a_failed_build_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    played(past_deal(RECORD), "Ada", "Brook")
    monkeypatch.setattr(building, "run", lambda _: None)
    assert building.build_due() == 0
    monkeypatch.setattr(building, "run", explorer_build.build)
    assert building.build_due() == 1


def test_the_task_starts_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[bool] = []
    monkeypatch.setattr(building.background_building, "start", lambda: started.append(True))
    build_explorers()
    assert started
