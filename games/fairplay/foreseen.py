"""Foresight of stored games: figures kept for staff. No player is shown them, and no verdict follows from them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

import msgspec
from django.utils import timezone

from games.fairplay.foresight import SILENT, Foresight, Tally, measure
from games.models import Attempt, ForesightFigures
from games.rules import Record

#: The form of the figures: raised with every change of what is measured, which has stored games measured anew.
FORM: Final = 1


#: How long figures are kept.
KEPT: Final = timedelta(days=90)


class Together(NamedTuple):
    """What a player's measured games tell together, in standard deviations: so many of foresight, so many of pauses."""

    games: int
    z: float
    with_pauses: int
    pauses_z: float


class Line(NamedTuple):
    """A line of what staff read."""

    what: str
    said: str


def evidence_of(attempt: Attempt) -> Foresight | None:
    """What was found in the attempt; None while it has not been measured."""
    kept = ForesightFigures.objects.filter(attempt=attempt.pk, form=FORM).first()
    return None if kept is None else msgspec.convert(kept.figures, Foresight)


def evidence_of_player(player_id: int) -> Together:
    """What was found in a player's games that were measured, but for those in which it tells nothing.

    Top places are won games, and who wins was lucky: what winners reach by chance is more than zero.
    """
    kept = ForesightFigures.objects.filter(attempt__player=player_id, form=FORM).values_list("figures", flat=True)
    found = [msgspec.convert(figures, Foresight) for figures in kept]
    telling = [one.z for one in found if one.applicable and one.game not in SILENT]
    pauses = [one.pauses.z for one in found if one.pauses is not None]
    return Together(len(telling), _summed(telling), len(pauses), _summed(pauses))


def _summed(figures: Sequence[float]) -> float:
    """The figures of several games in one, with the same deviation by chance as each."""
    return sum(figures) / math.sqrt(len(figures)) if figures else 0.0


def keep(attempt: Attempt) -> Foresight:
    """Measure a finished attempt and store what is found, in place of what was stored before.

    :raises RecordError: when the attempt has no readable record.
    :raises RulesError: when it does not replay.
    """
    found = measure(Record.from_bytes(bytes(attempt.record or b"")), attempt.auto_runs)
    row = ForesightFigures(attempt=attempt, form=FORM, figures=msgspec.to_builtins(found), made_at=timezone.now())
    ForesightFigures.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["attempt"], update_fields=["form", "figures", "made_at"]
    )
    return found


def measured_among(attempts: Collection[int]) -> set[int]:
    """Those of the attempts, by id, that have been measured."""
    kept = ForesightFigures.objects.filter(attempt__in=attempts, form=FORM)
    return set(kept.values_list("attempt_id", flat=True))


def table_of(found: Foresight) -> list[Line]:
    """What was found, line by line, for staff to read."""
    if not found.applicable:
        return [Line("foresight", "not applicable: nothing was decided while cards were unseen")]
    worth = "which tells nothing in this game" if found.game in SILENT else "one game proves nothing"
    lines = [
        Line("foresight", f"{found.z:+.1f} standard deviations from chance; {worth}"),
        Line("finds: turned up and playable at once", _tally(found.finds)),
        Line("choices: better than other options", _tally(found.choices)),
    ]
    pauses = found.pauses
    if pauses is not None:
        said = (
            f"{pauses.fresh_ms:.0f} ms for {pauses.fresh} plays after something new, {pauses.other_ms:.0f} ms for "
            f"{pauses.other} elsewhere: {pauses.z:+.1f}; about 0 is who knew it"
        )
        lines.append(Line("pauses", said))
    return lines


def text_of(found: Foresight) -> str:
    """What was found, as plain text."""
    return "\n".join(f"{what}: {said}" for what, said in table_of(found))


def _tally(tally: Tally) -> str:
    chance = f"by chance {tally.expected:.1f} ± {tally.variance**0.5:.1f}"
    return f"{tally.gained:.1f} in {tally.count}, {chance}: {tally.z:+.1f}"
