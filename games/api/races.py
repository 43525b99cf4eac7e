"""API endpoints for races, race files, heats and standings; `config.api` combines them with the others.

The seed and the records stay hidden until every race on the deal is finished. An unfinished race in a private room is
shown only to clients with the room's link or a seat in the race.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, datetime
from typing import Any, Final, Literal, Self
from uuid import UUID

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Field, Query, Router, Schema

from games.api.common import ERRORS, Day
from games.api.deals import RecordIO
from games.core.errors import ErrorCode, Refusal
from games.db.players import Names, player_id, player_services
from games.races import heats
from games.races.models import Entrant, Race, Room
from games.races.results import download, heat_standings
from games.races.results.download import commitment_of

MAX_LISTED: Final = 100

router = Router(tags=["races"])

#: The race states behind each value of the `state` filter.
_LISTED: Final[dict[str, tuple[str, ...]]] = {
    "open": (Race.State.OPEN,),
    "running": (Race.State.COUNTDOWN, Race.State.RACING, Race.State.SETTLING),
    "finished": (Race.State.FINISHED,),
}


class RaceOut(Schema):
    """A race. `room` is the code of its room, null for a private room; `seed` is null until it is public."""

    id: UUID
    room: str | None
    kind: Literal["private", "public", "quick", "heat"]
    number: int
    state: Literal["open", "countdown", "racing", "settling", "finished", "void"]
    void: str
    rated: bool
    variant: str
    game: str
    options: dict[str, Any]
    limit_s: int
    free_undo: bool
    seats: int
    taken: int
    commitment: str | None
    race_commitment: str | None
    seed: str | None
    scheduled_at: datetime | None
    division: int
    starts_at: datetime | None
    ends_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, race: Any, now: datetime, *, linked: bool = False) -> Self:  # noqa: ANN401 - with the seats taken
        """Return the JSON form of a race as of `now`; `linked` includes the code of a private room."""
        deal, room = race.deal, race.room
        others = {
            "id": race.public_id,
            "room": room.code if linked or room.kind != Room.Kind.PRIVATE else None,
            "kind": room.kind,
            "seats": room.seats,
            "commitment": deal and deal.commitment,
            "race_commitment": commitment_of(race),
            "seed": bytes(deal.seed).hex() if download.is_public(race, now) else None,
        }
        return cls(**vars(race) | others)


class EntrantOut(Schema):
    """An entrant in a race. `name` and `player` are null for guests.

    The figures and the place are set when the race ends; while a record is under review they stay null. `progress_ms`
    is the time at which the last card went up, 4294967295 if none did. If the race's game is `puzzles`, `cards_up` is
    the number of puzzles solved, and both times are that of the last one.
    """

    id: int
    name: str | None
    player: UUID | None
    state: Literal["seated", "racing", "won", "retired", "timed_out", "absent", "disqualified"]
    place: int | None
    points: int | None
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    progress_ms: int | None

    @classmethod
    def of(cls, entrant: Entrant, names: Names) -> Self:
        """Return the JSON form of an entrant."""
        name, page = names.get(entrant.player_id or 0, (None, None))
        return cls(**vars(entrant), name=name, player=page)


class RaceWithEntrantsOut(RaceOut):
    """A race with its entrants, ordered by place."""

    entrants: list[EntrantOut]


class RacesOut(Schema):
    """A page of races. `cursor` requests the next page and is null on the last one."""

    races: list[RaceOut]
    cursor: UUID | None


class MyRaceOut(Schema):
    """A race with the requester's own entry."""

    race: RaceOut
    me: EntrantOut


class MyRacesOut(Schema):
    """A page of the requester's finished races. `cursor` requests the next page and is null on the last one."""

    races: list[MyRaceOut]
    cursor: UUID | None


class NextHeatOut(Schema):
    """The next heat; `race` is null until its doors open."""

    starts_at: datetime
    doors_at: datetime
    variant: str
    race: RaceOut | None


class HeatsOut(Schema):
    """The next heat, and a page of finished heats with one race for each division."""

    next: NextHeatOut
    past: list[RaceOut]
    cursor: UUID | None


class StandingOut(Schema):
    """A player's standing in the heats of a day or week. Players with equal points share a place."""

    place: int
    name: str
    player: UUID
    points: int
    heats: int
    wins: int


class StandingsOut(Schema):
    """The standings of the heats from day `first` (inclusive) to day `until` (exclusive)."""

    first: date
    until: date
    entries: list[StandingOut]


class RaceFactsOut(Schema):
    """The race in a race file."""

    id: UUID
    room: str
    number: int
    rated: bool
    rules: int
    variant: str | None = None
    game: str | None = None
    options: dict[str, Any] | None = None
    limit_s: int
    starts_at: str
    free_undo: Literal[False] | None = None
    commitment: str
    seed: str


class FileEntrantOut(Schema):
    """An entrant in a race file."""

    id: int
    name: str | None
    player: UUID | None
    state: str
    place: int | None
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    in_review: bool
    progress_ms: int | None
    record: RecordIO | None


class RaceFileOut(Schema):
    """A race file: a finished race with its records, in the format that `python -m games.rules verify` checks."""

    format: Literal["talon-race"]
    version: Literal[2, 3]
    race: RaceFactsOut
    entrants: list[FileEntrantOut]


class RacePageIn(Schema):
    """Pagination: omit `cursor` for the first page; pass a page's `cursor` to get the next one."""

    cursor: UUID | None = None
    limit: int = Field(heat_standings.PAGE, ge=1, le=MAX_LISTED)


class RacesIn(RacePageIn):
    """Filters and pagination for races."""

    state: Literal["open", "running", "finished"] = "open"


class RaceIn(Schema):
    """The code of the race's room, required for an unfinished race in a private room unless you have a seat in it."""

    code: str = Field("", max_length=32)


class StandingsIn(Schema):
    """Filters for standings: a day, or the ISO week that contains it; `after` skips that many players."""

    period: heat_standings.Period = "day"
    day: Day | None = None
    after: int = Field(0, ge=0, le=1_000_000)
    limit: int = Field(heat_standings.PAGE, ge=1, le=MAX_LISTED)


@router.get("/races", response={200: RacesOut, **ERRORS})
def list_races(request: HttpRequest, query: Query[RacesIn]) -> RacesOut:  # noqa: ARG001
    """List races in public rooms, latest first. Races in private rooms are not listed."""
    found = _races().filter(state__in=_LISTED[query.state]).exclude(room__kind=Room.Kind.PRIVATE)
    if query.state == "open":
        found = found.filter(room__closed_at=None)
    races, cursor = _page(found, query, query.state)
    return RacesOut(races=races, cursor=cursor)


@router.get("/races/mine", response={200: MyRacesOut, **ERRORS})
def list_my_races(request: HttpRequest, query: Query[RacePageIn]) -> MyRacesOut:
    """List your own finished races, latest first. You must be signed in; being a guest is enough."""
    me = player_id(request)
    if me is None:
        raise Refusal(ErrorCode.NOT_SIGNED_IN, "Sign in to see your races.")
    before = None
    if query.cursor is not None:
        before = Entrant.objects.filter(player=me, race__public_id=query.cursor).values_list("pk", flat=True).first()
        if before is None:
            raise _bad_cursor()
    entries = heat_standings.history(me, before=before, limit=query.limit + 1)
    names = player_services().names_on_pages([me])
    races = {race.pk: race for race in _races().filter(pk__in=[entry.race_id for entry in entries])}
    now = timezone.now()
    shown = [
        MyRaceOut(race=RaceOut.of(races[entry.race_id], now, linked=True), me=EntrantOut.of(entry, names))
        for entry in entries[: query.limit]
    ]
    return MyRacesOut(races=shown, cursor=_cursor([races[entry.race_id] for entry in entries], query.limit))


@router.get("/races/{uuid:race}", response={200: RaceWithEntrantsOut, **ERRORS})
def get_race(request: HttpRequest, race: UUID, query: Query[RaceIn]) -> RaceWithEntrantsOut:
    """Return one race with its entrants."""
    found, linked = _visible(request, race, query.code)
    entrants = sorted(found.entrants.all(), key=lambda entrant: (entrant.place is None, entrant.place or 0, entrant.pk))
    players = [entrant.player_id for entrant in entrants if entrant.player_id is not None]
    # Players may hide that they are playing right now, but not that they have raced.
    is_over = found.state == Race.State.FINISHED
    names = player_services().names_on_pages(players) if is_over else player_services().shown_names(players)
    shown = RaceOut.of(found, timezone.now(), linked=linked)
    return RaceWithEntrantsOut(**shown.dict(), entrants=[EntrantOut.of(entrant, names) for entrant in entrants])


@router.get("/races/{uuid:race}/file", response={200: RaceFileOut, **ERRORS}, summary="Download a race")
def get_race_file(request: HttpRequest, race: UUID, query: Query[RaceIn]) -> HttpResponse:
    """Download a finished race with all its records, once every race on its deal is finished."""
    found, _linked = _visible(request, race, query.code)
    disposition = f'attachment; filename="{download.file_name(found)}"'
    return JsonResponse(download.race_file(found).to_json(), headers={"Content-Disposition": disposition})


@router.get("/heats", response={200: HeatsOut, **ERRORS})
def list_heats(request: HttpRequest, query: Query[RacePageIn]) -> HeatsOut:  # noqa: ARG001
    """Return the next heat, and list finished heats, latest first."""
    now = timezone.now()
    start = heats.next_start(now)
    race = _races().filter(scheduled_at=start, division=1).first()
    past = _races().filter(scheduled_at__isnull=False, state=Race.State.FINISHED)
    races, cursor = _page(past, query, "finished")
    return HeatsOut(
        next=NextHeatOut(
            starts_at=start,
            doors_at=start - heats.DOORS,
            variant=heats.variant_at(start),
            race=None if race is None else RaceOut.of(race, now),
        ),
        past=races,
        cursor=cursor,
    )


@router.get("/heats/standings", response={200: StandingsOut, **ERRORS})
def get_standings(request: HttpRequest, query: Query[StandingsIn]) -> StandingsOut:  # noqa: ARG001
    """Return the players' points from the heats of a day or week, by default those of today."""
    day = query.day or timezone.now().date()
    try:
        first, until = heat_standings.span(query.period, day)
    except ValueError as error:
        raise Refusal(ErrorCode.BAD_DAYS, str(error)) from None
    standings = heat_standings.standing(query.period, day, limit=query.limit, after=query.after)
    entries = [StandingOut(**asdict(row), player=row.page) for row in standings]
    return StandingsOut(first=first, until=until, entries=entries)


def _races() -> Any:  # noqa: ANN401 - races with the seats taken
    return Race.objects.select_related("room", "deal").annotate(taken=Count("entrants"))


def _page(races: Any, query: RacePageIn, state: str) -> tuple[list[RaceOut], UUID | None]:  # noqa: ANN401
    """Return a page of a list of races, latest first, and the cursor of the next page."""
    if query.cursor is not None:
        races = _before(races, query.cursor, state)
    order = ("-finished_at", "-pk") if state == "finished" else ("-pk",)
    found, now = list(races.order_by(*order)[: query.limit + 1]), timezone.now()
    return [RaceOut.of(race, now) for race in found[: query.limit]], _cursor(found, query.limit)


def _cursor(races: list[Race], limit: int) -> UUID | None:
    """Return the id of the page's last race if another page follows, else None."""
    return races[limit - 1].public_id if len(races) > limit else None


def _before(races: Any, cursor: UUID, state: str) -> Any:  # noqa: ANN401
    """Return the races that follow the cursor's race in the list, even if that race no longer matches the filter."""
    last = Race.objects.filter(public_id=cursor).first()
    if last is None:
        raise _bad_cursor()
    if state != "finished":
        return races.filter(pk__lt=last.pk)
    if last.finished_at is None:
        raise _bad_cursor()
    return races.filter(Q(finished_at__lt=last.finished_at) | Q(finished_at=last.finished_at, pk__lt=last.pk))


def _bad_cursor() -> Refusal:
    return Refusal(ErrorCode.BAD_CURSOR, "This cursor is invalid.")


def _visible(request: HttpRequest, race: UUID, code: str) -> tuple[Race, bool]:
    """Return a race, and whether the requester knows the code of its room or has a seat in it.

    :raises Http404: if there is no such race.
    :raises Refusal: not_found for an unfinished race in a private room that the requester is not linked to.
    """
    found, player = get_object_or_404(_races(), public_id=race), player_id(request)
    linked = code == found.room.code or (player is not None and found.entrants.filter(player=player).exists())
    if found.room.kind == Room.Kind.PRIVATE and found.state != Race.State.FINISHED and not linked:
        raise Refusal(ErrorCode.NOT_FOUND)
    return found, linked
