"""Reasons why the rules refuse a move: codes for clients to translate, with the cards and piles they refer to.

A reason names only cards and piles that the player sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Why(StrEnum):
    """All reasons, each with an English sentence whose placeholders are fields of `IllegalMoveReason`."""

    sentence: str

    def __new__(cls, code: str, sentence: str) -> Self:
        """Create a member that is equal to its code."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    # Any game.
    WON = "won", "the game is won"
    NOTHING_TO_UNDO = "nothing_to_undo", "there is no move to undo"
    RECORD_FULL = "record_full", "a record holds at most {limit} tokens"
    NO_SUCH_MOVE = "no_such_move", "this game has no such move"
    NO_CARD = "no_card", "{pile} has no card to play"
    FACE_DOWN = "face_down", "this card lies face down"
    COVERED = "covered", "only the top card of {pile} may be moved"
    FROM_FOUNDATION = "from_foundation", "no card comes back from a foundation"
    ONE_TO_FOUNDATION = "one_to_foundation", "cards go to a foundation one at a time"

    # The stock.
    STOCK_EMPTY = "stock_empty", "the stock is empty"
    STOCK_NOT_EMPTY = "stock_not_empty", "the stock is not empty"
    WASTE_EMPTY = "waste_empty", "the waste is empty"
    NO_REDEAL = "no_redeal", "no redeal is left"
    FROM_STOCK = "from_stock", "the stock is only drawn from"

    # Targets of a move.
    FOUNDATIONS_ONLY = "foundations_only", "cards move to the foundations only"
    PILES_ONLY = "piles_only", "cards move to piles and foundations only"
    CELLS_ONLY = "cells_only", "cards move to cells and foundations only"
    NO_FOUNDATION = "no_foundation", "no foundation takes {card} now"
    FOOL_UP = "fool_up", "no foundation takes {card} now"
    NOT_YET = "not_yet", "the foundation of {suit} does not take {card} yet"
    NO_PILE = "no_pile", "no pile takes {card} now"
    NOT_ON = "not_on", "{card} does not go on {onto}"
    SAME_COLOUR = "same_colour", "{card} does not go on {onto}"
    SAME_FAMILY = "same_family", "{card} does not go on {onto}"
    NOT_ON_SPACE = "not_on_space", "{card} does not go on an empty pile"
    WHOLE_PILE = "whole_pile", "a whole pile on an empty pile changes nothing"
    NO_RUN = "no_run", "only the top {count} of {pile} form a sequence that is face up"
    FEWER_OPEN = "fewer_open", "{pile} has only {count} cards that may be moved"

    # Reasons of a single game.
    KEPT_BELOW = "kept_below", "{card} at the bottom of a pile leaves it only for its foundation"
    LOCKED = "locked", "{card} is blocked: the cells above and below it hold cards"
    RESERVE_UP = "reserve_up", "the reserve goes to foundations only"
    BASE_LATER = "base_later", "{card} starts a foundation only when the first one is full"
    BASE_ON_PILE = "base_on_pile", "in phase one a card of the base rank goes on no pile"
    SPACE_FROM_WASTE = "space_from_waste", "an empty pile takes only the top of the waste"
    SPACE_FOR_BASE = "space_for_base", "in phase one an empty pile takes only a card of the base rank, {base}"
    DIRECTION_FIRST = "direction_first", "first choose the building direction, up or down"
    DIRECTION_STANDS = "direction_stands", "the building direction is already chosen"
    CELL_TAKEN = "cell_taken", "cell {pile} holds a card"
    CELL_STAYS = "cell_stays", "a card in a cell leaves it only for a foundation"
    OUTER_CELL = "outer_cell", "an empty outer cell takes only the top of the waste"
    INNER_CELL = (
        "inner_cell",
        "an empty inner cell takes the top of the braid, and of the waste only once the braid is gone",
    )


@dataclass(frozen=True, slots=True)
class IllegalMoveReason:
    """A reason with the cards, piles, suits and numbers it refers to, in written form; unused fields are empty."""

    why: Why
    card: str = ""
    onto: str = ""
    pile: str = ""
    suit: str = ""
    base: str = ""
    next: str = ""
    """The card that the foundation takes next, if any."""
    count: int = 0
    limit: str = ""

    def __str__(self) -> str:
        names = {name: getattr(self, name) for name in ("card", "onto", "pile", "suit", "base", "count", "limit")}
        return self.why.sentence.format(**names)

    def to_json(self) -> dict[str, str | int]:
        """Return the reason for clients: `why` and the fields that are set."""
        named = ("card", "onto", "pile", "suit", "base", "next", "count")
        return {"why": self.why} | {name: value for name in named if (value := getattr(self, name))}
