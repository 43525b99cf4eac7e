"""View models of the desk's pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from games.core.verdict_reasons import Reason
from games.fairplay import account_links, evidence
from games.fairplay.move_gaps import gaps_of
from games.models import Attempt, Decision, StaffNote
from games.pages.shared.view_models import ShownDeal
from games.rules import Record, RulesError, replay
from leaderboards.desk.access import DECIDE, may_watch
from leaderboards.desk.gap_chart import GapChart, chart
from leaderboards.desk.review_queue import READ, places_of
from leaderboards.verdicts.decisions import DECIDABLE, JUDGED, can_undo

#: Maximum number of listed attempts from the same devices.
LINKED: Final = 50
#: Reason fields that are shown elsewhere or are part of its sentence.
_SHOWN_SEPARATELY: Final = frozenset({"code", "message", "attempt", "by", "at", "state"})


@dataclass(frozen=True, slots=True)
class DeskReason:
    """Reason for the attempt's state, with every figure."""

    code: str
    message: str
    figures: list[tuple[str, str]]

    @classmethod
    def of(cls, reason: Reason) -> Self:
        """Build the display form of a reason."""
        figures = [(name, str(value)) for name, value in reason.items() if name not in _SHOWN_SEPARATELY]
        return cls(str(reason["code"]), str(reason["message"]), figures)


@dataclass(frozen=True, slots=True)
class Linked:
    """Another player's attempt related to this one, and the relation."""

    public_id: UUID
    player: str
    player_id: UUID
    title: str
    day: str
    state: str
    started_at: datetime
    why: str
    same_deal: bool
    may_compare: bool


@dataclass(frozen=True, slots=True)
class ShownDecision:
    """Decision in the history of an attempt."""

    pk: int
    state: str
    before: str
    why: str
    by: str
    made_at: datetime
    together: int
    is_undo: bool
    can_undo: bool


@dataclass(frozen=True, slots=True)
class ShownNote:
    """Staff note."""

    text: str
    by: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Facts:
    """Summary of an attempt."""

    public_id: UUID
    pk: int
    title: str
    day: str
    player: str
    player_pk: int
    player_id: UUID
    state: str
    state_name: str
    ranked: bool
    end: str
    place: int | None
    cards_up: int | None
    elapsed_ms: int | None
    tokens: int | None
    started_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, attempt: Attempt, place: int | None) -> Self:
        """Summarise an attempt that has been judged."""
        deal = ShownDeal.of(attempt.deal)
        return cls(
            public_id=attempt.public_id,
            pk=attempt.pk,
            title=deal.title,
            day=deal.day.isoformat() if deal.day else "",
            player=str(attempt.player),
            player_pk=attempt.player_id,
            player_id=attempt.player.public_id,
            state=attempt.state,
            state_name=attempt.get_state_display(),
            ranked=attempt.ranked,
            end=attempt.get_end_display(),
            place=place,
            cards_up=attempt.cards_up,
            elapsed_ms=attempt.elapsed_ms,
            tokens=attempt.tokens,
            started_at=attempt.started_at,
            finished_at=attempt.finished_at,
        )


@dataclass(frozen=True, slots=True)
class Desk:
    """Page of one attempt. `watching_costs` warns that a viewer can no longer play the deal for a rank."""

    facts: Facts
    reasons: list[DeskReason]
    chart: GapChart | None
    linked: list[Linked]
    sections: list[evidence.Section]
    decisions: list[ShownDecision]
    notes: list[ShownNote]
    is_own: bool
    may_decide: bool
    may_watch: bool
    watching_costs: bool


def desk(attempt: Attempt, staff_id: int, rights: Iterable[str], now: datetime | None = None) -> Desk:
    """Build the page of a judged attempt for a staff member with these rights."""
    now = now or timezone.now()
    watchable, record = may_watch(staff_id, attempt, now), readable(attempt)
    is_own = attempt.player_id == staff_id
    notes = StaffNote.objects.filter(attempt=attempt).select_related("by")
    return Desk(
        facts=Facts.of(attempt, places_of([attempt]).get(attempt.pk)),
        reasons=[DeskReason.of(entry) for entry in attempt.reasons],
        chart=chart(gaps_of(record, attempt.auto_runs)) if record is not None and record.tokens else None,
        linked=_linked(attempt, may_compare=watchable and record is not None),
        sections=evidence.sections(attempt, may_watch=watchable),
        decisions=_decisions(attempt),
        notes=[ShownNote(note.text, _name(note.by), note.made_at) for note in notes],
        is_own=is_own,
        may_decide=not is_own and DECIDE in rights,
        may_watch=watchable and record is not None,
        watching_costs=attempt.deal.day is not None and attempt.deal.is_open(now),
    )


def readable(attempt: Attempt) -> Record | None:
    """Return the attempt's record, if it can be read and replays."""
    try:
        record = Record.from_bytes(bytes(attempt.record or b""))
        return record if replay(record).ok else None
    except RulesError:
        return None


@dataclass(frozen=True, slots=True)
class Account:
    """Player in a joint decision, with the number of attempts found in each state."""

    name: str
    public_id: UUID
    states: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class AttemptGroup:
    """Attempts to decide about together."""

    accounts: list[Account]
    attempts: list[Facts]
    choices: list[tuple[str, str]]


def counted(players: Iterable[UUID], attempts: Iterable[UUID]) -> list[Attempt]:
    """Return these attempts, and all judged attempts of these players that count for a rank or in a race."""
    counting = Q(ranked=True) | Q(deal__for_race=True, deadline__isnull=False)
    chosen = Q(public_id__in=list(attempts)) | (Q(player__public_id__in=list(players)) & counting)
    found = Attempt.objects.filter(chosen, state__in=JUDGED).select_related("deal", "player")
    return list(found.defer("record", "line").order_by("player_id", "-started_at"))


def attempt_group(found: Sequence[Attempt]) -> AttemptGroup:
    """Build the page of attempts to decide about together."""
    players = {attempt.player_id: attempt.player for attempt in found}
    states = Counter((attempt.player_id, attempt.get_state_display()) for attempt in found)
    accounts = [
        Account(
            str(player), player.public_id, [(state, n) for (player_id, state), n in states.items() if player_id == key]
        )
        for key, player in players.items()
    ]
    choices = [(state.value, str(state.label)) for state in DECIDABLE]
    places = places_of(found)
    return AttemptGroup(accounts, [Facts.of(attempt, places.get(attempt.pk)) for attempt in found], choices)


def _linked(attempt: Attempt, *, may_compare: bool) -> list[Linked]:
    earlier = [entry["attempt"] for entry in attempt.reasons if "attempt" in entry]
    copied = Attempt.objects.filter(public_id__in=earlier).select_related("deal", "player")
    on_device = account_links.linked_to(attempt).select_related("deal", "player").defer("record", "line")
    found = {other.pk: (other, _("decided the same before")) for other in copied}
    found |= {other.pk: (other, _("decided the same later")) for other in _accused_by(attempt)}
    at_this_deal = list(on_device.filter(deal=attempt.deal_id)[:LINKED])
    at_other_deals = list(on_device.exclude(deal=attempt.deal_id).order_by("-started_at")[:LINKED])
    for other in [*at_this_deal, *at_other_deals][:LINKED]:
        why = _("on the same device")
        found[other.pk] = (other, f"{found[other.pk][1]}, {why}" if other.pk in found else why)
    return [_link(other, why, attempt, may_compare=may_compare) for other, why in found.values()]


def _accused_by(attempt: Attempt) -> list[Attempt]:
    """Return the attempts at the deal that were flagged as similar to this one."""
    doubted = Attempt.objects.filter(deal=attempt.deal_id, ranked=True, line__isnull=False).exclude(reasons=[])
    reasons = doubted.order_by("finished_at", "pk").values_list("pk", "reasons")[:READ]
    own = str(attempt.public_id)
    found = [pk for pk, entries in reasons if any(entry.get("attempt") == own for entry in entries)][:LINKED]
    return list(Attempt.objects.filter(pk__in=found).select_related("deal", "player").defer("record", "line"))


def _link(other: Attempt, why: str, attempt: Attempt, *, may_compare: bool) -> Linked:
    deal, same = ShownDeal.of(other.deal), other.deal_id == attempt.deal_id
    return Linked(
        public_id=other.public_id,
        player=str(other.player),
        player_id=other.player.public_id,
        title=deal.title,
        day=deal.day.isoformat() if deal.day else "",
        state=other.get_state_display(),
        started_at=other.started_at,
        why=why,
        same_deal=same,
        may_compare=may_compare and same and other.is_over,
    )


def _decisions(attempt: Attempt) -> list[ShownDecision]:
    made = list(Decision.objects.filter(attempt=attempt).select_related("by", "attempt"))
    batches = {decision.batch for decision in made if decision.batch is not None}
    sizes = (
        Counter(Decision.objects.filter(batch__in=batches).values_list("batch", flat=True)) if batches else Counter()
    )
    return [
        ShownDecision(
            pk=decision.pk,
            state=decision.get_state_display(),
            before=decision.get_before_display(),
            why=decision.why,
            by=_name(decision.by),
            made_at=decision.made_at,
            together=sizes.get(decision.batch, 1),
            is_undo=decision.undoes_id is not None,
            can_undo=can_undo(decision),
        )
        for decision in reversed(made)
    ]


def _name(staff: object) -> str:
    return "–" if staff is None else str(staff)
