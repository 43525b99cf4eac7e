"""Account deletion: boards stay complete, and all personal data is removed."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core import serializers
from django.db.models import ForeignObjectRel
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import Ban, CalendarLink, DailyReminder, Follow, HeldName, PushDevice, RaceReminder, User
from accounts.names.validation import FORMER_PLAYER
from accounts.profile.follows import follow
from games.analysis.models import Analysis
from games.appeals.models import Appeal, Report
from games.ghosts.models import Challenge
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Attempt, Deal, PracticeOrder, StaffNote, Start
from games.puzzles.models import MissedPuzzle, PuzzleRating, PuzzleRun, PuzzleTry, PuzzleVote, SeenPuzzle, StoredPuzzle
from games.races.models import Entrant, RaceOrigin, Room, RoomWebhook
from leaderboards.boards import relisting
from leaderboards.models import ProvisionalChange, ProvisionalRating, Rating, RatingChange, Result, Standing
from leaderboards.ratings import audit, folding
from leaderboards.verdicts.decisions import decide
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeUser, SignIn
from tests.factories import make_deal
from tests.games.appeals.doubtful import doubtful, past
from tests.games.puzzles.puzzles import stored_puzzle
from tests.leaderboards import raced

pytestmark = pytest.mark.django_db

DELETE = reverse("players:delete")
FACTS = ("Ada Lovelace", "ada@example.org", "192.0.2.7", "Analytical Engine")


def everything() -> str:
    models = (User, EmailAddress, Authenticator, UserSession, LogEntry, Follow, Attempt, Result)
    return json.dumps([serializers.serialize("json", model.objects.all()) for model in models])


@pytest.fixture
def ada(make_user: MakeUser) -> User:
    user = make_user("Ada Lovelace", confirmed="ada@example.org", preferences={"theme": "dark"})
    Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})
    UserSession.objects.create(user=user, ip="192.0.2.7", user_agent="Analytical Engine", session_key="k")
    LogEntry.objects.log_actions(make_user("Staff").pk, User.objects.filter(pk=user.pk), CHANGE, "Looked at.")
    return user


def test_no_personal_data_remains(ada: User, make_user: MakeUser) -> None:
    friend = make_user()
    follow(ada, friend)
    follow(friend, ada)
    public_id, password = ada.public_id, ada.password
    before = everything()
    assert all(fact in before for fact in FACTS)
    erase_player(ada)
    after = everything()
    assert not any(fact in after for fact in (*FACTS, str(public_id), password))
    assert not Follow.objects.exists()


#: A player's ranked attempts, results and race entries remain, with the ratings from which others follow, and the fact
#: of a ban without staff's notes.
STAYS = {Attempt, Ban, Entrant, ProvisionalChange, ProvisionalRating, Rating, RatingChange, Result, Standing}
#: Actions as staff remain without a name; so do rooms, and rows that are soon recounted.
STAYS_TOO = {
    *("LogEntry.user", "Ban.by", "Ban.ended_by", "Decision.by", "StaffNote.by", "SeenDeal.player"),
    *("Room.host", "Recount.player", "Reranking.player"),
}


def rows_about(user: User) -> dict[str, int]:
    """Count the rows of each relation that refer to a player, except those that remain."""
    relations = [field for field in User._meta.get_fields(include_hidden=True) if isinstance(field, ForeignObjectRel)]
    found = {
        f"{relation.related_model.__name__}.{relation.field.name}": relation.related_model._base_manager.filter(
            **{relation.field.name: user}
        ).count()
        for relation in relations
        if relation.related_model not in STAYS
    }
    return {name: rows for name, rows in found.items() if name not in STAYS_TOO}


def furnish(user: User, other: User, deal: Deal) -> None:
    """Create rows of every kind that refer to `user`, some about a game of the `other` player."""
    follow(user, other)
    follow(other, user)
    now = timezone.now()
    CalendarLink.objects.create(player=user)
    DailyReminder.objects.create(player=user, hour=7, zone="UTC", due_at=now)
    RaceReminder.objects.create(player=user, hour=19, due_at=now)
    PushDevice.objects.create(player=user, p256dh=b"", auth=b"", endpoint=f"https://push.example/{user.pk}")
    EmailAddress.objects.create(user=user, email=f"second{user.pk}@example.org")
    Authenticator.objects.create(user=user, type="webauthn", data={"credential": "y"})
    UserSession.objects.create(user=user, ip="192.0.2.8", user_agent="Mark I", session_key=f"of {user.pk}")
    SocialAccount.objects.create(user=user, provider="github", uid=str(user.pk))
    HeldName.objects.create(key=f"of {user.pk}", until=now, player=user)
    PracticeOrder.objects.create(player=user, variant="plot", game="plot", made_at=now)
    RaceOrigin.objects.create(player=user, network=b"", made_at=now)
    room = Room.objects.create(kind="private", host=user, game="plot", limit_s=60, seats=2, made_at=now, used_at=now)
    RoomWebhook.objects.create(room=room, player=user, url="https://hooks.example/a", made_at=now, state_at=now)
    notices.put(user.pk, Notice.Kind.CHALLENGED, {"player": other.pk})
    PuzzleTry.objects.create(player=user, puzzle=stored_puzzle())
    PuzzleVote.objects.create(player=user, puzzle=stored_puzzle(), vote="good")
    PuzzleRating.objects.create(player=user)
    SeenPuzzle.objects.create(player=user, puzzle=stored_puzzle(), place="page")
    MissedPuzzle.objects.create(player=user, puzzle=stored_puzzle(), turn=0, token="d", due_on=timezone.now().date())
    PuzzleRun.objects.create(player=user, day=timezone.now().date(), puzzles=[])
    theirs = doubtful(other, deal)
    Challenge.objects.create(attempt=theirs, sender=user, made_at=now)
    Challenge.objects.create(attempt=theirs, sender=other, addressee=user, made_at=now)
    Analysis.objects.create(attempt=theirs, asked_by=user, asked_at=now)
    Report.objects.create(attempt=theirs, reporter=user, made_at=now)
    answered = {"made_at": now, "answered_at": now, "answered_by": user}
    Report.objects.create(attempt=theirs, reporter=other, action_taken=True, **answered)
    Appeal.objects.create(attempt=theirs, decision="verified", **answered)
    user.groups.add(Group.objects.get_or_create(name="staff")[0])
    user.user_permissions.add(Permission.objects.all()[0])


def all_rows() -> dict[str, Any]:
    return {
        f"{row['model']} {row['pk']}": row["fields"]
        for model in apps.get_models()
        for row in serializers.serialize("python", model._base_manager.all())
    }


def test_only_permitted_rows_still_refer_to_the_player(ada: User, make_user: MakeUser) -> None:
    friend = make_user()
    furnish(ada, friend, past())
    before = rows_about(ada)
    assert {name for name, rows in before.items() if not rows} == set(), "a relation without rows in this test"
    erase_player(ada)
    assert {name for name, rows in rows_about(ada).items() if rows} == set()
    assert not PracticeOrder.objects.exists()
    assert StoredPuzzle.objects.exists()
    # Texts by others remain, without the staff member who answered.
    assert Report.objects.get().answered_by is None
    assert Appeal.objects.get().answered_by is None
    assert Analysis.objects.get().asked_by is None
    assert not Challenge.objects.exists()


def test_rated_races_remain_for_the_ratings_of_others(ada: User, make_user: MakeUser) -> None:
    friend = make_user()
    raced.race([ada, friend])
    folding.rate_finished()
    before = raced.stored()
    erase_player(ada)
    assert raced.stored() == before
    assert list(audit.faults()) == []


def test_other_players_lose_nothing(ada: User, make_user: MakeUser, make_attempt: MakeAttempt) -> None:
    own = all_rows()
    friend, third = make_user("Grace Hopper"), make_user(is_staff=True)
    deal = past()
    furnish(friend, third, deal)
    game = make_attempt(friend, make_deal())
    make_attempt(friend, make_deal(practice=True))
    Appeal.objects.create(attempt=game, text="I was at sea.", made_at=timezone.now())
    decide(game.pk, game.State.REJECTED, third, "Grace admits it.")
    StaffNote.objects.create(attempt=game, text="Wrote to Grace.", by=third, made_at=timezone.now())
    ban_player(third, note="Told Grace.", by=friend)
    # Other log entries: one about another player, one about another object with the same id.
    LogEntry.objects.log_actions(third.pk, User.objects.filter(pk=friend.pk), CHANGE, "Looked at.")
    kind = ContentType.objects.get_for_model(Attempt)
    LogEntry.objects.create(
        user=third, content_type=kind, object_id=str(ada.pk), object_repr="an attempt", action_flag=CHANGE
    )
    theirs = {name: row for name, row in all_rows().items() if name not in own}
    assert len(theirs) > 30
    furnish(ada, make_user(), deal)
    erase_player(ada)
    left = all_rows()
    assert {name: left.get(name) for name in theirs} == theirs


def test_the_remaining_row_has_no_permissions(ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_staff=True, is_superuser=True)
    erase_player(ada)
    ada.refresh_from_db()
    assert not any((ada.is_active, ada.is_staff, ada.is_superuser, ada.has_usable_password()))
    assert (ada.email, ada.preferences, ada.last_login) == ("", {}, None)


def test_board_watchers_are_notified_after_the_commit(
    ada: User, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    notified: list[User] = []
    monkeypatch.setattr(
        "accounts.lifecycle.erasure.notify_all_watchers", lambda: notified.append(User.objects.get(pk=ada.pk))
    )
    with django_capture_on_commit_callbacks() as callbacks:
        erase_player(ada)
    assert notified == []
    for callback in callbacks:
        callback()
    assert [user.display_name for user in notified] == ["Former player"]


def test_ranked_results_and_records_remain_without_a_name(ada: User, make_attempt: MakeAttempt) -> None:
    ranked = make_attempt(ada, make_deal())
    make_attempt(ada, make_deal(practice=True))
    taken = make_attempt(ada, make_deal("braid"))  # merged from a guest: it has a deadline, and is practice
    Attempt.objects.filter(pk=taken.pk).update(ranked=False, deadline=timezone.now())
    raced_before = make_deal("tarot", practice=True)
    Deal.objects.filter(pk=raced_before.pk).update(for_race=True)
    Attempt.objects.filter(pk=make_attempt(ada, raced_before).pk).update(ranked=False)
    relisting.relist_player(ada)
    record = bytes(ranked.record or b"")
    erase_player(ada)
    ada.refresh_from_db()
    ranked.refresh_from_db()
    assert ada.display_name == FORMER_PLAYER
    assert (ranked.player, bytes(ranked.record or b"")) == (ada, record)
    assert Result.objects.get(attempt=ranked).listed
    assert list(Attempt.objects.all()) == [ranked]


def test_the_name_is_free_again_each_time(ada: User, make_user: MakeUser) -> None:
    erase_player(ada)
    erase_player(make_user("Ada Lovelace"))
    assert User.objects.filter(display_name=FORMER_PLAYER).count() == 2


def test_all_sessions_end_and_no_new_one_starts(ada: User, sign_in: SignIn, client: Client) -> None:
    other = sign_in(ada)
    erase_player(User.objects.get(pk=ada.pk))
    assert other.get(reverse("players:me")).headers["Location"].startswith(reverse("account_login"))
    client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})
    assert "_auth_user_id" not in client.session


def test_the_page_is_removed(ada: User, client: Client) -> None:
    old = ada.get_absolute_url()
    erase_player(ada)
    ada.refresh_from_db()
    assert client.get(old).status_code == 404
    now = client.get(ada.get_absolute_url())
    assert now.status_code == 410
    assert "former player" in now.content.decode()
    assert client.get(reverse("players:history", args=[ada.public_id])).status_code == 404


def test_a_guest_is_deleted_entirely(guest: User, make_attempt: MakeAttempt) -> None:
    make_attempt(guest, make_deal())
    PuzzleTry.objects.create(player=guest, puzzle=stored_puzzle())
    relisting.relist_player(guest)
    erase_player(guest)
    assert not User.objects.exists()
    assert not Attempt.objects.exists()
    assert not PuzzleTry.objects.exists()


def test_a_guests_start_records_go_except_for_secret_deals(guest: User, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    for day in (today - timedelta(days=3), today):
        attempt = make_attempt(guest, make_deal(day=day))
        Start.objects.create(attempt=attempt, deal=attempt.deal, device=uuid4(), network=b"", made_at=timezone.now())
    erase_player(guest)
    assert [(start.attempt, start.deal.day) for start in Start.objects.all()] == [(None, today)]


def test_the_page_asks_for_the_password_and_the_name(user: User, sign_in: SignIn) -> None:
    client = sign_in(user)
    name = {"name": "Ada Lovelace"}
    assert client.post(DELETE, name).headers["Location"].startswith(reverse("account_reauthenticate"))
    client.session.flush()
    client = sign_in(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert client.get(DELETE).status_code == 200
    assert client.post(DELETE, {"name": "somebody"}).status_code == 200
    user.refresh_from_db()
    assert user.deleted_at is None
    assert client.post(DELETE, name).headers["Location"] == "/"
    user.refresh_from_db()
    assert user.deleted_at is not None
    assert "_auth_user_id" not in client.session


def test_opening_the_page_deletes_nothing(guest: User, sign_in: SignIn) -> None:
    assert sign_in(guest).get(DELETE, {"name": guest.display_name}).status_code == 200
    assert User.objects.filter(pk=guest.pk).exists()


def test_a_guest_needs_no_password(guest: User, sign_in: SignIn) -> None:
    sign_in(guest).post(DELETE, {"name": guest.display_name})
    assert not User.objects.exists()


def test_deletion_is_atomic(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("accounts.lifecycle.erasure._anonymise", fail)
    with pytest.raises(RuntimeError):
        erase_player(ada)
    assert all(fact in everything() for fact in FACTS)


def test_staff_notes_are_deleted_and_their_decisions_remain(
    user: User, make_user: MakeUser, make_attempt: MakeAttempt
) -> None:
    staff = make_user("Moderato", is_staff=True)
    attempt = make_attempt(user, make_deal())
    decide(attempt.pk, attempt.State.REJECTED, staff, "Ada admits it.")
    StaffNote.objects.create(attempt=attempt, text="Wrote to Ada.", by=staff, made_at=timezone.now())
    Appeal.objects.create(attempt=attempt, text="It was me.", made_at=timezone.now())
    ban_player(user, note="Ada again.", by=staff)
    erase_player(user)
    assert list(attempt.decisions.values_list("state", "why", "by")) == [("rejected", "", staff.pk)]
    assert list(Ban.objects.values_list("player", "note")) == [(user.pk, "")]
    assert not StaffNote.objects.exists()
    assert not Appeal.objects.exists()
