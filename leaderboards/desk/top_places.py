"""Verified games with doubts that cost no one a place, and top places with links or high figures."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from games.core.verdict_reasons import undecided
from games.fairplay.account_links import with_links
from games.fairplay.foresight import SILENT, Foresight
from games.fairplay.foresight_store import FORM
from games.models import Attempt, ForesightFigures
from games.presentation import titles
from games.races.models import Entrant
from leaderboards.desk.review_queue import RECENT, SHOWN

#: Maximum number of measured games that are looked at, latest first.
READ: Final = 3_000
#: Standard deviations from which a figure is listed: few winners reach them (docs/staff.md, "The staff desk").
HIGH_FORESIGHT: Final = 3.5
HIGH_LIKENESS: Final = 2.5


class NotedPlace(NamedTuple):
    """Verified attempt selected for measuring, and the evidence about it."""

    attempt: Attempt
    title: str
    signs: list[str]


def noted_places(now: datetime | None = None) -> list[NotedPlace]:
    """Return recent verified games with evidence and without a staff decision, those with most evidence first."""
    since = (now or timezone.now()) - RECENT
    recent = Attempt.objects.filter(state=Attempt.State.VERIFIED, decisions=None, finished_at__gt=since)
    measured = ForesightFigures.objects.filter(form=FORM, attempt__in=recent).order_by("-attempt__finished_at")
    figures = dict(measured.values_list("attempt_id", "figures")[:READ])
    doubted = recent.exclude(reasons=[]).order_by("-finished_at").values_list("pk", flat=True)[:READ]
    linked = Entrant.objects.filter(race=OuterRef("entrant__race"), link_group=OuterRef("entrant__link_group"))
    linked_racer = Exists(linked.filter(link_group__gt=0).exclude(attempt=OuterRef("pk")))
    attempts = with_links(Attempt.objects.filter(pk__in=[*figures, *doubted])).annotate(linked_racer=linked_racer)
    attempts = attempts.select_related("deal", "player")
    places = [
        NotedPlace(attempt, titles.deal_title(attempt.deal.variant, attempt.deal.game), signs)
        for attempt in attempts.defer("record", "decisions_digest").order_by("-finished_at")
        if (signs := _doubts(attempt) + _signs(attempt, figures.get(attempt.pk)))
    ]
    return sorted(places, key=lambda place: -len(place.signs))[:SHOWN]


def _doubts(attempt: Attempt) -> list[str]:
    return [str(reason["code"]) for reason in undecided(attempt.reasons)]


def _signs(attempt: Any, figures: object | None) -> list[str]:  # noqa: ANN401 - an annotated attempt
    """Return the signs in a measured game; an unmeasured one has none."""
    if figures is None:
        return []
    found = msgspec.convert(figures, Foresight)
    foreseen = found.applicable and found.game not in SILENT and found.z >= HIGH_FORESIGHT
    likeness = found.solver.z(attempt.deal.variant) if found.solver is not None else 0.0
    signs = (
        (attempt.during, _("started by another player on the same device during the game")),
        (attempt.on_device, _("another player on the same device")),
        (attempt.on_network, _("another player of this deal on the same network")),
        (attempt.linked_racer, _("another racer on the same device or network")),
        (foreseen, _("high foresight")),
        (likeness >= HIGH_LIKENESS, _("close to the solver")),
    )
    return [sign for holds, sign in signs if holds]
