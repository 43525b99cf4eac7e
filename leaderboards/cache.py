"""The boards of deals in Redis, where there is one: a copy that follows the database and is rebuilt when lost.

For each deal:

- `race` and `fewest`: sorted sets, score = rank key, member = the entry;
- `members`: player id → member and the name shown, to find a player's rank and to show names;
- `meta`: `version`, the version of the boards (`DealBoard.version`) that this copy shows, and `entries`, how many it
has;
- `waiting`: version → change, for changes that arrived before the ones they follow;
- `filling`: the token of the fill under way.

A member is 56 bytes: finish (microseconds) and result id, both big-endian so that equal keys sort by them, then player
id, attempt and player as they are known outside. A changed name is a change of the board like any other.

Every change of a deal's boards has the next version, so a change is played exactly once and in order, whichever process
brings it and when. A fill reads the version first and the entries after, and is put in place only if it is newer than
what is there. A copy that has lost a change, or a part of itself, is noticed by its version or its count and made anew;
until then SQL serves.
"""

from __future__ import annotations

import logging
import secrets
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache as once
from typing import Any, Final
from uuid import UUID

import redis
from celery import current_app
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from redis.commands.core import Script

from leaderboards import scripts
from leaderboards.keys import DEAL, BoardName, Layout
from leaderboards.ladders import Position
from leaderboards.models import DealBoard, Result
from leaderboards.pages import Entry, Page, micros, moment

log = logging.getLogger(__name__)

LIFETIME: Final = 2 * 24 * 3600  # s; a board nobody touches leaves Redis
FILL_LIFETIME: Final = 900  # s; a fill that takes longer has died
CHECK_EVERY: Final = 5.0  # s; how often a reading process compares versions with the database
PAUSE_AFTER_FAILURE: Final = 1.0  # s without Redis before it is tried again
_CHUNK: Final = 5_000
_UP_TO_DATE: Final = -2
_PREFIX: Final = b"talon:board:"
_MEMBER: Final = struct.Struct(">QQQ16s16s")


@dataclass(frozen=True, slots=True)
class Change:
    """One entry that appeared on its deal's boards (`listed`) or left them, as plain values."""

    listed: bool
    player_id: int
    race_key: int = 0
    fewest_key: int = 0
    member: bytes = b""
    name: str = ""

    @property
    def named_member(self) -> bytes:
        """The member with the name behind it."""
        return self.member + self.name.encode()


def appeared(result: Result, attempt: UUID, player: UUID, name: str) -> Change:
    """The change that lists `result`, with the attempt and the player as they are known outside."""
    member = _MEMBER.pack(micros(result.finished_at), result.pk, result.player_id, attempt.bytes, player.bytes)
    return Change(True, result.player_id, result.race_key, result.fewest_key, member, name)


def left(result: Result) -> Change:
    """The change that takes `result` away."""
    return Change(False, result.player_id)


class BoardCache:
    """The copy in one Redis; every reading method answers None where SQL has to serve."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._apply = client.register_script(scripts.APPLY)
        self._install = client.register_script(scripts.INSTALL)
        self._page = client.register_script(scripts.PAGE)
        self._beside = client.register_script(scripts.BESIDE)
        self._around = client.register_script(scripts.AROUND)
        self._rank = client.register_script(scripts.RANK)
        self._paused_until = 0.0
        self._checked: dict[int, tuple[float, int]] = {}

    # --- Writing ----------------------------------------------------------------------------------------------------

    def apply(self, deal_id: int, version: int, change: Change | None) -> None:
        """Bring the copy to `version`; a loss is made good by the next check."""
        delta = b"00:0:"
        if change is not None:
            figures = b"%d:%d:" % (change.race_key, change.fewest_key)
            delta = (b"+" if change.listed else b"-") + figures + _field(change.player_id) + change.named_member
        self._asked(self._apply, keys=_keys(deal_id), args=[LIFETIME, version, delta])

    def fill(self, deal_id: int) -> bool:
        """Make the copy of a deal anew from the database; says whether it was put in place."""
        keys = _keys(deal_id)
        token = secrets.token_hex(8).encode()
        if not self._client.set(keys[5], token, nx=True, ex=FILL_LIFETIME):
            return False
        drafts = [key + b":" + token for key in keys[1:4]]
        version = DealBoard.objects.filter(pk=deal_id).values_list("version", flat=True).first() or 0
        for chunk in _chunks(deal_id):
            self._send(drafts, chunk)
        return bool(self._install(keys=[*keys, *drafts], args=[LIFETIME, version, token]))

    def _send(self, drafts: Sequence[bytes], chunk: list[Change]) -> None:
        pipe = self._client.pipeline(transaction=False)
        pipe.zadd(drafts[0], {change.member: change.race_key for change in chunk})
        pipe.zadd(drafts[1], {change.member: change.fewest_key for change in chunk})
        pipe.hset(drafts[2], mapping={_field(change.player_id): change.named_member for change in chunk})
        for draft in drafts:
            pipe.expire(draft, FILL_LIFETIME)
        pipe.execute()

    def drop(self, deal_id: int) -> None:
        """Forget the copy of a deal."""
        self._client.delete(*_keys(deal_id))

    # --- Reading ----------------------------------------------------------------------------------------------------

    def page(self, deal_id: int, board: BoardName, first: int, limit: int) -> Page | None:
        """`limit` entries from index `first`."""
        return self._entries(deal_id, board, self._page, [first, first + limit - 1])

    def beside(self, deal_id: int, board: BoardName, position: Position, limit: int, *, backwards: bool) -> Page | None:
        """`limit` entries after `position`, or before it."""
        key, finished_at, result_id = position
        ties = struct.pack(">QQ", micros(finished_at), result_id)
        return self._entries(deal_id, board, self._beside, [key, ties, limit, int(backwards)])

    def around(self, deal_id: int, board: BoardName, player_id: int, span: int) -> Page | None:
        """The player's entry with `span` entries before and after it; empty for a player who is not listed."""
        return self._entries(deal_id, board, self._around, [_field(player_id), span])

    def rank(self, deal_id: int, board: BoardName, player_id: int) -> int | None:
        """The player's rank from 1; 0 for a player who is not listed."""
        found = self._asked(self._rank, keys=_board_keys(deal_id, board), args=[_field(player_id)])
        self._keep(deal_id, missing=found is None)
        return None if found is None else int(found)

    def _entries(self, deal_id: int, board: BoardName, script: Script, args: list[Any]) -> Page | None:
        found = self._asked(script, keys=_board_keys(deal_id, board), args=args)
        missing = found is None or None in found[3]
        self._keep(deal_id, missing=missing)
        if missing:
            return None
        total, first, rows, named = found
        layout = DEAL[board]
        return Page(
            [
                _entry(layout, rank, int(score), member)
                for rank, (member, score) in enumerate(zip(named, rows[1::2], strict=True), first + 1)
            ],
            total,
        )

    # --- Keeping whole ----------------------------------------------------------------------------------------------

    def _keep(self, deal_id: int, *, missing: bool) -> None:
        """Now and then, see whether the copy is there and follows the database; if not, have it made anew."""
        now = time.monotonic()
        checked_at, seen = self._checked.get(deal_id, (-CHECK_EVERY, _UP_TO_DATE))
        if now - checked_at < CHECK_EVERY or now < self._paused_until:
            return
        version = -1 if missing else int(self._asked(self._client.hget, _keys(deal_id)[0], b"version") or -1)
        truth = DealBoard.objects.filter(pk=deal_id).values_list("version", flat=True).first() or 0
        behind = version < truth
        self._checked[deal_id] = (now, version if behind else _UP_TO_DATE)
        # Behind for a moment is normal; behind and standing still means that a change was lost.
        if behind and version == seen and not missing:
            self._asked(self.drop, deal_id)
            missing = True
        if missing and now >= self._paused_until:
            request_fill(deal_id)

    def _asked(self, command: Callable[..., Any], *args: object, **options: object) -> Any:  # noqa: ANN401 - Redis's
        """What Redis answers, or None, at once, while it is away."""
        if time.monotonic() < self._paused_until:
            return None
        try:
            return command(*args, **options)
        except redis.RedisError as error:
            self._paused_until = time.monotonic() + PAUSE_AFTER_FAILURE
            log.warning("the board cache is away: %s", error)
            return None


def request_fill(deal_id: int) -> None:
    """Have a worker make the copy of a deal's boards anew."""
    try:
        current_app.send_task("talon.fill_board", [deal_id], retry=False)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the broker's transport raises; the next check asks again
        log.warning("the board of deal %s could not be sent for filling: %s", deal_id, error)


@once
def board_cache() -> BoardCache | None:
    """The cache this process uses; None where the settings name no Redis."""
    if not settings.REDIS_URL:
        return None
    return BoardCache(redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5))


def _keys(deal_id: int) -> list[bytes]:
    base = _PREFIX + b"%d:" % deal_id
    return [base + part for part in (b"meta", b"race", b"fewest", b"members", b"waiting", b"filling")]


def _board_keys(deal_id: int, board: BoardName) -> list[bytes]:
    meta, race, fewest, members, *_others = _keys(deal_id)
    return [meta, race if board == "race" else fewest, members]


def _chunks(deal_id: int) -> Iterator[list[Change]]:
    rows = (
        Result.objects.filter(deal_id=deal_id, listed=True)
        .order_by()
        .values_list(
            "id",
            "player_id",
            "finished_at",
            "race_key",
            "fewest_key",
            "attempt__public_id",
            "player__public_id",
            "player__display_name",
        )
        .iterator(chunk_size=_CHUNK)
    )
    chunk: list[Change] = []
    for pk, player_id, finished_at, race_key, fewest_key, attempt, player, name in rows:
        member = _MEMBER.pack(micros(finished_at), pk, player_id, attempt.bytes, player.bytes)
        chunk.append(Change(True, player_id, race_key, fewest_key, member, name))
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _entry(layout: Layout, rank: int, key: int, named_member: bytes) -> Entry:
    finished, result_id, _player_id, attempt, player = _MEMBER.unpack_from(named_member)
    finished_at = moment(finished)
    score = layout.unpack(key)
    return Entry(
        rank=rank,
        player=UUID(bytes=player),
        name=named_member[_MEMBER.size :].decode(),
        finished_at=finished_at,
        position=(key, finished_at, result_id),
        attempt=UUID(bytes=attempt),
        cards_up=score.cards_up,
        elapsed_ms=score.elapsed_ms,
        tokens=score.tokens,
    )


def _field(player_id: int) -> bytes:
    return player_id.to_bytes(8)
