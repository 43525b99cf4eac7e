"""API endpoints for deals and records, including the replay of uploaded records.

`config.api` combines them with the leaderboards' endpoints. Secrets follow the same rule as on the pages: a deal's
seed, solution and records stay hidden until its last attempts have ended.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Final, Literal
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Schema

from games.api.common import ERRORS, Day, Limited, read_from_replica
from games.attempts.lifecycle import record_of
from games.core.errors import ErrorCode, Refusal, refusal_of
from games.core.json_body import MAX_RECORD_BYTES, parse_json
from games.db.players import player_id
from games.deals import publishing
from games.models import Attempt, Deal
from games.rules import Record, RecordError, replay

DAYS_LISTED: Final = 31


router = Router(tags=["deals"])


class DealOut(Schema):
    """A daily deal. `seed` and `solution` are null until the deal is revealed."""

    id: int
    variant: str
    game: str
    options: dict[str, Any]
    rules: int
    day: date
    state: Literal["upcoming", "open", "closed", "revealed"]
    opens_at: datetime
    closes_at: datetime
    commitment: str
    proven: bool
    grade: int | None
    seed: str | None
    par: int | None
    solution: dict[str, Any] | None

    @classmethod
    def of(cls, deal: Deal, now: datetime) -> DealOut:
        """Return the JSON form of a daily deal as of `now`."""
        assert deal.day is not None
        assert deal.closes_at is not None
        shown = deal.is_revealed(now)
        solution = Record.from_bytes(bytes(deal.solution)).to_json() if shown and deal.solution else None
        return cls(
            id=deal.pk,
            variant=deal.variant,
            game=deal.game,
            options=deal.options,
            rules=deal.rules_version,
            day=deal.day,
            state=_state(deal, now),
            opens_at=deal.opens_at,
            closes_at=deal.closes_at,
            commitment=deal.commitment,
            proven=deal.proven,
            grade=deal.grade,
            seed=bytes(deal.seed).hex() if shown else None,
            par=deal.par,
            solution=solution,
        )


class DealsIn(Schema):
    """Filters for deals: a day (default: today) or a range of days, and optionally one variant."""

    day: Day | None = None
    until: Day | None = None
    variant: str | None = None


class FailureOut(Schema):
    """The point at which a replay fails: `index` counts tokens from 0; `token` is null if the end is wrong."""

    index: int
    token: str | None
    reason: str
    code: str


class ReplayOut(Schema):
    """The result of replaying a record; after a failure, the result up to that point."""

    ok: bool
    won: bool
    cards_up: int
    goal: int
    tokens: int
    elapsed_ms: int
    progress_ms: int
    how: Literal["won", "resigned", "closed"]
    failure: FailureOut | None = None


class EndIn(Schema):
    """The end of a game: the way it ended, and the time in milliseconds."""

    how: Literal["won", "resigned", "closed"]
    ms: int


class RecordIO(Schema):
    """A record of a game. It names a `variant`, or a `game` with `options`; `clock` holds each token's time in ms."""

    rules: int
    variant: str | None = None
    game: str | None = None
    options: dict[str, Any] | None = None
    seed: str
    tokens: list[str]
    clock: list[int]
    end: EndIn


@router.get("/deals", response={200: list[DealOut], **ERRORS})
@read_from_replica
def list_deals(request: HttpRequest, query: Query[DealsIn]) -> list[DealOut]:  # noqa: ARG001
    """List the daily deals of today or of the requested days, at most 31 days."""
    now = timezone.now()
    first = query.day or now.date()
    until = query.until or first
    if not 0 <= (until - first).days < DAYS_LISTED:
        raise Refusal(ErrorCode.BAD_DAYS, f"Ask for 1 to {DAYS_LISTED} days.")
    found = Deal.objects.filter(day__gte=first, day__lte=until).order_by("day", "id")
    if query.variant is not None:
        found = found.filter(variant=query.variant)
    return [DealOut.of(deal, now) for deal in found]


@router.get("/deals/{int:deal_id}", response={200: DealOut, **ERRORS})
@read_from_replica
def get_deal(request: HttpRequest, deal_id: int) -> DealOut:  # noqa: ARG001
    """Return one daily deal."""
    return DealOut.of(get_object_or_404(Deal, pk=deal_id, day__isnull=False), timezone.now())


@router.get(
    "/records/{uuid:attempt}",
    tags=["records"],
    response={200: RecordIO, **ERRORS},
    summary="Download a record",
)
def get_record(request: HttpRequest, attempt: UUID) -> HttpResponse:
    """Download the record of a finished attempt once its deal is over. You can download your own even if no
    leaderboard shows it.
    """
    found = get_object_or_404(_attempts_shown_to(request), public_id=attempt)
    if not found.is_over or not publishing.may_see_seed(found.deal, player_id(request)):
        raise Refusal(ErrorCode.NOT_REVEALED, "Records can be downloaded an hour after their deal has closed.")
    name = f"talon-{found.deal.label.replace(' ', '-')}-{found.public_id.hex[:8]}.json"
    return JsonResponse(record_of(found).to_json(), headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.post(
    "/verify",
    tags=["records"],
    response={200: ReplayOut, **ERRORS},
    throttle=[Limited("verify")],
    openapi_extra={
        # The document already contains the record's schema, as the response of `get_record`.
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RecordIO"}}},
        }
    },
)
def verify(request: HttpRequest) -> dict[str, Any]:
    """Replay a record and return the result, as `python -m games.rules verify --json` does."""
    text = request.read(MAX_RECORD_BYTES + 1)
    if len(text) > MAX_RECORD_BYTES:
        raise Refusal(ErrorCode.TOO_LARGE, f"A record has at most {MAX_RECORD_BYTES} bytes.", limit=MAX_RECORD_BYTES)
    try:
        data = parse_json(text)
    except ValueError:
        raise Refusal(ErrorCode.BAD_JSON, "The body is not JSON.") from None
    try:
        return replay(Record.from_json(data)).to_json()
    except RecordError as error:
        raise refusal_of(error) from None


def _attempts_shown_to(request: HttpRequest) -> Any:  # noqa: ANN401
    """Return the requester's own attempts and those that leaderboards show or will show."""
    listed = get_user_model().objects.listed_at("player")
    states = [Attempt.State.VERIFIED, Attempt.State.PENDING, Attempt.State.REVIEW]
    shown = listed & Q(ranked=True, state__in=states)
    return Attempt.objects.select_related("deal").filter(shown | Q(player=player_id(request)))


def _state(deal: Deal, now: datetime) -> Literal["upcoming", "open", "closed", "revealed"]:
    if now < deal.opens_at:
        return "upcoming"
    if deal.is_open(now):
        return "open"
    return "revealed" if deal.is_revealed(now) else "closed"
