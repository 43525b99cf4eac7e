"""Hint engine: a good next move, or an undo towards one, taken from a winning plan or else from a search.

Hints are allowed where questions are (`questions.check_may_ask`): never while they could help with a ranked deal.

Following hints always terminates. On a plan, each hint shortens the rest of it. Off every plan a search decides: it
yields a plan, or the hints undo moves until exactly the last position that has one. While a search runs, and if it
finds nothing, hints lead back to the last plan or, if there is none, to a move that spoils nothing. Only a search that
has ended without a line makes them guess.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from django.core.cache import cache
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.hints import questions
from games.hints.plans import Outlook
from games.models import Attempt, Question
from games.rules import RecordFullError, Table
from games.rules.tokens import UNDO, WORDS
from games.solver.quick_shortening import signature

#: Time the search has before a provisional hint is given.
WITHIN: Final = timedelta(seconds=1)

_UNDO: Final = WORDS[UNDO]
_RETREAT_SECONDS: Final = 24 * 3600

#: Points for the effects of a likely move.
_UP: Final = 10
_TURNED: Final = 8
_EMPTIED: Final = 3
_SHIFTED: Final = -2
_TURNED_OVER: Final = -1

Why = Literal["way", "safe", "back", "return", "likely"]


@dataclass(frozen=True, slots=True)
class Advice:
    """A token, and the reason for it.

    The reason is `way` for a move on a winning line; `safe` for one that spoils nothing; `back` to undo the moves made
    since the game was lost; `return` to undo moves down to a winning line, as none was found from here; or `likely` for
    a plausible move.

    `moves` is the number of moves to undo, `to` the number that then still stand; `more` is set if the player has begun
    undoing. `provisional` means that the search is still running, `lost` that the deal itself cannot be won.
    """

    token: str
    why: Why
    moves: int = 0
    to: int = 0
    more: bool = False
    provisional: bool = False
    lost: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the answer for the client, without the fields that do not apply."""
        reply: dict[str, Any] = {"state": "answered", "token": self.token, "why": self.why}
        if self.moves:
            reply |= {"moves": self.moves, "to": self.to}
        return reply | {flag: True for flag in ("more", "provisional", "lost") if getattr(self, flag)}


@dataclass(frozen=True, slots=True)
class _Retreat:
    """Advice given after `n` tokens to undo moves until `to` are left."""

    n: int
    to: int
    why: Why

    def applies(self, outlook: Outlook) -> bool:
        """Return whether the player has only followed this advice since it was given."""
        since = outlook.tokens[self.n :]
        return bool(since) and set(since) == {_UNDO} and len(outlook.table.moves) >= self.to


def advise(
    attempt: Attempt, player_id: int | None, before_search: Callable[[], None], *, now: datetime | None = None
) -> Advice | None:
    """Return a hint for the current position; None if it has to wait for a search.

    `before_search` is called before a search is started, and may refuse it.

    :raises Refusal: if hints are not allowed; closed if the game is over or there is no move to advise.
    """
    now = now or timezone.now()
    questions.check_may_ask(attempt, player_id, now)
    outlook = Outlook(attempt, questions.tokens_of(attempt))
    table = outlook.table
    if attempt.is_over or table.is_won or not (table.legal_moves() or table.can_undo):
        raise _nothing_to_advise(attempt)
    retreat = _retreat_of(attempt, outlook)
    if retreat is not None and len(table.moves) > retreat.to:
        return Advice(_UNDO, retreat.why, len(table.moves) - retreat.to, retreat.to, more=True)
    if retreat is not None:
        # A late answer would lead the player back to the position they were advised to leave.
        Question.objects.filter(attempt=attempt, n=retreat.n).delete()
    question = outlook.question
    if question is None or question.n != len(outlook.tokens):
        if rest := outlook.rest():
            if question is not None and not question.answer:  # the search is for a position that the game has left
                Question.objects.filter(pk=question.pk, answer="").delete()
            return Advice(rest[0], "way")
        question = questions.put(attempt, outlook, before_search, now=now)
    answer = questions.answer_of(question, now)
    if answer == Question.Answer.YES:
        return Advice(question.way[0], "way")
    if not answer and now < question.asked_at + WITHIN:
        return None
    return _without_way(attempt, outlook, answer)


def likely_move(table: Table, visited: Collection[tuple[object, ...]] = ()) -> str:
    """Return the legal move with the best immediate effect (cards up, cards turned, piles emptied); empty if none.

    The number of cards a move turns face up counts, but never which cards. Moves to `visited` positions are excluded.
    """
    try:
        worth = {token: _worth(table, token, visited) for token in table.legal_moves()}
    except RecordFullError:
        return ""
    return max((token for token in worth if worth[token] is not None), key=lambda token: worth[token] or 0, default="")


def _without_way(attempt: Attempt, outlook: Outlook, answer: str) -> Advice | None:
    """Return advice to undo moves, to the last position with a winning line or before the loss; else a safe move.

    Without one, the advice is a likely move once the search has ended, and None before.

    :raises Refusal: closed if there is neither.
    """
    lost, provisional = answer == Question.Answer.NO, not answer
    to = outlook.last_won()
    if to is None and lost:
        # The position before the first lost one is not known to be lost.
        to = len(outlook.table.moves) - 1 if outlook.first_lost is None else outlook.first_lost - 1
    if outlook.table.can_undo and to is not None and to >= 0:
        why: Why = "back" if lost else "return"
        cache.set(_retreat_key(attempt), (len(outlook.tokens), to, why), _RETREAT_SECONDS)
        return Advice(_UNDO, why, len(outlook.table.moves) - to, to, provisional=provisional)
    if not lost and (safe := outlook.table.safe_moves()):
        return Advice(safe[0], "safe", provisional=provisional)
    if provisional:
        return None
    if token := likely_move(outlook.table, outlook.visited()):
        return Advice(token, "likely", lost=lost)
    raise _nothing_to_advise(attempt)


def _nothing_to_advise(attempt: Attempt) -> Refusal:
    return Refusal(ErrorCode.CLOSED, "there is no move to advise", state=attempt.state)


def _retreat_of(attempt: Attempt, outlook: Outlook) -> _Retreat | None:
    if outlook.tokens[-1:] != (_UNDO,):
        return None
    stored = cache.get(_retreat_key(attempt))
    retreat = None if stored is None else _Retreat(*stored)
    return retreat if retreat is not None and retreat.applies(outlook) else None


def _retreat_key(attempt: Attempt) -> str:
    return f"hint-retreat:1:{attempt.pk}"


def _worth(table: Table, token: str, visited: Collection[tuple[object, ...]]) -> int | None:
    """Return the points of a move; None if it leads to a visited position."""
    before = _progress(table)
    table.push(token)
    after, is_new = _progress(table), not visited or signature(table) not in visited
    table.pop()
    if not is_new:
        return None
    up, turned, emptied = (there - here for here, there in zip(before, after, strict=True))
    worth = _UP * up + _TURNED * turned + _EMPTIED * emptied
    if token == "n":  # noqa: S105
        return worth + _TURNED_OVER
    return worth + (_SHIFTED if token[0] == "t" and not token.endswith("-f") else 0)


def _progress(table: Table) -> tuple[int, int, int]:
    """Return the number of cards up, the negative of the number face down, and the number of empty piles."""
    return table.cards_up, -table.hidden.bit_count(), sum(1 for pile in table.tableau if not pile)
