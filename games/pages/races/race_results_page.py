"""Race results: a single race, and a player's history."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.core import limits
from games.db.players import player_id
from games.explorer.lookup import figures_of
from games.pages.races.course import lane_of, series_score
from games.pages.races.lead_chart import LeadChart
from games.presentation import titles
from games.presentation.view_models import ShownDeal
from games.races import heats
from games.races.models import Entrant, Race
from games.races.results import download
from games.races.results.download import commitment_of
from games.races.results.shown_entrants import Listing, ShownEntrant, headline, placed, result_in_words, shown_entrants

_PAGE: Final = 30


@require_safe
@never_cache
def result(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Show the result of a race, or redirect to the room while it is unfinished."""
    race = get_object_or_404(Race.objects.select_related("room", "deal"), room__code=code, number=number)
    if race.state not in {Race.State.FINISHED, Race.State.VOID}:
        return redirect("games:room", code=code)
    finished = race.state == Race.State.FINISHED
    listing, me = Listing.of(race) if finished else Listing([], {}, 0), player_id(request)
    rows, entrants = listing.rows, shown_entrants(race, listing, me)
    own = next((row for row in rows if me is not None and row.player_id == me), None)
    is_public = download.is_public(race)
    title = titles.deal_title(race.variant, race.game)
    context = {
        "race": race,
        "title": title,
        "headline": headline(entrants) or title,
        "options": [] if race.variant else titles.options_in_words(race.options),
        "entrants": entrants,
        "removed": listing.removed,
        "has_winner": any(entrant.state == Entrant.State.WON for entrant in entrants),
        "chart": _lead_chart(rows, entrants) if is_public else None,
        "next_race": heats.next_after(race.scheduled_at, timezone.now()),
        "series": _series(race, rows, entrants),
        "deal": ShownDeal.of(race.deal) if finished and race.deal else None,
        "commitment": commitment_of(race),
        "is_public": is_public,
        "explored": _explored(race, entrants) if is_public else None,
        "missed": own.storm.missed if own and own.storm else [],
        "wishes": own.wishes if own else [],
        "share_text": _share_text(race, title, entrants),
    }
    race.deal = None  # a template gets no seed
    return render(request, "races/result.html", context)


def _explored(race: Race, entrants: list[ShownEntrant]) -> UUID | None:
    """Return the best replay for the explorer of the race's deal; None without an explorer."""
    if race.deal is None or figures_of(race.deal) is None:
        return None
    return next((entrant.replay for entrant in entrants if entrant.replay), None)


def _lead_chart(rows: list[Entrant], entrants: list[ShownEntrant]) -> LeadChart | None:
    lanes = [
        lane_of(row.pk, row.attempt)
        for row in rows
        if row.place and not row.is_in_review and row.attempt is not None and row.attempt.record is not None
    ]
    names = {entrant.id: entrant.name or _("A guest") for entrant in entrants}
    return LeadChart.of(lanes, names, me=next((entrant.id for entrant in entrants if entrant.is_me), None))


def _series(race: Race, rows: list[Entrant], entrants: list[ShownEntrant]) -> list[tuple[str, int]]:
    """Return the names of this race's entrants with the races of the series they have won; empty without a rematch."""
    score = series_score(race)
    wins = [(entrant.name or _("A guest"), score[row.player_id]) for row, entrant in zip(rows, entrants, strict=True)]
    return wins if score else []


def _share_text(race: Race, title: str, entrants: list[ShownEntrant]) -> str:
    """Return the viewer's place as text to share; empty without one."""
    own = next((entrant for entrant in placed(entrants) if entrant.is_me), None)
    if own is None or own.state == Entrant.State.DISQUALIFIED:
        return ""
    place = _("Place %(rank)s of %(of)s") % {"rank": own.place, "of": len(placed(entrants))}
    address = settings.PUBLIC_URL + reverse("games:race_result", args=[race.room.code, race.number])
    head = _("Race %(number)s: %(title)s") % {"number": race.number, "title": title}
    return "\n".join([f"Talon, {head}", f"{place} · {result_in_words(race, own)}", address])


@require_safe
def race_json(request: HttpRequest, code: str, number: int) -> JsonResponse:
    """Return a finished race with every record, for anyone to verify."""
    limits.spend(request, "replay")
    race = get_object_or_404(Race.objects.select_related("room", "deal"), room__code=code, number=number)
    disposition = f'attachment; filename="{download.file_name(race)}"'
    return JsonResponse(download.race_file(race).to_json(), headers={"Content-Disposition": disposition})


@require_safe
@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """List the player's finished races, latest first."""
    me = player_id(request)
    over = [Race.State.FINISHED, Race.State.SETTLING]
    rows = Entrant.objects.filter(player=me, race__state__in=over) if me else Entrant.objects.none()
    rows = rows.annotate(verdict=F("attempt__state"), game=F("attempt__public_id"))
    rows = rows.select_related("race__room").order_by("-pk")
    page = Paginator(rows, _PAGE).get_page(request.GET.get("page"))
    entries = [(row, titles.deal_title(row.race.variant, row.race.game)) for row in page.object_list]
    more = page.next_page_number() if page.has_next() else None
    previous = page.previous_page_number() if page.has_previous() else None
    return render(request, "races/mine.html", {"entries": entries, "more": more, "less": previous})
