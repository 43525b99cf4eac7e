"""Analysis requests for finished games: permission, request, progress and cancellation.

An analysis reveals the cards, so others see it only once these can no longer help anyone in a ranked game.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any, Final

import msgspec
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.core import events
from games.core.errors import ErrorCode, Refusal
from games.core.player_networks import sources_of
from games.db.players import player_services
from games.models import Attempt
from games.replays import permissions

#: Maximum number of unfinished analyses per player.
MAX_OPEN: Final = 3
#: Maximum length of the queue: some hours of work for one worker.
MAX_QUEUED: Final = 300
#: Queue length from which players without an account are refused.
MAX_QUEUED_FOR_GUESTS: Final = 150
#: Maximum number of unfinished analyses of one network, such as a class.
MAX_OF_NETWORK: Final = 40
#: Time for which a finished analysis counts against its player's turn: some fifteen in one worker.
RECENT: Final = timedelta(minutes=10)
#: Retention of an analysis. It can be requested again later.
RETENTION: Final = timedelta(days=365)

_OPEN: Final = ~Q(state=Analysis.State.DONE)


@dataclass(frozen=True, slots=True)
class AnalysisReply:
    """Progress of an analysis. `state` is "none" if it was never requested, "failed" if it ended without findings.

    `ahead` is the number of unfinished analyses before it; `findings` are partial until `percent` is 100. `mine` is
    True if the requester ordered the analysis and may cancel it.
    """

    state: str
    percent: int = 0
    ahead: int = 0
    findings: Findings | None = None
    mine: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the reply as JSON for the client."""
        reply: dict[str, Any] = {"state": self.state, "percent": self.percent, "ahead": self.ahead, "mine": self.mine}
        if self.findings is not None:
            reply["verdicts"] = self.findings.verdicts
            reply["turns"] = msgspec.to_builtins(self.findings.turns)
        return reply


def may_be_analysed(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Return True if this visitor may see the attempt's analysis: they may share it, or finished it as their own daily.

    A daily's analysis tells its player nothing that helps them before the reveal, since their one ranked attempt is
    over. Guests wait for the reveal: a guest is free to create, and could play the deal again with an account.
    """
    if permissions.may_be_shared(attempt, player_id, now):
        return True
    is_daily = attempt.is_over and attempt.ranked and attempt.deal.day is not None
    is_own = player_id is not None and attempt.player_id == player_id
    return is_daily and is_own and bool(player_services().accounts_among([attempt.player_id]))


def check_may_see(attempt: Attempt, player_id: int | None) -> None:
    """Check that a player may see or request the analysis of a game (`may_be_analysed`).

    :raises Refusal: otherwise.
    """
    if not may_be_analysed(attempt, player_id):
        raise Refusal(ErrorCode.NOT_REVEALED)


def ask(attempt: Attempt, player_id: int | None) -> AnalysisReply:
    """Request the analysis of a game, unless it exists or is queued; a failed one is made again.

    :raises Refusal: when the player may not see it, or too many analyses are unfinished.
    """
    check_may_see(attempt, player_id)
    with transaction.atomic():
        Analysis.objects.filter(attempt=attempt, state=Analysis.State.DONE, findings=None).delete()
        analysis = Analysis.objects.filter(attempt=attempt).first()
        if analysis is None:
            _check_room(player_id)
            request = {"asked_by_id": player_id, "asked_at": timezone.now()}
            analysis, _ = Analysis.objects.get_or_create(attempt=attempt, defaults=request)
        if analysis.state != Analysis.State.DONE:
            # Also for a repeated request: the first task may have been lost.
            transaction.on_commit(lambda: events.request_task("talon.analyse"))
    return _reply(analysis, player_id)


def status(attempt: Attempt, player_id: int | None) -> AnalysisReply:
    """Return the progress of a game's analysis.

    :raises Refusal: when the player may not see it.
    """
    check_may_see(attempt, player_id)
    analysis = Analysis.objects.filter(attempt=attempt).first()
    return AnalysisReply("none") if analysis is None else _reply(analysis, player_id)


def withdraw(attempt: Attempt, player_id: int | None) -> None:
    """Cancel an unfinished analysis that this player requested, which ends its search.

    :raises Refusal: when the player may not see it.
    """
    check_may_see(attempt, player_id)
    if player_id is not None:
        Analysis.objects.filter(_OPEN, attempt=attempt, asked_by=player_id).delete()


def in_turn(waiting: QuerySet[Analysis]) -> list[int]:
    """Return the ids of these analyses in the order in which to make them.

    Networks take turns, and so do the players of a network: those with the fewest analyses in progress or done within
    the last minutes come first.
    """
    rows = list(waiting.order_by("asked_at", "pk").values_list("pk", "asked_by"))
    counted = Analysis.objects.filter(_OPEN | Q(done_at__gt=timezone.now() - RECENT)).exclude(pk__in=dict(rows))
    served = list(counted.values_list("asked_by", flat=True))
    sources = sources_of([*served, *dict(rows).values()])
    for owner_of in (str, sources.__getitem__):
        counts, turns = Counter(map(owner_of, served)), []
        for _, player in rows:
            counts[owner_of(player)] += 1
            turns.append(counts[owner_of(player)])
        rows = [row for _, row in sorted(zip(turns, rows, strict=True), key=itemgetter(0))]
    return [pk for pk, _ in rows]


def _check_room(player_id: int | None) -> None:
    players = list(Analysis.objects.filter(_OPEN).values_list("asked_by", flat=True))
    if player_id is not None and players.count(player_id) >= MAX_OPEN:
        raise Refusal(ErrorCode.TOO_MANY_ANALYSES)
    has_account = player_id is not None and player_id in player_services().accounts_among([player_id])
    sources = sources_of([*players, player_id])
    of_network = sum(sources[player] == sources[player_id] for player in players)
    if len(players) >= (MAX_QUEUED if has_account else MAX_QUEUED_FOR_GUESTS) or of_network >= MAX_OF_NETWORK:
        raise Refusal(ErrorCode.SERVER_BUSY)


def _reply(analysis: Analysis, player_id: int | None) -> AnalysisReply:
    findings = None if analysis.findings is None else Findings.unpack(bytes(analysis.findings))
    if analysis.state == Analysis.State.DONE:
        return AnalysisReply("failed" if findings is None else "done", 100, 0, findings)
    ahead = 0
    if analysis.state == Analysis.State.WAITING:
        waiting = in_turn(Analysis.objects.filter(state=Analysis.State.WAITING))
        working = Analysis.objects.filter(state=Analysis.State.WORKING).count()
        ahead = working + [*waiting, analysis.pk].index(analysis.pk)
    mine = player_id is not None and analysis.asked_by_id == player_id
    return AnalysisReply(analysis.state, analysis.percent, ahead, findings, mine)
