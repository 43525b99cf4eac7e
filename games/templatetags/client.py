"""Template tags for names and figures on the pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, time
from itertools import pairwise
from typing import Any, Final

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.formats import date_format, time_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from games.deals.difficulty import goal_of
from games.manifests import VARIANTS
from games.presentation.durations import duration
from games.presentation.titles import GAME_TITLES, VARIANT_TITLES
from games.rules import CATALOGUE

register = template.Library()
register.filter("duration", duration)


@register.filter
def variant_name(name: str) -> str:
    """Return the title of a variant in the catalogue."""
    return str(VARIANT_TITLES.get(name, name))


@register.simple_tag
def variant_titles() -> str:
    """Return the titles of all variants in the catalogue by name, as JSON for a data attribute."""
    return as_json({name: str(VARIANT_TITLES[name]) for name in CATALOGUE})


@register.filter
def variant_summary(name: str) -> str:
    """Return a one-line description of a variant."""
    return str(VARIANTS[name].summary) if name in VARIANTS else ""


@register.filter
def game_name(name: str) -> str:
    """Return the title of a game."""
    return str(GAME_TITLES.get(name, name))


@register.filter
def game_of(variant: str) -> str:
    """Return the game of a variant in the catalogue."""
    return CATALOGUE[variant].game


#: Fields shown beside the time on a board.
_RANKED_BY: Final = ("points", "figure", "cards_up")


@register.filter
def timed(entries: Sequence[Any]) -> list[tuple[Any, str]]:
    """Pair each entry of a board with its time, to the millisecond if it would look the same as a neighbour's."""
    appearances = [
        (*(getattr(entry, name, None) for name in _RANKED_BY), duration(entry.elapsed_ms)) for entry in entries
    ]
    alike = [one == other for one, other in pairwise(appearances)]
    equal = [before or after for before, after in zip([False, *alike], [*alike, False], strict=True)]
    return [
        (entry, duration(entry.elapsed_ms, 3 if close else 1)) for entry, close in zip(entries, equal, strict=False)
    ]


register.filter("goal_of", goal_of)


@register.filter
def over_par(entry: Any, deal: Any) -> str:  # noqa: ANN401 - an entry of a board, and the board's deal
    """Return a win's moves over par, as ``+12``; empty for other games and for deals without a par."""
    if deal.par is None or entry.cards_up != goal_of(deal.variant):
        return ""
    return f"{entry.tokens - deal.par:+d}"


@register.filter
def signed(change: int) -> str:
    """Return a change with its sign: ``+5``, ``−5`` or ``±0``."""
    return f"{change:+d}".replace("-", "−") if change else "±0"


#: Formats of moments until the browser converts them to local time.
_MOMENTS: Final = {
    "date": "DATE_FORMAT",
    "long": _("j F Y, H:i"),
    "short": _("j F, H:i"),
    "time": _("H:i"),
}


@register.simple_tag
def moment(when: datetime, form: str = "long") -> SafeString:
    """Render a moment in UTC, which the browser converts to local time (`moments.js`)."""
    in_utc = when.astimezone(UTC)
    text = date_format(in_utc, str(_MOMENTS[form]))
    zone = "" if form == "date" else " UTC"
    return format_html('<time datetime="{}" data-moment="{}">{}{}</time>', in_utc.isoformat(), form, text, zone)


@register.simple_tag
def utc_time(clock: str) -> SafeString:
    """Render a daily time in UTC, such as 03:00, which the browser converts to local time."""
    text = time_format(time.fromisoformat(clock), str(_MOMENTS["time"]))
    return format_html('<span data-utc="{}">{} UTC</span>', clock, text)


@register.simple_tag
def client_catalogue() -> str:
    """Return the URL of the client's message catalogue, which runs before the modules. English needs none."""
    language = get_language() or settings.LANGUAGE_CODE
    return "" if language == settings.LANGUAGE_CODE else static(f"js/catalogue/{language}.js")


@register.simple_tag
def tarot_cards() -> str:
    """Return the URL of the tarot cards' drawings, which include the names of the trumps."""
    language = get_language() or settings.LANGUAGE_CODE
    return static("cards/tarot.svg" if language == settings.LANGUAGE_CODE else f"cards/tarot.{language}.svg")


@register.filter
def as_json(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """Encode a value as JSON for a data attribute (the template escapes it)."""
    return json.dumps(value, ensure_ascii=False)
