"""Room snapshots: a room as read from the database, and the messages built from it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.db.models import OuterRef, Prefetch, Q, Subquery
from django.urls import reverse
from msgspec import structs

from games.attempts.lifecycle import deal_table, journal_of, record_of
from games.db.players import player_services
from games.models import Attempt
from games.presentation.view_models import shown_part
from games.races.finishing import ACTIVE
from games.races.live import protocol
from games.races.models import Entrant, Race, Room
from games.races.quick_match import matchmaking
from games.races.results.download import commitment_of
from games.races.results.places import Figures
from games.races.results.ratings_registry import ratings
from games.rules import Progress

_MS: Final = timedelta(milliseconds=1)
_S: Final = Race.State
TO_COME: Final = (_S.OPEN, _S.COUNTDOWN)
RUNNING: Final = (_S.RACING, _S.SETTLING)
#: Race states in which entrants have a table to go to.
AT_TABLE: Final = frozenset({_S.COUNTDOWN, _S.RACING, _S.SETTLING})
_ABSENT: Final = Entrant.State.ABSENT
#: Times of a race that its message has as durations.
_SPANS: Final = {
    "gathers_in": "gathers_until", "scheduled_in": "scheduled_at", "starts_in": "starts_at", "ends_in": "ends_at",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EntrantFacts:
    """An entrant as read from the database: the player, the table, and the state of the game."""

    id: int
    player_id: int | None
    state: str
    attempt_id: int | None
    table: str | None
    place: int | None
    figures: Figures | None
    ms: int | None
    answer_by: datetime | None
    is_bot: bool


@dataclass(frozen=True, slots=True)
class RaceFacts:
    """A race with its entrants; `message` is the part of its message that is independent of the clock and the lanes."""

    state: str
    starts_at: datetime | None
    ends_at: datetime | None
    gathers_until: datetime | None
    scheduled_at: datetime | None
    message: protocol.RaceState
    entrants: tuple[EntrantFacts, ...]

    def seat_of(self, player_id: int) -> EntrantFacts | None:
        """Return the player's seat, or None."""
        return next((entrant for entrant in self.entrants if entrant.player_id == player_id), None)


@dataclass(frozen=True, slots=True)
class RoomFacts:
    """A room with its next race, the one being run or verified, and the last one."""

    id: int
    code: str
    kind: str
    host_id: int | None
    host: str | None
    seats: int
    kicked: frozenset[int]
    is_closed: bool
    to_come: RaceFacts | None
    running: RaceFacts | None
    last: RaceFacts | None

    def races(self) -> Iterable[RaceFacts]:
        """Iterate over the races that are not None."""
        return (race for race in (self.to_come, self.running, self.last) if race is not None)


def read_rooms(room_ids: Collection[int]) -> dict[int, RoomFacts]:
    """Read the rooms that exist among these, by id, in as many queries as for a single room."""
    began = Q(state=_S.FINISHED) | Q(state=_S.VOID, starts_at__isnull=False)
    last = Race.objects.filter(began, room=OuterRef("pk")).order_by("-number").values("pk")[:1]
    rooms = list(Room.objects.filter(pk__in=room_ids).annotate(last_race=Subquery(last)))
    shown = Q(room__in=rooms, state__in=(*TO_COME, *RUNNING)) | Q(pk__in=[room.last_race for room in rooms])
    races = Race.objects.filter(shown).select_related("deal").defer("deal__seed", "deal__solution")
    entrants = Entrant.objects.select_related("attempt", "storm").order_by("pk")
    entrants = entrants.defer("attempt__record", "attempt__decisions_digest", "storm__puzzles", "storm__missed")
    of_room: dict[int, list[Race]] = {}
    for race in races.prefetch_related(Prefetch("entrants", entrants)).order_by("-number"):
        of_room.setdefault(race.room_id, []).append(race)
    seated = [entrant for found in of_room.values() for race in found for entrant in race.entrants.all()]
    players = _PlayerFacts.of(seated, [room.host_id for room in rooms])
    return {room.pk: _room_facts(room, of_room.get(room.pk, []), players) for room in rooms}


def _room_facts(room: Room, races: list[Race], players: _PlayerFacts) -> RoomFacts:
    """Build the facts of a room from its races, which are ordered newest first."""

    def newest(*states: str) -> RaceFacts | None:
        race = next((race for state in states for race in races if race.state == state), None)
        return None if race is None else _race_facts(race, room, players)

    return shown_part(
        RoomFacts,
        room,
        host=players.name(room.host_id) if room.host_id is not None else None,
        kicked=frozenset(room.kicked),
        is_closed=room.closed_at is not None,
        to_come=newest(*TO_COME),
        running=newest(*RUNNING),
        last=newest(_S.FINISHED, _S.VOID),
    )


def rooms_of_moved(room_id: int, entrants: Collection[int]) -> dict[int, str]:
    """Return the codes of the rooms that entrants have been moved to from this room, by entrant."""
    moved = Entrant.objects.filter(pk__in=entrants).exclude(race__room=room_id)
    return dict(moved.values_list("pk", "race__room__code"))


def division_of(room_id: int, player_id: int) -> str | None:
    """Return the code of the room in which a player races the same heat as this room, or None if they don't."""
    entrants = Entrant.objects.filter(player=player_id, state__in=ACTIVE)
    starts = Race.objects.filter(room=room_id, scheduled_at__isnull=False).values("scheduled_at")
    return entrants.filter(race__scheduled_at__in=starts).values_list("race__room__code", flat=True).first()


def read_figures(attempt_ids: Collection[int]) -> dict[int, Figures]:
    """Return the progress of these attempts, by replaying their journals or records."""
    attempts = Attempt.objects.filter(pk__in=attempt_ids).select_related("deal")
    return {attempt.pk: _figures(attempt) for attempt in attempts}


def room_message(
    facts: RoomFacts, lanes_of: Callable[[RaceFacts], list[protocol.Lane]], v: int, now: datetime
) -> protocol.Room:
    """Build the `room` message, which is the same for all viewers at one pace."""

    def span(at: datetime | None) -> int | None:
        return None if at is None or at <= now else -((now - at) // _MS)

    def state_of(race: RaceFacts | None) -> protocol.RaceState | None:
        if race is None:
            return None
        spans = {name: span(getattr(race, at)) for name, at in _SPANS.items()}
        return structs.replace(race.message, lanes=lanes_of(race), **spans)

    return shown_part(
        protocol.Room,
        facts,
        v=v,
        now=protocol.clock(now),
        to_come=state_of(facts.to_come),
        running=state_of(facts.running),
        last=state_of(facts.last),
    )


def you_message(facts: RoomFacts, player_id: int | None) -> protocol.You:
    """Build a viewer's `you` message."""
    if player_id is None:
        return protocol.You(host=False, to_come=None, running=None, table=None, answer_by=None)
    coming = facts.to_come.seat_of(player_id) if facts.to_come else None
    running = facts.running.seat_of(player_id) if facts.running else None
    if running is not None and running.state == _ABSENT:
        running = None
    return protocol.You(
        host=facts.host_id == player_id,
        to_come=coming.id if coming else None,
        running=running.id if running else None,
        table=next((seat.table for seat in (coming, running) if seat and seat.table), None),
        answer_by=protocol.clock(coming.answer_by) if coming and coming.answer_by else None,
    )


@dataclass(frozen=True, slots=True)
class _PlayerFacts:
    """The public facts of the players: names, accounts and ratings."""

    names: Mapping[int, tuple[str, Any]]
    accounts: Collection[int]
    guests: Mapping[int, tuple[str, Any]]
    ratings: Mapping[int, Any]

    @classmethod
    def of(cls, entrants: Iterable[Entrant], hosts: Iterable[int | None]) -> _PlayerFacts:
        players = {entrant.player_id for entrant in entrants} | set(hosts)
        ids = {player for player in players if player is not None}
        accounts = player_services().accounts_among(ids)
        guests = player_services().names_of(ids - accounts)
        return cls(player_services().shown_names(ids), accounts, guests, ratings().shown(ids))

    def name(self, player_id: int | None) -> str:
        """Return the player's name, or a stable four-digit number for an anonymous or removed player."""
        for names in (self.names, self.guests):
            if player_id is not None and player_id in names:
                return names[player_id][0]
        number = 1000 + zlib.crc32(f"{get_user_model()._meta.label} {player_id}".encode()) % 9000
        return f"{'Player' if player_id in self.accounts else 'Guest'} {number}"

    def seat(self, entrant: Entrant, room: Room, *, rated: bool) -> protocol.Seat:
        player = entrant.player_id
        rating = self.ratings.get(player) if rated and player is not None else None
        shown_name = self.names.get(player) if player is not None else None
        return protocol.Seat(
            entrant=entrant.pk,
            name=self.name(player),
            player=None if shown_name is None else str(shown_name[1]),
            guest=player not in self.accounts,
            house_racer=bool(entrant.bot),
            host=player is not None and player == room.host_id,
            rating=None if rating is None else rating.value,
            provisional=rating is not None and rating.provisional,
            avatar=player_services().avatar_of("" if shown_name is None else shown_name[0]),
        )


def _race_facts(race: Race, room: Room, players: _PlayerFacts) -> RaceFacts:
    entrants = [entrant for entrant in race.entrants.all() if not entrant.is_no_show]
    shown = [entrant for entrant in entrants if race.state not in TO_COME or entrant.state != _ABSENT]
    message = shown_part(
        protocol.RaceState,
        race,
        id=str(race.public_id),
        deal=_deal_state(race),
        race_commitment=commitment_of(race),
        seats=[players.seat(entrant, room, rated=race.rated) for entrant in shown],
        lanes=[],
        **dict.fromkeys(_SPANS),
    )
    facts = tuple(_entrant_facts(race, room, entrant) for entrant in shown)
    return shown_part(RaceFacts, race, message=message, entrants=facts)


def _deal_state(race: Race) -> protocol.DealState:
    if race.deal is not None:
        return protocol.DealState(state="ready", tried=race.deal_tries, commitment=race.deal.commitment)
    if race.puzzles is not None:
        return protocol.DealState(state="ready", tried=0, commitment=None)
    return protocol.DealState(state="none" if race.deal_failed else "preparing", tried=race.deal_tries, commitment=None)


def _entrant_facts(race: Race, room: Room, entrant: Entrant) -> EntrantFacts:
    attempt, storm = entrant.attempt, entrant.storm
    figures: Figures | None = None
    ms = entrant.elapsed_ms
    if entrant.cards_up is not None and entrant.tokens is not None:
        figures = Figures(entrant.cards_up, entrant.tokens, entrant.progress_ms)
    elif storm is not None:
        figures, ms = Figures(storm.solved, 0, storm.solved_ms), storm.solved_ms
    elif attempt is not None and attempt.finished_at is not None:
        ms = (attempt.finished_at - attempt.started_at) // _MS
    return shown_part(
        EntrantFacts,
        entrant,
        table=_table_path(race, room, entrant),
        figures=figures,
        ms=ms,
        answer_by=matchmaking.answer_by(race, entrant) if room.kind == Room.Kind.QUICK else None,
        is_bot=bool(entrant.bot),
    )


def _table_path(race: Race, room: Room, entrant: Entrant) -> str | None:
    """Return the path of an entrant's table: in a puzzle race, of the page on which they solve the puzzles."""
    if race.state not in AT_TABLE or entrant.state == _ABSENT:
        return None
    if entrant.attempt is not None:
        return reverse("games:table", args=[entrant.attempt.public_id])
    return reverse("games:puzzle_race", args=[room.code, race.number]) if entrant.state in ACTIVE else None


def _figures(attempt: Attempt) -> Figures:
    table = deal_table(attempt.deal)
    progress = Progress(table.cards_up)
    for token, ms in _played(attempt):
        table.push(token)
        progress.note(table.cards_up, ms)
    return Figures(table.cards_up, table.token_count, progress.ms)


def _played(attempt: Attempt) -> Iterable[tuple[str, int]]:
    if not attempt.is_over:
        return [(move.token, move.ms) for move in journal_of(attempt.pk)]
    record = record_of(attempt)
    return zip(record.tokens, record.clock, strict=True)
