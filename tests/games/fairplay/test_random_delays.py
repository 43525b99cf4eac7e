"""Timers with log-normal delays: found after some 140 gaps; people with their habits are not taken for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import accumulate
from random import Random

import pytest
from django.utils import timezone

from accounts.models import User
from games.fairplay.pace import AUTO_MS
from games.fairplay.random_delays import FEWEST_GAPS, TimedMoves, timed_moves, timer_sigma
from games.models import Attempt
from games.rules import CATALOGUE
from tests.factories import make_account, make_deal, won_records
from tests.games.fairplay import reaction_players, simulated
from tests.games.fairplay.scripted import CLEAN, State, play, verdict

Play = Callable[[Sequence[simulated.Step]], simulated.Game]

#: Series of games of each kind and variant.
SERIES = 20


def sigma_of_series(play_line: Play, variant: str) -> float | None:
    """Judge the last of three games; the others are played only if they are needed."""
    games = (play_line(simulated.line_of(variant, number)) for number in range(3))
    tokens = (timed_moves(game.tokens, game.clock, []) for game in games)
    return timer_sigma(next(tokens), tokens)


@pytest.mark.parametrize("variant", CATALOGUE)
def test_log_normal_timers_are_found_and_people_are_not(variant: str) -> None:
    """At rates of 95 % and 0.1 %, one sample in 3,000 finds fewer than 15 of 20 timers, one in 1,000 two people."""
    chance = Random(variant)

    def found(player: Callable[[], Play]) -> int:
        return sum(sigma_of_series(player(), variant) is not None for _ in range(SERIES))

    def timer() -> Play:
        how = simulated.Timer(chance.choice((350, 500, 700)), "lognormal", chance.uniform(0.05, 0.35))
        return lambda line: simulated.run(how, line, chance)

    def hands() -> Play:
        who = simulated.person(chance)
        return lambda line: simulated.play(who, line, chance)

    def reactions() -> Play:
        player = reaction_players.player(chance)
        return lambda line: reaction_players.play(player, line, chance)

    assert found(timer) >= 15
    assert found(hands) + found(reactions) < 2


def gaps(*ms: float) -> TimedMoves:
    """Return the timed tokens of plays from ever another pile, after these gaps."""
    clock = [round(at) for at in accumulate((1_000, *ms))]
    return timed_moves([f"t{3 * n % 8}-f" for n in range(len(clock))], clock, [])


def log_normal(number: int, sigma: float, seed: int = 4) -> list[float]:
    chance = Random(seed)
    return [600 * chance.lognormvariate(0, sigma) for _ in range(number)]


def test_gaps_that_vary_more_are_a_persons() -> None:
    assert timer_sigma(gaps(*log_normal(200, 0.33)), []) == pytest.approx(0.35, abs=0.01)
    assert timer_sigma(gaps(*log_normal(200, 0.43)), []) is None


def test_a_long_tail_is_a_persons() -> None:
    assert timer_sigma(gaps(*log_normal(200, 0.2)), []) is not None
    assert timer_sigma(gaps(*log_normal(190, 0.2), *[2_000] * 10), []) is None


def test_gaps_that_depend_on_the_move_are_a_persons() -> None:
    ms = log_normal(200, 0.2)
    tokens = ["d" if n % 2 else f"t{n % 8}-f" for n in range(201)]
    for slower, found in ((1.0, True), (1.25, False)):
        times = accumulate([1_000, *(gap * slower ** (n % 2) for n, gap in enumerate(ms))])
        sigma = timer_sigma(timed_moves(tokens, [round(at) for at in times], []), [])
        assert (sigma is not None) == found


def test_the_clients_own_delays_are_no_timer() -> None:
    """Cards that go up automatically come after uniform delays, in Labyrinth perhaps through whole games."""
    for seed in range(40):
        chance = Random(seed)
        assert timer_sigma(gaps(*(chance.uniform(*AUTO_MS) for _ in range(156))), []) is None


def test_tokens_of_the_server_and_undos_do_not_count() -> None:
    tokens = ["t1-f", "u", "t1-f", "d", "t2-f", "t3-f"]
    clock = [500, 700, 1_200, 1_500, 1_600, 1_700]
    assert len(timed_moves(tokens, clock, []).moves) == 4
    assert len(timed_moves(tokens, clock, [[5, 6]]).moves) == 2


def test_a_short_game_is_judged_with_those_before() -> None:
    own, earlier = gaps(*log_normal(60, 0.2)), [gaps(*log_normal(60, 0.2, seed)) for seed in (7, 8)]
    assert timer_sigma(own, earlier) is not None
    assert timer_sigma(own, earlier[:1]) is None


def test_earlier_games_are_read_only_if_needed() -> None:
    read = iter([gaps(900.0)])
    for own in (gaps(*log_normal(FEWEST_GAPS, 0.2)), gaps(*log_normal(60, 0.6))):
        timer_sigma(own, read)
    assert len(list(read)) == 1


def labyrinth_games(players: Sequence[User], *, practice: int | None = None) -> list[Attempt]:
    """Play a game of Labyrinth on each of the last days, by one timer."""
    chance, attempts = Random(9), list[Attempt]()
    for number, player in enumerate(players):
        day = timezone.now().date() - timedelta(days=len(players) - number)
        deal = make_deal("labyrinth", day, practice=number == practice, seed=won_records("labyrinth")[number].seed)
        game = simulated.run(simulated.Timer(700, "lognormal", 0.25), simulated.line_of("labyrinth", number), chance)
        attempts.append(play(deal, game.tokens, game.clock, who=player))
    return attempts


@pytest.mark.django_db
def test_the_third_short_game_goes_to_review() -> None:
    attempts = labyrinth_games([make_account()] * 3)
    assert [verdict(attempt) for attempt in attempts] == [CLEAN, CLEAN, (State.REVIEW, ["steady"])]


@pytest.mark.django_db
@pytest.mark.parametrize("why", ["another player's", "practice", "unreadable"])
def test_an_earlier_game_does_not_count(why: str) -> None:
    player = make_account()
    first = make_account() if why == "another player's" else player
    attempts = labyrinth_games([first, player, player], practice=0 if why == "practice" else None)
    if why == "unreadable":
        Attempt.objects.filter(pk=attempts[0].pk).update(record=b"?")
    assert verdict(attempts[-1]) == CLEAN
