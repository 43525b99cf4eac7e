"""Can this game still be won, and how? Answered in the background, for practice games and for deals that are over.

Never while the answer could help with a ranked deal. A question is a row; a Celery task starts the search in a process
of its own, and its answer is written to the row. Withdrawing the question deletes the row, and the search is killed. If
a search dies, the question has no answer and after a while counts as "not found".
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from games import events
from games.attempts import deal_table, journal_of, record_of
from games.errors import ErrorCode, Refusal
from games.hints import asking
from games.models import Attempt, Question
from games.rules import Record, Table, from_position
from games.threads import run_beside

#: After this the question counts as unanswered: time for the search, and for waiting its turn.
PATIENCE: Final = timedelta(seconds=30)

#: The most searches at a time in one worker process; others wait their turn.
_turns = threading.BoundedSemaphore(2)


@dataclass(frozen=True, slots=True)
class Reply:
    """The state of a question; `answer` is empty while the search runs."""

    n: int
    answer: str
    way: list[str]

    def to_json(self, *, way: bool) -> dict[str, Any]:
        """The reply for the client; `way` says whether to include the winning line."""
        reply: dict[str, Any] = {"state": "answered" if self.answer else "looking", "n": self.n}
        if self.answer:
            reply["answer"] = self.answer
        if self.answer == Question.Answer.YES:
            reply["moves"] = len(self.way)
            if way:
                reply["way"] = self.way
        return reply


def check_may_ask(attempt: Attempt, player_id: int | None, now: datetime) -> None:
    """Check that the player may ask: about their own attempt, at a practice deal or one whose seed is public.

    :raises Refusal: otherwise.
    """
    if attempt.player_id != player_id:
        raise Refusal(ErrorCode.NOT_YOURS, "this is not your game")
    deal = attempt.deal
    counts = deal.day is not None or deal.for_race
    allowed = deal.is_revealed(now) if counts else not attempt.ranked
    if not allowed:
        raise Refusal(ErrorCode.NO_HINTS, "a game that counts gets no hints before its deal is closed")


def may_ask(attempt: Attempt, player_id: int | None, now: datetime) -> bool:
    """Like `check_may_ask`, as a yes or no."""
    try:
        check_may_ask(attempt, player_id, now)
    except Refusal:
        return False
    return True


def ask(attempt: Attempt, player_id: int | None, n: int | None = None, *, now: datetime | None = None) -> Reply:
    """Ask about the position after the attempt's first `n` tokens, by default after all of them.

    A player has one question at a time: asking withdraws the one before.

    :raises Refusal: when the question is not allowed, or there are fewer tokens.
    """
    now = now or timezone.now()
    check_may_ask(attempt, player_id, now)
    table = table_of(attempt, n)
    known = known_way(attempt, table)
    with transaction.atomic():
        Question.objects.filter(attempt__player_id=attempt.player_id, answer="").delete()
        Question.objects.filter(attempt=attempt).delete()
        question = Question(attempt=attempt, n=table.token_count, asked_at=now)
        if known is not None:
            question.answer, question.way = Question.Answer.YES, known
        question.save(force_insert=True)
        if known is None:
            transaction.on_commit(lambda: _request_answer(question))
    return _reply(question, now)


def look(attempt: Attempt, player_id: int | None, *, now: datetime | None = None) -> Reply | None:
    """The state of the attempt's question; None when there is none.

    :raises Refusal: when the question is not allowed.
    """
    now = now or timezone.now()
    check_may_ask(attempt, player_id, now)
    question = Question.objects.filter(attempt=attempt).first()
    return None if question is None else _reply(question, now)


def way_of(attempt: Attempt, player_id: int | None) -> tuple[Table, list[str]] | None:
    """The table asked about and a winning line from there; None while there is no such answer.

    :raises Refusal: when the question is not allowed.
    """
    reply = look(attempt, player_id)
    if reply is None or reply.answer != Question.Answer.YES:
        return None
    return table_of(attempt, reply.n), reply.way


def withdraw(attempt: Attempt, player_id: int | None) -> None:
    """Delete the attempt's question, which ends the search for its answer.

    :raises Refusal: when the question is not allowed.
    """
    check_may_ask(attempt, player_id, timezone.now())
    Question.objects.filter(attempt=attempt).delete()


def answer_soon(question_id: int) -> threading.Thread:
    """Answer a question beside this worker's tasks."""
    return run_beside(f"question-{question_id}", lambda: answer(question_id))


def answer(question_id: int) -> None:
    """Search, and write the answer to the question if it still exists."""
    question = Question.objects.select_related("attempt__deal").filter(pk=question_id, answer="").first()
    if question is None:
        return
    latest = time.monotonic() + (question.asked_at + PATIENCE - timezone.now()).total_seconds()
    if latest <= time.monotonic() or not _turns.acquire(timeout=latest - time.monotonic()):
        return
    try:
        position = table_of(question.attempt, question.n).position()
        asked = Question.objects.filter(pk=question_id)
        found = asking.ask(position, latest=latest, is_wanted=asked.exists)
    finally:
        _turns.release()
    if found is not None:
        asked.update(answer=found["answer"], way=found["way"])


def table_of(attempt: Attempt, n: int | None) -> Table:
    """The attempt's table after its first `n` tokens, or all of them.

    :raises Refusal: bad_position when there are fewer.
    """
    played = _played(attempt)
    if n is not None and not 0 <= n <= len(played):
        raise Refusal(ErrorCode.BAD_POSITION, f"the game has {len(played)} moves so far")
    table = deal_table(attempt.deal)
    for token in played[:n]:
        table.push(token)
    return table


def known_way(attempt: Attempt, table: Table) -> list[str] | None:
    """The rest of a winning line where no search is needed; None where none is known.

    The game is won, or a line that is known wins from here too.
    """
    if table.is_won:
        return []
    ways = (_continued(table, line) for line in known_lines(attempt))
    return next((way for way in ways if way is not None), None)


def known_lines(attempt: Attempt) -> Iterator[tuple[str, ...]]:
    """The deal's own winning line, and that by way of the position that the last question was about, where known."""
    if attempt.deal.solution is not None:
        yield Record.from_bytes(bytes(attempt.deal.solution)).tokens
    asked = Question.objects.filter(attempt=attempt, answer=Question.Answer.YES).first()
    if asked is not None:
        yield (*table_of(attempt, asked.n).moves, *asked.way)


def moves_astray(attempt: Attempt, table: Table) -> int | None:
    """How many moves ago the table has left a line that is known to win; None where none is known."""
    played = table.moves
    return min((len(played) - _in_common(played, line) for line in known_lines(attempt)), default=None)


def _in_common(played: Sequence[str], line: Sequence[str]) -> int:
    """How many moves both begin with."""
    same = 0
    while same < min(len(played), len(line)) and played[same] == line[same]:
        same += 1
    return same


def _continued(table: Table, line: Sequence[str]) -> list[str] | None:
    """The moves of a line since the table has left it, without those that are not legal any more, if they win."""
    copy = from_position(table.position())
    way = []
    for token in line[_in_common(table.moves, line) :]:
        if copy.is_legal(token):
            copy.push(token)
            way.append(token)
    return way if copy.is_won else None


def _played(attempt: Attempt) -> tuple[str, ...]:
    return record_of(attempt).tokens if attempt.is_over else tuple(move.token for move in journal_of(attempt.pk))


def _reply(question: Question, now: datetime) -> Reply:
    overdue = not question.answer and now >= question.asked_at + PATIENCE
    return Reply(question.n, Question.Answer.UNKNOWN if overdue else question.answer, question.way)


def _request_answer(question: Question) -> None:
    if not events.request_task("talon.answer_question", question.pk):
        Question.objects.filter(pk=question.pk).update(answer=Question.Answer.UNKNOWN)
