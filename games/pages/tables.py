"""Pages of deals and tables: read the request, call, choose a template."""

from __future__ import annotations

import json
import uuid
from datetime import date
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_POST, require_safe

from games.attempts import DealClosedError, start_attempt
from games.bodies import parse_json
from games.deals import publishing
from games.deals.publishing import DealAwaitedError
from games.errors import error_body, wants_json
from games.hints import questions
from games.live.opening import opening_view
from games.models import GRACE, Attempt, Deal, LedgerEntry
from games.pages import tiles, titles
from games.players import check_may_begin, player_for, player_id
from games.presence import summary
from games.rules import CATALOGUE, GAMES, Option, Record, shuffled_deck

_OPTION_PREFIX: Final = "option-"
_RUNNING_SHOWN: Final = 20
#: The cookie of a visitor who has sent the newcomers' guide away.
_KNOWS_THE_WAY: Final = "talon_guide"


@require_safe
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Today's nine deals, and how the player stands with each; `preparing` are those that are not there yet."""
    now = timezone.now()
    today = publishing.todays_deals(now)
    mine = tiles.ranked_at(player_id(request), today)
    there = {deal.variant for deal in today}
    context = {
        "day": now.date(),
        "now": now,
        "closes_at": publishing.next_midnight(now),
        "cards": [tiles.card(deal, mine.get(deal.pk)) for deal in today],
        "newcomer": "" if request.user.is_authenticated or _KNOWS_THE_WAY in request.COOKIES else _KNOWS_THE_WAY,
        "playing": summary.now_playing(),
        "playing_address": summary.ADDRESS,
        "preparing": [
            {"variant": v, "game": v.game, "title": titles.VARIANT_TITLES[v.name]}
            for v in CATALOGUE.values()
            if v.name not in there
        ],
    }
    return render(request, "games/home.html", context)


@require_safe
@never_cache
def play(request: HttpRequest, variant: str) -> HttpResponse:
    """Today's deal of a variant before its first card is seen; a player who has begun goes to the table."""
    try:
        deal = _todays(variant)
    except DealAwaitedError:
        return _preparing(request, variant)
    attempt = tiles.ranked_at(player_id(request), [deal]).get(deal.pk)
    if attempt is not None:
        return redirect("games:table", attempt=attempt.public_id)
    return render(request, "games/play.html", {**tiles.card(deal, None), "options": titles.options_in_words(deal)})


@require_POST
def start(request: HttpRequest, variant: str) -> HttpResponse:
    """Begin, or go on with, today's deal of a variant; whoever has no account becomes a guest."""
    check_may_begin(request)
    try:
        deal = _todays(variant)
    except DealAwaitedError:
        return redirect("games:play", variant=variant)
    try:
        attempt = start_attempt(player_for(request), deal)
    except DealClosedError:
        return _closed_meanwhile(request, variant)
    except IntegrityError:
        # A guest who was idle for long was removed at this moment, and may begin again as another.
        return redirect("games:play", variant=variant)
    return redirect("games:table", attempt=attempt.public_id)


@require_safe
@never_cache
@ensure_csrf_cookie
def table(request: HttpRequest, attempt: uuid.UUID) -> HttpResponse:
    """The table of one's own attempt as it stands; what happens from then on comes over the WebSocket."""
    found = get_object_or_404(Attempt.objects.select_related("deal"), public_id=attempt)
    if found.player_id != player_id(request):
        if found.is_over and publishing.may_see_seed(found.deal, player_id(request)):
            return redirect("games:replay", attempt=attempt)
        raise PermissionDenied
    context = {
        "opening": opening_view(found),  # before the deal is shown: it needs the seed
        **tiles.card(found.deal, found),
        "socket": f"/ws/play/{found.public_id}/",
        "options": titles.options_in_words(found.deal),
        "may_ask": questions.may_ask(found, player_id(request), timezone.now()),
        "revealed": found.is_over and publishing.may_see_seed(found.deal, player_id(request)),
    }
    return render(request, "games/table.html", context)


@require_safe
@never_cache
def practice(request: HttpRequest) -> HttpResponse:
    """Choose what to practise: a variant, a game with options, or a past deal (`?deal=<id>`)."""
    past = Deal.objects.filter(pk=_number(request.GET.get("deal")), day__isnull=False).first()
    running = Attempt.objects.filter(player=player_id(request), ranked=False, state=Attempt.State.PLAYING)
    shown = running.select_related("deal").order_by("-started_at")[:_RUNNING_SHOWN]
    context = {
        "variants": [{"name": name, "title": titles.VARIANT_TITLES[name]} for name in CATALOGUE],
        "games": [
            {"name": name, "title": title, "options": [_option(option) for option in options]}
            for name, title, options in titles.games_and_options()
        ],
        "past": past and tiles.card(past, None),
        "running": [tiles.card(attempt.deal, attempt) for attempt in shown],
    }
    return render(request, "games/practice.html", context)


@require_POST
def start_practice(request: HttpRequest) -> HttpResponse:
    """Begin a practice game: `deal` (an id), or `name` with `option-<name>` fields holding JSON values."""
    check_may_begin(request)
    try:
        if "deal" in request.POST:
            deal = _practised(request)
        else:
            given = {key: value for key, value in request.POST.items() if key.startswith(_OPTION_PREFIX)}
            options = {key.removeprefix(_OPTION_PREFIX): parse_json(str(value)) for key, value in given.items()}
            deal = publishing.practice_deal(request.POST.get("name", ""), options or None)
        attempt = start_attempt(player_for(request), deal)
    except DealClosedError:
        refusal = _("This deal can be practised once its day and the hour after it are over.")
    except ValueError:
        refusal = _("This cannot be practised.")
    else:
        return redirect("games:table", attempt=attempt.public_id)
    messages.error(request, refusal)
    return redirect("games:practice")


@require_safe
@never_cache
def deal_page(request: HttpRequest, day: date, variant: str) -> HttpResponse:
    """One deal: its commitment, and once nobody can be playing it any more its seed and solution."""
    deal = get_object_or_404(Deal, day=day, variant=variant)
    revealed = deal.is_revealed(timezone.now())
    seed = bytes(deal.seed).hex() if revealed else None
    context = {
        **tiles.card(deal, tiles.ranked_at(player_id(request), [deal]).get(deal.pk)),
        "options": titles.options_in_words(deal),
        "revealed": revealed,
        "seed": seed,
        "has_solution": revealed and deal.proven,
        "published_at": LedgerEntry.objects.filter(deal=deal).values_list("published_at", flat=True).first(),
        "reveals_at": deal.closes_at and deal.closes_at + GRACE,
    }
    return render(request, "games/deal.html", context)


@require_GET
def deal_data(request: HttpRequest, day: date, variant: str) -> HttpResponse:  # noqa: ARG001
    """A past deal to check or to play elsewhere: seed, commitment, deck order, and a winning record if one is known."""
    deal = get_object_or_404(Deal, day=day, variant=variant)
    if not deal.is_revealed(timezone.now()):
        raise PermissionDenied
    seed = bytes(deal.seed)
    data = {
        "rules": deal.rules_version,
        "variant": deal.variant,
        "game": deal.game,
        "options": deal.options,
        "day": day.isoformat(),
        "commitment": deal.commitment,
        "seed": seed.hex(),
        "deck": shuffled_deck(deal.variant, seed),
        "solution": Record.from_bytes(bytes(deal.solution)).to_json() if deal.solution is not None else None,
    }
    name = f"talon-{deal.variant}-{day.isoformat()}.json"
    return JsonResponse(data, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """The rules of a game."""
    if game not in GAMES:
        raise Http404
    variants = [
        {"name": v.name, "title": titles.VARIANT_TITLES[v.name], "options": dict(v.options)}
        for v in CATALOGUE.values()
        if v.game == game
    ]
    games = [{"name": name, "title": title} for name, title, _ in titles.games_and_options()]
    context = {"game": game, "title": titles.GAME_TITLES[game], "variants": variants, "games": games}
    return render(request, f"games/rules/{game}.html", context)


def _preparing(request: HttpRequest, variant: str) -> HttpResponse:
    """The page of a deal that is being certified; it asks again by itself."""
    context = {"title": titles.VARIANT_TITLES[variant], "variant": CATALOGUE[variant]}
    response = render(request, "games/preparing.html", context, status=503)
    response["Retry-After"] = "3"
    return response


def _closed_meanwhile(request: HttpRequest, variant: str) -> HttpResponse:
    """The day ended between the click and the first card: the new day's deal is shown."""
    refusal = _("The day of this deal is over. This is the new one.")
    if wants_json(request):
        return JsonResponse(error_body("deal_closed", refusal), status=409)
    messages.error(request, refusal)
    return redirect("games:play", variant=variant)


def _todays(variant: str) -> Deal:
    try:
        return publishing.todays_deal(variant)
    except Deal.DoesNotExist:
        raise Http404 from None


def _practised(request: HttpRequest) -> Deal:
    """The deal to practise on again: a past daily deal, or a practice deal that this player has played."""
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
    """An id from a request; 0, which is nobody's, for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else 0
