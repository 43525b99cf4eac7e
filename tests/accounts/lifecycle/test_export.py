"""Export of a player's data as JSON."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from asgiref.sync import sync_to_async
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connections
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle import export as exporting
from accounts.lifecycle.bans import ban_player
from accounts.models import Ban, User
from accounts.profile.follows import follow
from accounts.sign_in.guests import BACKEND, create_guest
from games.appeals import appeals, reports
from games.ghosts import challenges
from games.models import Attempt, Start
from games.puzzles.models import PuzzleRating, PuzzleTry, PuzzleVote
from games.races import origins
from games.races.models import RaceOrigin
from games.rules import Record, replay
from leaderboards.boards import relisting
from leaderboards.ratings import folding
from leaderboards.verdicts.decisions import decide
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeUser, exported
from tests.factories import make_deal
from tests.games.appeals.doubtful import doubtful
from tests.games.puzzles.puzzles import LABYRINTH, stored_puzzle
from tests.leaderboards import raced

pytestmark = pytest.mark.django_db(transaction=True)  # parts are read in other threads

DOWNLOAD = reverse("players:download")


def test_all_data_about_a_player_is_included(make_user: MakeUser, make_attempt: MakeAttempt) -> None:
    user = make_user("Ada", confirmed="ada@example.org", preferences={"theme": "dark"})
    Authenticator.objects.create(user=user, type="totp", data={"secret": "topsecret"})
    friend = make_user("Grace")
    follow(user, friend)
    attempts = [make_attempt(user, make_deal("plot")), make_attempt(user, make_deal(practice=True))]
    relisting.relist_player(user)
    raced.race([user, friend], regulars=[friend])
    raced.race([friend, user])
    folding.rate_finished()
    found = exported(user)
    account = found["account"]
    assert (account["name"], account["public_id"]) == ("Ada", str(user.public_id))
    assert account["email_addresses"][0]["email"] == "ada@example.org"
    assert account["preferences"]["theme"] == "dark"
    assert account["authenticators"][0]["type"] == "totp"
    assert [entry["name"] for entry in found["following"]] == ["Grace"]
    assert [entry["id"] for entry in found["attempts"]] == [str(attempt.public_id) for attempt in attempts]
    assert [(entry["attempt"], entry["ladder"]) for entry in found["results"]] == [
        (str(attempts[0].public_id), "established")
    ]
    assert [(entry["rank"], entry["before"]["mu"]) for entry in found["ratings"]] == [(1, 1500)]
    assert found["ratings"][0]["after"]["mu"] > 1500
    assert [entry["rank"] for entry in found["provisional_ratings"]] == [1, 2]
    text = json.dumps(found)
    assert "topsecret" not in text
    assert user.password not in text


def test_challenges_and_notices_omit_other_players_ids(make_user: MakeUser, make_attempt: MakeAttempt) -> None:
    ada, grace = make_user("Ada"), make_user("Grace")
    deal = make_deal(practice=True)
    sent = challenges.challenge(ada, make_attempt(ada, deal), to="Grace")
    answering = challenges.answer(sent, grace)
    sender, answerer = exported(ada), exported(grace)
    challenged = sender["challenges"][0]
    assert (challenged["code"], challenged["attempt"], challenged["to"]) == (
        sent.code, str(sent.attempt.public_id), "Grace",
    )  # fmt: skip
    assert [(entry["challenge"], entry["attempt"]) for entry in answerer["answers"]] == [
        (sent.code, str(answering.public_id))
    ]
    assert [(entry["kind"], entry["data"]) for entry in answerer["notices"]] == [
        ("challenged", {"challenge": sent.code})
    ]
    assert (sender["answers"], sender["notices"], answerer["challenges"]) == ([], [], [])


def test_appeals_and_reports_include_their_answers(make_user: MakeUser) -> None:
    ada, grace = make_user("Ada"), make_user("Grace")
    attempt = doubtful(ada)
    reported = doubtful(grace, attempt.deal, state="verified", reasons=[])
    created = appeals.appeal(attempt, ada, "I was quick.")
    reports.report(reported, ada, "speed", "Hm.")
    appeals.answer_appeal(created, grace, "So it seems.", Attempt.State.REJECTED)
    found = exported(ada)
    appeal, report = found["appeals"][0], found["reports"][0]
    assert (appeal["attempt"], appeal["text"]) == (str(attempt.public_id), "I was quick.")
    assert (appeal["answer"], appeal["decision"]) == ("So it seems.", "rejected")
    assert (report["attempt"], report["reason"], report["text"]) == (str(reported.public_id), "speed", "Hm.")
    assert report["action_taken"] is None
    other = exported(grace)
    assert other["appeals"] == other["reports"] == []


def test_records_of_open_deals_stay_secret(user: User, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    open_deal, old_deal = make_deal("plot", today), make_deal("plot", today - timedelta(days=3))
    practice = make_deal(practice=True)
    for deal in (open_deal, old_deal, practice):
        make_attempt(user, deal)
    found = exported(user)
    open_entry, old_entry, practice_entry = found["attempts"]
    assert "record" not in open_entry
    assert bytes(open_deal.seed).hex() not in json.dumps(found)
    for entry in (old_entry, practice_entry):
        replayed = replay(Record.from_json(entry["record"]))
        assert (replayed.ok, replayed.tokens) == (True, 3)


def test_a_running_attempt_has_no_record(user: User, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal(practice=True), state="playing", finished_at=None, end="", record=None)
    assert "record" not in exported(user)["attempts"][0]


def test_other_players_data_is_not_included(user: User, make_user: MakeUser, make_attempt: MakeAttempt) -> None:
    other = make_user()
    make_attempt(other, make_deal())
    follow(other, user)
    found = exported(user)
    assert (found["attempts"], found["results"], found["following"]) == ([], [], [])
    assert found["account"]["followers"] == 1


def test_it_is_complete_over_many_batches(
    user: User, make_attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_BATCH", 2)
    deal = make_deal(practice=True)
    attempts = [make_attempt(user, deal) for _ in range(5)]
    assert [entry["id"] for entry in exported(user)["attempts"]] == [str(attempt.public_id) for attempt in attempts]


def test_it_asks_for_the_password_first(mine: Client) -> None:
    answer = mine.get(DOWNLOAD)
    assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))


async def downloaded(player: User) -> Any:
    client = AsyncClient()
    await client.aforce_login(player, backend=BACKEND)
    if not player.is_guest:
        await client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    answer: Any = await client.get(DOWNLOAD)
    assert answer.headers["Content-Type"] == "application/json"
    assert "attachment" in answer.headers["Content-Disposition"]
    body = b"".join([piece async for piece in answer.streaming_content])
    await sync_to_async(connections.close_all)()  # the connections of the thread that served this
    return json.loads(body)


async def test_it_is_sent_as_a_file(make_user: MakeUser) -> None:
    user = await sync_to_async(make_user)("Ada")
    assert (await downloaded(user))["account"]["name"] == "Ada"


async def test_a_guest_needs_no_password() -> None:
    guest = await sync_to_async(create_guest)()
    assert (await downloaded(guest))["account"]["guest"] is True


def test_start_records_of_daily_games_are_included(make_user: MakeUser) -> None:
    make_deal("plot")
    user = make_user("Ada")
    client = Client()
    client.force_login(user, backend=BACKEND)
    client.post(reverse("games:start", args=["plot"]))
    start = Start.objects.get()
    assert exported(user)["starts"] == [
        {
            "attempt": exported(user)["attempts"][0]["id"],
            "device": str(start.device),
            "network": bytes(start.network).hex(),
            "made_at": DjangoJSONEncoder().default(start.made_at),
        }
    ]


def test_origins_of_seats_in_rated_races_are_included(user: User) -> None:
    origins.record(user.pk, None, "192.0.2.0/24")
    origin = RaceOrigin.objects.get()
    made_at = DjangoJSONEncoder().default(origin.made_at)
    assert exported(user)["race_seats"] == [
        {"device": None, "network": bytes(origin.network).hex(), "made_at": made_at}
    ]


def test_tries_at_puzzles_are_included_without_the_solution(user: User, make_user: MakeUser) -> None:
    puzzle, today = stored_puzzle(), timezone.now().date()
    rated = {"mu_before": 1500.0, "mu_after": 1353.5, "rated_at": timezone.now()}
    row = PuzzleTry.objects.create(player=user, puzzle=puzzle, day=today, turn=1, mistakes=2, first_move="d", **rated)
    PuzzleRating.objects.create(player=user, mu=1353.5, sigma=300)
    PuzzleTry.objects.create(player=make_user(), puzzle=puzzle)
    PuzzleVote.objects.create(player=user, puzzle=puzzle, vote="wrong")
    found = exported(user)
    assert [(one["puzzle_id"], one["vote"]) for one in found["puzzle_votes"]] == [(puzzle.pk, "wrong")]
    assert found["puzzle_tries"] == [
        {
            "puzzle": puzzle.pk,
            "variant": "labyrinth",
            "turns": 3,
            "day": today.isoformat(),
            "review_on": None,
            "turn": 1,
            "mistakes": 2,
            "first_move": "d",
            "begun_at": DjangoJSONEncoder().default(row.begun_at),
            "solved_at": None,
            "failed_at": None,
            "mu_before": 1500.0,
            "mu_after": 1353.5,
            "rated_at": DjangoJSONEncoder().default(row.rated_at),
        }
    ]
    assert found["puzzle_rating"] == [{"mu": 1353.5, "sigma": 300.0}]
    assert LABYRINTH.line[2] not in json.dumps(found)


def test_an_unreadable_record_does_not_stop_the_export(user: User, make_attempt: MakeAttempt) -> None:
    attempt = make_attempt(user, make_deal(practice=True))
    type(attempt).objects.filter(pk=attempt.pk).update(record=b"no record")
    (exported_attempt,) = exported(user)["attempts"]
    assert exported_attempt["record"] is None


def test_staff_decisions_are_included_without_their_notes(
    user: User, make_user: MakeUser, make_attempt: MakeAttempt
) -> None:
    staff = make_user("Moderato", is_staff=True)
    attempt = make_attempt(user, make_deal())
    decide(attempt.pk, attempt.State.REJECTED, staff, "Like the game of Brook.")
    ban_player(user, Ban.Why.UNFAIR, note="A friend of Brook's.", by=staff)
    told = exported(user)
    assert [(one["attempt"], one["state"]) for one in told["decisions"]] == [(str(attempt.public_id), "rejected")]
    assert [(one["why"], one["until"], one["end"]) for one in told["bans"]] == [("unfair", None, "")]
    assert "Brook" not in str(told)
    assert "Moderato" not in str(told)
