"""Delays: those of a timer do not depend on the moves, whatever their distribution; those of people do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from random import Random
from statistics import fmean

import pytest
from django.utils import timezone

from accounts.models import User
from games.fairplay import delays
from games.fairplay.delays import ABOVE_TIMERS, Evidence, evidence, limit, standard_ranks, timed_moves, timer_evidence
from games.manifests import VARIANTS
from games.manifests.manifest import VariantFacts
from games.models import Attempt, Deal
from games.rules import CATALOGUE, open_table
from leaderboards.verdicts import held_results
from tests.factories import make_account, make_deal, won_records
from tests.fairplay import programs, reaction_players, simulated
from tests.fairplay.games import Line, at_the_table, evidence_of, greedy_lines, wins
from tests.games.fairplay.scripted import CLEAN, State, codes, play, verdict

LABYRINTH = "labyrinth"
#: People of each model and programs in the samples.
SAMPLE = 6
#: Games of Labyrinth that are enough to find a timer.
GAMES = programs.WITHIN[LABYRINTH]

Play = Callable[[Line], simulated.Game]


def counted(tokens: Sequence[str], served: Sequence[Sequence[int]] = (), variant: str = LABYRINTH) -> list[int]:
    """Return the delays that count if each token comes as many ms after the last as its number."""
    record = won_records(variant)[0]
    clock = [n * (n + 1) // 2 for n in range(1, len(tokens) + 1)]
    return [move.delay for move in timed_moves(record.open_table(), tokens, clock, served)]


def line(number: int) -> list[str]:
    return list(won_records(LABYRINTH)[0].tokens[:number])


def random_evidence(chance: Random, draw: Callable[[Random], float], variant: str = LABYRINTH) -> Evidence:
    """Return the evidence of a known win with independent delays."""
    known = chance.choice(wins(variant))
    return evidence_of(known, programs.play(lambda one: [1_000 * draw(chance) for _ in one.steps], known))


# Which moves count.


def test_every_move_but_the_first_counts_from_the_token_before_it() -> None:
    assert counted(line(6)) == [2, 3, 4, 5, 6]


def test_undos_and_what_follows_them_do_not_count() -> None:
    first, second, third = line(3)
    assert counted([first, second, "u", second, third]) == [2, 5]
    assert counted([first, second, "u", "u", first, second]) == [2, 6]


def test_tokens_of_the_server_and_the_move_after_them_do_not_count() -> None:
    assert counted(line(8), [[3, 4]]) == [2, 6, 7, 8]


def test_a_choice_of_direction_does_not_count() -> None:
    table = open_table("braid-either", bytes(32))
    tokens = ["up"]
    for _ in range(3):
        probe = open_table("braid-either", bytes(32))
        for token in tokens:
            probe.push(token)
        tokens.append(next(token for token in probe.legal_moves() if token not in {"up", "down"}))
    assert len(timed_moves(table, tokens, [10, 20, 30, 40], [])) == 3


def test_the_features_of_moves() -> None:
    table = won_records("tarot")[0].open_table()

    def of(token: str, previous: str, hand: str, *, is_new: bool = False) -> tuple[float, ...]:
        return delays.features(table, token, previous, hand, is_new=is_new)

    choice = math.log2(1 + len(table.legal_moves()))
    assert of("d", "t0-f", "t0") == (math.log2(1 + 1.15), 1, 0, 0, 0, choice, 0)
    assert of("d", "d", "s") == (0, 1, 1, 0, 0, choice, 0)
    assert of("t3-f", "t0-f", "t0") == (2, 0, 0, 0, 0, choice, 0)
    assert of("t3-t4x2", "d", "t3", is_new=True) == (0, 0, 0, 1, 1, choice, 1)


# The statistic.


def test_equal_values_have_the_mean_of_their_ranks() -> None:
    spread = math.sqrt(2 * 1.5**2 / 3)
    assert standard_ranks([5, 7, 7, 9]) == pytest.approx([-1.5 / spread, 0, 0, 1.5 / spread])
    assert standard_ranks([4, 4, 4]) == [0, 0, 0]


@pytest.mark.parametrize(
    "draw",
    [
        lambda chance: chance.uniform(0.6, 1.4),
        lambda chance: chance.expovariate(1),
        lambda chance: chance.randint(1, 3),
    ],
    ids=["uniform", "exponential", "with ties"],
)
def test_independent_delays_follow_chi_squared(draw: Callable[[Random], float]) -> None:
    """The mean of chi-squared is its degrees of freedom: four in Stonewall, which has no draws; 60 games err by 0.4."""
    chance = Random(7)
    found = [random_evidence(chance, draw, "stonewall").dependence() for _ in range(60)]
    assert {degrees for _chi, degrees in found} == {4}
    assert fmean(chi**2 for chi, _degrees in found) == pytest.approx(4, abs=1.2)


def test_delays_that_follow_one_feature_depend_on_the_moves_either_way() -> None:
    known = wins("stonewall")[0]
    tokens = [step.token for step in known.steps]
    for sign in (1, -1):
        clock, now = [], 0
        for n, token in enumerate(tokens):
            is_same = n > 0 and token.partition("-")[0] == tokens[n - 1].partition("-")[0]
            now += 1_000 + sign * (200 if is_same else 0) + n % 7
            clock.append(now)
        chi, degrees = evidence(open_table("stonewall", known.seed), tokens, clock, []).dependence()
        assert chi > math.sqrt(degrees) + ABOVE_TIMERS


def test_a_person_who_slows_down_is_judged_within_stretches() -> None:
    """Independent delays that grow during the game do not depend on the moves."""
    chance = Random(3)
    chis = []
    for known in wins("stonewall") * 10:
        game = programs.play(lambda one: [n * 5 + chance.uniform(600, 900) for n in range(len(one.steps))], known)
        chis.append(evidence_of(known, game).dependence()[0] ** 2)
    assert fmean(chis) < 6


def test_evidence_without_moves_is_no_doubt() -> None:
    table = open_table(LABYRINTH, bytes(32))
    assert timer_evidence(evidence(table, [], [], []), [], LABYRINTH) is None


# Limits and earlier games.


def test_the_limit_grows_with_the_moves_up_to_what_no_timer_reaches() -> None:
    lowest = VARIANTS[LABYRINTH].delay_correlation
    limits = [limit(moves, 4, LABYRINTH) for moves in (0, 50, 150, 10_000)]
    assert limits == sorted(limits)
    assert limits[0] == 2 - delays.BELOW_PEOPLE < 0
    assert limits[2] == math.sqrt(lowest**2 * 150 + 4) - delays.BELOW_PEOPLE
    assert limits[3] == 2 + ABOVE_TIMERS


def test_a_game_without_a_measurement_needs_many_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = VariantFacts(title="", summary="")  # type: ignore[arg-type]
    monkeypatch.setattr(delays, "VARIANTS", {"new game": facts})
    assert limit(1_000, 4, "new game") < 1 < limit(3_500, 4, "new game")
    assert limit(10**6, 4, "unknown") < 0


def test_short_games_are_judged_together() -> None:
    chance = Random(2)
    games = [random_evidence(chance, lambda chance: chance.uniform(0.6, 1.4)) for _ in range(GAMES)]
    assert timer_evidence(games[0], games[1:3], LABYRINTH) is None
    found = timer_evidence(games[0], games[1:], LABYRINTH)
    assert found is not None
    assert found.freedom <= sum(game.freedom for game in games)


def test_games_played_by_hand_before_do_not_hide_a_timer() -> None:
    chance = Random(5)
    who, known = simulated.person(chance), wins(LABYRINTH)[0]
    honest = [evidence_of(known, at_the_table(simulated.play(who, known.steps, chance), known, chance))] * 3
    timer = [random_evidence(chance, lambda chance: chance.uniform(0.9, 1.1)) for _ in range(GAMES)]
    assert timer_evidence(timer[0], [*timer[1:], *honest], LABYRINTH) is not None


def test_earlier_games_are_read_only_if_needed() -> None:
    chance = Random(6)
    known = greedy_lines("braid", 1, chance)[0]
    game = at_the_table(simulated.play(simulated.person(chance), known.steps, chance), known, chance)
    read = iter([random_evidence(chance, lambda chance: chance.uniform(0.9, 1.1), "braid")])
    assert timer_evidence(evidence_of(known, game), read, "braid") is None
    assert len(list(read)) == 1


# People and programs.


@pytest.mark.parametrize("variant", CATALOGUE)
def test_timers_are_found_and_people_are_not(variant: str) -> None:
    """A fixed sample; `make fairplay` measures the rates."""
    chance = Random(variant)
    lines = wins(variant)
    automatic = greedy_lines(variant, 2, chance, "all")
    within = programs.WITHIN.get(variant, programs.WITHIN_DEFAULT)

    def is_found(player: Play, known: Sequence[Line], number: int) -> bool:
        games = [evidence_of(one, at_the_table(player(one), one, chance)) for one in chance.choices(known, k=number)]
        return any(timer_evidence(game, games[n + 1 :], variant) for n, game in enumerate(games))

    def person(n: int) -> Play:
        if n % 2:
            hands = simulated.person(chance)
            return lambda one: simulated.play(hands, one.steps, chance)
        reactions = reaction_players.player(chance)
        return lambda one: reaction_players.play(reactions, one.steps, chance)

    def program(kind: str) -> Play:
        waits = programs.INDEPENDENT[kind](lines, chance)
        return lambda one: programs.play(waits, one)

    assert not any(is_found(person(n), lines if n % 3 else automatic, 2) for n in range(SAMPLE))
    kinds = list(programs.INDEPENDENT)
    assert sum(is_found(program(chance.choice(kinds)), lines, within) for _ in range(SAMPLE)) >= SAMPLE - 1


def labyrinth_games(players: Sequence[User], *, practice: bool = False) -> Iterator[Attempt]:
    """Play a game of Labyrinth on each of the last days, by one timer; all but the last may be practice."""
    chance = Random(4)
    for number, (player, one) in enumerate(zip(players, greedy_lines(LABYRINTH, len(players), chance), strict=True)):
        day = timezone.now().date() - timedelta(days=len(players) - number)
        deal = make_deal(LABYRINTH, day, practice=practice and number + 1 < len(players), seed=one.seed)
        game = simulated.run(simulated.Timer(700, "lognormal", 0.25), one.steps, chance)
        yield play(deal, game.tokens, game.clock, who=player)


@pytest.mark.django_db
def test_a_week_of_short_games_gives_all_of_it_away() -> None:
    judged = [(attempt, verdict(attempt)) for attempt in labyrinth_games([make_account()] * GAMES)]
    attempts = [attempt for attempt, _ in judged]
    assert (judged[0][1], judged[-1][1]) == (CLEAN, (State.REVIEW, ["steady"]))
    for attempt in attempts[1:-1]:
        attempt.refresh_from_db()
        assert (attempt.state, codes(attempt.reasons)) == (State.REVIEW, ["steady"])
    assert held_results.review_held() == 0, "judged again, they stay in doubt"
    (found,) = attempts[-1].reasons
    assert set(found) == {"code", "message", "moves", "correlation"}


@pytest.mark.django_db
@pytest.mark.parametrize("why", ["another player's", "practice", "unreadable", "of another variant"])
def test_some_earlier_games_do_not_count(why: str) -> None:
    player = make_account()
    first = make_account() if why == "another player's" else player
    *earlier, last = labyrinth_games([first] * (GAMES - 1) + [player], practice=why == "practice")
    if why == "unreadable":
        Attempt.objects.exclude(pk=last.pk).update(record=b"?")
    if why == "of another variant":
        Deal.objects.filter(pk__in=[attempt.deal_id for attempt in earlier]).update(variant="stonewall")
    assert verdict(last) == CLEAN
