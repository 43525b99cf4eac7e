"""Practice: any variant, a game with options of one's own, or a past deal, unranked."""

from __future__ import annotations

import json
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.attempts import start_attempt
from games.bodies import parse_json
from games.deals import publishing
from games.deals.publishing import DealClosedError
from games.models import Attempt, Deal
from games.pages import titles
from games.pages.shown import ShownDeal, Tile
from games.players import check_may_begin, player_for, player_id
from games.rules import CATALOGUE, Option

_OPTION_PREFIX: Final = "option-"
_RUNNING_SHOWN: Final = 20


@require_safe
@never_cache
def practice(request: HttpRequest) -> HttpResponse:
    """Choose what to practise: a variant, a game with options, or a past deal (`?deal=<id>`)."""
    past = Deal.objects.filter(pk=_number(request.GET.get("deal")), day__isnull=False).first()
    running = Attempt.objects.filter(player=player_id(request), ranked=False, state=Attempt.State.PLAYING)
    latest = running.select_related("deal").order_by("-started_at")[:_RUNNING_SHOWN]
    context = {
        "variants": [{"name": name, "title": titles.VARIANT_TITLES[name]} for name in CATALOGUE],
        "games": [
            {"name": name, "title": title, "options": [_option(option) for option in options]}
            for name, title, options in titles.games_and_options()
        ],
        "past": past and ShownDeal.of(past),
        "running": [Tile.of(attempt.deal, attempt) for attempt in latest],
    }
    return render(request, "games/practice.html", context)


@require_POST
def start_practice(request: HttpRequest) -> HttpResponse:
    """Begin a practice game: `deal` (an id), or `name` with `option-<name>` fields holding JSON values."""
    check_may_begin(request)
    try:
        deal = _chosen_deal(request)
        attempt = start_attempt(player_for(request), deal)
    except DealClosedError as refusal:
        messages.error(request, refusal.sentence)
    except ValueError:
        messages.error(request, _("This cannot be practised."))
    else:
        return redirect("games:table", attempt=attempt.public_id)
    return redirect("games:practice")


def _chosen_deal(request: HttpRequest) -> Deal:
    """The deal that the form asks for.

    :raises ValueError: for what cannot be practised.
    """
    if "deal" in request.POST:
        return _known_deal(request)
    given = {key: value for key, value in request.POST.items() if key.startswith(_OPTION_PREFIX)}
    options = {key.removeprefix(_OPTION_PREFIX): parse_json(str(value)) for key, value in given.items()}
    return publishing.practice_deal(request.POST.get("name", ""), options or None)


def _known_deal(request: HttpRequest) -> Deal:
    """A deal to play again: a past daily deal, or a practice deal that this player has played."""
    known = Deal.objects.filter(pk=_number(request.POST["deal"]))
    deal = known.filter(day__isnull=False).first() or known.filter(attempts__player=player_id(request)).first()
    if deal is None:
        raise ValueError("there is no such deal")
    return publishing.practice_deal("", of=deal)


def _option(option: Option) -> dict[str, Any]:
    name = option.name
    choices = [
        {"value": json.dumps(value), "title": titles.choice_title(name, value), "standard": value == option.default}
        for value in option.choices
    ]
    return {"name": name, "title": titles.OPTION_TITLES[name], "choices": choices}


def _number(text: str | None) -> int:
    """An id from a request; 0, which no row has, for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else 0
