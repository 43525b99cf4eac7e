"""Games played by hints, alone or with moves of one's own in between."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Final

from accounts.models import User
from games.attempts.lifecycle import deal_table, start_attempt
from games.core.errors import Refusal
from games.hints import questions
from games.hints.advice import WITHIN, Advice, advise
from games.hints.position_search import QUICK, PositionQuestion, PositionVerdict, search
from games.models import Attempt, Deal, Question
from games.solver.quick_shortening import signature
from tests.factories import add_moves

#: Share of searches that answer late.
LATE: Final = 0.5
#: More hints than this count as a loop.
MOST_HINTS: Final = 2_000


def begin(player: User, deal: Deal, chance: Random, moves: int, opening: Iterable[str] = ()) -> Attempt:
    """Start a practice attempt with an opening and then random moves, as long as any is legal."""
    attempt, table = start_attempt(player, deal), deal_table(deal)
    for token in opening:
        table.push(token)
    for _ in range(moves):
        if not (legal := table.legal_moves()):
            break
        table.push(chance.choice(legal))
    add_moves(attempt, *table.moves)
    return attempt


class Game:
    """A game played by hints alone, with counts of its moves and of its loops."""

    def __init__(self, attempt: Attempt, chance: Random) -> None:
        """Start from the attempt's position; `chance` decides which answers come late."""
        self.attempt = attempt
        self.chance = chance
        self.table = questions.table_of(attempt, None)
        self.loops = self.forward = self.back = 0
        self._seen = {signature(self.table)}
        self._previous: Advice | None = None

    def run(self) -> None:
        """Follow hints until the game is won, or there is none."""
        while not self.table.is_won and self.forward + self.back < MOST_HINTS:
            try:
                self._follow(self.advice())
            except Refusal:
                return
        self.loops += not self.table.is_won

    def play(self, token: str) -> None:
        """Play a move, by a hint or not."""
        add_moves(self.attempt, token)
        self.table.push(token)

    def advice(self) -> Advice:
        """Ask for a hint, as often as the client does."""
        pk = self.attempt.player_id
        advice = advise(self.attempt, pk, lambda: None)
        if advice is None and self.chance.random() < LATE:
            question = Question.objects.get(attempt=self.attempt)
            advice = advise(self.attempt, pk, lambda: None, now=question.asked_at + WITHIN)
            questions.answer(question.pk)
        if advice is None:
            questions.answer(Question.objects.get(attempt=self.attempt).pk)
            advice = advise(self.attempt, pk, lambda: None)
        assert advice is not None
        return advice

    def _follow(self, advice: Advice) -> None:
        is_back = advice.token == "u"
        if is_back and self._previous is not None and self._previous.token != "u":
            self.loops += 1
        self.play(advice.token)
        place = signature(self.table)
        if is_back:
            self.back += 1
        else:
            self.forward += 1
            self.loops += place in self._seen
        self._seen.add(place)
        self._previous = advice


@cache
def searched(position: str) -> PositionVerdict:
    """Search a position in this process, with the budget of a question's first search."""
    return next(search(PositionQuestion(position, QUICK)))
