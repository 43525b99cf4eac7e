"""Analyses of finished games: who may have one made, asking for it, and what is known so far.

Never while the cards could be of use to anybody in a game that counts: an analysis is for those who may know the deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from games import events
from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.errors import ErrorCode, Refusal
from games.models import Attempt
from games.players import people
from games.replays import access

#: Analyses of one player that may wait or be in work at a time.
AT_A_TIME: Final = 3
#: Analyses of everybody that may: some hours of work for one worker.
MOST_WAITING: Final = 300
#: From so many on those without an account must wait: they could fill the queue with one address.
MOST_OF_GUESTS: Final = 60
#: How long an analysis is kept. It can be asked for again.
KEPT: Final = timedelta(days=365)

_OPEN: Final = ~Q(state=Analysis.State.DONE)


@dataclass(frozen=True, slots=True)
class Reply:
    """How far an analysis is; `state` is "none" where nobody has asked and "failed" where nothing was found out.

    `ahead` are those that come before it; `findings` are known as far as `percent` says. `mine` says that whoever looks
    asked for it, and may give it up.
    """

    state: str
    percent: int = 0
    ahead: int = 0
    findings: Findings | None = None
    mine: bool = False

    def to_json(self) -> dict[str, Any]:
        """The reply for the client."""
        reply: dict[str, Any] = {"state": self.state, "percent": self.percent, "ahead": self.ahead, "mine": self.mine}
        if self.findings is not None:
            reply["verdicts"] = self.findings.verdicts
            reply["turns"] = [
                {"n": turn.n, "to": turn.to, "better": turn.better, "unknown": turn.unknown}
                for turn in self.findings.turns
            ]
        return reply


def check_may_see(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> None:
    """Check that somebody may see the analysis of a game, or have it made: whoever may watch it, once nobody can play
    its deal for a rank any more.

    :raises Refusal: otherwise.
    """
    if not access.may_be_shared(attempt, player_id, now):
        raise Refusal(ErrorCode.NOT_REVEALED)


def may_see(attempt: Attempt, player_id: int | None) -> bool:
    """Like `check_may_see`, as a yes or no."""
    try:
        check_may_see(attempt, player_id)
    except Refusal:
        return False
    return True


def ask(attempt: Attempt, player_id: int | None) -> Reply:
    """Have a game analysed. One that is analysed already, or is going to be, is not analysed twice.

    :raises Refusal: when they may not see it, or too many analyses are waiting.
    """
    check_may_see(attempt, player_id)
    with transaction.atomic():
        Analysis.objects.filter(attempt=attempt, state=Analysis.State.DONE, findings=None).delete()
        found = Analysis.objects.filter(attempt=attempt).first()
        if found is None:
            _check_room(player_id)
            asked = {"asked_by_id": player_id, "asked_at": timezone.now()}
            found, _ = Analysis.objects.get_or_create(attempt=attempt, defaults=asked)
        if found.state != Analysis.State.DONE:
            # Whoever asks again may be asking because the first request for a worker was lost.
            transaction.on_commit(lambda: events.request_task("talon.analyse"))
    return _reply(found, player_id)


def look(attempt: Attempt, player_id: int | None) -> Reply:
    """What is known of a game.

    :raises Refusal: when they may not see it.
    """
    check_may_see(attempt, player_id)
    found = Analysis.objects.filter(attempt=attempt).first()
    return Reply("none") if found is None else _reply(found, player_id)


def withdraw(attempt: Attempt, player_id: int | None) -> None:
    """Give up an analysis that this player asked for and that is not done, which ends its search.

    :raises Refusal: when they may not see it.
    """
    check_may_see(attempt, player_id)
    if player_id is not None:
        Analysis.objects.filter(_OPEN, attempt=attempt, asked_by=player_id).delete()


def _check_room(player_id: int | None) -> None:
    waiting = Analysis.objects.filter(_OPEN)
    if player_id is not None and waiting.filter(asked_by=player_id).count() >= AT_A_TIME:
        raise Refusal(ErrorCode.TOO_MANY_ANALYSES)
    has_account = player_id is not None and player_id in people().accounts_among([player_id])
    if waiting.count() >= (MOST_WAITING if has_account else MOST_OF_GUESTS):
        raise Refusal(ErrorCode.SERVER_BUSY)


def _reply(analysis: Analysis, player_id: int | None) -> Reply:
    findings = None if analysis.findings is None else Findings.unpack(bytes(analysis.findings))
    if analysis.state == Analysis.State.DONE:
        return Reply("failed" if findings is None else "done", 100, 0, findings)
    ahead = Analysis.objects.filter(_OPEN, asked_at__lt=analysis.asked_at).count()
    mine = player_id is not None and analysis.asked_by_id == player_id
    return Reply(analysis.state, analysis.percent, ahead, findings, mine)
