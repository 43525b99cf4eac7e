"""Explanations of illegal moves: why any number of cards of any pile may not go to a given pile, or anywhere."""

from __future__ import annotations

from typing import Final

from games.rules.errors import InvalidTokenError
from games.rules.illegal_reasons import IllegalMoveReason, Why
from games.rules.table import Table

#: Reasons that apply to every target pile and are more specific than "no pile takes the card".
_TELLING: Final = (Why.NO_RUN, Why.FEWER_OPEN, Why.KEPT_BELOW, Why.RESERVE_UP, Why.BASE_ON_PILE, Why.DIRECTION_FIRST)


def explain(table: Table, pile: str, cards: int = 1, to: str = "") -> tuple[IllegalMoveReason, ...]:
    """Return why the top `cards` cards of a pile may not be moved to the pile `to`, or anywhere if `to` is empty.

    Any foundation's name stands for all foundations. For the stock, the reason is why nothing can be drawn. The result
    is empty if such a move is legal, and never names a card that the player cannot see.

    :raises InvalidTokenError: for a pile that the game does not have.
    """
    for name in filter(None, (pile, to)):
        if name not in table.pile_names():
            raise InvalidTokenError(name, "this game has no such pile")
    if table.is_won:
        return (IllegalMoveReason(Why.WON),)
    if pile == "s":
        return _only(IllegalMoveReason(Why.FROM_STOCK) if to else _undrawn(table))
    stays = _stays(table, pile, cards)
    if stays is not None:
        return (stays,)
    if to == pile:
        return ()
    if to:
        return _only(_to_foundation(table, pile, cards) if to[0] == "f" else _to_pile(table, pile, cards, to))
    return _nowhere(table, pile, cards)


def _only(reason: IllegalMoveReason | None) -> tuple[IllegalMoveReason, ...]:
    return () if reason is None else (reason,)


def _undrawn(table: Table) -> IllegalMoveReason | None:
    """Return why no card can be drawn and the waste cannot be turned over; None if either is legal."""
    draw, turn = table.why_not("d"), table.why_not("n")
    if draw is None or turn is None:
        return None
    return turn if turn.why is Why.NO_REDEAL else draw


def _stays(table: Table, pile: str, cards: int) -> IllegalMoveReason | None:
    """Return a reason that rules out every move of these cards, whatever the target; None if there is none."""
    if pile[0] == "f":
        return IllegalMoveReason(Why.FROM_FOUNDATION)
    pile_cards = table.pile(pile)
    if not 1 <= cards <= len(pile_cards):
        return IllegalMoveReason(Why.NO_CARD, pile=pile)
    if table.hidden >> pile_cards[-cards] & 1:
        return IllegalMoveReason(Why.FACE_DOWN)
    if cards > 1 and (pile[0] != "t" or table.VOCABULARY.largest_unit == 1):
        return IllegalMoveReason(Why.COVERED, pile=pile)
    return None


def _to_foundation(table: Table, pile: str, cards: int) -> IllegalMoveReason | None:
    return IllegalMoveReason(Why.ONE_TO_FOUNDATION) if cards > 1 else table.why_not(f"{pile}-f")


def _to_pile(table: Table, pile: str, cards: int, to: str) -> IllegalMoveReason | None:
    if to not in table.VOCABULARY.index:
        raise InvalidTokenError(to, "this game has no such pile")
    return table.why_not(f"{pile}-{to}" if cards == 1 else f"{pile}-{to}x{cards}")


def _nowhere(table: Table, pile: str, cards: int) -> tuple[IllegalMoveReason, ...]:
    """Return why no foundation and no pile takes the cards; empty if one does."""
    up = _to_foundation(table, pile, cards)
    others = [name for name in table.VOCABULARY.piles if name[0] == "t" and name != pile]
    aside = [_to_pile(table, pile, cards, other) for other in others]
    refused = [reason for reason in aside if reason is not None]
    if up is None or len(refused) < len(aside):
        return ()
    if all(reason.why is Why.FOUNDATIONS_ONLY for reason in refused):
        return (up,)
    card = table.DECK.names[table.pile(pile)[-cards]]
    summary = next((reason for reason in refused if reason.why in _TELLING), IllegalMoveReason(Why.NO_PILE, card=card))
    if pile[0] == "t" and any(reason.why is Why.CELL_TAKEN for reason in refused):
        summary = IllegalMoveReason(Why.CELL_STAYS)
    return (summary,) if cards > 1 or up == summary else (up, summary)
