"""Themes of puzzles: what a right move does, or what a losing one would do instead. The rules alone decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from games.puzzles.puzzle import Puzzle
from games.rules import Table
from games.rules.cards import RANK
from games.rules.tokens import DOWN, DRAW, ROUND, TO_FOUNDATION, TO_PILE, UP, Move
from games.rules.variants.labyrinth import ROW, Labyrinth


class Theme(TextChoices):
    """Themes with their titles. Values are stored and appear in URLs; `_DEFINITIONS` says when a turn has them."""

    HOLD_BACK = "hold-back", _("Hold a card back")
    FIRST_UP = "first-up", _("Which card goes up first")
    DRAW_FIRST = "draw-first", _("Draw first")
    BEFORE_COVERED = "before-covered", _("Before it's covered")
    REDEAL = "redeal", _("Time to redeal")
    BEFORE_REDEAL = "before-redeal", _("Before you redeal")
    DIRECTION = "direction", _("Choose the direction")
    MAKE_SPACE = "make-space", _("Make a space")
    FILL_SPACE = "fill-space", _("Fill a space")
    KEEP_SPACE = "keep-space", _("Keep a space free")
    DIG = "dig", _("Dig for cards")
    USE_RESERVE = "use-reserve", _("Use the reserve")
    KEEP_RESERVE = "keep-reserve", _("Save the reserve")
    MOVE_RUN = "move-run", _("Move a run")
    TWINS = "twins", _("Which of two alike")
    START_FOUNDATION = "start-foundation", _("Start a foundation")
    FIRST_ROW = "first-row", _("Play from the first row")
    KEEP_FIRST_ROW = "keep-first-row", _("Leave the first row alone")
    OPEN_PASSAGE = "open-passage", _("Open a passage")


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn: the tables before and after the right move, that move, and the losing ones."""

    table: Table
    after: Table
    right: Move
    losing: tuple[Move, ...]

    def goes_up(self, move: Move) -> bool:
        """Return whether a move plays a card to a foundation."""
        return move.what == TO_FOUNDATION

    def fills_space(self, move: Move) -> bool:
        """Return whether a move puts a card on an empty pile."""
        return move.what == TO_PILE and not self.table.piles[move.target]

    def takes_from(self, move: Move, name: str) -> bool:
        """Return whether a move takes a card from a pile whose name begins like this."""
        return move.source >= 0 and self.table.VOCABULARY.piles[move.source].startswith(name)

    def is_before_covered(self, move: Move) -> bool:
        """Return whether a move plays up a card that a draw would cover: the waste's top, or one of the last row."""
        if isinstance(self.table, Labyrinth):
            return move.source >= max(ROW, ROW * (self.table.rows - 1))
        return self.goes_up(move) and self.takes_from(move, "w")

    def refills_first_row(self, move: Move) -> bool:
        """Return whether a move in Labyrinth brings the stock's next card into the first row."""
        return self.table.GAME == "labyrinth" and 0 <= move.source < ROW and bool(self.table.stock)

    def uses_reserve(self, move: Move) -> bool:
        """Return whether a move takes a card from the open reserve of Stonewall."""
        return self.table.GAME == "stonewall" and self.takes_from(move, "r")

    def is_twin(self, move: Move) -> bool:
        """Return whether a losing move brings a card of the same rank to the same pile or foundation."""
        if (move.what, move.target) != (self.right.what, self.right.target) or move.source == self.right.source:
            return False
        card, right = (self.table.piles[one.source][-one.cards] for one in (move, self.right))
        has_own_foundation = self.goes_up(move) and self.table.GAME != "plot"  # each suit has its own ones
        return card == right if has_own_foundation else RANK[card] == RANK[right]


def themes_of(puzzle: Puzzle) -> tuple[Theme, ...]:
    """Return the themes of a puzzle, in the order of `Theme`; none if it asks for the loss."""
    if puzzle.wins:
        return ()
    turns = []
    for n, losses in zip(puzzle.turns, puzzle.losses, strict=True):
        table = puzzle.table_at(n)
        read = table.VOCABULARY.read
        turns.append(_Turn(table, puzzle.table_at(n + 1), read(puzzle.line[n]), tuple(map(read, losses))))
    return tuple(theme for theme in Theme if any(map(_DEFINITIONS[theme], turns)))


def _chooses_first_up(turn: _Turn) -> bool:
    return turn.goes_up(turn.right) and any(turn.goes_up(move) and not turn.is_twin(move) for move in turn.losing)


def _makes_space(turn: _Turn) -> bool:
    is_pile = turn.table.GAME != "labyrinth" and turn.takes_from(turn.right, "t")
    return is_pile and not turn.after.piles[turn.right.source]


def _digs(turn: _Turn) -> bool:
    """Return whether the right move turns up a face-down card, or takes the top of a covered reserve."""
    turns_up = turn.table.hidden != turn.after.hidden
    return turns_up or (turn.takes_from(turn.right, "r") and not turn.uses_reserve(turn.right))


def _starts_foundation(turn: _Turn) -> bool:
    return sum(map(bool, turn.after.foundations)) > sum(map(bool, turn.table.foundations))


def _opens_passage(turn: _Turn) -> bool:
    """Return whether the right move frees a locked card of Labyrinth."""
    if turn.table.GAME != "labyrinth" or turn.right.what == DRAW:
        return False
    cell = turn.table.VOCABULARY.piles[turn.right.source]
    return bool({*turn.after.view()["free"]} - {*turn.table.view()["free"], cell})


_DEFINITIONS: Final[Mapping[Theme, Callable[[_Turn], bool]]] = {
    Theme.HOLD_BACK: lambda turn: not turn.goes_up(turn.right) and any(map(turn.goes_up, turn.losing)),
    Theme.FIRST_UP: _chooses_first_up,
    Theme.DRAW_FIRST: lambda turn: turn.right.what == DRAW,
    Theme.BEFORE_COVERED: lambda turn: turn.is_before_covered(turn.right) and any(m.what == DRAW for m in turn.losing),
    Theme.REDEAL: lambda turn: turn.right.what == ROUND,
    Theme.BEFORE_REDEAL: lambda turn: any(move.what == ROUND for move in turn.losing),
    Theme.DIRECTION: lambda turn: turn.right.what in (UP, DOWN),
    Theme.MAKE_SPACE: _makes_space,
    Theme.FILL_SPACE: lambda turn: turn.fills_space(turn.right),
    Theme.KEEP_SPACE: lambda turn: not turn.fills_space(turn.right) and any(map(turn.fills_space, turn.losing)),
    Theme.DIG: _digs,
    Theme.USE_RESERVE: lambda turn: turn.uses_reserve(turn.right),
    Theme.KEEP_RESERVE: lambda turn: not turn.uses_reserve(turn.right) and any(map(turn.uses_reserve, turn.losing)),
    Theme.MOVE_RUN: lambda turn: turn.right.cards > 1,
    Theme.TWINS: lambda turn: any(map(turn.is_twin, turn.losing)),
    Theme.START_FOUNDATION: _starts_foundation,
    Theme.FIRST_ROW: lambda turn: turn.refills_first_row(turn.right),
    Theme.KEEP_FIRST_ROW: lambda turn: (
        not turn.refills_first_row(turn.right) and any(map(turn.refills_first_row, turn.losing))
    ),
    Theme.OPEN_PASSAGE: _opens_passage,
}
