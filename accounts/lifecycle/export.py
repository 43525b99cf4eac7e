"""Personal data export: everything stored about a player as one streamed JSON document.

Records of deals that are not yet revealed are left out: they contain the seed, and others may still be playing the
deal.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any, Final
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from accounts.models import Ban, CalendarLink, DailyReminder, Follow, PushDevice, RaceReminder, User
from accounts.preferences import preferences_of
from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.appeals.models import Appeal, Report
from games.core.ladders import Ladder
from games.core.verdict_reasons import for_player
from games.ghosts.models import Answer, Challenge
from games.inbox.models import Notice
from games.live.loader import off_loop
from games.models import Attempt, Decision, Start
from games.puzzles.models import MissedPuzzle, PuzzleRating, PuzzleRun, PuzzleTry, PuzzleVote, SeenPuzzle
from games.races.models import RaceOrigin, RoomWebhook
from games.races.webhooks.webhook_url import host_of
from games.replays.models import Continuation
from games.rules import Record, RecordError
from leaderboards.models import ChangeRow, ProvisionalChange, RatingChange, Result

_BATCH: Final = 100
_PUZZLE_TRY: Final = (
    "puzzle=puzzle_id", "variant=puzzle.variant", "turns=puzzle.turns", "day", "review_on", "turn", "mistakes",
    "first_move", "begun_at", "solved_at", "failed_at", "mu_before", "mu_after", "rated_at",
)  # fmt: skip

Facts = dict[str, Any]
Describe = Callable[[Any], Facts]


async def export(user: User) -> AsyncIterator[str]:
    """Yield the document in chunks, with at most a hundred rows in memory at a time."""
    now = timezone.now()
    yield f'{{"exported_at": {_json(now)}, "account": {_json(await off_loop(_account)(user))}'
    for name, (query, facts) in _lists(user, now).items():
        yield f', "{name}": ['
        comma = ""
        async for row in _rows(query, facts):
            yield comma + _json(row)
            comma = ", "
        yield "]"
    yield "}\n"


def _lists(user: User, now: datetime) -> dict[str, tuple[QuerySet[Any], Describe]]:
    """Return the lists of the document: each with its rows and the function that describes a row."""
    own = {"attempt__player": user}
    return {
        "following": (
            Follow.objects.filter(follower=user).select_related("followed"),
            _fields("name=followed.display_name", "public_id=followed.public_id", "since=created_at"),
        ),
        "calendar": (CalendarLink.objects.filter(player=user), _fields("hour", "made_at")),
        "reminders": (DailyReminder.objects.filter(player=user), _fields("hour", "zone", "told_at")),
        "race_reminders": (RaceReminder.objects.filter(player=user), _fields("hour")),
        "push_devices": (PushDevice.objects.filter(player=user), _device),
        "attempts": (Attempt.objects.filter(player=user).select_related("deal"), partial(_attempt, now=now)),
        "starts": (
            Start.objects.filter(**own).select_related("attempt"),
            _fields("attempt", "device", "network", "made_at"),
        ),
        "race_seats": (RaceOrigin.objects.filter(player=user), _fields("device", "network", "made_at")),
        "webhooks": (RoomWebhook.objects.filter(player=user).select_related("room"), _webhook),
        "results": (Result.objects.filter(player=user).select_related("attempt"), _result),
        "challenges": (Challenge.objects.filter(sender=user).select_related("attempt", "addressee"), _challenge),
        "answers": (
            Answer.objects.filter(**own).select_related("attempt", "challenge"),
            _fields("challenge=challenge.code", "attempt", "told_at"),
        ),
        "continuations": (
            Continuation.objects.filter(**own).select_related("attempt", "origin"),
            _continuation,
        ),
        "puzzle_tries": (PuzzleTry.objects.filter(player=user).select_related("puzzle"), _fields(*_PUZZLE_TRY)),
        "puzzle_votes": (PuzzleVote.objects.filter(player=user), _fields("puzzle_id", "vote", "voted_at")),
        "puzzle_rating": (PuzzleRating.objects.filter(player=user), _fields("mu", "sigma")),
        "puzzles_seen": (SeenPuzzle.objects.filter(player=user), _fields("puzzle_id", "place", "seen_at")),
        "puzzles_missed": (MissedPuzzle.objects.filter(player=user), _fields("puzzle_id", "turn", "token", "due_on")),
        "puzzle_runs": (
            PuzzleRun.objects.filter(player=user),
            _fields("kind", "day", "begun_at", "solved", "mistakes", "standing"),
        ),
        "notices": (Notice.objects.filter(player=user), _notice),
        "appeals": (Appeal.objects.filter(**own).select_related("attempt"), _appeal),
        "reports": (
            Report.objects.filter(reporter=user).select_related("attempt"),
            _fields("attempt", "reason", "text", "made_at", "action_taken", "answered_at"),
        ),
        "analyses": (
            Analysis.objects.filter(Q(asked_by=user) | Q(**own)).select_related("attempt"),
            partial(_analysis, user=user),
        ),
        "decisions": (
            Decision.objects.filter(**own).select_related("attempt"),
            _fields("attempt", "state", "made_at"),
        ),
        "bans": (Ban.objects.filter(player=user), _fields("why", "made_at", "until", "ended_at", "end")),
        "ratings": (RatingChange.objects.filter(player=user).select_related("race"), _rating),
        "provisional_ratings": (ProvisionalChange.objects.filter(player=user).select_related("race"), _rating),
    }


async def _rows(query: QuerySet[Any], facts: Describe) -> AsyncIterator[Facts]:
    last = 0
    while batch := await off_loop(_batch)(query, last, facts):
        for last, entry in batch:  # noqa: B007  the last key is where the next batch begins
            yield entry


def _batch(query: QuerySet[Any], after: int, facts: Describe) -> list[tuple[int, Facts]]:
    rows: Iterable[Model] = query.filter(pk__gt=after).order_by("pk")[:_BATCH]
    return [(row.pk, facts(row)) for row in rows]


def _fields(*names: str) -> Describe:
    """Return a function that describes a row by these fields, or with `name=a.b` by an attribute of another name.

    Other rows are given by their public ids, bytes as hexadecimal digits.
    """
    getters = {name: attrgetter(path or name) for name, _, path in (text.partition("=") for text in names)}

    def describe(row: Model) -> Facts:
        return {name: _plain(get(row)) for name, get in getters.items()}

    return describe


def _plain(value: Any) -> Any:  # noqa: ANN401
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else getattr(value, "public_id", value)


def _account(user: User) -> Facts:
    return {
        "name": user.display_name,
        "public_id": user.public_id,
        "guest": user.is_guest,
        "joined": user.date_joined,
        "last_login": user.last_login,
        "preferences": preferences_of(user.preferences),
        "followers": user.followers.count(),
        "email_addresses": list(EmailAddress.objects.filter(user=user).values("email", "verified", "primary")),
        "sign_in_by": list(
            SocialAccount.objects.filter(user=user).values("provider", "uid", "date_joined", "last_login")
        ),
        "authenticators": list(Authenticator.objects.filter(user=user).values("type", "created_at", "last_used_at")),
        "sessions": list(
            UserSession.objects.filter(user=user).values("created_at", "last_seen_at", "ip", "user_agent")
        ),
    }


def _attempt(attempt: Attempt, now: datetime) -> Facts:
    deal = attempt.deal
    facts = {
        "id": attempt.public_id,
        **_fields("variant", "game", "options", "day", "commitment")(deal),
        **_fields("ranked", "hinted", "state", "started_at", "paused_ms", "finished_at")(attempt),
        **_fields("end", "cards_up", "elapsed_ms", "tokens", "progress_ms")(attempt),
        "reasons": for_player(attempt.reasons, attempt.state),
        "verified_at": attempt.verified_at,
    }
    if attempt.record is not None and ((deal.day is None and not deal.for_race) or deal.is_revealed(now)):
        facts["record"] = _record(bytes(attempt.record))
    return facts


def _record(packed: bytes) -> object:
    """Return a record as JSON, or None if it cannot be read: one bad record must not cost the player the export."""
    try:
        return Record.from_bytes(packed).to_json()
    except RecordError:
        return None


def _webhook(webhook: RoomWebhook) -> Facts:
    """Describe a webhook without its URL, which is a credential."""
    return {"room": webhook.room.code, "service": host_of(webhook.url)} | _fields("state", "made_at")(webhook)


def _result(result: Result) -> Facts:
    facts = _fields("attempt", "cards_up", "elapsed_ms", "tokens", "progress_ms", "finished_at", "listed")(result)
    return facts | {"ladder": Ladder(result.ladder).slug}


def _challenge(challenge: Challenge) -> Facts:
    addressee = challenge.addressee
    return {
        "code": challenge.code,
        "attempt": challenge.attempt.public_id,
        "to": addressee.display_name if addressee is not None and addressee.has_page else None,
        "made_at": challenge.made_at,
    }


def _notice(notice: Notice) -> Facts:
    data = {key: value for key, value in notice.data.items() if key != "player"}  # the key of another player
    return {"kind": notice.kind, "data": data, "made_at": notice.made_at, "seen_at": notice.seen_at}


def _appeal(appeal: Appeal) -> Facts:
    facts = _fields("attempt", "text", "made_at", "decision", "answer", "answered_at")(appeal)
    return facts | {"decision": appeal.decision or None}


def _continuation(continuation: Continuation) -> Facts:
    return _fields("attempt", "from=origin", "moves=n")(continuation)


def _analysis(analysis: Analysis, user: User) -> Facts:
    """Describe an analysis without its other requesters. Verdicts on another player's game are on its replay page."""
    own = analysis.attempt.player_id == user.pk
    return {
        "attempt": analysis.attempt.public_id,
        "asked_by_you": analysis.asked_by_id == user.pk,
        "asked_at": analysis.asked_at,
        "done_at": analysis.done_at,
        "verdicts": _verdicts(analysis) if own else None,
    }


def _verdicts(analysis: Analysis) -> list[int] | None:
    return None if analysis.findings is None else Findings.unpack(bytes(analysis.findings)).verdicts


def _device(device: PushDevice) -> Facts:
    """Describe a device without its endpoint, which is a credential: it lets its holder send notifications."""
    service = urlsplit(device.endpoint).hostname
    return {"service": service, "language": device.language, "made_at": device.made_at}


def _rating(change: ChangeRow) -> Facts:
    return {
        "race": change.race.public_id,
        "finished_at": change.finished_at,
        "rank": change.rank,
        "before": {"mu": change.mu_before, "sigma": change.sigma_before},
        "after": {"mu": change.mu_after, "sigma": change.sigma_after},
    }


def _json(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
