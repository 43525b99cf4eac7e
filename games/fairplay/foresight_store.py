"""Storage of foresight and solver likeness, for staff only. Players never see them, and they never decide a verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final, NamedTuple

import msgspec
from django.utils import timezone

from games.fairplay.foresight import SILENT, ChanceTally, Foresight, measure
from games.fairplay.solver_likeness import compare_with_solver
from games.manifests import VARIANTS
from games.models import Attempt, ForesightFigures
from games.rules import Record

#: Version of the figures. Raise it with every change of the measurement, so that stored games are measured again.
FORM: Final = 2

#: Retention of figures.
KEPT: Final = timedelta(days=90)


class CombinedEvidence(NamedTuple):
    """Combined evidence of a player's measured games: number of games and z-score, for foresight, for pauses and for
    solver likeness.
    """

    games: int
    z: float
    with_pauses: int
    pauses_z: float
    with_solver: int
    solver_z: float


def evidence_of(attempt: Attempt) -> Foresight | None:
    """Return the attempt's foresight measurement, or None if it has not run yet."""
    row = ForesightFigures.objects.filter(attempt=attempt.pk, form=FORM).first()
    return None if row is None else msgspec.convert(row.figures, Foresight)


def evidence_of_player(player_id: int) -> CombinedEvidence:
    """Combine the measurements of a player's games, without games in which foresight is no evidence.

    Top places are wins, and winners are lucky: the score that winners reach by chance is above zero.
    """
    rows = ForesightFigures.objects.filter(attempt__player=player_id, form=FORM)
    by_variant = [
        (variant, msgspec.convert(figures, Foresight))
        for variant, figures in rows.values_list("attempt__deal__variant", "figures")
    ]
    measurements = [measurement for _variant, measurement in by_variant]
    telling = [
        measurement.z for measurement in measurements if measurement.applicable and measurement.game not in SILENT
    ]
    pauses = [measurement.pauses.z for measurement in measurements if measurement.pauses is not None]
    solver = [found.solver.z(variant) for variant, found in by_variant if found.solver is not None]
    return CombinedEvidence(len(telling), _summed(telling), len(pauses), _summed(pauses), len(solver), _summed(solver))


def _summed(figures: Sequence[float]) -> float:
    """Combine z-scores of several games into one z-score (Stouffer's method)."""
    return sum(figures) / math.sqrt(len(figures)) if figures else 0.0


def measure_and_store(attempt: Attempt) -> Foresight:
    """Measure a finished attempt, and compare a ranked win with the solver. The result replaces an earlier one.

    :raises RecordError: if the attempt has no readable record.
    :raises RulesError: if the record does not replay.
    """
    record = Record.from_bytes(bytes(attempt.record or b""))
    measurement = measure(record, attempt.auto_runs)
    if attempt.ranked and VARIANTS[attempt.deal.variant].likeness:
        measurement = replace(measurement, solver=compare_with_solver(record))
    row = ForesightFigures(attempt=attempt, form=FORM, figures=msgspec.to_builtins(measurement), made_at=timezone.now())
    ForesightFigures.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["attempt"], update_fields=["form", "figures", "made_at"]
    )
    return measurement


def measured_among(attempts: Collection[int]) -> set[int]:
    """Return the ids of the attempts that have a current measurement."""
    rows = ForesightFigures.objects.filter(attempt__in=attempts, form=FORM)
    return set(rows.values_list("attempt_id", flat=True))


def table_of(measurement: Foresight) -> list[tuple[str, str]]:
    """Describe a measurement for staff, in lines of a label and a text."""
    if not measurement.applicable:
        return [("foresight", "not applicable: nothing was decided while cards were unseen")]
    worth = "which tells nothing in this game" if measurement.game in SILENT else "one game proves nothing"
    lines = [
        ("foresight", f"{measurement.z:+.1f} standard deviations from chance; {worth}"),
        ("finds: turned up and playable at once", _tally(measurement.finds)),
        ("choices: better than other options", _tally(measurement.choices)),
    ]
    pauses = measurement.pauses
    if pauses is not None:
        text = (
            f"{pauses.fresh_ms:.0f} ms for {pauses.fresh} plays after something new, {pauses.other_ms:.0f} ms for "
            f"{pauses.other} elsewhere: {pauses.z:+.1f}; about 0 is who knew it"
        )
        lines.append(("pauses", text))
    return lines


def _tally(tally: ChanceTally) -> str:
    chance = f"by chance {tally.expected:.1f} ± {tally.variance**0.5:.1f}"
    return f"{tally.gained:.1f} in {tally.count}, {chance}: {tally.z:+.1f}"
