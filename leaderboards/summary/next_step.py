"""Next step after a game: the one action that the end panel suggests first."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from games.deals.first_game import is_first_game
from games.ghosts import challenges
from games.ghosts.models import Answer
from games.models import Attempt


class Step(StrEnum):
    """An action on the end panel."""

    ACCOUNT = "account"
    TODAY = "today"
    NEXT = "next"
    BOARD = "board"
    RELAXED = "relaxed"
    RETRY = "retry"
    SAME = "same"
    NEW = "new"


def answer_of(attempt: Attempt) -> Answer | None:
    """Return the challenge that the attempt answers, as its answer; None if there is none."""
    return Answer.objects.select_related("challenge__attempt").filter(attempt=attempt).first()


def next_step(
    attempt: Attempt,
    player: Any,  # noqa: ANN401 - a row of the user model
    answer: Answer | None,
    *,
    has_next: bool,
    has_relaxed: bool,
    is_secret: bool,
    is_first_win: bool,
) -> Step:
    """Return the step to suggest: `has_next` if a daily deal is left to play, `has_relaxed` if the relaxed deal of this
    variant is, `is_secret` if this deal may not be played again yet.
    """
    is_won = attempt.end == Attempt.End.WON
    if answer is not None and not _may_have_beaten(attempt, answer):
        return Step.RETRY
    if offers_account(attempt, player, answer):
        return Step.NEXT if has_next else Step.ACCOUNT
    is_relaxed = attempt.deal.relaxed_day is not None
    if is_won and not attempt.ranked and (is_first_game(attempt.deal) or (is_first_win and is_relaxed)):
        return Step.TODAY
    if has_relaxed and not is_won and is_secret:
        return Step.RELAXED
    if attempt.ranked or (is_won and is_relaxed and has_next):
        return Step.NEXT if has_next else Step.BOARD
    return Step.NEW if is_won or is_secret else Step.SAME


def offers_account(attempt: Attempt, player: Any, answer: Answer | None) -> bool:  # noqa: ANN401 - as above
    """Return whether a guest has won a game that would be listed with an account."""
    counts = attempt.ranked or answer is not None
    return attempt.end == Attempt.End.WON and player.would_be_listed and counts


def _may_have_beaten(attempt: Attempt, answer: Answer) -> bool:
    """Return whether the attempt has beaten the challenge, as far as is known before its verdict."""
    if attempt.state == Attempt.State.VERIFIED:
        return challenges.outcome(attempt, answer.challenge.attempt) == "won"
    return attempt.end == Attempt.End.WON
