"""Everything stored about a player, as one JSON document, streamed in pieces.

Records of deals that are not yet revealed are left out: they contain the seed, and others may still be playing the
deal.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from asgiref.sync import sync_to_async
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, QuerySet
from django.utils import timezone

from accounts.models import Follow, User
from accounts.preferences import preferences_of
from games.models import Attempt
from games.rules import Record
from leaderboards.models import Result

_BATCH: Final = 100

Facts = dict[str, Any]


async def export(user: User) -> AsyncIterator[str]:
    """Yield the document in pieces, with at most a hundred rows in memory at a time."""
    now = timezone.now()
    lists: dict[str, AsyncIterator[Facts]] = {
        "following": _rows(Follow.objects.filter(follower=user).select_related("followed"), _follow),
        "attempts": _rows(
            Attempt.objects.filter(player=user).select_related("deal"), lambda attempt: _attempt(attempt, now)
        ),
        "results": _rows(Result.objects.filter(player=user).select_related("attempt"), _result),
    }
    yield f'{{"exported_at": {_json(now)}, "account": {_json(await sync_to_async(_account)(user))}'
    for name, rows in lists.items():
        yield f', "{name}": ['
        comma = ""
        async for facts in rows:
            yield comma + _json(facts)
            comma = ", "
        yield "]"
    yield "}\n"


async def _rows(query: QuerySet[Any], facts: Callable[[Any], Facts]) -> AsyncIterator[Facts]:
    last = 0
    while batch := await sync_to_async(_batch)(query, last, facts):
        for last, entry in batch:  # noqa: B007  the last key is where the next batch begins
            yield entry


def _batch(query: QuerySet[Any], after: int, facts: Callable[[Any], Facts]) -> list[tuple[int, Facts]]:
    rows: Iterable[Model] = query.filter(pk__gt=after).order_by("pk")[:_BATCH]
    return [(row.pk, facts(row)) for row in rows]


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
        "authenticators": list(Authenticator.objects.filter(user=user).values("type", "created_at", "last_used_at")),
        "sessions": list(
            UserSession.objects.filter(user=user).values("created_at", "last_seen_at", "ip", "user_agent")
        ),
    }


def _follow(follow: Follow) -> Facts:
    return {"name": follow.followed.display_name, "public_id": follow.followed.public_id, "since": follow.created_at}


def _attempt(attempt: Attempt, now: datetime) -> Facts:
    deal = attempt.deal
    facts: Facts = {
        "id": attempt.public_id,
        "variant": deal.variant,
        "game": deal.game,
        "options": deal.options,
        "day": deal.day,
        "commitment": deal.commitment,
        "ranked": attempt.ranked,
        "state": attempt.state,
        "started_at": attempt.started_at,
        "finished_at": attempt.finished_at,
        "end": attempt.end,
        "cards_up": attempt.cards_up,
        "elapsed_ms": attempt.elapsed_ms,
        "tokens": attempt.tokens,
        "reasons": attempt.reasons,
        "verified_at": attempt.verified_at,
    }
    if attempt.record is not None and (deal.day is None or deal.is_revealed(now)):
        facts["record"] = Record.from_bytes(bytes(attempt.record)).to_json()
    return facts


def _result(result: Result) -> Facts:
    return {
        "attempt": result.attempt.public_id,
        "cards_up": result.cards_up,
        "elapsed_ms": result.elapsed_ms,
        "tokens": result.tokens,
        "finished_at": result.finished_at,
        "listed": result.listed,
    }


def _json(value: object) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
