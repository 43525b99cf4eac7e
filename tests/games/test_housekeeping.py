"""Housekeeping: rows are deleted at their age and not before; every table is bounded or kept for a reason."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.usersessions.models import UserSession
from celery.exceptions import SoftTimeLimitExceeded
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts import housekeeping as accounts_housekeeping
from accounts.models import HeldName, PushDevice, User
from accounts.sign_in.guests import create_guest
from games import housekeeping
from games.analysis import housekeeping as analysis_housekeeping
from games.analysis.models import Analysis
from games.appeals import housekeeping as appeals_housekeeping
from games.appeals.models import Appeal, Report
from games.attempts import lifecycle as attempts
from games.attempts.lifecycle import close_attempt, record_of, start_attempt
from games.core import events, retention
from games.core.retention import Aged, remove_aged
from games.deals import publishing
from games.housekeeping import KINDS
from games.inbox import housekeeping as inbox_housekeeping
from games.inbox import notices
from games.inbox.models import Notice
from games.models import (
    Attempt,
    AwaitedDeal,
    Deal,
    ForesightFigures,
    Move,
    PracticeOrder,
    Presence,
    Question,
    SealedDeal,
    SeenDeal,
    Start,
)
from games.puzzles import housekeeping as puzzles_housekeeping
from games.puzzles.models import PuzzleRun
from games.races import housekeeping as races_housekeeping
from games.races import rooms
from games.races.models import Race, RaceOrigin
from games.replays import housekeeping as replays_housekeeping
from games.replays.models import Picture
from games.tasks import clean_games
from tests.factories import add_moves, make_deal, seal_deal

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
ROOMS = (
    races_housekeeping,
    replays_housekeeping,
    analysis_housekeeping,
    inbox_housekeeping,
    puzzles_housekeeping,
    appeals_housekeeping,
    accounts_housekeeping,
)
ALL = (*KINDS, *(kind for room in ROOMS for kind in room.KINDS))

#: Models without an age limit, and the reasons.
KEPT = {
    "accounts.Ban": "what staff have done, for whoever asks later: part of an account",
    "accounts.User_groups": "part of an account",
    "accounts.User_user_permissions": "part of an account",
    "accounts.CalendarLink": "part of an account: one at most",
    "accounts.DailyReminder": "part of an account: one at most",
    "accounts.RaceReminder": "part of an account: one for each race of the day at most",
    "accounts.Follow": "part of two accounts: goes with either",
    "account.EmailAddress": "part of an account",
    "mfa.Authenticator": "part of an account",
    "ghosts.Challenge": "part of the game it is made with: goes with that attempt, or its sender",
    "ghosts.Answer": "part of the game it is: goes with that attempt, or its challenge",
    "explorer.Explorer": "explorers are for ever: one for each deal of a day or a race",
    "explorer.ExplorerChunk": "part of an explorer",
    "puzzles.StoredPuzzle": "puzzles are for ever: as many as staff and the idle site make",
    "puzzles.PuzzleTheme": "the themes of puzzles",
    "puzzles.SearchedGame": "goes with its game",
    "puzzles.LoadedFile": "one for each shipped file",
    "puzzles.PuzzleRating": "part of an account",
    "puzzles.PuzzleVote": "part of an account: one for each puzzle at most",
    "puzzles.SeenPuzzle": "part of an account: one for each puzzle at most",
    "puzzles.MissedPuzzle": "part of an account: one for each puzzle at most",
    "puzzles.DailyPuzzle": "one a day",
    "puzzles.PuzzleTry": "part of an account: two for each puzzle at most, and one for each day of its reviews",
    "replays.Continuation": "part of the game that goes on: goes with that attempt",
    "games.Decision": "the history of an attempt: as much as people can click",
    "games.StaffNote": "part of an attempt: as much as people can write",
    "games.LedgerEntry": "the ledger is for ever: nine lines a day",
    "races.Race": "races are for ever, with their deals and records; one that never began goes with its room",
    "races.Entrant": "part of a race",
    "races.RoomWebhook": "part of an open room: one at most",
    "leaderboards.Result": "the boards are for ever: a row for each player and deal; a guest's goes with the guest",
    "leaderboards.DealBoard": "one for each deal that has results",
    "leaderboards.DealBucket": "counts of a deal's board, as many as its scores have classes",
    "leaderboards.Season": "ten for each week and month, two for each day",
    "leaderboards.Standing": "the boards are for ever: a row for each player and season",
    "leaderboards.SeasonBucket": "counts of a season's board, as many as its scores have classes",
    "leaderboards.Reranking": "deleted by the ranking that it asks for: a row a player at most",
    "leaderboards.Recount": "deleted by the recount that it asks for, every half minute",
    "leaderboards.RatedRace": "one for each rated race; who was a guest in it decides ratings for ever",
    "leaderboards.Rating": "part of an account: one each",
    "leaderboards.ProvisionalRating": "part of an account: one each",
    "leaderboards.ProvisionalChange": "ratings are a fold over all races: a row for each account in a rated race",
    "leaderboards.RatingChange": "ratings are a fold over all races: a row for each account in a rated race",
    "socialaccount.SocialAccount": "part of an account: one for each service it is signed in to with",
    "socialaccount.SocialApp": "none: the services are in the settings",
    "socialaccount.SocialToken": "none is kept",
    "admin.LogEntry": "what staff have done, for whoever asks later: as much as people can click",
    "auth.Permission": "a fixed set of the code's",
    "auth.Group": "made by hand",
    "auth.Group_permissions": "made by hand",
    "contenttypes.ContentType": "a fixed set of the code's",
}


def clean(now: datetime | None = None) -> int:
    return remove_aged(KINDS, now)


def practice(player: User, *tokens: str, ago: timedelta, variant: str = "plot") -> Attempt:
    attempt = start_attempt(player, publishing.practice_deal(variant))
    Attempt.objects.filter(pk=attempt.pk).update(started_at=timezone.now() - ago)
    add_moves(attempt, *tokens)
    attempt.refresh_from_db()
    return attempt


@pytest.fixture(autouse=True)
def _no_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "request_verdict", lambda _: None)


def test_every_model_has_an_age_limit_or_a_reason() -> None:
    models = {model._meta.label for model in apps.get_models(include_auto_created=True)}
    aged = {kind.model._meta.label for kind in ALL}
    assert aged | set(KEPT) == models
    assert not aged & set(KEPT)


def test_the_age_limits_are_documented() -> None:
    page = " ".join((Path(settings.BASE_DIR) / "docs" / "operations.md").read_text().split())
    for kind in ALL:
        assert f"| {kind.description} | {in_words(kind.age)} |" in page


def in_words(age: timedelta) -> str:
    if age >= DAY:
        return f"{age.days} day{'s' * (age.days != 1)}"
    return "an hour" if age else "at once"


def test_abandoned_practice_is_closed_and_packed(player: Any) -> None:
    left = practice(player, "d", "d", ago=31 * DAY)
    young = practice(player, "d", ago=29 * DAY)
    long_one = practice(player, "d", ago=60 * DAY)
    Move.objects.create(attempt=long_one, n=2, token="d", ms=40 * DAY // timedelta(milliseconds=1))
    clean()
    states = dict(Attempt.objects.values_list("pk", "state"))
    assert states == {left.pk: "pending", young.pk: "playing", long_one.pk: "playing"}
    left.refresh_from_db()
    assert (left.end, len(record_of(left).tokens)) == ("closed", 2)
    attempts.purge_journal(timezone.now() + timedelta(hours=2))
    assert set(Move.objects.values_list("attempt_id", flat=True)) == {young.pk, long_one.pk}


def test_a_paused_game_ages_from_its_pause(player: Any) -> None:
    now = timezone.now()
    left, paused, resumed = (practice(player, "d", ago=60 * DAY) for _ in range(3))
    Attempt.objects.filter(pk=left.pk).update(paused_at=now - 31 * DAY)
    Attempt.objects.filter(pk=paused.pk).update(paused_at=now - DAY)
    Attempt.objects.filter(pk=resumed.pk).update(paused_ms=59 * DAY // timedelta(milliseconds=1))
    clean()
    states = dict(Attempt.objects.values_list("pk", "state"))
    assert states == {left.pk: "pending", paused.pk: "playing", resumed.pk: "playing"}
    left.refresh_from_db()
    assert record_of(left).end.ms == pytest.approx(29 * DAY // timedelta(milliseconds=1), abs=60_000)
    assert left.finished_at is not None
    assert left.finished_at >= now  # closed now, not when it was paused, so its rows age from now on


def test_idle_practice_is_found_among_active_games(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "_PAGE", 2)
    before = timezone.now() - 30 * DAY
    for _ in range(5):
        played = practice(player, ago=60 * DAY)
        Move.objects.create(attempt=played, n=1, token="d", ms=40 * DAY // timedelta(milliseconds=1))
    idle = [practice(player, ago=60 * DAY).pk for _ in range(3)]
    assert housekeeping._idle_practice(before, 2) == idle[:2]
    assert housekeeping._idle_practice(before, 9) == idle


def test_only_closed_practice_is_deleted_later(player: Any) -> None:
    closed, resigned = practice(player, "d", ago=70 * DAY), practice(player, "d", ago=70 * DAY)
    ranked = start_attempt(player, make_deal("braid"))
    close_attempt(closed.pk, "closed")
    close_attempt(resigned.pk, "resigned")
    close_attempt(ranked.pk, "closed")
    Attempt.objects.update(finished_at=timezone.now() - 31 * DAY)
    clean()
    assert set(Attempt.objects.all()) == {resigned, ranked}
    assert not Deal.objects.filter(pk=closed.deal_id, created_at__lt=timezone.now() - DAY).exists()


def test_unplayed_practice_deals_are_deleted_after_a_day(player: Any) -> None:
    orphan, young = publishing.practice_deal("plot"), publishing.practice_deal("plot")
    played = practice(player, ago=DAY).deal
    daily = make_deal()
    Deal.objects.exclude(pk=young.pk).update(created_at=timezone.now() - 2 * DAY)
    clean()
    assert set(Deal.objects.all()) == {young, played, daily}
    assert not Deal.objects.filter(pk=orphan.pk).exists()


def test_orphan_journal_rows_are_deleted_at_once(player: Any) -> None:
    there = practice(player, "d", ago=DAY)
    Move.objects.bulk_create([Move(attempt_id=there.pk + 1000, n=n, token="d", ms=n) for n in range(1, 4)])
    clean()
    assert list(Move.objects.values_list("attempt_id", "n")) == [(there.pk, 1)]


def test_stock_that_is_never_dealt_is_deleted() -> None:
    for index, variant in enumerate(("braid", "plot", "stonewall")):
        seal_deal(variant, index=0)
        SealedDeal.objects.filter(variant=variant).update(rules_version=(99, 99, 1)[index])
    SealedDeal.objects.exclude(variant="plot").update(created_at=timezone.now() - 31 * DAY)
    clean()
    assert set(SealedDeal.objects.values_list("variant", flat=True)) == {"plot", "stonewall"}


def test_expired_requests_and_messages_are_deleted(player: Any) -> None:
    now = timezone.now()
    AwaitedDeal.objects.create(variant="plot", day=now.date() - 3 * DAY, since=now)
    AwaitedDeal.objects.create(variant="plot", day=now.date(), since=now - 9 * DAY)
    one, two = practice(player, ago=DAY), practice(player, ago=DAY)
    Question.objects.create(attempt=one, n=0, asked_at=now - 8 * DAY, answer="yes")
    Question.objects.create(attempt=two, n=0, asked_at=now - 6 * DAY)
    Presence.objects.create(process="old", seen_at=now - timedelta(hours=2), day=now.date(), players=0, tables={})
    Presence.objects.create(process="new", seen_at=now, day=now.date(), players=0, tables={})
    clean()
    assert [row.day for row in AwaitedDeal.objects.all()] == [now.date()]
    assert [row.attempt_id for row in Question.objects.all()] == [two.pk]
    assert [row.process for row in Presence.objects.all()] == ["new"]


def test_no_batch_exceeds_its_limit(player: Any) -> None:
    fill(player)
    later = timezone.now() + 1000 * DAY
    for kind in ALL:
        with transaction.atomic():
            removed = [replace(kind, batch=size).remove_batch(later) for size in (1, 0)]
            transaction.set_rollback(True)  # the next kind finds all rows again
        assert removed == [1, 0], kind.description


def fill(player: User) -> None:
    """Create two or more young rows of every kind."""
    now = timezone.now()
    for number in range(2):
        practice(player, ago=timedelta(0))
        Attempt.objects.filter(pk=practice(player, ago=timedelta(0)).pk).update(
            state="verified", end="closed", finished_at=now, record=b""
        )
        publishing.practice_deal("plot")
        Move.objects.create(attempt_id=10**6 + number, n=1, token="d", ms=1)
        seal_deal("stonewall", number)
        AwaitedDeal.objects.create(variant="plot", day=now.date() + number * DAY, since=now)
        Question.objects.create(attempt=Attempt.objects.filter(question=None)[0], n=0, asked_at=now)
        Presence.objects.create(process=str(number), seen_at=now, day=now.date(), players=0, tables={})
        day = make_deal("plot", day=now.date() - number * DAY)
        SeenDeal.objects.create(player=player, deal=day, seen_at=now)
        PuzzleRun.objects.create(player=player, day=now.date(), begun_at=now)
        Start.objects.create(deal=day, device=uuid.uuid4(), network=b"", made_at=now)
        ForesightFigures.objects.create(attempt=Attempt.objects.latest("pk"), form=1, figures={}, made_at=now)
        RaceOrigin.objects.create(player=player, network=b"", made_at=now)
        rooms.close(rooms.open_room(create_guest(), "plot", limit_s=300, seats=2))
        notices.put(player.pk, Notice.Kind.RATING_MOVED, {}, now)
        over = Attempt.objects.filter(appeal=None).exclude(state="playing")[0]
        Appeal.objects.create(attempt=over, text="?", made_at=now, answered_at=now, decision="verified")
        Picture.objects.create(attempt=over, asked_at=now)
        Report.objects.create(attempt=over, reporter=player, made_at=now, answered_at=now, action_taken=False)
        Analysis.objects.create(attempt=over, asked_at=now, state="done", done_at=now)
        create_guest()
        PracticeOrder.objects.create(player=create_guest(), variant="plot", game="plot", made_at=now)
        Deal.objects.filter(pk=publishing.practice_deal("plot").pk).update(proven=True)
        accounts_rows(create_guest(), number)
    SealedDeal.objects.update(rules_version=99)


def accounts_rows(user: User, number: int) -> None:
    now = timezone.now()
    HeldName.objects.create(key=str(number), until=now)
    PushDevice.objects.create(player=user, endpoint=str(number), p256dh=b"", auth=b"", session_key=f"gone-{number}")
    Session.objects.create(session_key=f"key-{number}", expire_date=now)
    UserSession.objects.create(user=user, ip="127.0.0.1", session_key=f"gone-{number}", user_agent="")
    address = EmailAddress.objects.create(user=user, email=f"{number}@talon.example")
    EmailConfirmation.objects.create(email_address=address, key=f"{number}", created=now)


def test_a_run_stops_in_time_and_kinds_take_turns() -> None:
    done: list[str] = []

    def remover(name: str) -> Callable[[datetime, int], int]:
        def remove(_before: datetime, size: int) -> int:
            done.append(name)
            return size

        return remove

    endless = [Aged(Deal, name, DAY, remover(name), batch=7) for name in ("one", "two")]
    assert remove_aged(endless, seconds=0.02) == 7 * len(done)
    assert done[:4] == ["one", "two", "one", "two"]


def test_a_failing_kind_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_before: datetime, _size: int) -> int:
        raise DatabaseError

    left = iter([3, 0])
    kinds = [Aged(Deal, "broken", DAY, fail), Aged(Deal, "well", DAY, lambda *_: next(left))]
    assert remove_aged(kinds) == 3
    assert "not deleted: broken" in caplog.text


def test_a_tasks_time_limit_is_not_swallowed() -> None:
    def slow(_before: datetime, _size: int) -> int:
        raise SoftTimeLimitExceeded

    with pytest.raises(SoftTimeLimitExceeded):
        remove_aged([Aged(Deal, "slow", DAY, slow)])


def test_the_tasks_are_scheduled(player: Any, settings: Any) -> None:
    tasks = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {"talon.clean_games", "talon.clean_accounts"} <= tasks
    assert retention.SECONDS < settings.CELERY_TASK_SOFT_TIME_LIMIT
    practice(player, ago=31 * DAY)
    assert clean_games() == 1


def test_race_deals_and_attempts_are_not_practice(player: Any) -> None:
    """Its attempts are neither closed nor deleted, and its deal stays."""
    room = rooms.open_room(player, "plot", limit_s=300, seats=2)
    deal = Race.objects.get(room=room).deal
    assert deal is not None
    old = timezone.now() - 70 * DAY
    Deal.objects.update(created_at=old)
    fields: dict[str, Any] = {"player": player, "deal": deal, "ranked": False, "started_at": old, "deadline": old}
    running = Attempt.objects.create(**fields)
    over = Attempt.objects.create(**fields, state="verified", end="closed", finished_at=old, record=b"")
    clean()
    assert set(Attempt.objects.filter(state__in=["playing", "verified"])) == {running, over}
    Deal.objects.filter(pk=deal.pk).update(revealed_at=old)
    later = Attempt.objects.create(**{**fields, "deadline": None})
    clean()
    assert Attempt.objects.get(pk=later.pk).state == "pending"


def test_unused_rooms_and_unseen_deals_are_deleted(player: Any) -> None:
    idle, run = (rooms.open_room(player, "plot", limit_s=300, seats=2) for _ in range(2))
    Race.objects.filter(room=run).update(state="void", void="nobody_came", finished_at=timezone.now())
    for room in (idle, run):
        rooms.close(room)
    kept = Race.objects.get(room=run).deal
    assert remove_aged(races_housekeeping.KINDS) == 0
    assert remove_aged(races_housekeeping.KINDS, timezone.now() + 8 * DAY) == 2
    assert [race.room for race in Race.objects.all()] == [run]
    assert list(Deal.objects.all()) == [kept]
