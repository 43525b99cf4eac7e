"""Progress of a player: a level in each game, goals of the week, and badges with stages; nothing is stored.

All of it follows from games that never become fewer (`accounts.profile.finished_games`). A week lasts from Monday to
Sunday, in UTC.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from math import isqrt
from typing import Final, NamedTuple

from django.utils.translation import gettext as _

from accounts.profile.finished_games import FinishedGame, finished_games_of
from accounts.profile.play_statistics import VerifiedPlay
from accounts.profile.win_days import relaxed_win_days
from games.core.streaks import streaks
from games.puzzles.models import PuzzleTry
from games.rules import CATALOGUE

#: Points of a win towards a level; any other finished game has one.
WIN_POINTS: Final = 3

#: Games or puzzles that reach each goal of the week.
GOALS: Final[Mapping[str, int]] = {"play": 5, "learn": 3, "compete": 3}

#: Number of the week's goals that make it a good week.
ENOUGH_GOALS: Final = 2

#: Lowest grade of a deal after whose loss a win is a comeback.
HARD: Final = 4

#: Fewest practice games of a week without hints.
UNAIDED_GAMES: Final = 5


class Level(NamedTuple):
    """Level in a variant, from 1. To get from level n to the next takes as much as n wins."""

    variant: str
    points: int

    @property
    def number(self) -> int:
        """The level."""
        return (1 + isqrt(1 + 8 * (self.points // WIN_POINTS))) // 2

    @property
    def done(self) -> int:
        """Wins since the level was reached, or the points of as many; the next level takes `number` of them."""
        return self.points // WIN_POINTS - self.number * (self.number - 1) // 2

    @property
    def wins_left(self) -> int:
        """Number of wins that reach the next level."""
        return self.number - self.done


class Badge(NamedTuple):
    """A badge, or a goal of the week: a count and the stages it reaches."""

    kind: str
    title: str
    text: str
    done: int
    stages: tuple[int, ...]

    @property
    def stage(self) -> int:
        """Number of stages reached."""
        return sum(self.done >= stage for stage in self.stages)

    @property
    def goal(self) -> int:
        """The next stage, or the last one."""
        return self.stages[min(self.stage, len(self.stages) - 1)]


class Progress(NamedTuple):
    """A player's levels in the games begun, in catalogue order, the goals of this week, and the badges."""

    levels: list[Level]
    goals: list[Badge]
    is_good_week: bool
    badges: list[Badge]


def progress_of(player: int, plays: Sequence[VerifiedPlay], now: datetime) -> Progress:
    """Return a player's progress, given the ranked plays."""
    solved = PuzzleTry.objects.filter(player=player, solved_at__isnull=False).values_list("solved_at", flat=True)
    return progress(finished_games_of(player), [at for at in solved if at], plays, relaxed_win_days(player), now)


def progress(
    games: Iterable[FinishedGame],
    puzzles_solved: Iterable[datetime],
    plays: Sequence[VerifiedPlay],
    relaxed_days: Collection[date],
    now: datetime,
) -> Progress:
    """Compute the progress from all games in order, times of solved puzzles, ranked plays and days of relaxed wins.

    A week without hints counts once it is over.
    """
    weeks = defaultdict[date, Counter[str]](Counter)
    points, wins, comebacks = Counter[str](), Counter[str](), 0
    for at in puzzles_solved:
        weeks[_monday(at)]["learn"] += 1
    before: FinishedGame | None = None
    for game in games:
        week = weeks[_monday(game.at)]
        week["play"] += 1
        week["practice" if game.is_practice else "compete"] += 1
        week["hint"] += game.hinted
        points[game.variant] += WIN_POINTS if game.is_won else 1
        wins[game.variant] += game.is_won
        comebacks += game.is_won and before is not None and not before.is_won and (before.grade or 0) >= HARD
        before = game
    this_week = _monday(now)
    ranked_wins = [play for play in plays if play.won]
    won_on = Counter(day for day, _variant in {(play.day, play.variant) for play in ranked_wins})
    past = [week for day, week in weeks.items() if day < this_week]
    unaided = sum(week["practice"] >= UNAIDED_GAMES and not week["hint"] for week in past)
    streak, relaxed = (streaks(days, now.date()).longest for days in (won_on, relaxed_days))
    par = sum(play.par is not None and play.tokens <= play.par for play in ranked_wins)
    goals = _goals(weeks[this_week])
    good = sum(map(_is_good, weeks.values()))
    badges = [
        Badge("wins", _("Wins"), _("in daily games, practice and races"), wins.total(), (10, 50, 200)),
        Badge("every", _("Every game"), _("different games won"), len(+wins), (1, 5, len(CATALOGUE))),
        Badge("nine", _("All nine"), _("won in one day"), max(won_on.values(), default=0), (3, 6, len(CATALOGUE))),
        Badge("streak", _("Streak"), _("days in a row with a ranked win"), streak, (7, 30, 100)),
        Badge("relaxed", _("Relaxed streak"), _("days in a row with a relaxed win"), relaxed, (7, 30, 100)),
        Badge("par", _("Par or better"), _("won within par"), par, (1, 10, 50)),
        Badge("comeback", _("Comeback"), _("won right after losing a hard deal"), comebacks, (1, 10, 50)),
        Badge("unaided", _("On your own"), _("weeks with five practice games and no hint"), unaided, (1, 10, 50)),
        Badge("weeks", _("Good weeks"), _("weeks with two goals reached"), good, (1, 10, 50)),
    ]
    levels = [Level(name, points[name]) for name in CATALOGUE if points[name]]
    return Progress(levels, goals, _is_good(weeks[this_week]), badges)


def _monday(at: datetime) -> date:
    return at.date() - timedelta(days=at.weekday())


def _goals(week: Mapping[str, int]) -> list[Badge]:
    words = {
        "play": (_("Play"), _("games finished, of any kind")),
        "learn": (_("Learn"), _("puzzles solved")),
        "compete": (_("Compete"), _("ranked games and races finished")),
    }
    return [Badge(kind, *words[kind], week[kind], (goal,)) for kind, goal in GOALS.items()]


def _is_good(week: Mapping[str, int]) -> bool:
    return sum(week[kind] >= goal for kind, goal in GOALS.items()) >= ENOUGH_GOALS
