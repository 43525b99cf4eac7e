"""Truth found with the rules alone, by brute force: whether any line wins."""

from __future__ import annotations

from games.rules import Table


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
