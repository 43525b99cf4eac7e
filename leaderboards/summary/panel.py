"""End-of-game panel: headline, rank, comparison with par and personal best, progress of the day, and the next step.

Only the game's player sees it. It takes a handful of indexed queries, regardless of the number of results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple, Self

from django.contrib.humanize.templatetags.humanize import ordinal
from django.db.models import Max, Min, Q
from django.utils import formats, timezone
from django.utils.html import strip_tags
from django.utils.translation import gettext as _

from games.analysis import analyses
from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.attempts.player_attempts import attempts_on
from games.core.ladders import Ladder
from games.daily import day_summary
from games.daily.day_results import DealResults, relaxed_results
from games.daily.relaxed_day import relaxed_marks
from games.db.players import player_services
from games.deals import publishing, relaxed_deals
from games.explorer.lookup import figures_of
from games.ghosts.challenges import may_challenge
from games.models import Attempt
from games.presentation.durations import duration
from games.presentation.practice_links import fields_again
from games.presentation.titles import VARIANT_TITLES
from games.presentation.view_models import ShownAttempt, ShownDeal
from games.races.results.confirming_races import is_top_place
from games.replays.models import Continuation
from games.rules import CATALOGUE
from leaderboards.boards.own_result import OwnResult, own_result
from leaderboards.summary import distributions, result_charts
from leaderboards.summary.next_step import Step, answer_of, next_step, offers_account

State = Attempt.State

#: Minimum number of results on the ladder for a chart.
DRAWN_FROM: Final = 3


class ReferenceComparison(NamedTuple):
    """Figure of the game next to a reference value, in words; `is_better` if the game's figure is better."""

    beside: str
    words: str
    is_better: bool


@dataclass(frozen=True, slots=True)
class Today:
    """Progress of the day: deals finished and won, a mark for each, and the next deal to play.

    Each mark pairs the deal's title with its status (`games.daily.day_summary.mark_of`). `goes_on` is set if the
    next deal is already in progress.
    """

    done: int
    won: int
    marks: list[tuple[str, str]]
    next: ShownDeal | None
    goes_on: bool

    @property
    def of(self) -> int:
        """Number of deals of the day."""
        return len(self.marks)

    @property
    def is_whole(self) -> bool:
        """True if no deal of the day is still being prepared."""
        return all(mark != "coming" for _, mark in self.marks)


@dataclass(frozen=True, slots=True)
class Again:
    """Follow-up actions: a form for new practice, the same deal or the time from which it is playable, and the code of
    the challenge that this game answers. `step` is the one to suggest first; a guest may see an account second, and
    after a ranked game, `relaxed` is the relaxed deal of its variant.
    """

    step: Step
    relaxed: ShownDeal | None
    new_deal: list[tuple[str, str]]
    same_deal: int | None
    same_deal_from: datetime | None
    may_challenge: bool
    challenge: str
    offers_account: bool

    @classmethod
    def of(
        cls,
        attempt: Attempt,
        player: Any,  # noqa: ANN401 - a row of the user model
        today: Today | None,
        now: datetime,
        *,
        is_first_win: bool,
    ) -> Self:
        """Return the follow-up actions of a finished game."""
        deal, secret = attempt.deal, publishing.is_secret(attempt.deal, now)
        answer, has_next = answer_of(attempt), today is not None and today.next is not None
        relaxed = (
            relaxed_deals.playable(now.date()).filter(variant=attempt.deal.variant, relaxed_day=now.date()).first()
        )
        return cls(
            step=next_step(
                attempt,
                player,
                answer,
                has_next=has_next,
                has_relaxed=relaxed is not None,
                is_secret=secret,
                is_first_win=is_first_win,
            ),
            relaxed=ShownDeal.of(relaxed, now) if relaxed and attempt.ranked else None,
            new_deal=list(fields_again(attempt).items()),
            same_deal=None if secret else deal.pk,
            same_deal_from=ShownDeal.of(deal, now).reveals_at if secret else None,
            may_challenge=may_challenge(attempt, attempt.player_id, now),
            challenge=answer.challenge.code if answer else "",
            offers_account=offers_account(attempt, player, answer),
        )


class LosingMove(NamedTuple):
    """The move that lost the game for good: it is among the moves after `n` up to `to`."""

    n: int
    to: int

    @classmethod
    def of(cls, attempt: Attempt) -> Self | None:
        """Return the losing move of an attempt that has been analysed, or None if there is none."""
        packed = Analysis.objects.filter(attempt=attempt).values_list("findings", flat=True).first()
        turns = Findings.unpack(bytes(packed)).turns if packed else []
        return cls(turns[-1].n, turns[-1].to) if turns else None


@dataclass(frozen=True, slots=True)
class GameSummary:
    """Contents of the end-of-game panel; `own` is the rank on the board, or the one an account would have."""

    deal: ShownDeal
    attempt: ShownAttempt
    own: OwnResult | None
    charts: list[result_charts.ResultChart]
    comparisons: list[ReferenceComparison]
    is_first_win: bool
    results: DealResults | None
    streak: int
    today: Today | None
    again: Again | None
    may_analyse: bool
    lost_at: LosingMove | None
    is_explored: bool

    @classmethod
    def of(
        cls,
        attempt: Attempt,
        player: Any,  # noqa: ANN401 - a row of the user model
        now: datetime | None = None,
    ) -> Self:
        """Build the panel of a player's own finished game."""
        now = now or timezone.now()
        deal, in_race = attempt.deal, attempt.in_race
        is_verified, is_daily = attempt.state == State.VERIFIED, attempt.ranked and deal.day is not None
        own = own_result(deal, "race", player) if is_verified and is_daily else None
        best = _Best.of(attempt) if is_verified else None
        is_relaxed = deal.relaxed_day is not None
        goes_on = not attempt.ranked and Continuation.objects.filter(attempt=attempt).exists()
        today = None if in_race else _today(attempt, now)
        is_first_win = not goes_on and _is_first_win(attempt)
        may_analyse = not _is_won(attempt) and analyses.may_be_analysed(attempt, attempt.player_id, now)
        return cls(
            deal=ShownDeal.of(deal, now),
            attempt=ShownAttempt.of(attempt),
            own=own,
            charts=list(_charts(attempt, own)) if own else [],
            comparisons=[*_beside_par(attempt), *best.beside(attempt)] if best and not goes_on else [],
            is_first_win=is_first_win,
            results=_relaxed_results(attempt),
            streak=_streak(attempt, now.date()) if is_daily or is_relaxed else 0,
            today=today,
            again=None if in_race else Again.of(attempt, player, today, now, is_first_win=is_first_win),
            may_analyse=may_analyse,
            lost_at=LosingMove.of(attempt) if may_analyse else None,
            is_explored=(deal.day is not None or deal.for_race) and figures_of(deal) is not None,
        )

    @property
    def is_top_place(self) -> bool:
        """True if the game is won and its rank is worth confirming in a race."""
        own = self.own
        if own is None or own.is_preview or self.attempt.end != Attempt.End.WON:
            return False
        return is_top_place(own.rank, own.of)

    @property
    def is_won(self) -> bool:
        """True if the game was won."""
        return self.attempt.end == Attempt.End.WON

    @property
    def headline(self) -> str:
        """Headline of the panel: a first win or a place; empty if the client should show the time or the cards up."""
        if self.is_first_win:
            return _("Your first %(title)s win") % {"title": self.deal.title}
        return self.place

    @property
    def place(self) -> str:
        """Place of a win on a board with at least two results, such as "1st of 12"; empty otherwise."""
        is_placed = self.own is not None and not self.own.is_preview and self.is_won
        return self._place if is_placed else ""

    @property
    def standing(self) -> str:
        """The verdict in one sentence, with the place unless it is in the headline; empty without a rank."""
        if self.own is None:
            return ""
        if self.own.is_preview and self._place:
            return _("With an account, you'd be %(place)s.") % {"place": self._place}
        if not self._place or self.headline == self._place:
            return _("Your result counts.")
        return _("Your result counts: %(place)s.") % {"place": self._place}

    @property
    def _place(self) -> str:
        if self.own is None or self.own.of < 2:
            return ""
        known = {"place": strip_tags(str(ordinal(self.own.rank))), "of": self.own.of}
        newcomers = self.own.ladder == Ladder.NEWCOMERS
        return (_("%(place)s of %(of)s newcomers") if newcomers else _("%(place)s of %(of)s")) % known


class _Best(NamedTuple):
    """Player's best in earlier ranked games of the variant: time and moves of wins, and cards up of any game."""

    ms: int | None
    moves: int | None
    cards: int | None

    @classmethod
    def of(cls, attempt: Attempt) -> Self:
        if not attempt.deal.variant:
            return cls(None, None, None)
        won = Q(end=Attempt.End.WON)
        others = Attempt.objects.filter(
            player=attempt.player_id,
            ranked=True,
            state=State.VERIFIED,
            deal__variant=attempt.deal.variant,
            finished_at__lt=attempt.finished_at,
        )
        return cls(
            **others.aggregate(ms=Min("elapsed_ms", filter=won), moves=Min("tokens", filter=won), cards=Max("cards_up"))
        )

    def beside(self, attempt: Attempt) -> Iterator[ReferenceComparison]:
        """Compare a win by time and moves; compare another game by cards up, as long as there is no win."""
        if not _is_won(attempt):
            if self.cards is not None and self.ms is None:
                beside = _("Your most cards up: %(cards)s") % {"cards": self.cards}
                yield _compared(attempt, beside, self.cards - (attempt.cards_up or 0), _("%(by)s fewer"))
            return
        if self.ms is not None:
            later = (attempt.elapsed_ms or 0) - self.ms
            beside = _("Your best time: %(time)s") % {"time": duration(self.ms)}
            yield _compared(attempt, beside, later, _("%(by)s slower"), _span(abs(later)))
        if self.moves is not None:
            beside = _("Your fewest moves: %(moves)s") % {"moves": self.moves}
            yield _compared(attempt, beside, (attempt.tokens or 0) - self.moves, _("%(by)s more"))


def _compared(attempt: Attempt, beside: str, worse_by: int, worse: str, written: str = "") -> ReferenceComparison:
    if worse_by == 0:
        return ReferenceComparison(beside, _("the same"), is_better=False)
    better = _("your best ever, by %(by)s") if attempt.ranked else _("%(by)s better")
    words = worse if worse_by > 0 else better
    return ReferenceComparison(beside, words % {"by": written or abs(worse_by)}, worse_by < 0)


def _beside_par(attempt: Attempt) -> Iterator[ReferenceComparison]:
    par, moves = attempt.deal.par, attempt.tokens
    if par is None or moves is None or not _is_won(attempt):
        return
    over = moves - par
    words = _("%(n)s over") if over > 0 else _("%(n)s under") if over else _("par")
    yield ReferenceComparison(
        _("Par: %(par)s moves") % {"par": par}, words % {"n": abs(over)} if over else words, over <= 0
    )


def _charts(attempt: Attempt, own: OwnResult) -> Iterator[result_charts.ResultChart]:
    """Yield charts of time and moves among the wins, or of cards up among the other games."""
    values: dict[distributions.Of, int | None] = {"cards": attempt.cards_up}
    if _is_won(attempt):
        values = {"times": attempt.elapsed_ms, "moves": attempt.tokens}
    for of, value in values.items():
        spread = distributions.read(attempt.deal, own.ladder, of)
        if spread.total >= DRAWN_FROM:
            yield result_charts.chart(of, spread, value or 0, counted=not own.is_preview)


def _today(attempt: Attempt, now: datetime) -> Today | None:
    """Return the deals of this day with the player's progress: the relaxed ones after a relaxed game."""
    today = now.date()
    is_relaxed = attempt.deal.relaxed_day is not None
    rows = relaxed_deals.relaxed_on(today) if is_relaxed else publishing.todays_deals(now)
    deals = [ShownDeal.of(deal, now) for deal in rows]
    if not deals:
        return None
    if is_relaxed:
        mine = relaxed_marks(attempt.player_id, today, today + timedelta(days=1)).get(today, {})
        marks = {deal.id: mine.get(deal.variant, "open") for deal in deals}
    else:
        attempts = attempts_on(attempt.player_id, today)
        marks = {deal.id: day_summary.mark_of(attempts.get(deal.id)) for deal in deals}
    shown = {deal.variant: marks[deal.id] for deal in deals}
    after = next((place for place, deal in enumerate(deals, 1) if deal.variant == attempt.deal.variant), 0)
    in_turn = deals[after:] + deals[:after]
    fresh = next((deal for deal in in_turn if marks[deal.id] == "open"), None)
    running = next((deal for deal in in_turn if marks[deal.id] == "playing"), None)
    return Today(
        done=sum(map(day_summary.is_played, marks.values())),
        won=sum(mark == "won" for mark in marks.values()),
        marks=[(str(VARIANT_TITLES[name]), shown.get(name, "coming")) for name in CATALOGUE],
        next=fresh or running,
        goes_on=fresh is None,
    )


def _relaxed_results(attempt: Attempt) -> DealResults | None:
    """Return everyone's results at a relaxed deal, with this one; None at any other deal."""
    day = attempt.deal.relaxed_day
    return relaxed_results(day, since=attempt.finished_at).get(attempt.deal.variant) if day else None


def _streak(attempt: Attempt, today: date) -> int:
    services = player_services()
    if attempt.ranked:
        return services.streaks_of(attempt.player_id, today).any_game
    return services.relaxed_streak_of(attempt.player_id, today)


def _is_first_win(attempt: Attempt) -> bool:
    """Return whether this is the player's first win of the variant, ranked or not."""
    if not attempt.deal.variant or not _is_won(attempt) or attempt.state == State.REJECTED:
        return False
    wins = Attempt.objects.filter(player=attempt.player_id, deal__variant=attempt.deal.variant, end=Attempt.End.WON)
    earlier = wins.filter(finished_at__lt=attempt.finished_at, continuation=None).exclude(state=State.REJECTED)
    return not earlier.exists()


def _is_won(attempt: Attempt) -> bool:
    return attempt.end == Attempt.End.WON


def _span(ms: int) -> str:
    """Format a time difference, such as `0:12.3` or, below one second, `0.4 s` or `0.012 s`."""
    if ms >= 1_000:
        return duration(ms)
    return _("%(seconds)s s") % {"seconds": formats.number_format(ms / 1000, 1 if ms >= 100 else 3)}
