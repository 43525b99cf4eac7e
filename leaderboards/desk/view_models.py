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
_SAID: Final = frozenset({"code", "message", "attempt", "by", "at", "state"})


@dataclass(frozen=True, slots=True)
class DeskReason:
    """Reason for the attempt's state, with every figure."""

    code: str
    message: str
    figures: list[tuple[str, str]]

    @classmethod
    def of(cls, reason: Reason) -> Self:
        """Build the display form of a reason."""
        figures = [(name, str(value)) for name, value in reason.items() if name not in _SAID]
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
        reasons=[DeskReason.of(one) for one in attempt.reasons],
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


def together(found: Sequence[Attempt]) -> AttemptGroup:
    """Build the page of attempts to decide about together."""
    players = {one.player_id: one.player for one in found}
    states = Counter((one.player_id, one.get_state_display()) for one in found)
    accounts = [
        Account(str(player), player.public_id, [(state, n) for (whose, state), n in states.items() if whose == key])
        for key, player in players.items()
    ]
    choices = [(state.value, str(state.label)) for state in DECIDABLE]
    places = places_of(found)
    return AttemptGroup(accounts, [Facts.of(one, places.get(one.pk)) for one in found], choices)


def _linked(attempt: Attempt, *, may_compare: bool) -> list[Linked]:
    earlier = [one["attempt"] for one in attempt.reasons if "attempt" in one]
    copied = Attempt.objects.filter(public_id__in=earlier).select_related("deal", "player")
    on_device = account_links.linked_to(attempt).select_related("deal", "player").defer("record", "line")
    found = {one.pk: (one, _("decided the same before")) for one in copied}
    found |= {one.pk: (one, _("decided the same later")) for one in _accused_by(attempt)}
    here = list(on_device.filter(deal=attempt.deal_id)[:LINKED])
    elsewhere = list(on_device.exclude(deal=attempt.deal_id).order_by("-started_at")[:LINKED])
    for one in [*here, *elsewhere][:LINKED]:
        why = _("on the same device")
        found[one.pk] = (one, f"{found[one.pk][1]}, {why}" if one.pk in found else why)
    return [_link(one, why, attempt, may_compare=may_compare) for one, why in found.values()]


def _accused_by(attempt: Attempt) -> list[Attempt]:
    """Return the attempts at the deal that were flagged as similar to this one."""
    doubted = Attempt.objects.filter(deal=attempt.deal_id, ranked=True, line__isnull=False).exclude(reasons=[])
    reasons = doubted.order_by("finished_at", "pk").values_list("pk", "reasons")[:READ]
    own = str(attempt.public_id)
    found = [pk for pk, said in reasons if any(one.get("attempt") == own for one in said)][:LINKED]
    return list(Attempt.objects.filter(pk__in=found).select_related("deal", "player").defer("record", "line"))


def _link(one: Attempt, why: str, attempt: Attempt, *, may_compare: bool) -> Linked:
    deal, same = ShownDeal.of(one.deal), one.deal_id == attempt.deal_id
    return Linked(
        public_id=one.public_id,
        player=str(one.player),
        player_id=one.player.public_id,
        title=deal.title,
        day=deal.day.isoformat() if deal.day else "",
        state=one.get_state_display(),
        started_at=one.started_at,
        why=why,
        same_deal=same,
        may_compare=may_compare and same and one.is_over,
    )


def _decisions(attempt: Attempt) -> list[ShownDecision]:
    made = list(Decision.objects.filter(attempt=attempt).select_related("by", "attempt"))
    batches = {one.batch for one in made if one.batch is not None}
    sizes = (
        Counter(Decision.objects.filter(batch__in=batches).values_list("batch", flat=True)) if batches else Counter()
    )
    return [
        ShownDecision(
            pk=one.pk,
            state=one.get_state_display(),
            before=one.get_before_display(),
            why=one.why,
            by=_name(one.by),
            made_at=one.made_at,
            together=sizes.get(one.batch, 1),
            is_undo=one.undoes_id is not None,
            can_undo=can_undo(one),
        )
        for one in reversed(made)
    ]


def _name(staff: object) -> str:
    return "–" if staff is None else str(staff)
