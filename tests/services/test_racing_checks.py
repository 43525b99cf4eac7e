"""Race checks: they find nothing in an honest race, and find every kind of fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import pytest

from games.rules import End, Record, open_table
from tests.games import certified
from tests.services.racing.checking import STATES, Outcome, find_faults, find_survivors_faults
from tests.services.racing.racers import Gate, Plan, Racer
from tests.services.racing.watching import Client, Watcher

VARIANT = "stonewall"
START = 1_000_000.0
WON = min(certified.won(VARIANT), key=lambda one: len(one.tokens))


class History:
    """A race of three with one winner, as seen by racers and a spectator; tests manipulate it."""

    def __init__(self) -> None:
        self.racers = [_racer(0, len(WON.tokens), "won"), _racer(1, 30, "resigned"), _racer(2, 10, "closed")]
        entrants = [_entrant(racer, number + 1) for number, racer in enumerate(self.racers)]
        self.outcome = Outcome("finished", START, True, entrants, [one["id"] for one in entrants], [])
        self.spectator = Watcher(9, [1], "code")
        lanes = [[one["id"], 1, 1, one["state"], False, one["place"], 5] for one in entrants]
        for viewer in (self.spectator, *(racer.room for racer in self.racers)):
            viewer.room = {"last": {"lanes": lanes}}
            viewer.frames.append((START + 9, json.dumps({"type": "room", "last": {"lanes": lanes}})))

    def faults(self) -> list[str]:
        return find_faults(self.racers, [self.spectator], self.outcome, WON.seed)

    def survivors_faults(self) -> list[str]:
        return find_survivors_faults(self.racers, self.outcome, WON.seed)


def _racer(number: int, length: int, end: Literal["won", "resigned", "closed"]) -> Racer:
    made = Racer(Watcher(number, [1], "code"), Client(10 + number, [1]), Plan(WON.tokens[:length], end), Gate(0))
    made.attempt, made.n, made.ended = f"attempt{number}", length, end
    made.acknowledged = {n: (token, n * 500 + number) for n, token in enumerate(made.plan.tokens, 1)}
    view = {"type": "view", "attempt": made.attempt, "view": open_table(VARIANT, WON.seed).view()}
    made.table.frames = [
        (START - 3, json.dumps({"type": "waiting", "attempt": made.attempt, "starts_in": 3000})),
        (START + 0.01, json.dumps(view)),
    ]
    return made


def _entrant(racer: Racer, place: int) -> dict[str, Any]:
    tokens = tuple(token for token, _ in racer.acknowledged.values())
    clock = tuple(ms for _, ms in racer.acknowledged.values())
    how = racer.plan.end
    record = Record(1, VARIANT, None, WON.seed, tokens, clock, End(how, clock[-1] + (0 if how == "won" else 100)))
    key = 100 + place
    return {
        "id": key, "player": f"player{key}", "state": STATES[how], "place": place, "attempt": racer.attempt,
        "verdict": "verified", "record": record.to_json(),
    }  # fmt: skip


def test_an_honest_race_has_no_faults() -> None:
    assert History().faults() == []
    assert History().survivors_faults() == []


def _lose_a_token(history: History) -> None:
    racer = history.racers[1]
    racer.acknowledged[31] = WON.tokens[30], 99_000


def _change_a_time(history: History) -> None:
    token, ms = history.racers[0].acknowledged[7]
    history.racers[0].acknowledged[7] = token, ms + 1


def _swap_two_places(history: History) -> None:
    first, second = history.outcome.entrants[:2]
    first["place"], second["place"] = second["place"], first["place"]


def _rate_wrongly(history: History) -> None:
    history.outcome.rating_faults.append("rating is 1500, should be 1600")


def _leave_it_settling(history: History) -> None:
    history.outcome = replace(history.outcome, state="settling")


def _keep_the_seed_secret(history: History) -> None:
    history.outcome = replace(history.outcome, is_revealed=False)


def _have_one_absent(history: History) -> None:
    history.outcome.entrants[2] |= {"state": "absent", "place": None}


def _review_one(history: History) -> None:
    history.outcome.entrants[1]["verdict"] = "review"


def _show_the_cards_too_early(history: History) -> None:
    _, view = history.racers[0].table.frames[1]
    history.racers[0].table.frames.append((START - 0.001, view))


def _show_another_table(history: History) -> None:
    history.racers[0].table.frames.append(history.racers[1].table.frames[1])


def _tell_a_card_to_the_room(history: History) -> None:
    history.spectator.frames.append((START + 1, json.dumps({"type": "lanes", "lanes": [["KS"]]})))


def _tell_a_token_to_the_room(history: History) -> None:
    history.racers[2].room.frames.append((START + 1, json.dumps({"type": "lanes", "lanes": [{"token": "d"}]})))


def _tell_the_seed(history: History) -> None:
    history.racers[2].room.frames.append((START + 1, json.dumps({"type": "room", "commitment": WON.seed.hex()})))


def _leave_a_viewer_behind(history: History) -> None:
    history.spectator.room = {"last": None}


@pytest.mark.parametrize(
    ("doctor", "complaint"),
    [
        (_lose_a_token, "was acknowledged and is lost"),
        (_change_a_time, "was acknowledged as"),
        (_swap_two_places, "has place 2 instead of 1"),
        (lambda history: history.outcome.rating_changes.clear(), "the ratings of []"),
        (lambda history: history.outcome.rating_changes.append(101), "the ratings of [101, 102, 103, 101]"),
        (_rate_wrongly, "should be 1600"),
        (_leave_it_settling, "the race is settling"),
        (_keep_the_seed_secret, "is not public"),
        (_have_one_absent, "is absent with a record"),
        (_review_one, "an honest game is review"),
        (lambda history: history.outcome.entrants.pop(), "is in no race"),
        (_show_the_cards_too_early, "view 0.001 s before the start"),
        (_show_another_table, "another's table was shown"),
        (_tell_a_card_to_the_room, "a room told"),
        (_tell_a_token_to_the_room, "a room told"),
        (_tell_the_seed, "a room told"),
        (_leave_a_viewer_behind, "a viewer was left with"),
        (lambda history: history.racers[0].table.complaints.append("refused: illegal_move"), "refused: illegal_move"),
    ],
)
def test_a_doctored_race_is_detected(doctor: Callable[[History], None], complaint: str) -> None:
    history = History()
    doctor(history)
    assert any(complaint in fault for fault in history.faults()), history.faults()


@pytest.mark.parametrize(
    ("doctor", "complaint"),
    [
        (_lose_a_token, "was acknowledged and is lost"),
        (_swap_two_places, "has place 2 instead of 1"),
        (_rate_wrongly, "should be 1600"),
        (_leave_it_settling, "is left settling"),
        (_have_one_absent, "the ratings of"),
        (_show_the_cards_too_early, "view 0.001 s before the start"),
        (_tell_a_token_to_the_room, "a room told"),
    ],
)
def test_a_doctored_race_of_the_soak_is_detected(doctor: Callable[[History], None], complaint: str) -> None:
    history = History()
    doctor(history)
    assert any(complaint in fault for fault in history.survivors_faults()), history.survivors_faults()


def test_a_void_race_has_neither_places_nor_changes() -> None:
    history = History()
    history.outcome = replace(history.outcome, state="void")
    assert len(history.survivors_faults()) == 2
    for entrant in history.outcome.entrants:
        entrant["place"] = None
    history.outcome.rating_changes.clear()
    assert history.survivors_faults() == []
