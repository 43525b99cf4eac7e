"""Input of the rating fold: finished rated races in order, with their ratable entrants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.contrib.auth import get_user_model
from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.utils import timezone

from games.models import Attempt
from games.races import finishing
from games.races.models import Entrant, Race
from games.races.results.entrant_facts import EntrantFacts, missing_facts
from leaderboards.models import RatedRace
from leaderboards.ratings.rules import LAST, VERSION, Raced, Racer

#: Time after its end that a race waits for staff to decide about its records. Then it is rated without winners still
#: under review and with losers under review as last, and a later decision rates it again.
REVIEW_WAIT: Final = timedelta(days=2)
#: Races read at a time.
CHUNK: Final = 1_000

_DISQUALIFIED: Final = Entrant.State.DISQUALIFIED
_LOST: Final = (Entrant.State.RETIRED, Entrant.State.TIMED_OUT)
_FACTS: Final = ("standing", "link_group")


class Key(NamedTuple):
    """Sort key of a race in the order of rating."""

    finished_at: datetime
    race: int


class Chunk(NamedTuple):
    """Consecutive races, the guest entrants of those not rated before, and facts that are not stored yet."""

    races: list[Raced]
    guests: dict[int, list[int]]
    facts: dict[int, EntrantFacts]


#: SQL expression for an entrant's current rank; null for an unrated entrant. A loser under review has no place and
#: counts as last. Otherwise a suspicious game would be a way to lose without giving the winner points.
_RANK: Final = Case(
    When(Q(state=_DISQUALIFIED) | Q(state__in=_LOST, place=None), then=Value(LAST)),
    default=F("place"),
    output_field=IntegerField(),
)


def finished() -> QuerySet[Race]:
    """Return the races that the fold covers: finished and decided, or rated before.

    A race with a record under review waits for the decision, but no longer than `REVIEW_WAIT`.
    """
    rated = Race.objects.filter(state=Race.State.FINISHED, rated=True)
    # Driven by the attempts under review, which are few.
    undecided = rated.filter(
        rating=None,
        finished_at__gt=timezone.now() - REVIEW_WAIT,
        entrants__attempt__state=Attempt.State.REVIEW,
        entrants__state__in=finishing.RACED,
    )
    return rated.exclude(pk__in=undecided.values("pk"))


def first() -> Key | None:
    """Return the key of the first race of all."""
    return _first(finished())


def first_unrated() -> Key | None:
    """Return the key of the earliest race that is not rated, or by an older version of the rules, or is stale."""
    return _first(finished().filter(Q(rating=None) | Q(rating__version__lt=VERSION) | Q(rating__is_stale=True)))


def first_decided(race_id: int | None) -> Key | None:
    """Return the key of the earliest race whose places have changed since it was rated, or of this one."""
    return _first(finished().filter(Q(rating__is_stale=True) | Q(pk=race_id)))


def is_outdated() -> bool:
    """Return whether a race was rated by an older version of the rules."""
    return RatedRace.objects.filter(version__lt=VERSION).exists()


def at_or_after(key: Key, race: str = "race_id") -> Q:
    """Return the condition for that race and later ones, or for their changes."""
    later = Q(finished_at__gt=key.finished_at) | Q(**{f"{race}__gte": key.race})
    return Q(finished_at__gte=key.finished_at) & later  # this form can use an index


def before(key: Key) -> Q:
    """Return the condition for changes in races before that one."""
    earlier = Q(finished_at__lt=key.finished_at) | Q(race_id__lt=key.race)
    return Q(finished_at__lte=key.finished_at) & earlier


def races_from(key: Key, claim: Callable[[list[int]], object] = lambda _races: None) -> Iterator[Chunk]:
    """Yield that race and all later ones, in order; `claim` is called with their ids before their entrants are read."""
    while rows := list(
        finished()
        .filter(at_or_after(key, "pk"))
        .order_by("finished_at", "id")
        .values_list("id", "finished_at", "rating__guests", "rating")[:CHUNK]
    ):
        claim([race for race, *_ in rows])
        yield _chunk(rows)
        last, finished_at, *_ = rows[-1]
        assert finished_at is not None  # a table constraint
        key = Key(finished_at, last + 1)


def _chunk(rows: Sequence[tuple[Any, ...]]) -> Chunk:
    known: dict[int, set[int]] = {race: set(guests) for race, _, guests, rated in rows if rated is not None}
    entrants = Entrant.objects.annotate(rank=_RANK).filter(race__in=[race for race, *_ in rows]).order_by("id")
    # Only races finished by an earlier release have none.
    without = entrants.filter(standing=None, player__isnull=False).values_list("race", flat=True).order_by()
    facts = missing_facts(list(without.distinct()))
    users: Any = get_user_model()
    columns = ("id", "race_id", "player_id", users.objects.guest_at("player"), "as_guest", "rank", *_FACTS)
    racers: defaultdict[int, list[Racer]] = defaultdict(list)
    guests: defaultdict[int, list[int]] = defaultdict(list)
    for entrant, race, player, guest_now, guest_then, rank, *stored in entrants.values_list(*columns):
        if player is None or rank is None:
            continue
        if guest_now or guest_then or entrant in known.get(race, ()):
            guests[race].append(entrant)
        else:
            standing, group, *_as_guest = facts.get(entrant, stored)
            is_regular = standing == Entrant.Standing.REGULAR
            racers[race].append(Racer(entrant, player, rank, group, is_regular))
    fresh = {race: guests[race] for race, *_ in rows if race not in known}
    return Chunk([Raced(race, when, racers[race]) for race, when, *_ in rows], fresh, facts)


def _first(races: QuerySet[Race]) -> Key | None:
    found = races.order_by("finished_at", "id").values_list("finished_at", "id").first()
    if found is None:
        return None
    finished_at, race = found
    assert finished_at is not None  # a table constraint
    return Key(finished_at, race)
