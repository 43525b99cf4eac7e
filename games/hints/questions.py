"""Background questions whether, and how, a game can still be won; for practice games and deals that are over.

They are refused while the answer could help with a ranked deal. A question is a row; a Celery task puts it in a queue
of the worker, which writes the result of the search to the row. Withdrawing a question deletes the row, and the search
is killed. A player has one open question at a time, and networks take turns in the queue, so that many guests of one
network delay only each other. Time spent in the queue does not count against a question's budget. If a worker dies, its
questions time out as "unknown".
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.utils import timezone

from games.attempts.lifecycle import deal_table, journal_of, record_of
from games.core import events
from games.core.errors import ErrorCode, Refusal
from games.core.player_networks import sources_of
from games.hints import position_search, search_results
from games.hints.plans import Outlook
from games.hints.search_queue import SearchQueue
from games.models import Attempt, Question
from games.rules import Table

#: Time after which a question that no worker has queued counts as "unknown".
PATIENCE: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """The state of a question; `answer` is empty while the search runs.

    `back` is the number of moves to undo from a lost position to reach one known to win.
    """

    n: int
    answer: str
    way: list[str]
    back: int = 0

    def to_json(self, *, way: bool) -> dict[str, Any]:
        """Return the reply for the client; `way` says whether to include the winning line."""
        reply: dict[str, Any] = {"state": "answered" if self.answer else "looking", "n": self.n}
        if self.answer:
            reply["answer"] = self.answer
        if self.answer == Question.Answer.YES:
            reply["moves"] = len(self.way)
            if way:
                reply["way"] = self.way
        if self.back:
            reply["back"] = self.back
        return reply


def check_may_ask(attempt: Attempt, player_id: int | None, now: datetime) -> None:
    """Check that the player may ask: the attempt must be theirs, at a practice deal or one whose seed is public.

    :raises Refusal: not_yours or no_hints.
    """
    if attempt.player_id != player_id:
        raise Refusal(ErrorCode.NOT_YOURS, "this is not your game")
    deal = attempt.deal
    counts = deal.day is not None or deal.for_race
    allowed = deal.is_revealed(now) if counts else not attempt.ranked
    if not allowed:
        raise Refusal(ErrorCode.NO_HINTS, "a game that counts gets no hints before its deal is closed")


def may_ask(attempt: Attempt, player_id: int | None, now: datetime) -> bool:
    """Return whether `check_may_ask` passes."""
    try:
        check_may_ask(attempt, player_id, now)
    except Refusal:
        return False
    return True


def ask(attempt: Attempt, player_id: int | None, n: int | None = None, *, now: datetime | None = None) -> QuestionReply:
    """Ask about the position after the attempt's first `n` tokens, by default after all of them.

    A player has one open question at a time: asking withdraws the previous one.

    :raises Refusal: if the question is not allowed, or there are fewer tokens.
    """
    now = now or timezone.now()
    check_may_ask(attempt, player_id, now)
    outlook = Outlook(attempt, tokens_of(attempt, n))
    return _reply(put(attempt, outlook, now=now), now, outlook)


def put(
    attempt: Attempt, outlook: Outlook, before_search: Callable[[], None] = lambda: None, *, now: datetime
) -> Question:
    """Store a question, already answered if that needs no search; the caller has checked that it is allowed.

    `before_search` is called before a search is requested, and may refuse it.
    """
    settled = outlook.settled()
    question = Question(attempt=attempt, n=len(outlook.tokens), asked_at=now)
    if settled is None:
        before_search()
    else:
        question.answer, question.way = settled.answer, list(settled.way)
        if settled.way:
            search_results.remember(outlook.table.position(), settled)
    try:
        with transaction.atomic():
            Question.objects.filter(attempt__player_id=attempt.player_id, answer="").delete()
            Question.objects.filter(attempt=attempt).delete()
            question.save(force_insert=True)
            if settled is None:
                transaction.on_commit(lambda: _request_answer(question))
    except IntegrityError:  # asked in another tab at this moment
        return Question.objects.get(attempt=attempt)
    return question


def status(attempt: Attempt, player_id: int | None, *, now: datetime | None = None) -> QuestionReply | None:
    """Return the state of the attempt's question, or None without one.

    :raises Refusal: if the question is not allowed.
    """
    now = now or timezone.now()
    check_may_ask(attempt, player_id, now)
    question = Question.objects.filter(attempt=attempt).first()
    return None if question is None else _reply(question, now)


def answer_of(question: Question, now: datetime) -> str:
    """Return the answer: empty while a worker has the question, "unknown" once no worker has had it for `PATIENCE`."""
    lost = not question.answer and now >= question.asked_at + PATIENCE and not cache.get(_alive_key(question.pk))
    return Question.Answer.UNKNOWN if lost else question.answer


def way_of(attempt: Attempt, player_id: int | None) -> tuple[Table, list[str]] | None:
    """Return the table asked about and a winning line from there; None unless the answer is yes.

    :raises Refusal: if the question is not allowed.
    """
    reply = status(attempt, player_id)
    if reply is None or reply.answer != Question.Answer.YES:
        return None
    return table_of(attempt, reply.n), reply.way


def mark_hinted(attempt: Attempt) -> None:
    """Record that the player of an attempt has had help."""
    if not attempt.hinted:
        Attempt.objects.filter(pk=attempt.pk).update(hinted=True)


def withdraw(attempt: Attempt, player_id: int | None) -> None:
    """Delete the attempt's question, which cancels its search.

    :raises Refusal: if the question is not allowed.
    """
    check_may_ask(attempt, player_id, timezone.now())
    Question.objects.filter(attempt=attempt).delete()


def enqueue(question_id: int) -> threading.Thread:
    """Queue a question to be answered in a thread of this worker, and return the thread."""
    return _quick.put(question_id, _source_of(question_id))


def _source_of(question_id: int) -> str:
    player_id = Question.objects.filter(pk=question_id).values_list("attempt__player", flat=True).first()
    return sources_of([player_id])[player_id]


def answer(question_id: int, limit: position_search.Limit = position_search.FULL) -> bool:
    """Search, and write the answer to the question if it still exists; return False if `limit` was not enough."""
    question = Question.objects.select_related("attempt__deal").filter(pk=question_id, answer="").first()
    if question is None:
        return True
    row = Question.objects.filter(pk=question_id, answer="")
    position = table_of(question.attempt, question.n).position()
    queue = _quick if limit == position_search.QUICK else _thorough

    def is_wanted() -> bool:
        _renew_heartbeats(question_id)
        return row.exists()

    verdict = queue.searcher.ask(position, limit, is_wanted)
    if verdict is None:  # withdrawn, or the search failed; the position's verdict is still open
        row.update(answer=Question.Answer.UNKNOWN)
        return True
    if verdict.answer == Question.Answer.UNKNOWN and limit != position_search.FULL:
        return False
    search_results.remember(position, verdict)
    row.update(answer=verdict.answer, way=list(verdict.way))
    return True


def _search_quickly(question_id: int) -> None:
    if not answer(question_id, position_search.QUICK):
        _thorough.put(question_id, _source_of(question_id))


#: Every question gets a quick search first, so that easy ones do not wait behind hard ones.
_quick: Final = SearchQueue("hint-quick", _search_quickly)
_thorough: Final = SearchQueue("hint-thorough", answer)


def dismiss() -> None:
    """Kill this process's searches."""
    for queue in (_quick, _thorough):
        queue.searcher.process.kill()


def table_of(attempt: Attempt, n: int | None) -> Table:
    """Return the attempt's table after its first `n` tokens, or all of them.

    :raises Refusal: bad_position if there are fewer.
    """
    table = deal_table(attempt.deal)
    for token in tokens_of(attempt, n):
        table.push(token)
    return table


def tokens_of(attempt: Attempt, n: int | None = None) -> tuple[str, ...]:
    """Return the attempt's first `n` tokens, or all of them.

    :raises Refusal: bad_position if there are fewer.
    """
    tokens = record_of(attempt).tokens if attempt.is_over else tuple(move.token for move in journal_of(attempt.pk))
    if n is not None and not 0 <= n <= len(tokens):
        raise Refusal(ErrorCode.BAD_POSITION, f"the game has {len(tokens)} moves so far")
    return tokens[:n]


def _reply(question: Question, now: datetime, outlook: Outlook | None = None) -> QuestionReply:
    answer = answer_of(question, now)
    back = 0
    if answer == Question.Answer.NO:
        outlook = outlook or Outlook(question.attempt, tokens_of(question.attempt, question.n))
        won = outlook.last_won()
        back = 0 if won is None else len(outlook.table.moves) - won
    return QuestionReply(question.n, answer, question.way, back)


def _request_answer(question: Question) -> None:
    if not events.request_task("talon.answer_question", question.pk):
        Question.objects.filter(pk=question.pk).update(answer=Question.Answer.UNKNOWN)


def _renew_heartbeats(question_id: int) -> None:
    """Renew the heartbeats of the question being searched and of all queued ones."""
    waiting = {question_id, *_quick.waiting(), *_thorough.waiting()}
    cache.set_many({_alive_key(pending_id): True for pending_id in waiting}, PATIENCE.total_seconds())


def _alive_key(question_id: int) -> str:
    return f"hint-question:{question_id}"
