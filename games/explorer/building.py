"""Building of explorers: which deals are due, which games count, and the build itself in a process of its own."""

from __future__ import annotations

import logging
from typing import Final

import msgspec
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.attempts.lifecycle import deal_table, record_of
from games.core.background_threads import BackgroundJob
from games.core.search_process import run_search
from games.explorer import explorer_build
from games.explorer.explorer_build import NICENESS, BuildTask, BuiltExplorer
from games.explorer.models import Explorer, ExplorerChunk
from games.explorer.trails import played
from games.models import GRACE, Attempt, Deal
from games.races.models import Race
from games.rules import Record

log = logging.getLogger(__name__)

#: Time limit in seconds for finding out where the games of a deal were lost, without loading the search.
SECONDS: Final = 60.0
#: Hard limit in seconds, after which a build is killed: replaying thousands of games takes a while, too.
KILL_AFTER: Final = 900.0
#: Number of deals that a run takes up.
BATCH: Final = 100

#: Games that count once they are judged.
_PLAYED: Final = Q(ranked=True) | Q(deal__for_race=True, deadline__isnull=False)


def build_due() -> int:
    """Build the explorers that are due, newest deals first; return how many were built. A failed one is tried again."""
    _add_revealed()
    due = Explorer.objects.exclude(built=F("changes")).order_by("-pk").values_list("pk", flat=True)
    return sum(build_explorer(deal_id) for deal_id in list(due[:BATCH]))


#: The thread of this worker that builds due explorers.
background_building: Final = BackgroundJob("explorer", build_due)


def expire(deals: QuerySet[Deal]) -> None:
    """Have the explorers of these deals built again, after a change of the games that count."""
    Explorer.objects.filter(deal__in=deals).update(changes=F("changes") + 1)


def expire_for(player_id: int) -> None:
    """Have the explorers of the deals that a player has played built again.

    Call it in the transaction that changes whether the player's games count.
    """
    expire(Deal.objects.filter(attempts__player=player_id))


def counted_games(deal: Deal) -> QuerySet[Attempt]:
    """Return the verified games that count at a deal, without those of banned and deleted players.

    For a daily deal they are the ranked games of accounts, for a race those of all entrants.
    """
    players = get_user_model().objects
    public = players.named() if deal.for_race else players.with_page()
    return Attempt.objects.filter(_PLAYED, deal=deal, state=Attempt.State.VERIFIED, player__in=public)


def build_explorer(deal_id: int) -> bool:
    """Build the explorer of a deal; return whether that was possible."""
    explorer = Explorer.objects.select_related("deal").get(pk=deal_id)
    proofs = msgspec.msgpack.decode(explorer.proofs, type=dict[int, int]) if explorer.proofs else {}
    task = task_of(explorer.deal, proofs)
    built = run(task)
    if built is None:
        log.warning("explorer not built", extra={"deal": deal_id})
        return False
    with transaction.atomic():
        latest = Explorer.objects.select_for_update().get(pk=deal_id)
        if latest.built >= explorer.changes:  # another worker was faster
            return True
        _store(latest, explorer.changes, task, built)
    return True


def task_of(deal: Deal, proofs: dict[int, int]) -> BuildTask:
    """Return the task for a deal's build, with the proofs of the last one."""
    games = counted_games(deal).order_by("pk")
    analysed = Analysis.objects.filter(attempt__in=games, findings__isnull=False).values_list("attempt", "findings")
    verdicts = {key: Findings.unpack(bytes(packed)).verdicts for key, packed in analysed if packed}
    games_played = [played(record_of(attempt), verdicts.get(attempt.pk)) for attempt in games.iterator(200)]
    line = None if deal.solution is None else played(Record.from_bytes(bytes(deal.solution)))
    return BuildTask(deal.rules_version, deal_table(deal).position(), line, games_played, SECONDS, proofs)


def run(task: BuildTask) -> BuiltExplorer | None:
    """Run a build in its own process; return None when it fails or takes too long."""
    return next(run_search(explorer_build.search, task, niceness=NICENESS, seconds=KILL_AFTER), None)


def _add_revealed() -> None:
    """Add the explorers of revealed deals whose games all have verdicts, some newest days and races at a time."""
    unjudged = Attempt.objects.filter(
        deal=OuterRef("pk"), ranked=True, state__in=(Attempt.State.PLAYING, Attempt.State.PENDING)
    )
    days = Deal.objects.filter(day__isnull=False, closes_at__lte=timezone.now() - GRACE, explorer=None)
    days = days.exclude(Exists(unjudged)).order_by("-day")
    # A race is finished, and its deal revealed, once its records have verdicts.
    races = Race.objects.filter(state=Race.State.FINISHED, deal__revealed_at__isnull=False, deal__explorer=None)
    keys = {
        *days.values_list("pk", flat=True)[:BATCH],
        *races.order_by("-finished_at").values_list("deal", flat=True)[:BATCH],
    }
    Explorer.objects.bulk_create([Explorer(deal_id=key) for key in sorted(keys)], ignore_conflicts=True)


def _store(explorer: Explorer, changes: int, task: BuildTask, built: BuiltExplorer) -> None:
    """Replace the stored positions and figures, in a transaction."""
    ExplorerChunk.objects.filter(explorer=explorer).delete()
    ExplorerChunk.objects.bulk_create(
        ExplorerChunk(explorer=explorer, number=number, positions=chunk) for number, chunk in enumerate(built.chunks)
    )
    explorer.built, explorer.built_at = changes, timezone.now()
    explorer.games, explorer.wins = len(task.games), sum(game.won for game in task.games)
    explorer.chunks, explorer.summary = len(built.chunks), msgspec.to_builtins(built.summary)
    explorer.proofs = msgspec.msgpack.encode(built.proofs)
    explorer.save(update_fields=["built", "built_at", "games", "wins", "chunks", "summary", "proofs"])
