"""Step-by-step comparison of the engine with the slow reference implementation of the rules."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

from games.rules import Table, from_position
from tests.rules.reference import SlowTable
from tests.rules.reference.state import names
from tests.rules.walks import Walk


def compare(walk: Walk, *, closely: bool = True) -> None:
    """Walk engine and reference side by side and check that they agree at every step.

    `closely` also checks taking back, view changes and the position text.
    """
    table, slow = walk.open(), walk.open_slow()
    for token in walk.opening:
        table.push(token)
        slow.play(token)
    check_same(table, slow)
    for token in walk.choose(slow):
        compare_step(table, slow, token, closely=closely)


def compare_step(table: Table, slow: SlowTable, token: str, *, closely: bool) -> None:
    if closely:
        check_push_and_pop(table, token)
    shown = table.view()
    table.push(token)
    slow.play(token)
    check_same(table, slow, spelled=closely or table.token_count % 4 == 0)
    if closely:
        assert changed(shown, table.view_changes()) == table.view()
        check_position_text(table)


def check_same(table: Table, slow: SlowTable, *, spelled: bool = True) -> None:
    """Check that both tables agree; `spelled` includes tokens that are mostly illegal, which takes half of the time."""
    legal = table.legal_moves()
    assert set(legal) == slow.legal()
    assert len(legal) == len(set(legal))
    assert all(table.is_legal(token) for token in legal)
    if spelled:
        tokens = spellings(slow.game)
        assert {token for token in tokens if table.is_legal(token)} == slow.legal() & tokens
    view = table.view()
    assert view == slow.view()
    assert (table.cards_up, table.goal, table.is_won) == (slow.cards_up, slow.goal, slow.won)
    assert (list(table.moves), table.token_count) == (slow.moves, slow.token_count)
    assert (table.can_undo, table.is_stuck) == (slow.can_undo, slow.stuck)
    check_cards(view, slow)


@cache
def spellings(game: str) -> frozenset[str]:
    """Return tokens that a player may think of, sensible or not; all but a few are illegal at any time."""
    sources = SPELLED[game]
    piles = [name for name in sources if name[0] == "t"][:12]
    pairs = [f"{one}-{two}" for one in sources for two in piles if one != two]
    tokens = ["d", "n", "u", "up", "down", "", "t0-t0", "t0-w", "t0-s", *pairs, *(f"{name}-f" for name in sources)]
    if game in ("tarot", "stonewall"):
        tokens += [f"{pair}x{count}" for pair in pairs for count in (2, 3, 4, 6) if pair[0] == "t"]
        tokens += ["w-t0x2", "r0-t0x2", "t0-t1x0", "t0-t1x1", "t0-t1x02", "t0-t1x60"]
    return frozenset(tokens)


SPELLED = {
    "braid": [*names("t", 12), "w", "r", "s", "f0"],
    "labyrinth": [*names("t", 48), "s", "f0"],
    "tarot": [*names("t", 9), "w", "s", "f0"],
    "plot": [*names("t", 12), "w", "r", "s", "f0"],
    "stonewall": [*names("t", 6), *names("r", 16), "s", "f0"],
}


def check_cards(view: dict[str, Any], slow: SlowTable) -> None:
    """Check that no card is lost, duplicated or invented, and that the view is ready for JSON."""
    deck = Counter(slow.deck)
    if slow.game == "labyrinth":
        deck.update(["AS", "AH", "AD", "AC"])
    lying = Counter(card for cards in slow.state.piles.values() for card in cards)
    assert lying == deck
    seen = [card for cards in view["piles"].values() for card in cards]
    assert len(seen) + sum(view["under"].values()) == deck.total()
    assert Counter(card for card in seen if card is not None) <= deck
    assert all(count > 0 for count in view["under"].values())
    assert json.loads(json.dumps(view)) == view


def state_of(table: Table) -> tuple[object, ...]:
    return (
        table.position(),
        table.view(),
        table.legal_moves(),
        table.moves,
        table.cards_up,
        table.is_won,
        table.is_stuck,
    )


def check_push_and_pop(table: Table, token: str) -> None:
    """Check that taking a token back leaves no trace."""
    if token == "u":
        return
    before = state_of(table)
    shown = table.view()
    table.push(token)
    shown = changed(shown, table.view_changes())
    assert table.pop() == token
    assert state_of(table) == before
    assert changed(shown, table.view_changes()) == table.view()


def changed(view: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    facts = {key: value for key, value in changes.items() if key not in ("piles", "under")}
    under = {**view["under"], **changes["under"]}
    return {
        **view,
        **facts,
        "piles": {**view["piles"], **changes["piles"]},
        "under": {pile: count for pile, count in under.items() if count},
    }


def check_position_text(table: Table) -> None:
    """Check that the one-line text holds the whole position, including the order of the legal tokens."""
    text = table.position()
    assert "\n" not in text
    again = from_position(text)
    assert again.position() == text
    assert again.legal_moves() == table.legal_moves()
    assert without_history(again.view()) == without_history(table.view())
    assert (again.cards_up, again.goal, again.is_won) == (table.cards_up, table.goal, table.is_won)
    # A position has no history, so it does not know if the stock has been turned up.
    assert again.is_stuck == table.is_stuck or (table.is_stuck and table.rounds_left is None and table.pile("s"))


def without_history(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view without the facts that depend on how the position came about."""
    return {key: value for key, value in view.items() if key not in ("moves", "can_undo")}
