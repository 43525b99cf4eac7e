"""Race checks: they find nothing in an honest race, and find every kind of fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from operator import setitem
from typing import Any, Literal

import pytest

from games.races.results.heat_points import heat_points
from games.races.results.places import placed
from games.rules import End, Record, Score, open_table, replay
from tests.games import certified
from tests.services.racing.checking import STATES, Outcome, find_faults, find_survivors_faults
from tests.services.racing.day_checking import Day, find_day_faults
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
        self.outcome = Outcome("finished", START, True, entrants, [one["id"] for one in entrants], [], 1)
        self.spectator = Watcher(9, [1], "code")
        lanes = [[one["id"], 1, 1, one["state"], False, one["place"], 5] for one in entrants]
        for viewer in (self.spectator, *(racer.room for racer in self.racers)):
            viewer.room = {"last": {"lanes": lanes}}
            viewer.frames.append((START + 9, json.dumps({"type": "room", "last": {"lanes": lanes}})))

    def amend(self, **fields: Any) -> None:
        self.outcome = replace(self.outcome, **fields)

    def acknowledge(self, racer: int, n: int, token: str, ms: int) -> None:
        self.racers[racer].acknowledged[n] = token, ms

    def enter(self, number: int, **fields: Any) -> None:
        self.outcome.entrants[number].update(fields)

    def shown(self, racer: int) -> str:
        return self.racers[racer].table.frames[1][1]

    def show(self, view: str, at: float = START + 0.01) -> None:
        self.racers[0].table.frames.append((at, view))

    def faults(self) -> list[str]:
        return find_faults(self.racers, [self.spectator], self.outcome, WON.seed)

    def survivors_faults(self) -> list[str]:
        return find_survivors_faults(self.racers, self.outcome, WON.seed)


class DayHistory:
    """A race of the day of 17 players in two divisions, as the service places them; tests manipulate it."""

    def __init__(self) -> None:
        racers = [_racer(number, 20 + 2 * number, "resigned") for number in range(16)]
        racers.append(_racer(16, len(WON.tokens), "won"))
        self.veterans = {"player3", "player9", "player12"}
        self.outcomes = [self._division(racers, part) for part in (range(9), range(9, 17))]
        entrants = [entrant for outcome in self.outcomes for entrant in outcome.entrants]
        players = {entrant["id"]: entrant["player"] for entrant in entrants}
        scores = {entrant["id"]: _score(entrant) for entrant in entrants}
        first = sorted(scores, key=lambda key: placed(scores)[key])[:3]
        points = {entrant["player"]: entrant["points"] for entrant in entrants}
        self.day = Day(
            [[players[key], scores[key].cards_up, scores[key].elapsed_ms] for key in first],
            {
                player: [1 + sum(other > own for other in points.values()), own, 1, int(player == "player16")]
                for player, own in points.items()
            },
        )

    def _division(self, racers: list[Racer], part: range) -> Outcome:
        entrants = [_entrant(racers[number], 0) | {"id": number, "player": f"player{number}"} for number in part]
        scores = {entrant["id"]: _score(entrant) for entrant in entrants}
        places = placed(scores)
        points = heat_points(scores, places, {key for key in scores if f"player{key}" not in self.veterans})
        for entrant in entrants:
            entrant.update(place=places[entrant["id"]], points=points[entrant["id"]])
        return Outcome("finished", START, True, entrants, [], [], 1)

    def faults(self) -> list[str]:
        return find_day_faults(self.outcomes, self.day, self.veterans)


def _score(entrant: dict[str, Any]) -> Score:
    played = replay(Record.from_json(entrant["record"]))
    return Score("retired", played.cards_up, played.elapsed_ms, played.tokens)


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


def tell(viewer: Watcher, **message: Any) -> None:
    viewer.frames.append((START + 1, json.dumps(message)))


def test_an_honest_race_has_no_faults() -> None:
    assert History().faults() == []
    assert History().survivors_faults() == []


LOST, PLACED, EARLY = "was acknowledged and is lost", "has place 2 instead of 1", "view 0.001 s before the start"
#: Ways to falsify a race: the change, the fault it causes in a race, and the fault in a race of the soak.
DOCTORED: dict[str, tuple[Callable[[History], object], str, str | None]] = {
    "a token is lost": (lambda race: race.acknowledge(1, 31, WON.tokens[30], 99_000), LOST, LOST),
    "a time has changed": (lambda race: race.acknowledge(0, 7, WON.tokens[6], 1), "was acknowledged as", None),
    "two places are swapped": (
        lambda race: [race.outcome.entrants[n].update(place=2 - n) for n in range(2)],
        PLACED,
        PLACED,
    ),
    "no rating changes": (lambda race: race.outcome.rating_changes.clear(), "the ratings of []", None),
    "a rating changes twice": (lambda race: race.outcome.rating_changes.append(101), "[101, 102, 103, 101]", None),
    "a rating is wrong": (lambda race: race.outcome.rating_faults.append("not 1600"), "not 1600", "not 1600"),
    "it never ends": (lambda race: race.amend(state="settling"), "the race is settling", "is left settling"),
    "the seed stays secret": (lambda race: race.amend(is_revealed=False), "is not public", None),
    "a racer is absent": (
        lambda race: race.enter(2, state="absent", place=None),
        "is absent with a record",
        "the ratings of",
    ),
    "a racer is under review": (lambda race: race.enter(1, verdict="review"), "an honest game is review", None),
    "a racer is missing": (lambda race: race.outcome.entrants.pop(), "is in no race", None),
    "cards are dealt too early": (lambda race: race.show(race.shown(0), at=START - 0.001), EARLY, EARLY),
    "another table is shown": (lambda race: race.show(race.shown(1)), "another's table was shown", None),
    "the room is told a card": (lambda race: tell(race.spectator, type="lanes", lanes=[["KS"]]), "a room told", None),
    "the room is told a token": (
        lambda race: tell(race.racers[2].room, type="lanes", lanes=[{"token": "d"}]),
        "a room told",
        "a room told",
    ),
    "the room is told the seed": (
        lambda race: tell(race.racers[2].room, type="room", commitment=WON.seed.hex()),
        "a room told",
        None,
    ),
    "a viewer is left behind": (lambda race: vars(race.spectator).update(room=None), "a viewer was left with", None),
    "a client complains": (lambda race: race.racers[0].table.complaints.append("refused"), "refused", None),
}


@pytest.mark.parametrize(("doctor", "complaint", "in_soak"), DOCTORED.values(), ids=DOCTORED)
def test_a_doctored_race_is_detected(doctor: Callable[[History], object], complaint: str, in_soak: str | None) -> None:
    history = History()
    doctor(history)
    assert any(complaint in fault for fault in history.faults()), history.faults()
    if in_soak:
        assert any(in_soak in fault for fault in history.survivors_faults()), history.survivors_faults()


def test_an_honest_race_of_the_day_has_no_faults() -> None:
    assert DayHistory().faults() == []


def move(history: DayHistory, *numbers: int) -> None:
    """Move players from the first division to the second."""
    for number in numbers:
        history.outcomes[1].entrants.append(history.outcomes[0].entrants.pop(number))


#: Ways to falsify a race of the day: the change, and the fault it causes.
DOCTORED_DAYS: dict[str, tuple[Callable[[DayHistory], object], str]] = {
    "a point too many": (lambda race: race.outcomes[1].entrants[3].update(points=9), "entrant 12 has 9 points, not"),
    "a newcomer counts": (lambda race: race.veterans.discard("player9"), "points, not"),
    "the podium is in another order": (lambda race: race.day.podium.reverse(), "the podium is"),
    "the podium lacks one": (lambda race: race.day.podium.pop(), "the podium is"),
    "a place in the standing": (lambda race: setitem(race.day.standing["player2"], 0, 17), "player2 stands at [17"),
    "a win that was none": (lambda race: setitem(race.day.standing["player1"], 3, 1), "player1 stands at"),
    "a player is not in the standing": (lambda race: race.day.standing.pop("player5"), "player5 stands at None"),
    "the divisions are uneven": (lambda race: move(race, 0, 1), "the divisions have [7, 10] players"),
    "a division has another deal": (lambda race: setitem(race.outcomes, 0, replace(race.outcomes[0], deal=2)), "deal"),
    "a division starts late": (
        lambda race: setitem(race.outcomes, 1, replace(race.outcomes[1], starts_at=START + 1)),
        "the divisions differ in deal or start",
    ),
    "a player is in both": (
        lambda race: race.outcomes[1].entrants[0].update(player="player0"),
        "a player is in two divisions",
    ),
}


@pytest.mark.parametrize(("doctor", "complaint"), DOCTORED_DAYS.values(), ids=DOCTORED_DAYS)
def test_a_doctored_race_of_the_day_is_detected(doctor: Callable[[DayHistory], object], complaint: str) -> None:
    history = DayHistory()
    doctor(history)
    assert any(complaint in fault for fault in history.faults()), history.faults()


def test_a_void_race_has_neither_places_nor_changes() -> None:
    history = History()
    history.amend(state="void")
    assert len(history.survivors_faults()) == 2
    for entrant in history.outcome.entrants:
        entrant["place"] = None
    history.outcome.rating_changes.clear()
    assert history.survivors_faults() == []
