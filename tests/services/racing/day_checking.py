"""Checks of a race of the day over all its divisions: sizes, points, podium and standing.

Everything is recomputed from the records, with an ordering that shares no code with the service's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.services.racing.checking import Outcome, scores_of

DIVISION = 16
PODIUM = 3


@dataclass(frozen=True)
class Day:
    """A race of the day as shown; see `tests.services.control_races.day_results`."""

    podium: list[list[Any]]
    """Player, cards up and milliseconds of the first three."""
    standing: dict[str, list[int]]
    """Place, points, heats and wins, by player."""


def find_day_faults(outcomes: Sequence[Outcome], day: Day, veterans: Collection[str]) -> list[str]:
    """Return all faults of a race of the day; `veterans` are the players with a verified daily game."""
    podium = _podium(outcomes)
    found = [*_misdivided(outcomes), *_mispointed(outcomes, veterans)]
    if day.podium != podium:
        found.append(f"the podium is {day.podium} instead of {podium}")
    standing = _standing(outcomes, veterans)
    found += [
        f"{player} stands at {day.standing.get(player)} instead of {standing.get(player)}"
        for player in sorted(standing.keys() | day.standing.keys())
        if day.standing.get(player) != standing.get(player)
    ]
    return found


def _misdivided(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield divisions that are unfair: of unequal size, on different deals, or with different starts."""
    sizes = [len(outcome.entrants) for outcome in outcomes]
    if len(sizes) != -(-sum(sizes) // DIVISION) or max(sizes) - min(sizes) > 1:
        yield f"the divisions have {sizes} players"
    if len({(outcome.deal, outcome.starts_at) for outcome in outcomes}) != 1:
        yield "the divisions differ in deal or start"
    players = [entrant["player"] for outcome in outcomes for entrant in outcome.entrants]
    if len(set(players)) != len(players):
        yield "a player is in two divisions"


def _mispointed(outcomes: Sequence[Outcome], veterans: Collection[str]) -> Iterator[str]:
    for outcome in outcomes:
        expected = _points(outcome, veterans)
        for entrant in outcome.entrants:
            if entrant["points"] != expected.get(entrant["id"]):
                yield f"entrant {entrant['id']} has {entrant['points']} points, not {expected.get(entrant['id'])}"


def _points(outcome: Outcome, veterans: Collection[str]) -> dict[int, int]:
    """Return one point for racing and one for each veteran behind, by entrant."""
    scores = scores_of(outcome.entrants)
    counted = [scores[one["id"]] for one in outcome.entrants if one["id"] in scores and one["player"] in veterans]
    return {entrant: 1 + sum(score > own for score in counted) for entrant, own in scores.items()}


def _podium(outcomes: Sequence[Outcome]) -> list[list[Any]]:
    scores = {key: score for outcome in outcomes for key, score in scores_of(outcome.entrants).items()}
    players = {entrant["id"]: entrant["player"] for outcome in outcomes for entrant in outcome.entrants}
    first = sorted(scores, key=lambda key: scores[key])[:PODIUM]
    return [[players[key], -scores[key][0], scores[key][1]] for key in first]


def _standing(outcomes: Sequence[Outcome], veterans: Collection[str]) -> dict[str, list[int]]:
    points, won = dict[str, int](), set[str]()
    for outcome in outcomes:
        scores, given = scores_of(outcome.entrants), _points(outcome, veterans)
        for entrant in outcome.entrants:
            if entrant["id"] in scores:
                points[entrant["player"]] = given[entrant["id"]]
                if entrant["state"] == "won" and scores[entrant["id"]] == min(scores.values()):
                    won.add(entrant["player"])
    return {
        player: [1 + sum(other > own for other in points.values()), own, 1, int(player in won)]
        for player, own in points.items()
    }
