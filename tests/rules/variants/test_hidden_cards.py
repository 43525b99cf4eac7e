"""Hidden cards make no difference to what the player is shown."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import IllegalMoveError, Table, from_position, open_table, shuffled_deck
from tests.rules.profile import examples
from tests.rules.reference import SlowTable
from tests.rules.walks import Walk, walks

DICE = st.integers(0, 2**32)


class Marked(str):
    """A card that knows its place in the deck, to distinguish two equal cards."""

    __slots__ = ("place",)
    place: int


def marked(deck: list[str]) -> list[str]:
    cards = []
    for place, name in enumerate(deck):
        card = Marked(name)
        card.place = place
        cards.append(card)
    return list(cards)


def seen_places(slow: SlowTable) -> set[int]:
    """Return the deck places of all cards in view."""
    listed = (card for cards in slow.view()["piles"].values() for card in cards)
    return {card.place for card in listed if isinstance(card, Marked)}


def rearranged(cards: list[str], places: Iterable[int], dice: random.Random) -> list[str]:
    """Shuffle the cards at some places of a list among themselves."""
    moved = sorted(places)
    others = dice.sample(moved, len(moved))
    after = list(cards)
    for place, other in zip(moved, others, strict=True):
        after[place] = cards[other]
    return after


@given(walk=walks(longest=100), dice=DICE)
@examples(40)
def test_deals_that_differ_in_unseen_cards_look_the_same(walk: Walk, dice: int) -> None:
    """Covers a whole game that shows none of the cards in which the deals differ."""
    slow = SlowTable(walk.game, marked(walk.open_slow().deck), walk.open_slow().options)
    seen = seen_places(slow)
    played = []
    for token in walk.choose(slow):
        slow.play(token)
        played.append(token)
        seen |= seen_places(slow)
    deck = [str(card) for card in slow.deck]
    other = rearranged(deck, set(range(len(deck))) - seen, random.Random(dice))
    one, two = (open_table(slow.game, deck=cards, options=slow.options) for cards in (deck, other))
    check_alike(one, two)
    for token in played:
        one.push(token)
        two.push(token)
        assert one.view_changes() == two.view_changes()
        assert one.is_stuck == two.is_stuck
        check_alike(one, two)
    check_refusals_alike(one, two)


@pytest.mark.parametrize("name", ["tarot", "tarot-novice", "tarot-adept"])
def test_stuck_reveals_nothing_of_an_unseen_stock(name: str) -> None:
    """Deals that open without a play are turned through beside others that agree in the cards seen so far."""
    dice = random.Random(random.getrandbits(64))
    turned = 0
    while turned < 20:
        deck = shuffled_deck("tarot", dice.randbytes(32))
        table = open_table(name, deck=deck)
        while set(table.legal_moves()) == {"d"}:
            seen = len(deck) - len(table.pile("s"))
            other = open_table(name, deck=deck[:seen] + dice.sample(deck[seen:], len(deck) - seen))
            for token in table.moves:
                other.push(token)
            assert other.view() == table.view()
            assert other.is_stuck == table.is_stuck
            table.push("d")
            turned += 1


@given(walk=walks(longest=100), dice=DICE)
@examples(40)
def test_positions_that_differ_in_hidden_cards_look_the_same(walk: Walk, dice: int) -> None:
    """Cards that were seen and then covered count as hidden too; neither view nor legal moves reveal them."""
    table, slow = walk.open(), walk.open_slow()
    for token in walk.choose(slow):
        slow.play(token)
        table.push(token)
    text = table.position()
    other = with_hidden_cards_moved(text, slow, random.Random(dice))
    one, two = from_position(text), from_position(other)
    check_alike(one, two)
    check_refusals_alike(one, two)


def with_hidden_cards_moved(text: str, slow: SlowTable, dice: random.Random) -> str:
    """Rewrite a position with the cards out of view shuffled among themselves."""
    head, *fields = text.split(" | ")
    slots, hidden = [], []
    view = slow.view()
    for number, field in enumerate(fields):
        pile, _, written = field.partition(" ")
        if not written:
            continue
        for place, card in enumerate(written.split(".")):
            slots.append((number, card.lstrip("*")))
            if card.startswith("*") or place < view["under"].get(pile, 0):
                hidden.append(len(slots) - 1)
    cards = rearranged([card for _, card in slots], hidden, dice)
    refilled = iter(cards)
    for number, field in enumerate(fields):
        pile, _, written = field.partition(" ")
        if written:
            new = [("*" if card.startswith("*") else "") + next(refilled) for card in written.split(".")]
            fields[number] = f"{pile} {'.'.join(new)}"
    return " | ".join([head, *fields])


def check_alike(one: Table, two: Table) -> None:
    assert one.view() == two.view()
    assert one.legal_moves() == two.legal_moves()
    assert repr(one) == repr(two)


def check_refusals_alike(one: Table, two: Table) -> None:
    """Check that refusals have the same words: a reason must not reveal hidden cards."""
    names = sorted(one.view()["piles"])[:40]
    tokens = ["d", "n", "up", "down"] + [f"{name}-f" for name in names if name[0] != "f"]
    tokens += [f"{source}-t{number}" for source in ("t0", "t1", "w", "r", "r1", "s") for number in range(6)]
    tokens += [f"t{number}-t{number + 1}x{count}" for number in range(5) for count in range(2, 6)]
    for token in tokens:
        assert refusal(one, token) == refusal(two, token)


def refusal(table: Table, token: str) -> str | None:
    if table.is_legal(token):
        return None
    try:
        table.push(token)
    except IllegalMoveError as error:
        return str(error)
    except ValueError as error:
        return str(error)
    raise AssertionError(f"{token} is not legal, but was taken")
