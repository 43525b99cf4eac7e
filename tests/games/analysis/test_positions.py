"""Inference between positions of a game, and the order in which they are searched."""

from __future__ import annotations

import pytest

from games.analysis.findings import Findings, Turn, turns_of
from games.analysis.positions import LOST, UNKNOWN, Positions
from games.analysis.search_process import next_to_try
from games.rules import open_table
from games.solver import TokensError
from tests.games import certified

RECORD = certified.won("stonewall")[0]
LINE = RECORD.tokens


def positions(*tokens: str) -> Positions:
    return Positions(RECORD.open_table(), tokens)


def other_than(*played: str) -> str:
    table = RECORD.open_table()
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


def test_the_line_of_the_record_wins() -> None:
    assert open_table("stonewall", RECORD.seed).position() == positions()[0].text
