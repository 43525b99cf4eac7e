"""Pace: possible for human hands passes, impossible goes to review."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import accumulate
from random import Random

import pytest

from games.attempts.verification import judge
from games.fairplay import pace
from games.fairplay.pace import (
    AUTO_MS,
    BURST_MS_A_PLAY,
    BURST_PLAYS,
    LEAST_LOOKING_FACTOR,
    POINT_MS,
    doubts,
    implausibilities,
    looking_factor,
)
from games.models import Attempt
from games.rules import CATALOGUE, End
from tests import factories
from tests.factories import DAY, make_deal, won_records
from tests.fairplay import reaction_players, simulated
from tests.games.fairplay.scripted import codes

State = Attempt.State
pytestmark = pytest.mark.django_db


def plays(gaps: list[int]) -> tuple[list[str], list[int], int]:
    """Return tokens that place cards, each from another pile than the last, their times with these gaps and the end."""
    clock = list(accumulate(gaps))
    return ["t0-f" if n % 2 else "t1-f" for n in range(len(gaps))], clock, clock[-1]


@pytest.mark.parametrize(
    ("gaps", "found"),
    [
        ([400, 900, 250, 2_000, 300, 700] * 20, []),
        ([130, 190, 90] * 30, ["pace"]),
        ([160, 240, 190, 210, 200, 170, 230, 6_000] * 20, ["pace"]),
        ([900, 1_400, 600] * 20 + [130, 190, 150] * 10, ["pace"]),
        ([900, 1_400] * 10 + [40, 50] * 6 + [1_000, 2_000] * 8, ["burst"]),
        ([900, 1_400] * 10 + [40, 50] * 6 + [1_000, 2_000] * 20, []),
    ],
    ids=["human", "sustained", "pauses", "part", "burst", "burst in a long game"],
)
def test_a_pace_is_judged_by_its_gaps(gaps: list[int], found: list[str]) -> None:
    assert codes(implausibilities(*plays(gaps), [])) == found


def test_auto_finish_runs_do_not_count() -> None:
    human, machine = [400, 900, 250, 2_000] * 10, [0] * 40
    tokens, clock, end = plays(human + machine)
    assert codes(implausibilities(tokens, clock, end, [])) != []
    assert implausibilities(tokens, clock, end, [[41, 80]]) == []


@pytest.mark.parametrize("by_hand", [2, 5, 11, 40])
def test_what_the_server_finishes_is_judged_by_the_rest(by_hand: int) -> None:
    """The whole game takes less than a second, as when a program lets the server play most of the cards."""
    tokens, clock, end = plays([90] * by_hand + [0] * 40)
    assert "pace" in codes(implausibilities(tokens, clock, end, [[by_hand + 1, by_hand + 40]]))
    tokens, clock, end = plays([700] * by_hand + [0] * 40)
    assert implausibilities(tokens, clock, end, [[by_hand + 1, by_hand + 40]]) == []


#: Ways to hide a pace of 90 ms a play: tokens with gaps, which replace each play.
HIDDEN = {
    "undone": [("t0-f", 30), ("u", 30), ("t0-f", 30)],
    "drawn for": [("d", 20), ("d", 20), ("t0-f", 50)],
    "many in one frame": [("t0-f", 270), ("t1-f", 0), ("t0-f", 0)],
    "runs": [("t0-t1x5", 90)],
}


@pytest.mark.parametrize("way", HIDDEN)
@pytest.mark.parametrize("reconnect", [0, 30_000])
def test_a_machines_pace_cannot_be_hidden(way: str, reconnect: int) -> None:
    """Neither by what lies between the plays, nor by a connection that is lost in the middle."""
    moves = [(token.replace("t0", f"t{n % 5}"), gap) for n in range(40) for token, gap in HIDDEN[way]]
    middle = len(moves) // 2
    moves[middle] = (moves[middle][0], moves[middle][1] + reconnect)
    clock = list(accumulate(gap for _, gap in moves))
    assert {"pace", "burst"} & {*codes(implausibilities([token for token, _ in moves], clock, clock[-1], []))}


def test_bursts_of_undos_and_draws_are_human() -> None:
    for token in ("u", "d", "n", "up", "down"):
        assert implausibilities([token] * 200, [n * 20 for n in range(200)], 5_000, []) == []


def test_clocks_that_run_backwards_are_found() -> None:
    (found,) = implausibilities(["d", "d"], [20, 10], 30, [])
    assert (found["code"], found["message"]) == ("clock_backwards", "The receive times go backwards.")
    assert codes(implausibilities(["d", "d"], [10, 20], 15, [])) == ["clock_backwards"]
    assert implausibilities([], [], 0, []) == []


def test_a_superhuman_game_is_in_doubt_only_if_ranked() -> None:
    deal = make_deal("braid", DAY)
    record = factories.superhuman(deal)
    assert "burst" in codes(judge(factories.finished(deal, record=record)).reasons)
    assert judge(factories.finished(deal, record=record, ranked=False)).reasons == []


@pytest.mark.parametrize(("ms", "found"), [(5_000, []), (5_001, ["clock_differs"])])
def test_clocks_may_differ_a_little_either_way(ms: int, found: list[str]) -> None:
    deal = make_deal("stonewall", DAY)
    record = factories.record_of(deal, factories.line(deal))
    attempt = factories.finished(deal, record=record)
    assert attempt.finished_at
    for apart in (timedelta(milliseconds=ms), timedelta(milliseconds=-2 * ms)):
        attempt.finished_at += apart
        assert codes(doubts(attempt, record)) == found


def test_the_demands_of_each_play() -> None:
    timed = [
        *[("d", 10), ("d", 20), ("w-f", 500)],  # a draw, another with the same key, and a new card to look at
        *[("w-f", 700), ("t1-f", 900)],  # again from that pile, then from another
        *[("u", 950), ("d", 1_000), ("t1-f", 1_500)],
        *[("d", 1_505), ("t2-f", 1_510), ("t3-f", 1_520)],  # two that the server played
        ("t1-f", 2_000),
    ]
    tokens, clock = zip(*timed, strict=True)
    assert pace.plays(tokens, clock, [[10, 11]]) == [
        (500, 0, 220 + 150 + 120 + 20),
        (700, 200, 130),
        (900, 200, 220),
        (1_500, 600, 130 + 150 + 120),
        (2_000, 480, 130),
    ]


def test_a_late_close_is_no_reason_for_doubt() -> None:
    deal = make_deal("stonewall", DAY)
    record = replace(factories.record_of(deal, factories.line(deal)), end=End("closed", 10**6))
    attempt = factories.finished(deal, record=record)
    assert attempt.finished_at
    attempt.finished_at += timedelta(minutes=1)
    assert judge(attempt).state == State.VERIFIED


def test_a_burst_is_reported_with_its_figures() -> None:
    slow, ms = [900, 1_400] * 30, BURST_PLAYS * BURST_MS_A_PLAY
    quick = [ms // (BURST_PLAYS - 1)] * (BURST_PLAYS - 2)
    for last, found in ((ms - sum(quick), ["burst"]), (ms - sum(quick) + 1, [])):
        reasons = implausibilities(*plays([*slow, *quick, last, *slow]), [])
        assert codes(reasons) == found
        assert [(one["plays"], one["ms"], one["message"]) for one in reasons] == [
            (BURST_PLAYS, ms, f"{BURST_PLAYS} plays within {ms} ms.") for _ in found
        ]


@pytest.mark.parametrize("variant", CATALOGUE)
def test_a_win_faster_than_its_floor_is_flagged(variant: str) -> None:
    """Each game has its own floor: half of it is flagged, three times as long is not."""
    record, game = won_records(variant)[0], CATALOGUE[variant].game
    (found,) = [
        one for one in implausibilities(record.tokens, [0] * len(record.tokens), 0, [], game) if one["code"] == "pace"
    ]
    uneven = [1.0 + n % 5 for n in range(len(record.tokens))]
    for share, wanted in ((0.5, True), (3, False)):
        scale = share * found["needs"] / sum(uneven)
        clock = [round(scale * ms) for ms in accumulate(uneven)]
        assert ("pace" in codes(implausibilities(record.tokens, clock, clock[-1], [], game))) == wanted


def test_the_needed_pace_is_reported() -> None:
    gaps = [POINT_MS - 80, POINT_MS + 80] * 30
    (found,) = implausibilities(*plays(gaps), [], "stonewall")
    assert (found["code"], found["plays"], found["ms"]) == ("pace", 59, sum(gaps[1:]))
    assert found["message"] == f"59 plays within {found['ms']} ms, which need {found['needs']} ms."
    assert found["needs"] == pytest.approx(59 * POINT_MS * looking_factor("stonewall") * (1 - 0.5 / 59**0.5), abs=1)
    assert implausibilities(*plays([round(gap * 1.7) for gap in gaps]), [], "stonewall") == []


def test_a_few_plays_show_no_pace() -> None:
    gaps = [100, 200] * 7
    assert implausibilities(*plays(gaps[:12]), []) == []
    assert codes(implausibilities(*plays(gaps[:13]), [])) == ["pace"]  # the first play takes no time: 12 gaps


def test_a_third_of_a_game_may_be_faster() -> None:
    floor = 0.75 * LEAST_LOOKING_FACTOR * (1 - 0.5 / 30**0.5) * 30 * POINT_MS
    for ms, found in ((floor - 60, ["pace"]), (floor + 60, [])):
        quick = [round(ms / 30) - 20, round(ms / 30) + 20] * 15
        assert codes(implausibilities(*plays([900, *[900, 1_400, 600] * 20, *quick]), [])) == found


@pytest.mark.parametrize(("slow", "of"), [(60, 30), (36, 24)])
def test_parts_are_long_enough_to_exclude_chance(slow: int, of: int) -> None:
    """A third of a game, or 24 plays."""
    gaps = [900, *[900, 1_400, 600] * (slow // 3), *[130, 190] * (of // 2)]
    (found,) = implausibilities(*plays(gaps), [])
    assert (found["code"], found["plays"]) == ("pace", of)


def test_held_keys_do_not_count() -> None:
    tokens: list[str] = []
    clock: list[int] = []
    now = 0
    for n in range(40):
        for token, ms in (
            ("d", 110),
            *(("d", 33),) * 12,
            ("w-f" if n % 2 else "t3-f", 450 + 97 * (n % 9)),
            *(("u", 25),) * 3,
        ):
            now += ms
            tokens.append(token)
            clock.append(now)
    assert implausibilities(tokens, clock, now, [], "braid") == []


#: Simulated games of each kind and variant.
SIMULATED = 60


@pytest.mark.parametrize("variant", CATALOGUE)
def test_fast_people_pass_and_programs_are_flagged(variant: str) -> None:
    """A fixed sample of both models of people.

    At rates of 0.1 % and 95 %, fewer than one in 10,000 samples has three flagged people of 60, or 47 flagged programs
    or fewer.
    """
    chance = Random(variant)
    wins = [simulated.line_of(variant, number) for number in range(3)]
    played = [*wins, *simulated.greedy_lines(variant, 3, chance)]
    paces = [simulated.fastest_pace(line, chance) / 1.5 for line in wins]

    def flagged(one: simulated.Game) -> bool:
        return bool(implausibilities(one.tokens, one.clock, one.end_ms, [], variant))

    people = sum(
        flagged(simulated.play(simulated.person(chance), chance.choice(played), chance)) for _ in range(SIMULATED)
    )
    others = sum(
        flagged(reaction_players.play(reaction_players.player(chance), chance.choice(played), chance))
        for _ in range(SIMULATED)
    )
    programs = 0
    for _ in range(SIMULATED):
        line, fastest = chance.choice(list(zip(wins, paces, strict=True)))
        programs += flagged(simulated.run(simulated.timer(fastest, chance), line, chance))
    assert people < 3
    assert others < 3
    assert programs > 47


@pytest.mark.parametrize("variant", CATALOGUE)
def test_automatic_moves_come_at_an_ordinary_pace(variant: str) -> None:
    for seed in range(20):
        rng, clock, now = Random(seed), list[int](), 0
        for _ in range(60):
            now += round(rng.uniform(*AUTO_MS))
            clock.append(now)
        tokens = [f"t{k % 2}-f" for k in range(60)]
        assert implausibilities(tokens, clock, now, (), variant) == []
