"""Losing moves of a deal's games: inference, bisection with the solver, and the summary."""

from __future__ import annotations

import pytest

from games.analysis.positions import LOST
from games.explorer import loss_search
from games.explorer.counts import unpack
from games.explorer.deal_summary import common_path, step_from
from games.explorer.explorer_build import BuildTask, build
from games.explorer.loss_search import LossSearch
from games.explorer.trails import PlayedGame, Trail, digest_of, table_after, trail_of
from games.explorer.verdict_graph import Verdict, VerdictGraph
from games.solver import Budget, Solution, solve
from tests.games.analysis.test_search import OPENING, RECORD, losing_game
from tests.games.explorer.played import wanderer, winner


def trail(tokens: list[str], *, won: bool = False, verdicts: list[int] | None = None) -> Trail:
    game = PlayedGame(tokens, list(range(len(tokens))), len(tokens), won, verdicts or [])
    return trail_of(OPENING, game, version=1)


def lost_games(number: int) -> list[PlayedGame]:
    """Games that lost the deal with the same move, and went on a different number of moves."""
    n, tokens = losing_game()
    table = table_after(OPENING, tokens, version=1)
    after = list(tokens)
    while len(after) < n + 8 and (legal := table.legal_moves()):
        table.push(legal[0])
        after.append(legal[0])
    return [PlayedGame(after[: n + 1 + k], [9] * (n + 1 + k), 10, won=False) for k in range(1, number + 1)]


def test_a_win_proves_only_the_line_that_stood() -> None:
    n, tokens = losing_game()
    detour = trail([*tokens, "u", *RECORD.tokens[n:]], won=True)
    graph = VerdictGraph([detour])
    assert graph[detour.digests[n]] == Verdict.WINNABLE
    assert graph[detour.digests[n + 1]] == Verdict.UNKNOWN


def test_verdicts_of_analyses_are_used() -> None:
    n, tokens = losing_game()
    analysed = trail(tokens, verdicts=[*range(n + 1, 0, -1), LOST])
    graph = VerdictGraph([analysed])
    assert graph.losing_step(analysed) == n + 1
    assert graph.losing_step(trail(tokens[:n])) is None


def test_the_losing_move_is_found_by_bisection(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def counting(table: object, budget: Budget) -> object:
        searched.append(table.position())  # type: ignore[attr-defined]
        return solve(table, budget)  # type: ignore[arg-type]

    monkeypatch.setattr(loss_search, "solve", counting)
    n, _ = losing_game()
    trails = [trail_of(OPENING, game, version=1) for game in lost_games(3)]
    graph = VerdictGraph(trails)
    LossSearch(OPENING, graph, seconds=900, version=1).run(trails)
    assert [graph.losing_step(one) for one in trails] == [n + 1] * 3
    assert len(searched) <= 2 * (len(trails[-1].standing)).bit_length(), "shared positions are searched once"


def test_verdicts_agree_with_the_solver() -> None:
    games = [winner(RECORD), *(wanderer(RECORD, number, moves=40) for number in range(5))]
    trails = [trail_of(OPENING, game, version=1) for game in games]
    graph = VerdictGraph(trails)
    LossSearch(OPENING, graph, seconds=900, version=1).run(trails)
    for one in trails[1:]:
        for number, n in list(enumerate(one.standing))[::3]:
            table = table_after(OPENING, one.line[:number], version=1)
            wins = table.is_won or isinstance(solve(table, Budget(nodes=300_000)), Solution)
            assert graph[one.digests[n]] == (Verdict.WINNABLE if wins else Verdict.LOST)


def test_without_time_verdicts_stay_unknown() -> None:
    (one,) = [trail_of(OPENING, game, version=1) for game in lost_games(1)]
    graph = VerdictGraph([one])
    LossSearch(OPENING, graph, seconds=-1, version=1).run([one])
    assert {graph[digest] for digest in one.digests} == {Verdict.UNKNOWN}
    assert graph.losing_step(one) is None


def test_the_key_move_is_where_most_lost() -> None:
    n, tokens = losing_game()
    games = [*lost_games(3), winner(RECORD), winner(RECORD, pace=10)]
    built = build(BuildTask(1, OPENING, None, games, seconds=900))
    key = built.summary.key
    assert key is not None
    assert (key.number, key.games, key.lost, key.found) == (n + 1, 5, 3, 2)
    assert (key.line, key.token) == (tokens[:n], RECORD.tokens[n])
    assert key.digest == digest_of(table_after(OPENING, key.line, version=1))
    crossing = unpack(built.chunks[key.digest % len(built.chunks)], key.digest)
    assert crossing is not None
    assert {move.token: (move.games, move.wins, move.lost) for move in crossing.moves} == {
        tokens[n]: (3, 0, 3),
        RECORD.tokens[n]: (2, 2, 0),
    }
    assert [move.verdict for move in crossing.moves] == [Verdict.LOST, Verdict.WINNABLE]
    assert built.summary.path == list(RECORD.tokens)
    assert built.summary.half_lost_by == n + 1


def test_another_build_needs_no_search_for_what_is_proved() -> None:
    games = [*lost_games(3), winner(RECORD)]
    first = build(BuildTask(1, OPENING, None, games, seconds=900))
    assert first.proofs
    again = build(BuildTask(1, OPENING, None, games, seconds=0, proofs=first.proofs))
    assert again == first
    won_only = build(BuildTask(1, OPENING, None, games[-1:], seconds=0, proofs=first.proofs))
    positions = set(trail_of(OPENING, games[-1], version=1).digests)
    assert won_only.proofs.keys() <= positions, "nothing is left of games that no longer count"


def test_a_players_own_step_at_the_key_move() -> None:
    n, tokens = losing_game()
    key = digest_of(table_after(OPENING, tokens[:n], version=1))
    assert step_from(trail(tokens), key) == (tokens[n], trail(tokens).digests[-1])
    undone = trail([*tokens, "u", RECORD.tokens[n]])
    assert step_from(undone, key) == (RECORD.tokens[n], undone.digests[-1])
    assert step_from(trail(tokens[:n]), key) is None


def test_the_winners_path_ends_where_they_part() -> None:
    n, tokens = losing_game()
    whole, parted = trail(list(RECORD.tokens)), trail(tokens)
    assert common_path([whole]) == []
    assert common_path([whole, whole, parted]) == list(RECORD.tokens)
    assert common_path([whole, whole, parted, parted]) == tokens[:n]
