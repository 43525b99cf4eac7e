"""Analysis search: inference between positions, results for games with known verdicts, and resuming."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import pytest

from games.analysis import game_search
from games.analysis.findings import Findings, Turn, turns_of
from games.analysis.game_search import AnalysisSearch, Task, next_to_try
from games.analysis.positions import LOST, UNKNOWN, Positions
from games.rules import from_position, open_table
from games.solver import Budget, Effort, GaveUp, Solution, TokensError, check_solution, solve
from tests.factories import won_records

RECORD = won_records("labyrinth")[0]
OPENING = RECORD.open_table().position()
LOSING = open_table("labyrinth", bytes(32)).position()


def wrong_at(n: int) -> list[str]:
    """Return the line's first n moves and a losing one, found with the solver."""
    table = from_position(OPENING)
    for token in RECORD.tokens[:n]:
        table.push(token)
    for token in table.legal_moves():
        table.push(token)
        if not table.is_won and not isinstance(solve(table, Budget(nodes=300_000)), Solution):
            return [*RECORD.tokens[:n], token]
        table.pop()
    return []


@cache
def losing_game() -> tuple[int, list[str]]:
    """Return the number of moves before the losing last move, and the tokens of the game."""
    return next((n, tokens) for n in range(len(RECORD.tokens)) if (tokens := wrong_at(n)))


def analysed(tokens: list[str], **task: object) -> Findings:
    (*_, last) = AnalysisSearch(Task(OPENING, tokens, seconds=900.0, **task)).run()  # type: ignore[arg-type]
    assert last.is_last
    return last.findings


def test_the_turning_point_and_the_remaining_winning_moves() -> None:
    n, tokens = losing_game()
    findings = analysed(tokens)
    assert all(verdict >= 0 for verdict in findings.verdicts[: n + 1])
    assert findings.verdicts[n + 1] == LOST
    (turn,) = findings.turns
    assert (turn.n, turn.to) == (n, n + 1)
    assert tokens[n] not in dict(turn.better)
    table = from_position(OPENING)
    for token in tokens[:n]:
        table.push(token)
    for token, moves in turn.better:
        table.push(token)
        assert moves > 0
        assert isinstance(solve(table, Budget(nodes=300_000)), Solution)
        table.pop()
    assert turn.better == sorted(turn.better, key=lambda move: move[1])


def test_stored_lines_win() -> None:
    _, tokens = losing_game()
    findings = analysed(tokens)
    assert findings.lines
    for n, line in findings.lines.items():
        table = from_position(OPENING)
        for token in tokens[:n]:
            table.push(token)
        check_solution(table, line.split())
        assert len(line.split()) == findings.verdicts[n]


def test_a_move_taken_back_loses_nothing() -> None:
    n, tokens = losing_game()
    findings = analysed([*tokens, "u", *RECORD.tokens[n : n + 2]])
    assert findings.verdicts[n + 1] == LOST
    assert min(findings.verdicts[n + 2 :]) >= 0
    assert [(turn.n, turn.to) for turn in findings.turns] == [(n, n + 1)]


def test_an_unwinnable_deal_is_lost_from_the_start() -> None:
    table = from_position(LOSING)
    tokens = []
    for _ in range(5):
        tokens.append(table.legal_moves()[0])
        table.push(tokens[-1])
    (*_, last) = AnalysisSearch(Task(LOSING, tokens, seconds=900.0)).run()
    assert last.findings == Findings([LOST] * 6)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    searched: list[str] = []

    def counted(table: object, budget: Budget) -> object:
        if budget.nodes > 1:
            searched.append(table.position())  # type: ignore[attr-defined]
        return solve(table, budget)  # type: ignore[arg-type]

    monkeypatch.setattr(game_search, "solve", counted)
    return searched


def test_a_won_game_with_certificate_needs_no_search(searches: list[str]) -> None:
    assert analysed(list(RECORD.tokens)).verdicts == list(range(len(RECORD.tokens), -1, -1))
    assert analysed(list(RECORD.tokens[:9]), line=list(RECORD.tokens)).verdicts[9] == len(RECORD.tokens) - 9
    assert not searches


def test_each_search_settles_half_of_the_unknown_positions(searches: list[str]) -> None:
    analysed(list(RECORD.tokens[:31]))
    assert len(searches) <= 6 * len(game_search.EFFORTS)


def test_a_search_resumes_from_known_positions(searches: list[str]) -> None:
    _, tokens = losing_game()
    searches.clear()
    before = analysed(tokens)
    searches.clear()
    after = analysed(tokens, known=Findings(before.verdicts, before.lines))
    assert after.verdicts == before.verdicts
    decided = {from_position(OPENING).position()}
    assert not decided & set(searches)


def test_a_search_without_time_finds_nothing() -> None:
    (*_, last) = AnalysisSearch(Task(OPENING, list(RECORD.tokens[:4]), seconds=1e-6)).run()
    assert last.findings == Findings([UNKNOWN] * 5, {}, [])


@dataclass
class Clock:
    """Fake clock that advances only during searches, by a fixed time for each position."""

    each: float
    now: float = 0.0
    limits: list[float] = field(default_factory=list)

    def solve(self, _table: object, budget: Budget) -> GaveUp:
        assert budget.seconds is not None, "every search has a time limit"
        self.limits.append(budget.seconds)
        self.now += min(self.each, budget.seconds)
        return GaveUp("seconds", Effort(1, 1, 0.0))


def timed(monkeypatch: pytest.MonkeyPatch, each: float) -> Clock:
    clock = Clock(each)
    monkeypatch.setattr("games.analysis.game_search.time.monotonic", lambda: clock.now)
    monkeypatch.setattr(game_search, "solve", clock.solve)
    return clock


def test_no_search_exceeds_the_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = timed(monkeypatch, 1e9)
    (*_, last) = AnalysisSearch(Task(OPENING, list(RECORD.tokens[:9]), seconds=40.0)).run()
    assert last.is_last
    assert clock.limits == [pytest.approx(40.0 * (1 - game_search.RESERVED))]


def test_positions_of_the_game_get_their_share_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = timed(monkeypatch, 1.0)
    list(AnalysisSearch(Task(OPENING, list(RECORD.tokens[:31]), seconds=20.0)).run())
    assert len(clock.limits) == 15
    assert clock.now == pytest.approx(20.0 * (1 - game_search.RESERVED))
    assert clock.limits == sorted(clock.limits, reverse=True)


def test_the_time_limit_includes_other_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    n, tokens = losing_game()
    known = Findings([len(RECORD.tokens) - at for at in range(n + 1)] + [LOST], {0: " ".join(RECORD.tokens)})
    clock = timed(monkeypatch, 1e9)
    (*_, last) = AnalysisSearch(Task(OPENING, tokens, known=known, seconds=2.5)).run()
    assert last.findings.turns[0].unknown > 0, "with more effort it would be searched again"
    assert clock.limits == [pytest.approx(2.5)]


STONEWALL = won_records("stonewall")[0]
LINE = STONEWALL.tokens


def positions(*tokens: str) -> Positions:
    return Positions(STONEWALL.open_table(), tokens)


def other_than(*played: str) -> str:
    table = STONEWALL.open_table()
    for token in played:
        table.push(token)
    return next(token for token in table.legal_moves() if token != LINE[len(played)])


def test_a_position_before_a_won_one_is_won() -> None:
    found = positions(*LINE[:6])
    found.won(found.at[4], LINE[4:])
    assert found.verdicts()[:5] == [len(LINE) - n for n in range(5)]
    assert found.line(found.at[1]) == LINE[1:]


def test_every_position_on_a_winning_line_is_won() -> None:
    found = positions(*LINE[:6])
    found.won(found.at[0], LINE)
    assert found.verdicts() == [len(LINE) - n for n in range(7)]


def test_positions_after_a_lost_one_are_lost() -> None:
    found = positions(*LINE[:6])
    found.lost(found.at[3])
    assert found.verdicts() == [UNKNOWN] * 3 + [LOST] * 4


def test_an_undo_leads_back_to_the_earlier_position() -> None:
    found = positions(*LINE[:2], other_than(*LINE[:2]), "u", *LINE[2:4])
    assert found.at[2] == found.at[4]
    found.lost(found.at[3])
    assert found.verdicts() == [UNKNOWN, UNKNOWN, UNKNOWN, LOST, UNKNOWN, UNKNOWN, UNKNOWN]
    found.won(found.at[5], LINE[3:])
    assert [verdict >= 0 for verdict in found.verdicts()] == [True, True, True, False, True, True, True]


def test_all_positions_of_a_win_are_won() -> None:
    found = positions(*LINE)
    assert found.verdicts() == list(range(len(LINE), -1, -1))


def test_a_line_that_does_not_win_is_rejected() -> None:
    found = positions(*LINE[:6])
    with pytest.raises(TokensError):
        found.won(found.at[0], LINE[:-1])
    assert set(found.verdicts()) == {UNKNOWN}


def test_an_unplayed_move_leads_to_its_own_position() -> None:
    found = positions(*LINE[:2])
    found.won(found.at[2], LINE[2:])
    assert found[found.follow(found.at[2], LINE[2])].verdict == len(LINE) - 3
    assert found[found.follow(found.at[2], other_than(*LINE[:2]))].verdict == UNKNOWN
    assert len(found.verdicts()) == 3


def test_the_middle_of_the_unknown_positions_comes_first() -> None:
    found = positions(*LINE[:9])
    tried: set[int] = set()
    assert next_to_try(found, tried) == found.at[5]
    found.lost(found.at[5])
    assert next_to_try(found, tried) == found.at[2]
    found.won(found.at[2], LINE[2:])
    found = positions(*LINE[:9])
    assert next_to_try(found, {found.at[5]}) in {found.at[2], found.at[7], found.at[8]}
    assert next_to_try(found, set(found.at)) is None


def test_turning_points_are_where_a_game_was_lost() -> None:
    assert turns_of([9, 8, 7, LOST, LOST]) == [Turn(2, 3)]
    assert turns_of([9, UNKNOWN, LOST]) == [Turn(0, 2)]
    assert turns_of([9, LOST, 9, 8, LOST, LOST]) == [Turn(0, 1), Turn(3, 4)]
    for never in ([LOST, LOST], [9, 8, 7], [9, UNKNOWN], [UNKNOWN, LOST]):
        assert turns_of(never) == []


def test_findings_are_stored_unchanged() -> None:
    findings = Findings([2, 1, LOST, UNKNOWN], {0: "t0-f d"}, [Turn(1, 2, [("d", 1)], 3)])
    assert Findings.unpack(findings.pack()) == findings
    assert len(Findings(list(range(400, 0, -1)), {0: " ".join(LINE)}).pack()) < 2000
