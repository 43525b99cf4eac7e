"""Rules versions: a record is replayed by the rules it was played under, whatever rulings follow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.rules import (
    CATALOGUE,
    GAMES,
    RULES_VERSION,
    RULESETS,
    End,
    OptionError,
    Record,
    RecordError,
    Ruleset,
    from_position,
    open_table,
    replay,
)
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.tokens import DRAW, Move
from games.rules.variants.labyrinth import Labyrinth
from tests.rules.golden import games_of

NEXT = RULES_VERSION + 1


class PatientLabyrinth(Labyrinth):
    """Labyrinth under another ruling: no row is dealt while a card can be played."""

    __slots__ = ()

    def _legal(self) -> list[str]:
        legal = super()._legal()
        return [token for token in legal if token != "d"] or legal

    def _allows(self, move: Move) -> bool:
        return super()._allows(move) and (move[0] != DRAW or self._legal() == ["d"])

    def _reason(self, move: Move) -> IllegalMoveReason:
        return IllegalMoveReason(Why.STOCK_NOT_EMPTY) if move[0] == DRAW and self.stock else super()._reason(move)


@pytest.fixture
def new_ruling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a version with the other ruling next to the released ones."""
    monkeypatch.setitem(RULESETS, NEXT, Ruleset(NEXT, {**GAMES, "labyrinth": PatientLabyrinth}, CATALOGUE))


def hasty_record() -> Record:
    """Record a game in which a row is dealt although a card could be played."""
    for number in range(100):
        seed = bytes([number]) * 32
        table = open_table("labyrinth", seed)
        play = table.legal_moves()[0]
        if play != "d":
            return Record(
                RULES_VERSION, "labyrinth", None, seed, ("d", "u", play, "d"), (1, 2, 3, 4), End("resigned", 5)
            )
    raise AssertionError("no such deal")


@pytest.mark.usefixtures("new_ruling")
def test_an_old_record_replays_under_its_own_rules() -> None:
    record = hasty_record()
    assert replay(record).ok
    later = replay(replace(record, version=NEXT))
    assert later.failure is not None
    assert (later.failure.index, later.failure.token) == (0, "d")
    assert later.failure.reason == "the stock is not empty"


@pytest.mark.usefixtures("new_ruling")
def test_both_forms_of_a_record_keep_the_version() -> None:
    for version in (RULES_VERSION, NEXT):
        record = replace(hasty_record(), version=version)
        assert record.to_json()["rules"] == version
        for again in (Record.from_json(record.to_json()), Record.from_bytes(record.to_bytes())):
            assert again == record
            assert replay(again).ok == (version == RULES_VERSION)


@pytest.mark.usefixtures("new_ruling")
def test_tables_and_positions_are_opened_under_either_version() -> None:
    seed = hasty_record().seed
    old, new = open_table("labyrinth", seed), open_table("labyrinth", seed, version=NEXT)
    assert "d" in old.legal_moves()
    assert "d" not in new.legal_moves()
    assert from_position(old.position(), version=RULES_VERSION).legal_moves() == old.legal_moves()
    assert from_position(new.position(), version=NEXT).legal_moves() == new.legal_moves()


@pytest.mark.usefixtures("new_ruling")
def test_stored_games_ignore_a_new_version() -> None:
    for game in games_of("labyrinth"):
        assert replay(game.record).ok == game.expected["ok"]


def test_a_version_that_does_not_exist_is_refused() -> None:
    text = {**hasty_record().to_json(), "rules": NEXT}
    with pytest.raises(RecordError, match="version"):
        Record.from_json(text)
    with pytest.raises(OptionError, match="version"):
        open_table("labyrinth", bytes(32), version=NEXT)


def test_a_packed_record_of_a_later_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(RULESETS, NEXT, Ruleset(NEXT, GAMES, CATALOGUE))
        packed = replace(hasty_record(), version=NEXT).to_bytes()
    with pytest.raises(RecordError, match="rules version"):
        Record.from_bytes(packed)


def test_a_variant_keeps_the_options_of_its_records_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version may give the name to another game without affecting older records."""
    changed = {**CATALOGUE, "pigtail": CATALOGUE["braid"]}
    monkeypatch.setitem(RULESETS, NEXT, Ruleset(NEXT, GAMES, changed))
    assert open_table("pigtail", bytes(32), version=NEXT).rounds_left == 2
    assert open_table("pigtail", bytes(32), version=RULES_VERSION).rounds_left == 3
