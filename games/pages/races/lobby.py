"""Lobby snapshot: the next heat, open rooms, live races and the latest results.

It is the same for all visitors and free of text to translate: the page renders game names and times. Rooms by link are
not listed. One player or network can fill only a third of each list (`games.races.network_limits`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NotRequired, TypedDict

from django.contrib.auth import get_user_model
from django.db.models import Count, Prefetch, Q, QuerySet
from django.utils import timezone

from games.db.players import player_services
from games.db.shared_cache import SharedCache
from games.races import heats, network_limits
from games.races.models import Entrant, Race, Room

_LISTED: Final = 24
_RECENT: Final = 8
#: Number of entrants from whose races a list is chosen.
_CONSIDERED: Final = 2000

_SHOWN_KINDS: Final = [Room.Kind.PUBLIC, Room.Kind.QUICK, Room.Kind.HEAT]


class LobbyRace(TypedDict):
    """A race in the lobby; `taken` of its `seats` are occupied. Its state decides which of the last fields it has."""

    code: str
    number: int
    kind: str
    variant: str
    game: str
    options: dict[str, bool | int | str]
    limit_s: int
    seats: int
    taken: int
    # Open: empty if the host may not be named.
    host: NotRequired[str]
    avatar: NotRequired[str]
    # Live: times in milliseconds since 1970.
    starts_at: NotRequired[int | None]
    ends_at: NotRequired[int | None]
    # Finished.
    finished_at: NotRequired[int | None]
    winners: NotRequired[list[str]]
    avatars: NotRequired[list[str]]


class NextHeat(TypedDict):
    """The next heat, with its times in milliseconds since 1970."""

    variant: str
    starts_at: int | None
    doors_at: int | None
    entrants: int


class Lobby(TypedDict):
    """The contents of the lobby at `now`, in milliseconds since 1970; `best` is the room of the race to watch."""

    now: int | None
    heat: NextHeat
    rooms: list[LobbyRace]
    running: list[LobbyRace]
    best: str | None
    recent: list[LobbyRace]


lobbies: Final = SharedCache("lobbies", Lobby, fresh=3.0)


def cached_lobby() -> Lobby:
    """Return the lobby from a cache shared by all processes, at most a few seconds old."""
    return lobbies.get("", lambda: read(timezone.now()))


def read(now: datetime) -> Lobby:
    """Read the lobby from the database."""
    public = _races(Race.State.OPEN).filter(room__kind=Room.Kind.PUBLIC, entrants__isnull=False)
    lists = [
        _listed(public.order_by("-room__used_at", "-id"), _LISTED),
        _listed(_races(Race.State.RACING).order_by("-starts_at", "-id"), _LISTED),
        _listed(_races(Race.State.FINISHED).order_by("-finished_at", "-id"), _RECENT),
    ]
    races_by_id = _races_by_id([key for keys in lists for key in keys])
    waiting, running, recent = ([races_by_id[key] for key in keys if key in races_by_id] for keys in lists)
    firsts = {race.pk: [entrant.player_id for entrant in race.entrants.all()] for race in recent}
    hosts = {race.room.host_id for race in waiting if race.room.host_id}
    # Players may hide that they are online, but not that they have won.
    names = player_services().shown_names(hosts)
    winners = player_services().names_on_pages({player for players in firsts.values() for player in players if player})
    return {
        "now": _ms(now),
        "heat": _heat(now),
        "rooms": [_open(race, _name(names, race.room.host_id)) for race in waiting],
        "running": [
            {**_facts(race), "starts_at": _ms(race.starts_at), "ends_at": _ms(race.ends_at)} for race in running
        ],
        "best": _best(running),
        "recent": [_finished(race, [_name(winners, player) for player in firsts[race.pk]]) for race in recent],
    }


def _races(state: Race.State) -> QuerySet[Race]:
    """Return the races in this state whose rooms may be listed."""
    shown = Race.objects.filter(state=state, room__kind__in=_SHOWN_KINDS)
    return shown.filter(room__closed_at=None) if state == Race.State.OPEN else shown


def _listed(races: QuerySet[Any], limit: int) -> list[int]:
    """Return the ids of the first of these races, chosen fairly."""
    players: dict[int, list[int]] = {}
    for race, player in races.values_list("pk", "entrants__player")[:_CONSIDERED]:
        players.setdefault(race, []).extend([] if player is None else [player])
    return network_limits.fair_share(players, limit)


def _races_by_id(races: list[int]) -> dict[int, Any]:
    """Return these races by id, with the winners as entrants, and annotated with the number of all as `taken`."""
    users: Any = get_user_model()
    winners = Entrant.objects.filter(place=1, player__in=users.objects.named())
    firsts = Prefetch("entrants", winners.exclude(state=Entrant.State.DISQUALIFIED))
    shown = Race.objects.select_related("room").prefetch_related(firsts)
    return shown.annotate(taken=Count("entrants", filter=~Q(entrants__state="absent"))).in_bulk(races)


def _facts(race: Any) -> LobbyRace:  # noqa: ANN401 - a race annotated with `taken`
    return {
        "code": race.room.code,
        "number": race.number,
        "kind": race.room.kind,
        "variant": race.variant,
        "game": race.game,
        "options": race.options,
        "limit_s": race.limit_s,
        "seats": race.room.seats,
        "taken": race.taken,
    }


def _best(running: list[Any]) -> str | None:
    """Return the room of the race to watch: rated before unrated, then the most racers, then the latest start."""
    best = max(running, key=lambda race: (race.rated, race.taken, race.starts_at), default=None)
    return None if best is None else str(best.room.code)


def _heat(now: datetime) -> NextHeat:
    starts_at = heats.next_start(now)
    waiting = Entrant.objects.filter(race__scheduled_at=starts_at, state="seated")
    return {
        "variant": heats.variant_at(starts_at),
        "starts_at": _ms(starts_at),
        "doors_at": _ms(starts_at - heats.DOORS),
        "entrants": waiting.count(),
    }


def _open(race: Race, host: str) -> LobbyRace:
    return {**_facts(race), "host": host, "avatar": player_services().avatar_of(host)}


def _finished(race: Race, winners: list[str]) -> LobbyRace:
    avatars = [player_services().avatar_of(name) for name in winners]
    return {**_facts(race), "finished_at": _ms(race.finished_at), "winners": winners, "avatars": avatars}


def _name(names: dict[int, Any], player: int | None) -> str:
    """Return the player's name if it may be shown; empty for others, such as guests."""
    return str(names[player][0]) if player in names else ""


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp() * 1000)
