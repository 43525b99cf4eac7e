"""One good next move: from a line that is known to win, else from a search, else back to such a line, or a likely one.

Allowed where questions are (`questions.check_may_ask`): never while it could help with a ranked deal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from django.utils import timezone

from games.errors import ErrorCode, Refusal
from games.hints import questions
from games.models import Attempt, Question
from games.rules import RecordFullError, Table

#: So long the search has before a likely move is given instead.
WITHIN: Final = timedelta(seconds=1.5)

#: What the parts of a likely move are worth.
_UP: Final = 10
_TURNED: Final = 8
_EMPTIED: Final = 3
_SHIFTED: Final = -2
_TURNED_OVER: Final = -1


@dataclass(frozen=True, slots=True)
class Advice:
    """A token, and why: it is on a `way` that wins if any does, takes `back` a move that lost, takes back the first of
    `moves` to `return` to a line that wins, as none was found from here, or is only `likely`.
    """

    token: str
    why: Literal["way", "back", "return", "likely"]
    moves: int = 0


def advise(
    attempt: Attempt, player_id: int | None, before_search: Callable[[], None], *, now: datetime | None = None
) -> Advice | None:
    """A good move from the position as it stands; None while it is being looked for.

    `before_search` is called before a search is begun, and may refuse it.

    :raises Refusal: when hints are not allowed; closed when the game is over or there is no move.
    """
    now = now or timezone.now()
    questions.check_may_ask(attempt, player_id, now)
    table = questions.table_of(attempt, None)
    if attempt.is_over or table.is_won or not (table.legal_moves() or table.can_undo):
        raise Refusal(ErrorCode.CLOSED, "there is no move to advise", state=attempt.state)
    way = questions.known_way(attempt, table)
    if way:
        return Advice(way[0], "way")
    if safe := table.safe_moves():
        return Advice(safe[0], "way")
    question = Question.objects.filter(attempt=attempt, n=table.token_count).first()
    if question is None:
        before_search()
        questions.ask(attempt, player_id, now=now)
        return None
    if question.answer == Question.Answer.NO and table.can_undo:
        return Advice("u", "back")
    if not question.answer and now < question.asked_at + WITHIN:
        return None
    if table.can_undo and (astray := questions.moves_astray(attempt, table)):
        return Advice("u", "return", astray)
    token = likely_move(table)
    return Advice(token, "likely") if token else Advice("u", "back")


def likely_move(table: Table) -> str:
    """The legal move that does most at once: a card up, a card turned, a pile emptied; empty where there is none.

    It counts what a move turns up, and never looks at it.
    """
    try:
        return max(table.legal_moves(), key=lambda token: _worth(table, token), default="")
    except RecordFullError:
        return ""


def _worth(table: Table, token: str) -> int:
    before = _standing(table)
    table.push(token)
    after = _standing(table)
    table.pop()
    up, turned, emptied = (there - here for here, there in zip(before, after, strict=True))
    worth = _UP * up + _TURNED * turned + _EMPTIED * emptied
    if token == "n":  # noqa: S105
        return worth + _TURNED_OVER
    return worth + (_SHIFTED if token[0] == "t" and not token.endswith("-f") else 0)


def _standing(table: Table) -> tuple[int, int, int]:
    """Cards up, cards face up (as the negative of those face down), and empty piles."""
    return table.cards_up, -table.hidden.bit_count(), sum(1 for pile in table.tableau if not pile)
