"""Entrants of a finished race as others may see them, and its result in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Self
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import ordinal
from django.utils.html import strip_tags
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.db.players import Names, player_services
from games.presentation.durations import duration
from games.presentation.view_models import ShownAttempt, shown_part
from games.races.models import Entrant, Race
from games.races.results import download
from games.races.results.ratings_registry import EntrantRatingChange, Limit, ratings

#: Reasons why an opponent does not count that everyone may know.
_PUBLIC: Final = (Limit.MET, Limit.NOT_REGULAR)


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
    held: ShownAttempt | None
    """The viewer's own game, if it is under review."""
    missed: int | None
    """Number of puzzles missed in a puzzle race; None in others, and once it has been deleted."""
    rating: EntrantRatingChange | None
    duels: list[tuple[str, float, str]]
    """Points from each opponent, as name, points and the reason why they don't count, if everyone may know it."""
    linked: bool
    """True if this and the viewer do not move each other's ratings; other viewers do not see that."""

    @classmethod
    def of(cls, entrant: Entrant, names: Names, me: int | None, **ratings: Any) -> Self:  # noqa: ANN401 - the last fields
        """Return the visible part of an entrant of a finished race."""
        is_me, attempt = me is not None and entrant.player_id == me, entrant.attempt
        return shown_part(
            cls,
            entrant,
            name=_name(entrant, names),
            page=entrant.player.public_id if entrant.player is not None and entrant.player.has_page else None,
            is_me=is_me,
            state_title=entrant.get_state_display(),
            in_review=entrant.is_in_review,
            replay=attempt.public_id if attempt else None,
            held=ShownAttempt.of(attempt) if attempt and is_me and entrant.is_in_review else None,
            missed=entrant.storm.mistakes if entrant.storm else None,
            **ratings,
        )

    def __str__(self) -> str:
        return self.name

    @property
    def has_page(self) -> bool:
        """True if the player has a page, and with it a picture."""
        return self.page is not None


def _name(entrant: Entrant, names: Names) -> str:
    """Return the name, or a substitute for a deleted account."""
    if entrant.player_id is None:
        return ""
    return names[entrant.player_id][0] if entrant.player_id in names else _("Former player")


@dataclass(frozen=True, slots=True)
class Listing:
    """The entrants of a finished race in the order of their places, absent ones last, without banned players."""

    rows: list[Entrant]
    names: Names
    removed: int
    """Number of banned players, who leave no gap."""

    @classmethod
    def of(cls, race: Race) -> Self:
        """Read the entrants of a race."""
        rows = [row for row in race.entrants.select_related("attempt", "storm", "player") if not row.is_no_show]
        names = player_services().names_of([row.player_id for row in rows if row.player_id])
        shown = [row for row in rows if row.player is None or row.player_id in names or row.player.is_former]
        shown.sort(key=lambda row: (row.place is None, row.place or 0, row.pk))
        places = [row.place for row in shown]
        for row in shown:
            row.place = None if row.place is None else 1 + places.index(row.place)
        return cls(shown, names, len(rows) - len(shown))


def shown_entrants(race: Race, listing: Listing, me: int | None) -> list[ShownEntrant]:
    """Return the visible parts of the entrants listed, in the same order."""
    rows, names = listing.rows, listing.names
    names_by_entrant = {row.pk: _name(row, names) for row in rows}
    changes = ratings().changes(race.pk) if race.rated else {}
    group = next((row.link_group for row in rows if row.player_id == me), None) if race.rated and me else None
    shown = [
        ShownEntrant.of(
            row,
            names,
            me,
            rating=changes.get(row.pk),
            duels=_duels(changes.get(row.pk), names_by_entrant),
            linked=bool(group) and row.link_group == group and row.player_id != me,
        )
        for row in rows
    ]
    return shown if download.is_public(race) else [replace(entrant, replay=None) for entrant in shown]


def placed(entrants: list[ShownEntrant]) -> list[ShownEntrant]:
    """Return the entrants with a place."""
    return [entrant for entrant in entrants if entrant.place]


def headline(entrants: list[ShownEntrant]) -> str:
    """Return what happened in one line, to the viewer if they raced; empty if no one has earned a place."""
    earned = [entrant for entrant in placed(entrants) if entrant.state != Entrant.State.DISQUALIFIED]
    own = next((entrant for entrant in earned if entrant.is_me), None)
    if own is not None and own.place == 1:
        return _("You won the race") if own.state == Entrant.State.WON else _("You came first")
    if own is not None:
        place = strip_tags(str(ordinal(own.place)))
        return _("You came %(place)s of %(n)s") % {"place": place, "n": len(placed(entrants))}
    if not earned:
        return ""
    known = {"name": earned[0].name or _("A guest")}
    return (_("%(name)s won the race") if earned[0].state == Entrant.State.WON else _("%(name)s came first")) % known


def result_in_words(race: Race, entrant: ShownEntrant) -> str:
    """Return what an entrant has achieved."""
    if race.is_puzzle_race:
        solved = entrant.cards_up or 0
        return ngettext("One puzzle solved", "%(n)s puzzles solved", solved) % {"n": solved}
    text = _("Won in %(time)s") if entrant.state == Entrant.State.WON else _("%(cards)s cards up in %(time)s")
    return text % {"cards": entrant.cards_up, "time": duration(entrant.elapsed_ms)}


def _duels(change: EntrantRatingChange | None, names: dict[int, str]) -> list[tuple[str, float, str]]:
    """Return the points from each opponent. Only the linked players themselves learn of a link."""
    return [
        (names.get(duel.rival, _("Former player")), duel.points, duel.limit.value if duel.limit in _PUBLIC else "")
        for duel in (change.duels if change else ())
    ]
