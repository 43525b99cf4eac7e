"""Chart geometry for the distribution of a deal's results, with the player's own value marked, for SVG templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from django.utils.translation import gettext as _

from games.presentation.durations import duration
from leaderboards.summary.distributions import Bars, Distribution, Of, in_bars

# Sizes in drawing units.
WIDTH: Final = 264
HEIGHT: Final = 104
_TOP, _GROUND = 24, 84
_GAP: Final = 2
_LEAST: Final = 1.5
_TICKS: Final = 4
_MARGIN: Final = 22

_MINUTE: Final = 60_000
_STEPS: Final[dict[Of, tuple[int, ...]]] = {
    "times": tuple(n * _MINUTE for n in (1, 2, 5, 10, 15, 30, 60, 120, 240, 480)),
    "moves": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000),
    "cards": (1, 2, 5, 10, 20, 50),
}


class Bar(NamedTuple):
    """Bar from the ground up."""

    x: float
    y: float
    width: float
    height: float
    is_own: bool


class Tick(NamedTuple):
    """Label below the ground."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class ResultChart:
    """Chart: title, text alternative, bars and ticks, and the player's own value with its position."""

    of: Of
    title: str
    words: str
    bars: list[Bar]
    ticks: list[Tick]
    own: Tick
    mark: float
    width: int = WIDTH
    height: int = HEIGHT
    ground: int = _GROUND
    top: int = _TOP


def chart(of: Of, spread: Distribution, own: int, *, counted: bool) -> ResultChart:
    """Build the chart of a non-empty spread with the player's own value; `counted` if the spread includes it."""
    found = in_bars(spread, own)
    tallest = max(*found.heights, 1)
    across = WIDTH / len(found.heights)
    bars = [
        _bar(place, across, count / tallest, is_own=place == found.own) for place, count in enumerate(found.heights)
    ]
    mark = (found.own + 0.5) * across
    label = Tick(min(max(mark, _MARGIN), WIDTH - _MARGIN), _written(of, 1)(own))
    return ResultChart(
        of, _title(of, spread, own, counted=counted), _words(of, spread, own), bars, _ticks(of, found), label, mark
    )


def _bar(place: int, across: float, share: float, *, is_own: bool) -> Bar:
    height = max(share * (_GROUND - _TOP), _LEAST if share or is_own else 0)
    gap = min(_GAP, across / 4)
    return Bar(
        round(place * across + gap / 2, 1), round(_GROUND - height, 1), round(across - gap, 1), round(height, 1), is_own
    )


def _ticks(of: Of, bars: Bars) -> list[Tick]:
    """Return round values along the ground, as many as are readable."""
    span = bars.end - bars.first
    step = next((step for step in _STEPS[of] if span / step <= _TICKS), _STEPS[of][-1])
    write = _written(of)
    values = range(-(-bars.first // step) * step, bars.end + 1, step)
    placed = [(WIDTH * (value - bars.first) / span, value) for value in values]
    return [Tick(round(x, 1), write(value)) for x, value in placed if _MARGIN / 2 <= x <= WIDTH - _MARGIN / 2]


def _written(of: Of, places: int = 0) -> Callable[[int], str]:
    """Return the formatter of values: axis times in whole seconds, the player's own to a tenth."""
    return partial(duration, places=places) if of == "times" else str


def _title(of: Of, spread: Distribution, own: int, *, counted: bool) -> str:
    share = spread.share_above(own, counted=counted)
    if of == "cards":
        return _("Cards up without a win")
    if of == "times":
        known = {0: _("Winning times"), 100: _("Time: fastest of all")}
        return known.get(share) or _("Time: faster than %(share)s%%") % {"share": share}
    known = {0: _("Winning moves"), 100: _("Moves: the fewest of all")}
    return known.get(share) or _("Moves: fewer than %(share)s%%") % {"share": share}


def _words(of: Of, spread: Distribution, own: int) -> str:
    """Describe the chart for screen readers."""
    write = _written(of)
    known = {
        "n": spread.total,
        "least": write(spread.counts[0][0]),
        "most": write(spread.counts[-1][0]),
        "middle": write(spread.quantile(0.5)),
        "own": _written(of, 1)(own),
    }
    texts: dict[Of, str] = {
        "times": _(
            "Times of %(n)s wins: about %(least)s to %(most)s, half of them under about %(middle)s. Yours: %(own)s."
        ),
        "moves": _("Moves in %(n)s wins: %(least)s to %(most)s, half of them %(middle)s or fewer. Yours: %(own)s."),
        "cards": _(
            "Cards up in %(n)s games without a win: %(least)s to %(most)s, half of them %(middle)s or fewer. "
            "Yours: %(own)s."
        ),
    }
    return texts[of] % known
