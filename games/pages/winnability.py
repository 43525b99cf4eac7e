"""The page that says how often each game can be won, and its figures as CSV (`games.solver.winnability`)."""

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

from games.pages import titles
from games.pages.strangers import same_for_strangers
from games.rules import CATALOGUE
from games.solver import winnability
from games.solver.winnability import Outcome, Share, Summary

#: How long a drawn bar is, in its own units.
LENGTH: Final = 1000


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a bar, from `begin` on, in units of its picture."""

    outcome: Outcome
    begin: int
    length: int


@dataclass(frozen=True, slots=True)
class Row:
    """What the page shows of a variant."""

    found: Summary
    title: Promise
    game: str
    longest: float
    """The longest of all variants' median lines."""

    @property
    def won(self) -> tuple[str, str]:
        """The share won in words, and the ends of its interval."""
        return _in_words(self.found.share("won"))

    @property
    def lost(self) -> tuple[str, str]:
        """The share proved lost, likewise."""
        return _in_words(self.found.share("lost"))

    @property
    def undecided(self) -> tuple[str, str]:
        """The share of which neither is known, likewise."""
        return _in_words(self.found.share("undecided"))

    @property
    def shares(self) -> list[tuple[str, str]]:
        """All three, in the order of the table's columns."""
        return [self.won, self.lost, self.undecided]

    @property
    def between(self) -> str:
        """The least and the most that can be won, as far as is known."""
        return f"{_in_hundred(self.found.share('won').low)}–{percent(self.found.share('won', 'undecided').high)}"

    @property
    def bar(self) -> list[Stretch]:
        """The outcomes side by side; none that never occurred."""
        return [
            Stretch(outcome, round(LENGTH * begin), round(LENGTH * (begin + length)) - round(LENGTH * begin))
            for outcome, begin, length in self.found.stretches()
            if length
        ]

    @property
    def whisker(self) -> tuple[int, int]:
        """The ends of the interval of the wins, in units of the bar."""
        won = self.found.share("won")
        return round(LENGTH * won.low), round(LENGTH * won.high)

    @property
    def line_length(self) -> int:
        """The median line, in units of a bar whose whole is the longest of them."""
        return round(LENGTH * self.found.line / self.longest)


def percent(share: float) -> str:
    """A share as a percentage with one place, as the language writes it."""
    return _("%(number)s%%") % {"number": _in_hundred(share)}


def _in_words(share: Share) -> tuple[str, str]:
    return percent(share.value), f"{_in_hundred(share.low)}–{_in_hundred(share.high)}"


def _in_hundred(share: float) -> str:
    return number_format(round(100 * share, 1), 1)  # by itself it would cut off


@cache
def kept() -> list[Summary]:
    """The figures that came with the code, those most often won first."""
    return sorted(winnability.read(), key=lambda row: -row.share("won").value)


@require_safe
@same_for_strangers(60.0)
def page(request: HttpRequest) -> HttpResponse:
    """The figures as pictures and as tables, how they were found, and what others have published."""
    summaries = kept()
    longest = max(row.line for row in summaries)
    rows = [Row(row, titles.VARIANT_TITLES[row.variant], CATALOGUE[row.variant].game, longest) for row in summaries]
    context = {"rows": rows, "deals": sum(row.deals for row in summaries), "whole": LENGTH}
    return render(request, "games/winnability.html", context)


@require_safe
@cache_control(public=True, max_age=3600)
def data(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The file that the page is made from."""
    headers = {"Content-Disposition": 'attachment; filename="talon-winnability.csv"'}
    return HttpResponse(winnability.KEPT.read_bytes(), content_type="text/csv; charset=utf-8", headers=headers)
