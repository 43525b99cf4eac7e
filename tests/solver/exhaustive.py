"""Truths found with the rules alone: whether any line wins, by brute force, and a lower bound on its length."""

from __future__ import annotations

from games.rules import Table
from games.rules.cards import RANK, RED, SUIT
from games.rules.variants.tarot import FOOL


def can_be_won(table: Table, most: int) -> bool | None:
    """Return whether the position can be won; ``None`` if that takes more than ``most`` positions.

    Depth-first over all legal moves, foundations first; positions are compared whole.
    """
    if table.is_won:
        return True
    seen = {_position(table)}
    stack = [_moves(table)]
    while stack:
        if not stack[-1]:
            stack.pop()
            if stack:
                table.pop()
            continue
        table.push(stack[-1].pop())
        if table.is_won:
            return True
        position = _position(table)
        if position in seen or table.token_count > 4000:
            table.pop()
            continue
        if len(seen) >= most:
            return None
        seen.add(position)
        stack.append(_moves(table))
    return False


def _moves(table: Table) -> list[str]:
    return sorted(table.legal_moves(), key=lambda token: token.endswith("-f"))


def _position(table: Table) -> tuple[object, ...]:
    piles = tuple(tuple(pile) for pile in (*table.piles, *table.foundations))
    return (piles, table.hidden, *table.unseen_facts().values())


def at_least(table: Table) -> int:
    """Return a lower bound on the number of tokens of any win from the table's position.

    Every card takes a move to its foundation, and the stock takes its draws. A card above a lower one of its own suit
    has to move to another pile first; cards that can move together count once.
    """
    return table.goal - table.cards_up + _draws(table) + sum(_moved_off(table, pile) for pile in table.tableau)


def _draws(table: Table) -> int:
    """Return the number of draws needed from the stock; 0 in Labyrinth, where the stock also fills gaps."""
    if table.GAME == "tarot":
        wanted = len(table.stock) - (table.goal == FOOL + 21 and FOOL in table.stock)
        return -(-wanted // int(table.options["draw"]))
    return len(table.stock) if table.GAME in {"braid", "plot"} else 0


def _moved_off(table: Table, pile: list[int]) -> int:
    """Return a lower bound on the moves that bring a pile's cards off lower cards of their own suits."""
    if table.GAME not in {"stonewall", "tarot"}:
        return 0
    moves, counted, lowest = 0, False, dict[int, int]()
    below = -1
    for card in pile:
        counted = counted and _go_together(table, below, card)
        suit = SUIT[card] if table.GAME == "stonewall" else min(card // 14, 4)
        if lowest.get(suit, card) < card and not counted:
            moves, counted = moves + 1, True
        if not (card == FOOL and table.goal == FOOL + 21):
            lowest[suit] = min(lowest.get(suit, card), card)
        below = card
    return moves


def _go_together(table: Table, below: int, card: int) -> bool:
    """Return whether two neighbouring cards of a pile can leave it in one move."""
    if table.hidden >> below & 1 or table.hidden >> card & 1:
        return False
    return table.GAME == "tarot" or (RANK[below] == RANK[card] + 1 and RED[below] != RED[card])
