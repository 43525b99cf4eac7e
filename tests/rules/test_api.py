"""Public interface of the rules library: what it accepts, returns and refuses."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from games.rules import (
    CATALOGUE,
    DeckError,
    IllegalMoveError,
    OptionError,
    SeedError,
    Table,
    commitment,
    from_position,
    open_table,
    shuffled_deck,
)

SEED = bytes(range(32))


def played(name: str, tokens: int, seed: bytes = SEED) -> Table:
    rng = random.Random(name)
    table = open_table(name, seed)
    while table.token_count < tokens and (legal := table.legal_moves()):
        table.push(rng.choice(legal))
    return table


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        ("AS 2S", "a deck is a list"),
        ([], "missing"),
        (["AS"] * 52, "card 1: AS is in the deck too often"),
        (["1S"], "card 0"),
        ([None], "card 0"),
        ([["AS"]], "card 0"),
        (["M1"], "card 0"),
    ],
)
def test_a_wrong_deck_is_refused_at_the_first_wrong_card(deck: Any, said: str) -> None:
    with pytest.raises(DeckError, match=said):
        open_table("stonewall", deck=deck)


def test_the_aces_are_no_part_of_labyrinths_deck() -> None:
    deck = shuffled_deck("labyrinth", SEED)
    assert len(deck) == 48
    with pytest.raises(DeckError, match="AS"):
        open_table("labyrinth", deck=["AS", *deck[1:]])


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33), "00" * 32, 7, [0] * 32])
def test_a_seed_is_32_bytes(seed: Any) -> None:
    for call in (commitment, lambda it: open_table("braid", it), lambda it: shuffled_deck("braid", it)):
        with pytest.raises(SeedError):
            call(seed)


def test_a_table_needs_a_seed_or_a_deck_not_both() -> None:
    with pytest.raises(SeedError):
        open_table("braid")
    with pytest.raises(SeedError):
        open_table("braid", SEED, deck=shuffled_deck("braid", SEED))


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("klondike", None, "klondike"),
        ("", None, "no variant or game"),
        (None, None, "no variant or game"),
        (["braid"], None, "no variant or game"),
        ("braid", {"redeals": 4}, "redeals is one of 2, 3"),
        ("braid", {"redeals": True}, "redeals"),
        ("braid", {"redeals": 2.0}, "redeals"),
        ("braid", {"passes": 3}, "no option 'passes'"),
        ("braid", ["redeals"], "names with values"),
        ("braid", {1: 2}, "no option"),
        ("tarot", {"first_row": 1}, "first_row is one of true, false"),
        ("tarot", {"draw": "2"}, "draw"),
        ("pigtail", {"redeals": 2}, "options are fixed"),
        ("plot", {"fool": "wild"}, "no option"),
    ],
)
def test_wrong_names_and_options_are_refused(name: Any, options: Any, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        open_table(name, SEED, options)


@pytest.mark.parametrize("version", [0, 2, -1, "1", None, 1.5])
def test_an_unknown_rules_version_is_refused(version: Any) -> None:
    with pytest.raises(OptionError, match="rules version"):
        open_table("braid", SEED, version=version)


def test_options_left_out_are_the_standard_ones() -> None:
    assert open_table("tarot", SEED, {"draw": 1}).options == {"first_row": True, "draw": 1, "fool": "wild"}


def test_an_illegal_move_explains_itself_and_changes_nothing() -> None:
    table = open_table("tarot", SEED)
    before = table.view()
    with pytest.raises(IllegalMoveError, match="n: the stock is not empty") as caught:
        table.push("n")
    assert (caught.value.token, caught.value.reason) == ("n", "the stock is not empty")
    assert caught.value.code == "illegal_move"
    assert table.view() == before


def test_pop_is_the_inverse_of_push() -> None:
    table = open_table("plot", SEED)
    with pytest.raises(IllegalMoveError) as caught:
        table.pop()
    assert caught.value.token == "u"
    table.push("d")
    assert table.pop() == "d"
    assert table.token_count == 0


def plays(table: Table) -> list[str]:
    return [token for token in table.legal_moves() if token not in ("d", "n")]


def test_tarot_is_stuck_once_the_known_stock_opens_nothing() -> None:
    """Turns the cards of random positions: never stuck before the last card is turned, nor after that is undone."""
    rng = random.Random(random.getrandbits(64))
    seen: Counter[bool] = Counter()
    while min(seen[True], seen[False]) < 2:
        table = from_position(crowded_tarot(rng))
        while table.stock:
            assert not table.is_stuck
            table.push("d")
        stuck = never_plays(table.position())
        assert table.is_stuck == stuck
        table.push("n")
        assert table.is_stuck == (stuck or never_plays(table.position()))
        table.push("u")
        assert table.is_stuck == stuck
        table.push("u")
        assert not table.is_stuck
        seen[stuck] += 1


def crowded_tarot(rng: random.Random) -> str:
    """Return a position of Tarot with nearly all cards in the piles, so that there is often no play."""
    cards = [*(rank + suit for suit in "WCSP" for rank in "A23456789TPNQK"), *(f"M{number}" for number in range(22))]
    rng.shuffle(cards)
    piles = [".".join(["*" + card for card in cards[at : at + 7]] + [cards[at + 7]]) for at in range(0, 72, 8)]
    fields = [f"t{index} {pile}" for index, pile in enumerate(piles)]
    fields += [f"w {'.'.join(cards[72:74])}", f"s {'.'.join(cards[74:])}"]
    return " | ".join([f"tarot draw={rng.choice([1, 3])} fool=trump", *fields])


def never_plays(position: str) -> bool:
    """Return whether turning cards for the rest of the round and one whole round more opens no play."""
    turning = from_position(position)
    rounds = 0
    while not plays(turning):
        token = turning.legal_moves()[-1]
        rounds += token == "n"
        if rounds == 2:
            return True
        turning.push(token)
    return False


def test_a_view_is_json_and_a_fresh_copy() -> None:
    for name in CATALOGUE:
        table = played(name, 30)
        view = table.view()
        assert json.loads(json.dumps(view)) == view
        view["piles"]["t0"].append("XX")
        view["options"]["more"] = 1
        assert "XX" not in table.view()["piles"]["t0"]
        assert "more" not in table.options


def test_repr_reveals_nothing_hidden() -> None:
    assert repr(open_table("plot", SEED)) == "<Plot 1/104 after 0 tokens>"
