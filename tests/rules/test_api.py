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
    InvalidTokenError,
    OptionError,
    PositionError,
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


@pytest.mark.parametrize(
    "token",
    [
        *("", " ", "t0-f ", "u ", "t" * 999, None, 3, b"d", ["d"], {"d": 1}, ("d",), 1.5),
        *["x", "t0", "t0-", "-f", "T0-f", "t00-f", "t0-f0", "f0-t0", "t0-t0", "t12-f", "t0-t12", "t0-fx2"],
        *["w-w", "dd", "t0-t1-t2"],
        *["t0-t1x1", "t0-t1x02", "t0-t1x", "t0-t1x-2", "t0-t1x²", "t0-t1x79"],
    ],
)
def test_invalid_and_illegal_tokens_of_tarot_differ(token: Any) -> None:
    table = open_table("tarot", SEED)
    before = table.position()
    assert table.is_legal(token) is False
    with pytest.raises(InvalidTokenError):
        table.push(token)
    assert (table.position(), table.token_count, table.moves) == (before, 0, ())


@pytest.mark.parametrize("name", ["braid", "labyrinth", "plot"])
def test_only_tarot_and_stonewall_have_units(name: str) -> None:
    with pytest.raises(InvalidTokenError, match="one card at a time"):
        open_table(name, SEED).push("t0-t1x2")


def test_an_illegal_move_explains_itself_and_changes_nothing() -> None:
    table = open_table("tarot", SEED)
    before = table.view()
    with pytest.raises(IllegalMoveError, match="n: the stock is not empty") as caught:
        table.push("n")
    assert (caught.value.token, caught.value.reason) == ("n", "the stock is not empty")
    assert caught.value.code == "illegal_move"
    assert table.view() == before


@pytest.mark.parametrize("name", CATALOGUE)
def test_refusals_have_reasons_and_name_no_hidden_card(name: str) -> None:
    rng = random.Random(1)
    table = played(name, 60)
    pairs = [f"{a}-{b}" for a in table.VOCABULARY.piles for b in (*table.VOCABULARY.piles, "f") if a != b]
    units = [f"{pair}x{count}" for pair in pairs for count in (2, 5)] if table.VOCABULARY.largest_unit > 1 else []
    seen = {card for pile in table.view()["piles"].values() for card in pile if card}
    for token in [*rng.sample(pairs + units, min(600, len(pairs + units))), "d", "n", "up", "down"]:
        if table.is_legal(token) or token.endswith(("-fx2", "-fx5")):
            continue
        with pytest.raises(IllegalMoveError) as caught:
            table.push(token)
        assert caught.value.reason
        named = {word.strip(",.:;") for word in caught.value.reason.split()} & set(table.DECK.names)
        assert named <= seen


def test_undo_counts_as_a_token_but_not_as_legal() -> None:
    table = open_table("plot", SEED)
    assert not open_table("plot", SEED).can_undo
    with pytest.raises(IllegalMoveError, match="no move to undo"):
        table.push("u")
    table.push("d")
    before = table.position()
    table.push("d")
    assert "u" not in table.legal_moves()
    assert not table.is_legal("u")
    assert table.can_undo
    table.push("u")
    assert (table.position(), table.moves, table.token_count) == (before, ("d",), 3)


def test_the_direction_is_undone_like_any_move() -> None:
    table = open_table("braid-either", SEED)
    assert table.legal_moves() == ["up", "down"]
    for token in ("down", "u", "up"):
        table.push(token)
        assert table.view_changes()["piles"] == {}
    assert table.view()["direction"] == "up"
    with pytest.raises(IllegalMoveError, match="direction is already chosen"):
        table.push("down")


def test_pop_is_the_inverse_of_push() -> None:
    table = open_table("plot", SEED)
    with pytest.raises(IllegalMoveError) as caught:
        table.pop()
    assert caught.value.token == "u"
    table.push("d")
    assert table.pop() == "d"
    assert table.token_count == 0


def nearly_won() -> Table:
    up = ".".join
    ranks = "A23456789TJQK"
    suits = [up(rank + suit for rank in ranks) for suit in "SHD"]
    return from_position(
        f"stonewall | t0 KC | f0 {suits[0]} | f1 {suits[1]} | f2 {suits[2]} | f3 " + up(r + "C" for r in ranks[:-1])
    )


def test_a_won_game_is_over() -> None:
    table = nearly_won()
    assert table.legal_moves() == ["t0-f"]
    table.push("t0-f")
    assert table.is_won
    assert not table.is_stuck
    assert table.legal_moves() == []
    for token in ("u", "t0-f", "d"):
        with pytest.raises(IllegalMoveError, match="won") as caught:
            table.push(token)
        assert caught.value.token == token


def test_a_game_of_tarot_is_won_wherever_the_fool_lies() -> None:
    suits = [".".join(rank + suit for rank in "A23456789TPNQK") for suit in "WCSP"]
    foundations = " | ".join(f"f{slot} {cards}" for slot, cards in enumerate(suits))
    trumps = ".".join(f"M{number}" for number in range(1, 21))
    table = from_position(f"tarot | t0 M21.M0 | {foundations} | f4 {trumps}")
    assert "t0-t1" in table.legal_moves()
    table.push("t0-t1")
    table.push("t0-f")
    assert table.is_won
    assert table.cards_up == table.goal == 77
    assert table.legal_moves() == []


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


@pytest.mark.parametrize("text", [None, 3, "", "plot", "x" * 5000, "tarot fool=", "labyrinth | rows", "plot | t0 "])
def test_unreadable_positions_are_refused(text: Any) -> None:
    with pytest.raises(PositionError):
        from_position(text)
