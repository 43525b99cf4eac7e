"""Can this still be won, and how? Asked in practice and about deals that are over, answered in the background.

Never while it could help anybody at a deal that is played for a rank. The question is a row; the search runs in a
process of its own, started by a Celery task, and writes the answer into the row. Whoever withdraws the question deletes
the row, and the search is killed. A search that dies leaves a question without an answer, which after a time counts as
"not found".
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
from django.db import connections, transaction
from django.utils import timezone

from games import events
from games.attempts import deal_table, journal_of, record_of
from games.errors import ErrorCode, Refusal
from games.models import Attempt, Question
from games.rules import Record, Table, from_position
from games.solver import check_solution

log = logging.getLogger(__name__)

#: What one search may use.
NODES: Final = 2_000_000
SECONDS: Final = 15.0

#: After this the question counts as not answered: the search, and some waiting for its turn.
PATIENCE: Final = timedelta(seconds=30)

#: Searches that run at once in one worker process; further ones wait for their turn.
_turns = threading.BoundedSemaphore(2)
_GLANCE: Final = 0.25  # s between two looks whether the question has been withdrawn


@dataclass(frozen=True, slots=True)
class Reply:
    """Where a question stands: `answer` is empty while it is being looked for."""

    n: int
    answer: str
    way: list[str]

    def to_json(self, *, way: bool) -> dict[str, Any]:
        """For the client; the way itself only if it asked for it."""
        reply: dict[str, Any] = {"state": "answered" if self.answer else "looking", "n": self.n}
        if self.answer:
            reply["answer"] = self.answer
        if self.answer == Question.Answer.YES:
            reply["moves"] = len(self.way)
            if way:
                reply["way"] = self.way
        return reply


def check_may_ask(attempt: Attempt, player_id: int | None, now: datetime) -> None:
    """Questions are for the attempt's own player, about a practice deal or one whose seed everybody may see.

    :raises Refusal: otherwise.
    """
    if attempt.player_id != player_id:
        raise Refusal(ErrorCode.NOT_YOURS, "this is not your game")
    deal = attempt.deal
    allowed = not attempt.ranked if deal.day is None else deal.is_revealed(now)
    if not allowed:
        raise Refusal(ErrorCode.NO_HINTS, "a game that counts gets no hints before its deal is closed")


def may_ask(attempt: Attempt, player_id: int | None, now: datetime) -> bool:
    """As `check_may_ask`, for who only wants to know."""
    try:
        check_may_ask(attempt, player_id, now)
    except Refusal:
        return False
    return True


def ask(attempt: Attempt, player_id: int | None, n: int | None = None, *, now: datetime | None = None) -> Reply:
    """Ask about the position after the attempt's first `n` tokens, by default after all so far.

    A player has one question at a time: those before it are withdrawn.

    :raises Refusal: when it may not be asked, or there are fewer tokens.
    """
    now = now or timezone.now()
    check_may_ask(attempt, player_id, now)
    table = _table(attempt, n)
    known = _known_way(attempt, table)
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
    """What has become of the attempt's question; None when there is none.

    :raises Refusal: when it may not be asked.
    """
    now = now or timezone.now()
    check_may_ask(attempt, player_id, now)
    question = Question.objects.filter(attempt=attempt).first()
    return None if question is None else _reply(question, now)


def way_of(attempt: Attempt, player_id: int | None) -> tuple[Table, list[str]] | None:
    """The table asked about and a way to win from there; None while there is no such answer.

    :raises Refusal: when it may not be asked.
    """
    reply = look(attempt, player_id)
    if reply is None or reply.answer != Question.Answer.YES:
        return None
    return _table(attempt, reply.n), reply.way


def withdraw(attempt: Attempt, player_id: int | None) -> None:
    """Forget the attempt's question, and end the search for its answer.

    :raises Refusal: when it may not be asked.
    """
    check_may_ask(attempt, player_id, timezone.now())
    Question.objects.filter(attempt=attempt).delete()


def answer_soon(question_id: int) -> threading.Thread:
    """Have a question answered by a thread of this worker, which meanwhile goes on with verdicts."""

    def work() -> None:
        try:
            answer(question_id)
        except Exception:
            log.exception("question not answered")
        finally:
            connections.close_all()

    thread = threading.Thread(target=work, name=f"question-{question_id}", daemon=True)
    thread.start()
    return thread


def answer(question_id: int) -> None:
    """Search, and write the answer into the question if it still stands."""
    question = Question.objects.select_related("attempt__deal").filter(pk=question_id, answer="").first()
    if question is None:
        return
    latest = time.monotonic() + (question.asked_at + PATIENCE - timezone.now()).total_seconds()
    if latest <= time.monotonic() or not _turns.acquire(timeout=latest - time.monotonic()):
        return
    try:
        position = _table(question.attempt, question.n).position()
        found = _search(position, question_id, latest)
    finally:
        _turns.release()
    if found is not None:
        Question.objects.filter(pk=question_id).update(answer=found["answer"], way=found["way"])


def _search(position: str, question_id: int, latest: float) -> dict[str, Any] | None:
    """Run the search until it ends, its time is over ("unknown") or the question is withdrawn (None)."""
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
    """What the search has found; a way is believed only if the rules agree."""
    try:
        found: dict[str, Any] = json.loads(output)
        if found["answer"] == Question.Answer.YES:
            check_solution(from_position(position), found["way"])
    except (ValueError, KeyError, TypeError):
        # What went wrong could name cards of the position, so it is not written down.
        log.error("a search for a hint failed")  # noqa: TRY400
        return {"answer": "unknown", "way": []}
    return found


def _table(attempt: Attempt, n: int | None) -> Table:
    played = record_of(attempt).tokens if attempt.is_over else tuple(move.token for move in journal_of(attempt.pk))
    if n is not None and not 0 <= n <= len(played):
        raise Refusal(ErrorCode.BAD_POSITION, f"the game has {len(played)} moves so far")
    table = deal_table(attempt.deal)
    for token in played[:n]:
        table.push(token)
    return table


def _known_way(attempt: Attempt, table: Table) -> list[str] | None:
    """The rest of the way where no search is needed: the game is won, or still on the deal's own winning line."""
    if table.is_won:
        return []
    if attempt.deal.solution is None:
        return None
    line, played = Record.from_bytes(bytes(attempt.deal.solution)).tokens, table.moves
    return list(line[len(played) :]) if line[: len(played)] == played else None


def _reply(question: Question, now: datetime) -> Reply:
    overdue = not question.answer and now >= question.asked_at + PATIENCE
    return Reply(question.n, Question.Answer.UNKNOWN if overdue else question.answer, question.way)


def _request_answer(question: Question) -> None:
    if not events.request_task("talon.answer_question", question.pk):
        Question.objects.filter(pk=question.pk).update(answer=Question.Answer.UNKNOWN)
