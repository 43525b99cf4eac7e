"""Bots in rooms: seats, moves, the end of their games, and rematches."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest, remove_empty_guests, remove_lost_guests
from games.attempts.lifecycle import close_attempt, record_of
from games.bots.roster import BOTS
from games.core.errors import ErrorCode
from games.db.players import player_services
from games.manifests import SHORT_VARIANTS
from games.models import Attempt, Move
from games.races import rooms, seats, starting
from games.races.bots import moves, planning, seating
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.races.results.places import Figures
from games.rules import replay
from leaderboards.verdicts.settlement import settle
from tests.factories import signed_in
from tests.games.races.runs import Run, at, planned, refused

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]

REX = BOTS["rex"]


def against(*slugs: str, name: str = "labyrinth") -> Run:
    """Create a room whose host has a seat, and add these bots."""
    run = Run.of(1, name=name)
    for slug in slugs:
        seating.add_bot(run.room.pk, run.players[0].pk, slug, at(0))
    return run


def racing(*slugs: str, name: str = "labyrinth") -> Run:
    run = against(*slugs, name=name)
    run.host_starts()
    starting.start_racing(at(15))
    starting.mark_dealt([run.attempt(0).pk], at(15.1))
    return run


def house(run: Run, slug: str = "rex") -> Entrant:
    return Entrant.objects.select_related("attempt__deal", "race").get(race=run.race, bot=slug)


def journal(entrant: Entrant) -> list[tuple[str, int]]:
    moves = Move.objects.filter(attempt=entrant.attempt_id).exclude(token="").order_by("n")
    return list(moves.values_list("token", "ms"))


def test_bots_race_whenever_their_host_does() -> None:
    run = against("pip", "rex", name="plot")
    rooms.change(run.room.pk, run.players[0].pk, "labyrinth", limit_s=300, seats=16, public=False)
    run.stay_except(0)
    run.host_starts(1)
    assert run.states() == "countdown seated seated seated"
    assert not run.race.rated
    assert not player_services().accounts_among([house(run).player_id or 0])


def test_bots_never_race_alone() -> None:
    run = against("pip", "rex")
    run.leave(0)
    run.tend(5)
    assert run.states() == "open seated seated"
    assert Room.objects.get(pk=run.room.pk).host_id == run.players[0].pk, "none of them becomes host"


def test_a_host_adds_and_removes_them() -> None:
    run = Run.of(2)
    host, other = run.players
    assert refused(lambda: seating.add_bot(run.room.pk, other.pk, "rex")) is ErrorCode.NOT_HOST
    assert refused(lambda: seating.add_bot(run.room.pk, host.pk, "deep blue")) is ErrorCode.BAD_OPTION
    for _ in range(2):
        seating.add_bot(run.room.pk, host.pk, "rex")
    assert run.states() == "open seated seated seated"
    seats.kick(run.room.pk, host.pk, house(run).pk)
    assert run.states() == "open seated seated"
    seating.add_bot(run.room.pk, host.pk, "rex")
    assert run.states() == "open seated seated seated", "not banned"


def test_full_rooms_quick_matches_and_running_races_take_no_bot() -> None:
    full, counting = Run.of(2, seats=2), Run.counting(2)
    player = create_guest()
    quick = matchmaking.enter(player, ["labyrinth"])
    for room, host, code in (
        (full.room, full.players[0], ErrorCode.ROOM_FULL),
        (quick, player, ErrorCode.NOT_HOST),
        (counting.room, counting.players[0], ErrorCode.RACE_NOT_OPEN),
    ):
        assert refused(partial(seating.add_bot, room.pk, host.pk, "rex", at(1))) is code


@pytest.mark.parametrize("name", ["labyrinth", "tarot"])
def test_any_process_plays_the_same_game(name: str) -> None:
    run, chance = racing("rex", name=name), Random(name)
    entrant, second = house(run), 15.0
    game = planned(entrant)
    while Entrant.objects.filter(pk=entrant.pk, attempt__state="playing").exists() and second < 315:
        second += chance.uniform(0.1, 20)
        if chance.random() < 0.4:  # another process, or the same one after a restart
            planning._stored.cache_clear()
        moves.play_due(run.room.pk, at(second))
        if chance.random() < 0.2:
            run.tend(second)
    run.tend(316)
    entrant.refresh_from_db()
    assert entrant.attempt is not None
    entrant.attempt.refresh_from_db()
    record = record_of(entrant.attempt)
    played = game.due(300_000)
    assert (list(record.tokens), list(record.clock)) == (list(game.tokens[:played]), list(game.clock[:played]))
    assert entrant.state == ("won" if game.won else "retired" if game.end_ms < 300_000 else "timed_out")
    assert replay(record).cards_up == game.cards_up[played - 1]
    assert settle(entrant.attempt.pk)
    entrant.attempt.refresh_from_db()
    assert entrant.attempt.state == Attempt.State.VERIFIED


def test_moves_are_played_when_they_are_due() -> None:
    run = racing("rex")
    entrant = house(run)
    game = planned(entrant)
    third = game.clock[2]
    moves.play_due(run.room.pk, at(15))
    progress = moves.play_due(run.room.pk, at(15) + timedelta(milliseconds=third - 1))
    assert journal(entrant) == list(zip(game.tokens[:2], game.clock[:2], strict=True))
    assert progress.next_ms == 1
    assert progress.figures == {entrant.pk: Figures(game.cards_up[1], 2, game.progress_ms[1])}
    moves.play_due(run.room.pk, at(15) + timedelta(milliseconds=third))
    assert len(journal(entrant)) == 3
    assert run.states() == "racing racing racing"


def test_a_worker_plans_the_game_during_the_countdown(requested_tasks: list[tuple[Any, ...]]) -> None:
    run = against("pip", "rex")
    run.host_starts()
    assert ("talon.plan_bot_games", run.race.pk) in requested_tasks
    Race.objects.filter(pk=run.race.pk).update(starts_at=timezone.now() + timedelta(hours=1))
    try:
        planning.start_planning(run.race.pk).join()
    finally:
        planning.searches.kill()
    entrant, pip = house(run), house(run, "pip")
    assert entrant.attempt is not None
    game = planning.plan_of(entrant.attempt.public_id, at(0))
    assert game is not None
    assert game != planned(entrant), "it looks ahead"
    assert planning.plan_of(entrant.attempt.public_id, at(0)) == game, "the first plan is played"
    assert pip.plan is None, "any process plans it in a moment"
    run.leave(0, 5)
    assert run.states() == "open seated seated"
    run.sit(0, 6)
    run.stay_except()
    run.host_starts(7)
    assert house(run).plan is None, "there is a new attempt"


def test_a_bot_obeys_the_undo_rule_of_the_race() -> None:
    run = racing("rex")
    for free_undo in (True, False):
        Race.objects.filter(pk=run.race.pk).update(free_undo=free_undo)
        planner: Any = planning.planner(house(run))
        assert planner.keywords["free_undo"] is free_undo


def test_without_a_worker_a_game_begins_a_little_later() -> None:
    run = racing("pip", "rex")
    entrant = house(run)
    assert moves.play_due(run.room.pk, at(19)).next_ms == moves.POLL_MS
    assert run.states() == "racing racing racing racing", "it studies the cards"
    assert not journal(entrant)
    moves.play_due(run.room.pk, at(20))
    moves.play_due(run.room.pk, at(40))
    assert journal(entrant)[0][1] > 5_000
    assert journal(house(run, "pip"))[0][1] > 4_000
    close_attempt(run.attempt(0).pk, "resigned", at=at(41))
    moves.play_due(run.room.pk, at(42))
    assert house(run).plan is None, "it is of no use after the game"


def test_bots_stop_when_no_person_is_racing() -> None:
    run = racing("pip", "rex")
    moves.play_due(run.room.pk, at(30))
    close_attempt(run.attempt(0).pk, "resigned", at=at(31))
    assert moves.play_due(run.room.pk, at(32)).next_ms is None
    assert run.states() == "settling retired retired retired"
    run.judge()
    assert run.race.state == Race.State.FINISHED


def test_a_rematch_seats_the_same_bots() -> None:
    run = racing("rex")
    close_attempt(run.attempt(0).pk, "resigned", at=at(31))
    moves.play_due(run.room.pk, at(32))
    run.judge()
    run.sit(0, 40)
    assert (run.race.number, run.states(), run.race.starts_at) == (2, "countdown seated seated", at(45))


def test_one_bot_is_in_many_races() -> None:
    runs = [racing("rex") for _ in range(3)]
    assert {house(run).player_id for run in runs} == {player_services().bot_player("rex", REX.name).pk}
    assert {run.race.state for run in runs} == {Race.State.RACING}


def test_bots_are_not_removed_as_idle_guests() -> None:
    pip = player_services().bot_player("pip", BOTS["pip"].name)
    later = timezone.now() + timedelta(days=400)
    User.objects.filter(pk=pip.pk).update(date_joined=later - timedelta(days=300))
    assert remove_empty_guests(later, 10) == 0
    assert remove_lost_guests(later, 10) == 0
    assert player_services().bot_player("pip", "another name").pk == pip.pk
    assert str(User.objects.get(pk=pip.pk)) == "Pip (bot)"


def test_a_newcomer_races_a_bot_at_once(client: Client) -> None:
    response: Any = client.post(reverse("games:race_bot"), {"racer": "pip"})
    race = Race.objects.get()
    assert response.url == reverse("games:room", args=[race.room.code])
    assert race.variant in SHORT_VARIANTS
    assert race.state == Race.State.COUNTDOWN
    assert race.starts_at is not None
    assert race.starts_at - timezone.now() <= starting.SHORT_COUNTDOWN
    assert sorted(race.entrants.values_list("bot", "state")) == [("", "seated"), ("pip", "seated")]


def test_a_waiting_player_leaves_the_quick_match_for_a_bot() -> None:
    player = create_guest()
    quick = matchmaking.enter(player, ["plot", "stonewall"])
    deal = Race.objects.get(room=quick).deal_id
    signed_in(player).post(reverse("games:race_bot"), {"racer": "rex"})
    race = Race.objects.exclude(room=quick).get()
    assert race.variant == "stonewall", "the short one of the games that the player chose"
    assert race.deal_id == deal, "nobody has seen it"
    assert not Entrant.objects.filter(race__room=quick).exists()
    quick.refresh_from_db()
    assert quick.closed_at


def test_an_unknown_bot_is_refused_before_a_guest_is_created(client: Client) -> None:
    response: Any = client.post(reverse("games:race_bot"), {"racer": "hal"}, headers={"accept": "application/json"})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "bad_option")
    assert not User.objects.exists()


def test_a_racer_elsewhere_is_led_to_that_race() -> None:
    run = Run.racing(2)
    response: Any = signed_in(run.players[0]).post(reverse("games:race_bot"), {"racer": "rex"})
    assert response.url == reverse("games:room", args=[run.room.code])
