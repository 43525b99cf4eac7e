"""Records of random games: both forms round-trip, and replaying agrees with the reference."""

from __future__ import annotations

import json
import random
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import MAX_TOKENS, End, IllegalMoveError, Record, RecordError, RecordFullError, open_table, replay
from tests.rules.profile import examples
from tests.rules.reference import SlowTable
from tests.rules.walks import Walk, walks

How = Literal["won", "resigned", "closed"]


def recorded(walk: Walk, pauses: random.Random, how: How) -> tuple[Record, SlowTable]:
    slow = walk.open_slow()
    tokens, clock, now = [], [], 0
    for token in walk.choose(slow):
        slow.play(token)
        now += pauses.choice([0, 1, 127, 128, 900, 16_384, 2**31])
        tokens.append(token)
        clock.append(now)
    end = End("won", now) if slow.won else End(how, now + pauses.randrange(10**6))
    return Record(1, walk.name, walk.options, walk.seed, tuple(tokens), tuple(clock), end), slow


@given(walk=walks(), dice=st.integers(0, 2**32), how=st.sampled_from(["resigned", "closed"]))
@examples(30)
def test_both_forms_round_trip(walk: Walk, dice: int, how: How) -> None:
    record, _ = recorded(walk, random.Random(dice), how)
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    packed = record.to_bytes()
    assert Record.from_bytes(packed) == record
    assert Record.from_json(record.to_json()).to_bytes() == packed
    assert len(packed) < len(json.dumps(record.to_json()))


@given(walk=walks(), dice=st.integers(0, 2**32), how=st.sampled_from(["resigned", "closed"]))
@examples(30)
def test_replaying_matches_the_reference(walk: Walk, dice: int, how: How) -> None:
    record, slow = recorded(walk, random.Random(dice), how)
    result = replay(record)
    assert result.ok
    assert (result.won, result.cards_up, result.goal) == (slow.won, slow.cards_up, slow.goal)
    assert (result.tokens, result.elapsed_ms, result.how) == (len(record.tokens), record.end.ms, record.end.how)
    assert result.table.view() == slow.view()


@pytest.mark.parametrize("name", ["labyrinth", "tarot"])
def test_the_token_after_the_five_thousandth_is_refused(name: str) -> None:
    """Undo counts like any other token, and the full table stays unchanged."""
    table = open_table(name, bytes([7]) * 32)
    first = table.legal_moves()[0]
    tokens = [first, "u"] * (MAX_TOKENS // 2)
    assert MAX_TOKENS == 5000
    for token in tokens:
        table.push(token)
    before = table.position(), table.view()
    for token in (first, "u"):
        with pytest.raises(RecordFullError, match="5,000 tokens") as caught:
            table.push(token)
        assert caught.value.code == "record_full"
    assert not table.can_undo
    assert issubclass(RecordFullError, IllegalMoveError)
    assert (table.position(), table.view()) == before
    record = Record(1, name, None, bytes([7]) * 32, tuple(tokens), tuple(range(5000)), End("closed", 5000))
    assert replay(record).ok
    assert Record.from_bytes(record.to_bytes()) == record
    with pytest.raises(RecordError, match="5,000"):
        Record(1, name, None, bytes([7]) * 32, (*tokens, first), tuple(range(5001)), End("closed", 5001))
