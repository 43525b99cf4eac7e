"""Fuzz tests: any input to the rules gives a result or one of their own errors."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from games.rules import End, InvalidTokenError, Record, RulesError, TokenError, from_position, open_table, replay
from tests.rules.mutations import STRANGE, TOKENS, bent_bytes, bent_json, bent_tokens, resealed, sample_records, spoiled

INPUTS = 1_500
"""Inputs of each kind: others in every run, which `--randomly-seed` repeats."""

Feed = Callable[[random.Random, Record], bool]


def taken(act: Callable[[], object]) -> bool:
    """Return whether an input is accepted; any error but the library's own fails the test."""
    try:
        act()
    except RulesError as error:
        refusal = error
    else:
        return True
    assert refusal.code
    assert 0 < len(str(refusal).encode()) < 400
    return False


def read_packed(data: bytes) -> None:
    """Read a packed record and check that it can be played and is written back unchanged."""
    record = Record.from_bytes(data)
    assert record.to_bytes() == data
    play(record)


def play(record: Record) -> None:
    """Replay a record and check that a failure is reported as a value with a place."""
    result = replay(record)
    json.dumps(result.to_json())
    if result.failure:
        assert 0 <= result.failure.index <= len(record.tokens)
        assert result.tokens == result.failure.index
        assert result.failure.reason
        assert (result.failure.token or "").isprintable()
    else:
        assert result.tokens == len(record.tokens)


def feed_raw_bytes(dice: random.Random, record: Record) -> bool:
    data = bent_bytes(dice, record.to_bytes())
    return taken(lambda: read_packed(data))


def feed_sealed_bytes(dice: random.Random, record: Record) -> bool:
    data = resealed(bent_bytes(dice, record.to_bytes()))
    return taken(lambda: read_packed(data))


def feed_json(dice: random.Random, record: Record) -> bool:
    data = bent_json(dice, record.to_json())

    def read() -> None:
        again = Record.from_json(data)
        assert Record.from_json(json.loads(json.dumps(again.to_json()))) == again
        play(again)
        taken(again.to_bytes)

    return taken(read)


def feed_tokens(dice: random.Random, record: Record) -> bool:
    tokens = bent_tokens(dice, record.tokens)
    clock = tuple(range(len(tokens)))
    good = False

    def read() -> None:
        nonlocal good
        bent = Record(1, record.name, record.options, record.seed, tokens, clock, End("resigned", len(tokens)))
        play(bent)
        good = replay(bent).ok

    return taken(read) and good


def feed_position(dice: random.Random, record: Record) -> bool:
    table = record.open_table()
    for token in record.tokens:
        table.push(token)
    text = table.position()
    words = text.split(" ")
    for _ in range(dice.choice([1, 1, 2, 3])):
        place, other = dice.randrange(len(words)), dice.randrange(len(words))
        if dice.random() < 0.5:
            words[place] = spoiled(dice, words[place])
        elif dice.random() < 0.2:
            words[place] = words[place][: dice.randrange(9)] + dice.choice([" | ", ".", "*", "="])
        else:
            words[place], words[other] = words[other], words[place]

    def read() -> None:
        again = from_position(" ".join(words))
        assert again.position() == " ".join(words)
        assert from_position(again.position()).legal_moves() == again.legal_moves()
        for token in again.legal_moves():
            again.push(token)
            again.pop()
        assert again.view()["goal"] == table.goal

    return taken(read)


@pytest.mark.parametrize("feed", [feed_raw_bytes, feed_sealed_bytes, feed_json, feed_tokens, feed_position])
def test_damaged_input_is_refused_by_the_rules_own_errors(feed: Feed) -> None:
    dice = random.Random(random.getrandbits(64))
    records = sample_records(dice)
    outcomes = Counter(feed(dice, dice.choice(records)) for _ in range(INPUTS))
    assert outcomes[False] > INPUTS // 2
    if feed not in (feed_raw_bytes, feed_position):
        assert outcomes[True] > INPUTS // 50, "too few inputs get through to test what follows"


@pytest.mark.parametrize("name", ["braid", "labyrinth", "tarot", "plot", "stonewall"])
def test_random_text_is_no_token(name: str) -> None:
    """`is_legal` never raises, and a token it denies is refused with the token and a reason."""
    table = open_table(name, bytes(32))
    for strange in [*STRANGE, *TOKENS]:
        if table.is_legal(strange):
            assert strange in table.legal_moves()
            continue
        before = table.position(), table.view()
        with pytest.raises(TokenError) as caught:
            table.push(strange)
        assert caught.value.reason
        assert isinstance(caught.value, InvalidTokenError) or isinstance(strange, str)
        assert (table.position(), table.view()) == before


@pytest.mark.parametrize("strange", STRANGE, ids=lambda value: type(value).__name__)
def test_random_input_is_no_table_or_record(strange: Any) -> None:
    for act in (
        lambda: open_table(strange, bytes(32)),
        lambda: open_table("tarot", strange),
        lambda: open_table("tarot", deck=strange),
        lambda: open_table("tarot", bytes(32), version=strange),
        lambda: open_table("tarot", bytes(32), {"draw": strange}),
        lambda: from_position(strange),
        lambda: Record.from_json(strange),
        lambda: Record.from_bytes(strange),
    ):
        taken(act)
