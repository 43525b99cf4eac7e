"""Unranked practice: any variant, a game with custom options, a deal by its number, or a past deal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.attempts.lifecycle import DealClosedError, has_progress, start_attempt
from games.bots.roster import BOTS
from games.core import limits
from games.db.players import Player, check_may_start, player_for, player_id
from games.deals import first_game, numbered_deals, practice_deals, publishing, relaxed_deals
from games.deals.difficulty import GRADES, grade_name
from games.models import Attempt, Deal, PracticeOrder
from games.presentation import titles
from games.presentation.practice_links import OPTION_PREFIX, fields_of, seed_in, variant_in
from games.presentation.view_models import DealTile, ShownDeal
from games.rules import CATALOGUE, Variant, commitment

_RUNNING_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class NamedDeal:
    """A deal named by a link: its description, and the form fields that start it."""

    variant: Variant
    title: str
    options: list[tuple[str, str]]
    number: int | None
    deal: ShownDeal | None
    fields: dict[str, str]

    @classmethod
    def of(cls, request: HttpRequest) -> Self | None:
        """Return the deal that the URL names, or None if it names none.

        :raises ValueError: if there is no such deal.
        """
        if "name" not in request.GET:
            return None
        variant = variant_in(request.GET)
        seed = seed_in(request.GET, variant)
        if seed is None:
            return None
        existing = Deal.objects.filter(commitment=commitment(seed), game=variant.game, day=None, for_race=False).first()
        draft = existing or Deal(variant=variant.name, game=variant.game, options=dict(variant.options), seed=seed)
        number = numbered_deals.number_of(draft)
        return cls(
            variant,
            titles.deal_title(variant.name, variant.game),
            [] if variant.name else titles.options_in_words(variant.options),
            number,
            ShownDeal.of(existing) if existing else None,
            fields_of(variant) | ({"number": str(number)} if number else {"seed": seed.hex()}),
        )


@require_safe
@never_cache
def practice_page(request: HttpRequest) -> HttpResponse:
    """Show the form to choose a practice game.

    The choices are a variant, a game with options, a past deal (`?deal=<id>`), or the deal of a link
    (`?name=…&number=…`).
    """
    past = Deal.objects.filter(pk=_number(request.GET.get("deal")), day__isnull=False).first()
    try:
        named = NamedDeal.of(request)
    except ValueError:
        named = None
        messages.error(
            request, _("Deal not found. A number has up to seven digits, a seed 64 characters from 0 to 9 and a to f.")
        )
    running = Attempt.objects.filter(player=player_id(request), ranked=False, state=Attempt.State.PLAYING).exclude(
        deal__for_race=True, deadline__isnull=False
    )
    latest = running.filter(has_progress()).select_related("deal").order_by("-started_at")[:_RUNNING_SHOWN]
    context = {
        "variants": titles.variant_choices(),
        "games": [
            {"name": name, "title": title, "options": titles.option_fields(options, OPTION_PREFIX)}
            for name, title, options in titles.games_and_options()
        ],
        "past": past and ShownDeal.of(past),
        "named": named,
        "running": [DealTile.of(attempt.deal, attempt) for attempt in latest],
        "certifies": bool(settings.SEALED_STOCK),
        "bots": titles.bot_choices(),
        "grades": [{"number": number, "title": grade_name(number)} for number in GRADES],
    }
    return render(request, "games/practice.html", context)


@require_POST
def start_practice(request: HttpRequest) -> HttpResponse:
    """Start a practice game: `deal` (an id), or `name` with `option-<name>` fields of JSON values.

    A `number` or `seed` selects a specific deal; `deals=winnable`, with or without a `grade`, one that can be won. A
    `ghost` is a bot to race against. With `again`, another grade will do if none of this one is in stock. `after` is
    the game that the player leaves; `ahead` fetches the next one early, and starts no search.
    """
    check_may_start(request)
    try:
        if (attempt := _untouched_game(request)) is not None:
            return redirect("games:table", attempt=attempt.public_id)
        if _requests_winnable(request):
            return _begin_winnable(request)
        deal = _chosen_deal(request)
        return _start(player_for(request), deal, _bot(request.POST))
    except DealClosedError as refusal:
        messages.error(request, refusal.sentence)
    except ValueError:
        messages.error(request, _("You can't practise this."))
    return redirect("games:practice")


@require_POST
def start_first_game(request: HttpRequest) -> HttpResponse:
    """Start or resume a first game of the variant `name`: a gentle deal whose first moves are explained.

    A game too new to have any starts with a deal that can be won.
    """
    variant = request.POST.get("name", first_game.EASIEST)
    if variant not in CATALOGUE:
        raise Http404
    check_may_start(request)
    if not first_game.winning_lines(variant):
        return _begin_winnable(request) if settings.SEALED_STOCK else start_practice(request)
    player = player_for(request)
    return _start(player, first_game.deal_for(player.pk, variant))


@require_safe
@never_cache
def looking(request: HttpRequest) -> HttpResponse:
    """Show the progress of the search for a deal, and offer the deal once it is found."""
    order = practice_deals.order_of(player_id(request))
    if order is None:
        return redirect("games:practice")
    variant = Variant(order.variant, order.game, order.options)
    bot = _bot(request.GET)
    same = fields_of(variant) | {"ghost": bot}
    context = {
        "variant": variant,
        "bot": bot,
        "title": titles.deal_title(order.variant, order.game),
        "grade": grade_name(order.grade),
        "state": _state(order),
        "tried": order.tried,
        "seconds": int(practice_deals.SECONDS),
        "passed": max(0, min(int((timezone.now() - order.made_at).total_seconds()), int(practice_deals.SECONDS))),
        "deal": order.deal and ShownDeal.of(order.deal),
        "fields": same,
        "again": same | {"deals": "winnable"} | ({"grade": str(order.grade)} if order.grade else {}),
    }
    return render(request, "games/looking.html", context)


@require_safe
@never_cache
def looking_json(request: HttpRequest) -> HttpResponse:
    """Return the search's state: {"state": "looking", "found", "other" (another grade) or "none", "tried": number}."""
    order = practice_deals.order_of(player_id(request))
    if order is None:
        return JsonResponse({"state": "none", "tried": 0})
    return JsonResponse({"state": _state(order), "tried": order.tried})


@require_POST
def start_found(request: HttpRequest) -> HttpResponse:
    """Start the deal that the search has found, or lead to the game that was started."""
    check_may_start(request)
    order = practice_deals.order_of(player_id(request))
    if order is None or order.deal is None:
        return redirect("games:practice")
    return _start(player_for(request), order.deal, _bot(request.POST))


def _state(order: PracticeOrder) -> str:
    if practice_deals.fits(order):
        return "found"
    if not practice_deals.is_over(order):
        return "looking"
    return "other" if order.deal else "none"


def _requests_winnable(request: HttpRequest) -> bool:
    """Return whether the form asks for a winnable deal. Without a stock none is certified, and any deal will do."""
    names_deal = any(request.POST.get(field) for field in ("deal", "number", "seed"))
    return request.POST.get("deals") == "winnable" and bool(settings.SEALED_STOCK) and not names_deal


def _begin_winnable(request: HttpRequest) -> HttpResponse:
    """Start a winnable deal that is in stock, or redirect to the page that waits for one."""
    variant = variant_in(request.POST)
    requested_grade = _number(request.POST.get("grade"))
    grade = requested_grade if variant.name and requested_grade in GRADES else None
    player = player_for(request)
    deal = practice_deals.deal_for(player.pk, variant, grade)
    if deal is None and "again" in request.POST:  # after a game, any difficulty is better than a wait
        deal = practice_deals.deal_for(player.pk, variant)
    if deal is not None:
        return _start(player, deal, _bot(request.POST))
    if "ahead" in request.POST:
        return HttpResponse(status=204)
    limits.spend(request, "ask")  # a search, as for questions
    practice_deals.order(player, variant, grade)
    return redirect(reverse("games:looking") + _query(_bot(request.POST)))


def _untouched_game(request: HttpRequest) -> Attempt | None:
    """Return a game of another deal to play `after` one, fetched ahead and without a move; restart its clock."""
    try:
        left = Attempt.objects.filter(public_id=UUID(request.POST.get("after", "")))
    except ValueError:
        return None
    variant = variant_in(request.POST)
    deals = Deal.objects.filter(variant=variant.name, game=variant.game, options=dict(variant.options))
    deals = deals.filter(day=None, relaxed_day=None, for_race=False, proven="deals" in request.POST)
    if grade := request.POST.get("grade"):
        deals = deals.filter(grade=_number(grade))
    games = Attempt.objects.filter(player=player_id(request), deal__in=deals, state=Attempt.State.PLAYING)
    games = games.filter(ranked=False, paused_at=None, paused_ms=0, answer=None).exclude(has_progress())
    found = games.exclude(deal__in=left.values("deal")).order_by("-started_at").first()
    if found is not None:
        games.filter(pk=found.pk).update(started_at=timezone.now())
    return found


def _chosen_deal(request: HttpRequest) -> Deal:
    """Return the deal that the form asks for.

    :raises ValueError: if it cannot be practised.
    """
    if "deal" in request.POST:
        return _replayable_deal(request)
    variant = variant_in(request.POST)
    seed = seed_in(request.POST, variant)
    if seed is not None:
        return publishing.seeded_deal(variant, seed)
    return publishing.practice_deal(variant.name or variant.game, None if variant.name else variant.options)


def _replayable_deal(request: HttpRequest) -> Deal:
    """Return a deal to play again: a past daily deal, a relaxed one, or a practice deal that this player has played."""
    deals, today = Deal.objects.filter(pk=_number(request.POST["deal"])), timezone.now().date()
    deal = (deals.filter(day__isnull=False) | deals & relaxed_deals.playable(today)).first()
    deal = deal or deals.filter(attempts__player=player_id(request)).first()
    if deal is None:
        raise ValueError("there is no such deal")
    return publishing.practice_deal("", of=deal)


def _start(player: Player, deal: Deal, bot: str = "") -> HttpResponse:
    """Start a game, beside the ghost of a bot if one is chosen."""
    return redirect(reverse("games:table", args=[start_attempt(player, deal).public_id]) + _query(bot))


def _bot(fields: QueryDict) -> str:
    """Return the slug of the chosen bot, or an empty string."""
    slug = fields.get("ghost", "")
    return slug if slug in BOTS else ""


def _query(bot: str) -> str:
    return f"?ghost={bot}" if bot else ""


def _number(text: str | None) -> int:
    """Parse an id of a request; return 0, which no row has, for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else 0
