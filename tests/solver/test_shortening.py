"""Shortened lines, quickly or fully, still win, are never longer, and are deterministic."""

from __future__ import annotations

from random import Random

import pytest

from games.rules import CATALOGUE, Table
from games.solver import Budget, Solution, TokensError, check_solution, shorten, solve
from games.solver.full_shortening import shorten_fully
from games.solver.labyrinth.search import LabyrinthSearch
from games.solver.quick_shortening import signature
from games.solver.searches.labyrinth import labyrinth_start
from games.solver.searches.stonewall import stonewall_start
from games.solver.shorten_locally import shorten_around
from games.solver.simulated_players import greedy_game, random_game
from games.solver.statuses import LOST, WON
from games.solver.stonewall.search import StonewallSearch
from tests.solver.deals import SEARCHED, copy_of, deal, first_win, solved


def late(variant: str, left: int) -> tuple[Table, tuple[str, ...]]:
    """Return a position ``left`` tokens before a win, and the rest of the line."""
    index, tokens = first_win(variant)
    table = deal(variant, index)
    for token in tokens[:-left]:
        table.push(token)
    return copy_of(table), tokens[-left:]


@pytest.mark.parametrize("variant", SEARCHED)
def test_a_fully_shortened_line_wins_and_stays_the_same(variant: str) -> None:
    table, tokens = late(variant, 25)
    before = table.position()
    found = shorten_fully(table, tokens)
    assert found.is_settled
    check_solution(table, found.tokens)
    assert len(found.tokens) <= len(tokens)
    assert found == shorten_fully(table, tokens)
    assert shorten_fully(table, found.tokens) == found
    assert table.position() == before


@pytest.mark.parametrize("variant", ["tarot-novice", "plot"])
def test_whole_lines_become_much_shorter(variant: str) -> None:
    index, tokens = first_win(variant)
    table = deal(variant, index)
    short = shorten(table, tokens)
    lengths: list[int] = []
    found = shorten_fully(table, short, effort=2_000_000, progress=lengths.append)
    check_solution(table, found.tokens)
    assert len(found.tokens) < 0.97 * len(short)
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] == len(found.tokens)


@pytest.mark.parametrize("variant", SEARCHED)
def test_without_time_or_effort_the_line_stays_unsettled(variant: str) -> None:
    table, tokens = late(variant, 30)
    for found in (shorten_fully(table, tokens, effort=0), shorten_fully(table, tokens, cancel=lambda: True)):
        assert found.tokens == tokens
        assert not found.is_settled


def test_a_line_that_does_not_win_is_refused() -> None:
    for change in (shorten_fully, shorten):
        with pytest.raises(TokensError):
            change(deal("tarot", 0), ["d", "d"])


def aimless(table: Table) -> list[str] | None:
    """Return three moves with the effect of the second alone: there, something else, and back."""
    for there in table.legal_moves():
        table.push(there)
        for other in table.legal_moves():
            table.push(other)
            for back in table.legal_moves():
                table.push(back)
                sign = signature(table)
                for _ in range(3):
                    table.pop()
                direct = table.is_legal(other)
                if direct:
                    table.push(other)
                    direct = signature(table) == sign
                    table.pop()
                if direct:
                    return [there, other, back]
                table.push(there)
                table.push(other)
            table.pop()
        table.pop()
    return None


@pytest.mark.parametrize("variant", ["stonewall", "tarot"])
def test_windows_prefer_nearby_positions(variant: str) -> None:
    """No position repeats in these lines, and no single move can be left out."""
    cut = 0
    for left in range(20, 60, 4):
        table, _ = late(variant, left)
        moves = aimless(table)
        if moves:
            copy = copy_of(table)
            for token in moves:
                copy.push(token)
            found = solve(copy, Budget(nodes=20_000))
            rest = list(found.tokens) if isinstance(found, Solution) else []
            if rest:
                shorter = shorten_around(table, [*moves, *rest], lambda _: True)
                check_solution(table, shorter)
                assert len(shorter) < len(moves) + len(rest)
                cut += 1
        if cut == 2:
            break
    assert cut


@pytest.mark.parametrize("variant", SEARCHED)
def test_a_shortened_line_wins(variant: str) -> None:
    index, tokens = first_win(variant)
    table = deal(variant, index)
    line = shorten(table, tokens)
    check_solution(table, line)
    assert len(line) <= len(tokens)
    assert line == shorten(table, tokens)
    assert table.token_count == 0


def test_a_detour_is_cut_out() -> None:
    index, tokens = first_win("tarot")
    table = deal("tarot", index)
    rounds = ["d"] * 12 + ["n"]
    assert len(shorten(table, [*rounds, *tokens])) <= len(tokens)


def test_players_end_their_games_and_report_wins() -> None:
    won = 0
    for variant in CATALOGUE:
        for index in range(5):
            for play in (random_game, greedy_game):
                table = deal(variant, index)
                assert play(table, Random(index)) == table.is_won
                won += table.is_won
    assert won


def test_the_greedy_player_wins_more_than_the_random_one() -> None:
    chance = Random(0)
    games = {
        play: sum(play(deal("pigtail", index), chance) for index in range(20)) for play in (random_game, greedy_game)
    }
    assert games[greedy_game] > games[random_game]


def test_a_wandering_line_is_replaced_by_a_shorter_one() -> None:
    """Depth-first lines of Stonewall often take hundreds of moves where a hundred would do."""
    saved, index = 0, 0
    while saved <= 200:
        table, index = deal("stonewall", index), index + 1
        search = StonewallSearch(stonewall_start(table))
        if search.run(100_000) == WON and len(line := search.tokens()) > 300:
            saved += len(line) - len(shorten(table, line))
    assert index < 40


def test_no_line_of_labyrinth_deals_fewer_rows() -> None:
    shorter = 0
    for index in range(40):
        table, result = deal("labyrinth", index), solved("labyrinth", index)
        if not isinstance(result, Solution):
            continue
        line = shorten(table, result.tokens)
        shorter += len(line) < len(result.tokens)
        rows = 1 + line.count("d")
        if rows > 1:
            assert LabyrinthSearch(labyrinth_start(table), most=rows - 1).run(10**6) == LOST
    assert shorter
