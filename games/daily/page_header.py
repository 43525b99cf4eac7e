"""Page header of a player: the game to resume, and the number of unread notices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from games.db.statements import run_in_order, stored
from games.inbox.models import Notice
from games.inbox.notices import MAX_COUNTED
from games.models import Attempt, Deal, Move
from games.presentation import titles
from games.puzzles.models import PuzzleTry, StoredPuzzle
from games.replays.models import Continuation
from games.rules import CATALOGUE

#: Age at which an unfinished game is no longer offered.
FORGOTTEN: Final = timedelta(days=7)

# In plain SQL, since building these queries with the ORM took 40 % of the CPU of a page (November 2026).
_HEADER: Final = (
    "SELECT * FROM (SELECT d.game, d.variant, CAST(a.public_id AS varchar(36)) "  # noqa: S608
    f"FROM {Attempt._meta.db_table} a JOIN {Deal._meta.db_table} d ON d.id = a.deal_id "
    "WHERE a.player_id = %s AND a.state = 'playing' AND a.started_at > %s AND (a.deadline IS NULL OR a.deadline > %s) "
    f"AND (a.ranked OR EXISTS (SELECT 1 FROM {Move._meta.db_table} m WHERE m.attempt_id = a.id) "
    f"OR EXISTS (SELECT 1 FROM {Continuation._meta.db_table} c WHERE c.attempt_id = a.id)) "
    "ORDER BY a.started_at DESC LIMIT 1) game "
    "UNION ALL SELECT * FROM (SELECT '', p.variant, CAST(p.id AS varchar(36)) "
    f"FROM {PuzzleTry._meta.db_table} t JOIN {StoredPuzzle._meta.db_table} p ON p.id = t.puzzle_id "
    "WHERE t.player_id = %s AND t.solved_at IS NULL AND t.failed_at IS NULL AND t.begun_at > %s AND t.turn <> 0 "
    "ORDER BY t.begun_at DESC LIMIT 1) puzzle "
    "UNION ALL SELECT '', '', CAST(count(*) AS varchar(36)) "
    f"FROM (SELECT 1 FROM {Notice._meta.db_table} WHERE player_id = %s AND seen_at IS NULL LIMIT {MAX_COUNTED}) notice"
)


@dataclass(frozen=True, slots=True)
class GameLeft:
    """An unfinished game, daily, practice or race, or an unsolved puzzle; `variant` is empty for custom options."""

    game: str
    variant: str
    url: str

    @property
    def title(self) -> str:
        """The game's title."""
        return titles.deal_title(self.variant, self.game)


class Header(NamedTuple):
    """The game to resume, if any, and the number of unread notices, at most `MAX_COUNTED`."""

    game_left: GameLeft | None = None
    unread: int = 0

    @property
    def unread_text(self) -> str:
        """The number of unread notices, `9+` for more than nine; empty if there are none."""
        return "" if not self.unread else "9+" if self.unread >= MAX_COUNTED else str(self.unread)


def header_of(player: int | None, now: datetime | None = None) -> Header:
    """Return a player's header: the latest unfinished game, or else the latest puzzle with moves to find.

    Practice counts once it has a move or continues a replay.
    """
    if player is None:
        return Header()
    now = now or timezone.now()
    since = stored(now - FORGOTTEN)
    [[*left, (_, _, unread)]] = run_in_order([(_HEADER, [player, since, stored(now), player, since, player])])
    game, variant, key = max(left, key=lambda row: row[0] != "", default=("", "", ""))
    if game:
        found = GameLeft(game, variant, reverse("games:table", args=[UUID(key)]))
    elif variant:
        found = GameLeft(CATALOGUE[variant].game, variant, reverse("games:puzzle", args=[key]))
    else:
        found = None
    return Header(found, int(unread))
