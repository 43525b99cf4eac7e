"""View models of the desk's pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from games.core.verdict_reasons import VerdictReason
from games.fairplay import account_links
from games.fairplay.move_gaps import gaps_of
from games.models import Attempt, Decision, StaffNote
from games.presentation.view_models import ShownDeal
from games.races import origins
from games.rules import Record, RulesError, replay
from leaderboards.desk.access import DECIDE, may_watch
from leaderboards.desk.evidence_sections import Section, sections_of
from leaderboards.desk.gap_chart import GapChart, chart
from leaderboards.desk.review_queue import READ, places_of
from leaderboards.verdicts.decisions import JUDGED, can_undo

#: Maximum number of listed attempts from the same device, and from the same network.
LINKED: Final = 50
#: VerdictReason fields that are shown elsewhere or are part of its sentence.
_SHOWN_SEPARATELY: Final = frozenset({"code", "message", "attempt", "by", "at", "state"})


class DeskReason(NamedTuple):
    """Reason for the attempt's state, with every figure."""

    code: str
    message: str
    figures: list[tuple[str, str]]

    @classmethod
    def of(cls, reason: VerdictReason) -> Self:
        """Build the display form of a reason."""
        figures = [(name, str(value)) for name, value in reason.items() if name not in _SHOWN_SEPARATELY]
        return cls(str(reason["code"]), str(reason["message"]), figures)


class Linked(NamedTuple):
    """Another player's attempt related to this one, and the relation."""

    attempt: Attempt
    deal: ShownDeal
    why: str
    same_deal: bool
    may_compare: bool


class ShownDecision(NamedTuple):
    """Decision in the history of an attempt, and the number of decisions made together with it."""

    made: Decision
    together: int
    can_undo: bool


class Facts(NamedTuple):
    """Judged attempt with its deal, and the place it has or would have."""

    attempt: Attempt
    deal: ShownDeal
    place: int | None


@dataclass(frozen=True, slots=True)
class Desk:
    """Page of one attempt. `watching_costs` warns that a viewer can no longer play the deal for a rank."""

    facts: Facts
    reasons: list[DeskReason]
    chart: GapChart | None
    linked: list[Linked]
    sections: list[Section]
    decisions: list[ShownDecision]
    notes: list[StaffNote]
    is_own: bool
    may_decide: bool
    may_watch: bool
    watching_costs: bool


def desk(attempt: Attempt, staff_id: int, rights: Iterable[str], now: datetime | None = None) -> Desk:
    """Build the page of a judged attempt for a staff member with these rights."""
    now = now or timezone.now()
    watchable, record = may_watch(staff_id, attempt, now), readable(attempt)
    is_own = attempt.player_id == staff_id
    return Desk(
        facts=facts_of([attempt])[0],
        reasons=[DeskReason.of(entry) for entry in attempt.reasons],
        chart=chart(gaps_of(record, attempt.auto_runs)) if record is not None and record.tokens else None,
        linked=_linked(attempt, may_compare=watchable and record is not None),
        sections=sections_of(attempt, may_watch=watchable),
        decisions=_decisions(attempt),
        notes=list(StaffNote.objects.filter(attempt=attempt).select_related("by")),
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


def facts_of(attempts: Sequence[Attempt]) -> list[Facts]:
    """Return judged attempts with the places they have or would have."""
    places = places_of(attempts)
    return [Facts(attempt, ShownDeal.of(attempt.deal), places.get(attempt.pk)) for attempt in attempts]


class Account(NamedTuple):
    """Player in a joint decision, with the number of attempts found in each state."""

    player: Any
    states: list[tuple[str, int]]


class AttemptGroup(NamedTuple):
    """Attempts to decide about together."""

    accounts: list[Account]
    attempts: list[Facts]


def counted(players: Iterable[UUID], attempts: Iterable[UUID]) -> list[Attempt]:
    """Return these attempts, and all judged attempts of these players that count for a rank or in a race."""
    counting = Q(ranked=True) | Q(deal__for_race=True, deadline__isnull=False)
    chosen = Q(public_id__in=list(attempts)) | (Q(player__public_id__in=list(players)) & counting)
    found = Attempt.objects.filter(chosen, state__in=JUDGED).select_related("deal", "player")
    return list(found.defer("record", "decisions_digest").order_by("player_id", "-started_at"))


def attempt_group(found: Sequence[Attempt]) -> AttemptGroup:
    """Build the page of attempts to decide about together."""
    states = {attempt.player: Counter[str]() for attempt in found}
    for attempt in found:
        states[attempt.player][attempt.get_state_display()] += 1
    return AttemptGroup([Account(player, list(counts.items())) for player, counts in states.items()], facts_of(found))


def _linked(attempt: Attempt, *, may_compare: bool) -> list[Linked]:
    earlier = [entry["attempt"] for entry in attempt.reasons if "attempt" in entry]
    copied = Attempt.objects.filter(public_id__in=earlier).select_related("deal", "player")
    on_device, on_network, in_race = (
        others.select_related("deal", "player").defer("record", "decisions_digest")
        for others in (
            account_links.linked_to(attempt),
            account_links.on_network_of(attempt),
            origins.linked_racers(attempt),
        )
    )
    found = {other.pk: (other, _("decided the same before")) for other in copied}
    found |= {other.pk: (other, _("decided the same later")) for other in _accused_by(attempt)}
    at_this_deal = list(on_device.filter(deal=attempt.deal_id)[:LINKED])
    at_other_deals = list(on_device.exclude(deal=attempt.deal_id).order_by("-started_at")[:LINKED])
    linked = {other.pk: (other, _("on the same network")) for other in on_network[:LINKED]}
    linked |= {other.pk: (other, _("in this race, on the same device or network")) for other in in_race}
    linked |= {other.pk: (other, _("on the same device")) for other in [*at_this_deal, *at_other_deals][:LINKED]}
    for other, link in linked.values():
        why = f"{link}, {_when(other, attempt)}"
        found[other.pk] = (other, f"{found[other.pk][1]}, {why}" if other.pk in found else why)
    return [_link(other, why, attempt, may_compare=may_compare) for other, why in found.values()]


def _when(other: Attempt, attempt: Attempt) -> str:
    """Return how long before or after the attempt the other one started."""
    if other.started_at <= attempt.started_at:
        return _("%(time)s earlier") % {"time": timesince(other.started_at, attempt.started_at)}
    return _("%(time)s later") % {"time": timesince(attempt.started_at, other.started_at)}


def _accused_by(attempt: Attempt) -> list[Attempt]:
    """Return the attempts at the deal that were flagged as similar to this one."""
    compared = Attempt.objects.filter(deal=attempt.deal_id, ranked=True, decisions_digest__isnull=False)
    reasons = compared.exclude(reasons=[]).order_by("finished_at", "pk").values_list("pk", "reasons")[:READ]
    own = str(attempt.public_id)
    found = [pk for pk, entries in reasons if any(entry.get("attempt") == own for entry in entries)][:LINKED]
    accused = Attempt.objects.filter(pk__in=found).select_related("deal", "player")
    return list(accused.defer("record", "decisions_digest"))


def _link(other: Attempt, why: str, attempt: Attempt, *, may_compare: bool) -> Linked:
    same_deal = other.deal_id == attempt.deal_id
    return Linked(other, ShownDeal.of(other.deal), why, same_deal, may_compare and same_deal and other.is_over)


def _decisions(attempt: Attempt) -> list[ShownDecision]:
    made = Decision.objects.filter(attempt=attempt).select_related("by", "attempt").order_by("-pk")
    batches = {decision.batch for decision in made if decision.batch is not None}
    sizes = Counter(Decision.objects.filter(batch__in=batches).values_list("batch", flat=True))
    return [ShownDecision(decision, sizes.get(decision.batch, 1), can_undo(decision)) for decision in made]
