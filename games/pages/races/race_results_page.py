"""Race results: a single race, and a player's history."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Self
from uuid import UUID

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import ordinal
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import strip_tags
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games.core import limits
from games.db.players import Names, Player, people, player_id
from games.explorer.lookup import figures_of
from games.pages.races.lead_chart import LeadChart
from games.pages.shared import titles
from games.pages.shared.durations import duration
from games.pages.shared.view_models import ShownDeal, shown_part
from games.races.models import Entrant, Race
from games.races.results import race_file
from games.races.results.commitments import commitment_of
from games.races.results.pseudonyms import number_of
from games.races.results.race_course import lane_of, series_score
from games.races.results.ratings_registry import EntrantRatingChange, Limit, ratings

_PAGE: Final = 30
_PUBLIC: Final = (Limit.MET, Limit.CAPPED)


@dataclass(frozen=True, slots=True)
class ShownEntrant:
    """An entrant of a finished race. `name` is empty for a guest who has been removed."""

    id: int
    name: str
    page: UUID | None
    is_me: bool
    state: str
    state_title: str
    place: int | None
    in_review: bool
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    replay: UUID | None
    missed: int | None
    """Number of puzzles missed in a puzzle race; None in others, and once it has been deleted."""
    rating: dict[str, Any] | None
    linked: bool
    """True if this and the viewer do not move each other's ratings; other viewers do not see that."""

    @classmethod
    def of(cls, entrant: Entrant, names: Names, me: int | None, rating: dict[str, Any] | None, *, linked: bool) -> Self:
        """Return the visible part of an entrant of a finished race."""
        return shown_part(
            cls,
            entrant,
            name=_name(entrant, names),
            page=entrant.player.public_id if entrant.player is not None and entrant.player.has_page else None,
            is_me=me is not None and entrant.player_id == me,
            state_title=entrant.get_state_display(),
            in_review=entrant.is_in_review,
            replay=entrant.attempt.public_id if entrant.attempt else None,
            missed=entrant.storm.mistakes if entrant.storm else None,
            rating=rating,
            linked=linked,
        )

    def __str__(self) -> str:
        return self.name

    @property
    def has_page(self) -> bool:
        """True if the player has a page, and with it a picture."""
        return self.page is not None


def _name(entrant: Entrant, names: Names) -> str:
    """Return the name, or a substitute for a deleted account or a banned player."""
    player: Player | None = entrant.player
    if player is None:
        return ""
    if player.pk in names:
        return names[player.pk][0]
    return _("Former player") if player.is_former else _("Player %(number)s") % {"number": number_of(player.pk)}


@require_safe
@never_cache
def result(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Show the result of a race, or redirect to the room while it is unfinished."""
    race = get_object_or_404(Race.objects.select_related("room", "deal"), room__code=code, number=number)
    if race.state not in {Race.State.FINISHED, Race.State.VOID}:
        return redirect("games:room", code=code)
    finished = race.state == Race.State.FINISHED
    rows = by_place(race) if finished else []
    entrants = shown_entrants(race, rows, player_id(request))
    is_public = race_file.is_public(race)
    title = titles.deal_title(race.variant, race.game)
    context = {
        "race": race,
        "title": title,
        "headline": headline(entrants) or title,
        "options": [] if race.variant else titles.options_in_words(race.options),
        "entrants": entrants,
        "has_winner": any(entrant.state == Entrant.State.WON for entrant in entrants),
        "chart": _lead_chart(rows, entrants) if is_public else None,
        "series": _series(race, rows, entrants),
        "deal": ShownDeal.of(race.deal) if finished and race.deal else None,
        "commitment": commitment_of(race),
        "is_public": is_public,
        "explored": _explored(race, entrants) if is_public else None,
        "missed": next((row.storm.missed for row in rows if row.storm and row.player_id == player_id(request)), []),
        "share_text": _share_text(race, title, entrants),
    }
    race.deal = None  # a template gets no seed
    return render(request, "races/result.html", context)


def _explored(race: Race, entrants: list[ShownEntrant]) -> UUID | None:
    """Return the best replay for the explorer of the race's deal; None without an explorer."""
    if race.deal is None or figures_of(race.deal) is None:
        return None
    return next((entrant.replay for entrant in entrants if entrant.replay), None)


def headline(entrants: list[ShownEntrant]) -> str:
    """Return what happened in one line, to the viewer if they raced; empty if no one has a place."""
    placed = [entrant for entrant in entrants if entrant.place]
    own = next((entrant for entrant in placed if entrant.is_me), None)
    if own is not None and own.place == 1:
        return _("You won the race") if own.state == Entrant.State.WON else _("You came first")
    if own is not None:
        return _("You came %(place)s of %(n)s") % {"place": strip_tags(str(ordinal(own.place))), "n": len(placed)}
    if not placed:
        return ""
    known = {"name": placed[0].name or _("A guest")}
    return (_("%(name)s won the race") if placed[0].state == Entrant.State.WON else _("%(name)s came first")) % known


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
    own = next((entrant for entrant in entrants if entrant.is_me and entrant.place and not entrant.in_review), None)
    if own is None:
        return ""
    place = _("Place %(rank)s of %(of)s") % {"rank": own.place, "of": len(entrants)}
    address = settings.PUBLIC_URL + reverse("games:race_result", args=[race.room.code, race.number])
    head = _("Race %(number)s: %(title)s") % {"number": race.number, "title": title}
    return "\n".join([f"Talon, {head}", f"{place} · {result_in_words(race, own)}", address])


def result_in_words(race: Race, entrant: ShownEntrant) -> str:
    """Return what an entrant has achieved."""
    if race.is_puzzle_race:
        solved = entrant.cards_up or 0
        return ngettext("One puzzle solved", "%(n)s puzzles solved", solved) % {"n": solved}
    text = _("Won in %(time)s") if entrant.state == Entrant.State.WON else _("%(cards)s cards up in %(time)s")
    return text % {"cards": entrant.cards_up, "time": duration(entrant.elapsed_ms)}


def by_place(race: Race) -> list[Entrant]:
    """Return the entrants in the order of their places, absent ones last."""
    rows = Entrant.objects.filter(race=race).select_related("attempt", "storm", "player")
    return sorted(rows, key=lambda row: (row.place is None, row.place or 0, row.pk))


def shown_entrants(race: Race, rows: list[Entrant], me: int | None) -> list[ShownEntrant]:
    """Return the visible parts of the entrants `rows`, in the same order."""
    names = people().names_of([row.player_id for row in rows if row.player_id])
    names_by_entrant = {row.pk: _name(row, names) for row in rows}
    changes = ratings().changes(race.pk) if race.rated else {}
    group = next((row.link_group for row in rows if row.player_id == me), None) if race.rated and me else None
    shown = [
        ShownEntrant.of(
            row,
            names,
            me,
            _change(changes.get(row.pk), names_by_entrant),
            linked=bool(group) and row.link_group == group and row.player_id != me,
        )
        for row in rows
    ]
    return shown if race_file.is_public(race) else [replace(entrant, replay=None) for entrant in shown]


@require_safe
def race_json(request: HttpRequest, code: str, number: int) -> JsonResponse:
    """Return a finished race with every record, for anyone to verify."""
    limits.spend(request, "replay")
    race = get_object_or_404(Race.objects.select_related("room", "deal"), room__code=code, number=number)
    disposition = f'attachment; filename="{race_file.file_name(race)}"'
    return JsonResponse(race_file.race_file(race).to_json(), headers={"Content-Disposition": disposition})


def _change(change: EntrantRatingChange | None, names: dict[int, str]) -> dict[str, Any] | None:
    """Return a rating change by opponent. Only the linked players themselves learn of a link."""
    if change is None:
        return None
    before, after = change.before.value, change.after.value
    duels = [
        {
            "name": names.get(duel.rival, ""),
            "points": duel.points,
            "limit": duel.limit.value if duel.limit in _PUBLIC else "",
        }
        for duel in change.duels
    ]
    return {
        "before": before,
        "after": after,
        "change": after - before,
        "provisional": change.after.provisional,
        "duels": duels,
    }


@require_safe
@never_cache
def mine(request: HttpRequest) -> HttpResponse:
    """List the player's finished races, latest first."""
    me = player_id(request)
    over = [Race.State.FINISHED, Race.State.SETTLING]
    rows = Entrant.objects.filter(player=me, race__state__in=over) if me else Entrant.objects.none()
    rows = rows.select_related("race__room").annotate(verdict=F("attempt__state")).order_by("-pk")
    page = Paginator(rows, _PAGE).get_page(request.GET.get("page"))
    entries = [(row, titles.deal_title(row.race.variant, row.race.game)) for row in page.object_list]
    more = page.next_page_number() if page.has_next() else None
    previous = page.previous_page_number() if page.has_previous() else None
    return render(request, "races/mine.html", {"entries": entries, "more": more, "less": previous})
