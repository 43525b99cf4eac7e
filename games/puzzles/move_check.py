"""Check of a move at a puzzle, and what a player sees of its positions: every card, face-down and hidden ones too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from games.core.errors import ErrorCode, Refusal, refusal_of
from games.puzzles.puzzle import Puzzle, successors
from games.rules import InvalidTokenError, RulesError, Table, from_position
from games.rules.explanations import explain

Step = dict[str, Any]
"""`view`, the `legal` moves, `face_down` (names of the turned-up cards that lie face down), `hidden` (the names of the
cards of `s`, `w` and `r` that the view leaves out, from the top), and the `token` that led here, or None."""


def step_of(table: Table, token: str | None = None) -> Step:
    """Return what a player sees of a puzzle's position."""
    view = table.view()
    names = table.DECK.names
    face_down = []
    for pile, cards in view["piles"].items():
        if None in cards:
            everything = [names[card] for card in table.pile(pile)]
            face_down += [name for name, card in zip(everything, cards, strict=True) if card is None]
            view["piles"][pile] = everything
    hidden = {
        pile: [names[card] for card in reversed(table.pile(pile)[: view["under"][pile]])]
        for pile in ("s", "w", "r")
        if pile in view["under"]
    }
    return {"token": token, "view": view, "legal": table.legal_moves(), "face_down": face_down, "hidden": hidden}


def steps_of(table: Table, tokens: Iterable[str]) -> Iterator[Step]:
    """Play moves, and yield the view after each."""
    for token in tokens:
        table.push(token)
        yield step_of(table, token)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on a move, with its `token` in the spelling of the puzzle's line and losses.

    `steps` has a right move and the forced ones after it. `loss` says why a move is wrong, and is None for a right one.
    It has the table's `goal` and the explanation's fields, or if the puzzle asks for the loss, the number of `moves` in
    which the wrong one wins. It is empty while the move has not been explained.
    """

    token: str
    steps: list[Step]
    loss: dict[str, Any] | None

    @property
    def is_right(self) -> bool:
        """True if the player has found the move."""
        return self.loss is None


def check_move(puzzle: Puzzle, turn: int, token: str) -> Verdict:
    """Check a move at a turn, counted from 0.

    :raises Refusal: for a move that is not legal, and for drawing cards if the puzzle asks for the loss.
    """
    table = table_at(puzzle, turn)
    n, end = (*puzzle.turns, len(puzzle.line))[turn : turn + 2]
    reached = _position_after(table, token)
    if reached == _position_after(table, puzzle.line[n]):
        return Verdict(puzzle.line[n], list(steps_of(table, puzzle.line[n:end])), None)
    first = successors(table)[reached]
    if not puzzle.wins:
        loss = puzzle.losses[turn][first]
        return Verdict(first, [], {"goal": table.goal, **loss} if loss else {})
    if first not in puzzle.wins:
        raise Refusal(ErrorCode.ILLEGAL_MOVE, "drawing never loses here", token=token)
    return Verdict(first, [], {"goal": table.goal, "moves": 1 + len(puzzle.wins[first])})


def _position_after(table: Table, token: str) -> str:
    after = from_position(table.position())  # without moves that `u` could undo
    try:
        after.push(token)
    except RulesError as error:
        raise refusal_of(error, token=token) from None
    return after.position()


def position_at(puzzle: Puzzle, turn: int) -> Step:
    """Return what a player sees at a turn, or at the end."""
    return step_of(table_at(puzzle, turn))


def table_at(puzzle: Puzzle, turn: int) -> Table:
    """Return the table of a turn, counted from 0; after the last turn, the one at the end of the puzzle's line."""
    return puzzle.table_at((*puzzle.turns, len(puzzle.line))[turn])


def reasons_at(puzzle: Puzzle, turn: int, pile: str, cards: int, to: str) -> list[dict[str, str | int]]:
    """Return why cards cannot move at a turn (`games.rules.explanations.explain`).

    :raises Refusal: BAD_REQUEST for a pile that the game does not have.
    """
    try:
        reasons = explain(table_at(puzzle, turn), pile, cards, to)
    except InvalidTokenError as error:
        raise Refusal(ErrorCode.BAD_REQUEST, str(error)) from None
    return [reason.to_json() for reason in reasons]
