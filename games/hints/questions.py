"""Can this game still be won, and how? Answered in the background, for practice games and for deals that are over.

Never while the answer could help with a ranked deal. A question is a row; a Celery task starts the search in a process
of its own, and its answer is written to the row. Withdrawing the question deletes the row, and the search is killed. If
a search dies, the question has no answer and after a while counts as "not found".
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games import events
from games.attempts import deal_table, journal_of, record_of
from games.errors import ErrorCode, Refusal
from games.models import Attempt, Question
from games.rules import Record, Table, from_position
from games.solver import check_solution
from games.threads import run_beside

log = logging.getLogger(__name__)

#: What one search may use.
NODES: Final = 2_000_000
SECONDS: Final = 15.0

#: After this the question counts as unanswered: time for the search, and for waiting its turn.
PATIENCE: Final = timedelta(seconds=30)

#: The most searches at a time in one worker process; others wait their turn.
_turns = threading.BoundedSemaphore(2)
_GLANCE: Final = 0.25  # s between two checks whether the question has been withdrawn


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
        found = _search(position, question_id, latest)
    finally:
        _turns.release()
    if found is not None:
        Question.objects.filter(pk=question_id).update(answer=found["answer"], way=found["way"])


def _search(position: str, question_id: int, latest: float) -> dict[str, Any] | None:
    """Run the search until it ends, its time is up ("unknown") or the question is withdrawn (None)."""
    asked = json.dumps({"position": position, "nodes": NODES, "seconds": SECONDS}).encode()
    command = [sys.executable, "-m", "games.hints.search"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=settings.BASE_DIR, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True
    )
    unsent: bytes | None = asked
    with process:
        try:
            while time.monotonic() < latest:
                try:
                    output, _ = process.communicate(unsent, timeout=_GLANCE)
                except subprocess.TimeoutExpired:
                    unsent = None
                    if not Question.objects.filter(pk=question_id).exists():
                        return None
                    continue
                return _checked(output, position)
        finally:
            process.kill()
    return {"answer": "unknown", "way": []}


def _checked(output: bytes, position: str) -> dict[str, Any]:
    """What the search found; a winning line counts only if the rules can replay it."""
    try:
        found: dict[str, Any] = json.loads(output)
        if found["answer"] == Question.Answer.YES:
            check_solution(from_position(position), found["way"])
    except (ValueError, KeyError, TypeError):
        # The error could name cards of the position, so it is not logged.
        log.error("a search for a hint failed")  # noqa: TRY400
        return {"answer": "unknown", "way": []}
    return found


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

    The game is won, or still on the deal's own line, or has followed the one that the last question found.
    """
    if table.is_won:
        return []
    if attempt.deal.solution is not None:
        line, played = Record.from_bytes(bytes(attempt.deal.solution)).tokens, table.moves
        if line[: len(played)] == played:
            return list(line[len(played) :])
    asked = Question.objects.filter(attempt=attempt, answer=Question.Answer.YES, n__lte=table.token_count).first()
    if asked is None:
        return None
    since = list(_played(attempt)[asked.n : table.token_count])
    return asked.way[len(since) :] if asked.way[: len(since)] == since else None


def _played(attempt: Attempt) -> tuple[str, ...]:
    return record_of(attempt).tokens if attempt.is_over else tuple(move.token for move in journal_of(attempt.pk))


def _reply(question: Question, now: datetime) -> Reply:
    overdue = not question.answer and now >= question.asked_at + PATIENCE
    return Reply(question.n, Question.Answer.UNKNOWN if overdue else question.answer, question.way)


def _request_answer(question: Question) -> None:
    if not events.request_task("talon.answer_question", question.pk):
        Question.objects.filter(pk=question.pk).update(answer=Question.Answer.UNKNOWN)
