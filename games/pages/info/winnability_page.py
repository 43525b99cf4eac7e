"""Page on the winnability of each game, with its figures as CSV (`games.solver.winnability_figures`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from games.presentation import titles
from games.presentation.anonymous_cache import cache_for_anonymous
from games.rules import CATALOGUE
from games.solver import winnability_figures
from games.solver.winnability_figures import Outcome, Share, StudySummary

#: Length of a bar, in units of its SVG.
LENGTH: Final = 1000
_COLUMNS: Final[tuple[Outcome, ...]] = ("won", "lost", "undecided")


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A segment of a bar, in units of its picture."""

    outcome: Outcome
    begin: int
    length: int


@dataclass(frozen=True, slots=True)
class VariantRow:
    """A variant's row on the page."""

    found: StudySummary
    title: Promise
    game: str
    longest: float
    """The longest median line of all variants."""

    @property
    def shares(self) -> dict[Outcome, tuple[str, str]]:
        """The share of each outcome in the order of the table's columns, with its confidence interval, as text."""
        return {outcome: _with_interval(self.found.share(outcome)) for outcome in _COLUMNS}

    @property
    def between(self) -> str:
        """Lower and upper bound of the share that can be won."""
        return f"{_in_hundred(self.found.share('won').low)}–{percent(self.found.share('won', 'undecided').high)}"

    @property
    def bar(self) -> list[BarSegment]:
        """Segments of the outcomes that occurred."""
        return [
            BarSegment(outcome, round(LENGTH * begin), round(LENGTH * (begin + length)) - round(LENGTH * begin))
            for outcome, begin, length in self.found.stretches()
            if length
        ]

    @property
    def whisker(self) -> tuple[int, int]:
        """Ends of the wins' confidence interval, in units of the bar."""
        won = self.found.share("won")
        return round(LENGTH * won.low), round(LENGTH * won.high)

    @property
    def line_length(self) -> int:
        """Length of the median line, in units of a bar that is as long as the longest of them."""
        return round(LENGTH * self.found.line / self.longest)


def percent(share: float) -> str:
    """Format a share as a percentage with one decimal place, in the current language."""
    return _("%(number)s%%") % {"number": _in_hundred(share)}


def _with_interval(share: Share) -> tuple[str, str]:
    return percent(share.value), f"{_in_hundred(share.low)}–{_in_hundred(share.high)}"


def _in_hundred(share: float) -> str:
    return number_format(round(100 * share, 1), 1)  # number_format truncates instead of rounding


@cache
def study_summaries() -> list[StudySummary]:
    """Return the figures shipped with the code, most often won first."""
    return sorted(winnability_figures.read(), key=lambda row: -row.share("won").value)


@require_safe
@cache_for_anonymous(60.0)
def page(request: HttpRequest) -> HttpResponse:
    """Show the figures as charts and tables, the method, and published results by others."""
    summaries = study_summaries()
    longest = max(row.line for row in summaries)
    rows = [
        VariantRow(row, titles.VARIANT_TITLES[row.variant], CATALOGUE[row.variant].game, longest) for row in summaries
    ]
    context = {"rows": rows, "deals": sum(row.deals for row in summaries), "whole": LENGTH}
    return render(request, "games/winnability.html", context)


@require_safe
@cache_control(public=True, max_age=3600)
def data(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Return the CSV file behind the page."""
    headers = {"Content-Disposition": 'attachment; filename="talon-winnability.csv"'}
    return HttpResponse(winnability_figures.FILE.read_bytes(), content_type="text/csv; charset=utf-8", headers=headers)
