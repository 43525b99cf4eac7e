"""Evidence sections on the desk's page of an attempt: foresight, the solver, races, appeals and reports."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.appeals.appeals import appeal_of
from games.appeals.models import Report
from games.fairplay import foresight_store
from games.manifests import VARIANTS
from games.models import Attempt
from leaderboards.summary import daily_vs_races


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page: a heading, with optional sentences, named figures and a table.

    A section with `reveals_cards` shows cards or moves, and is shown only to staff who may watch the game.
    """

    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    reveals_cards: bool = False


def sections_of(attempt: Attempt, *, may_watch: bool) -> list[Section]:
    """Return the sections of an attempt, without those that reveal cards unless `may_watch`."""
    found = [section for read in (foresight, solver, races, appeal, reports) if (section := read(attempt)) is not None]
    return [section for section in found if may_watch or not section.reveals_cards]


def foresight(attempt: Attempt) -> Section | None:
    """Return the foresight evidence of the game and of all the player's measured games; None if it is not measured."""
    found = foresight_store.evidence_of(attempt)
    if found is None:
        return None
    overall = foresight_store.evidence_of_player(attempt.player_id)
    figures = foresight_store.table_of(found)
    if overall.games:
        figures.append((f"all {overall.games} measured games", f"{overall.z:+.1f}"))
    if overall.with_pauses:
        figures.append((f"pauses in {overall.with_pauses} of them", f"{overall.pauses_z:+.1f}"))
    return Section(_("Foresight"), figures=tuple(figures), reveals_cards=True)


def solver(attempt: Attempt) -> Section | None:
    """Return how many decisions of a win the solver would also have made; None if it is not measured."""
    found = foresight_store.evidence_of(attempt)
    typical = VARIANTS[attempt.deal.variant].likeness
    if found is None or found.solver is None or typical is None:
        return None
    likeness = found.solver
    overall = foresight_store.evidence_of_player(attempt.player_id)
    figures = (
        (_("decisions the solver would also have made"), f"{likeness.same} / {likeness.count} ({likeness.share:.0%})"),
        (_("wins of simulated people"), f"{typical.people:.0%} ± {typical.spread:.0%}"),
        (_("new runs of the solver"), f"{typical.new_runs:.0%}"),
        (_("standard deviations above people, all measured wins (%(count)d)") % {"count": overall.with_solver},
         f"{overall.solver_z:+.1f}"),
    )  # fmt: skip
    note = _("Very good players may decide like the solver, too: one game proves nothing.")
    return Section(_("Likeness to the solver"), (note,), figures, reveals_cards=True)


def races(attempt: Attempt) -> Section | None:
    """Compare a daily game with its player's races of the same game; None if there is nothing to compare."""
    if attempt.deal.day is None:
        return None
    found = daily_vs_races.compare(attempt)
    if found is None:
        return None
    figures = [(_("races"), str(found.races))]
    if found.median_place is not None and found.median_beaten is not None:
        figures += [
            (_("median place"), f"{found.median_place:g}"),
            (_("rivals beaten in the median race"), f"{found.median_beaten:.0%}"),
        ]
    if found.rank is not None:
        figures.append((_("rank of this game"), f"{found.rank} / {found.total}"))
    if found.rated_rank is not None and found.expected_rank is not None:
        figures += [
            (_("rank among those with ratings"), f"{found.rated_rank} / {found.rated}"),
            (_("rank that the ratings would give"), f"{found.expected_rank:g}"),
        ]
    note = _("Races have a time limit and opponents. Daily games have neither, so one comparison proves nothing.")
    return Section(_("Compared with races"), (note,), tuple(figures))


def appeal(attempt: Attempt) -> Section | None:
    """Return the player's appeal, with its answer or a pointer to the page for answering."""
    found = appeal_of(attempt)
    if found is None:
        return None
    lines = [found.text]
    if found.answered_at is None:
        lines.append(_("Not answered yet. Appeals are answered under Appeals in the admin."))
    else:
        lines.append(_("Answered: %(answer)s") % {"answer": found.answer or found.get_decision_display()})
    return Section(_("Appeal"), tuple(lines))


def reports(attempt: Attempt) -> Section | None:
    """Return other players' reports, without naming the reporters."""
    found = Report.objects.filter(attempt=attempt).order_by("made_at")
    rows = tuple(
        (date_format(report.made_at, "DATETIME_FORMAT"), report.get_reason_display(), report.text, _answered(report))
        for report in found
    )
    return Section(_("Reports"), columns=(_("When"), _("Reason"), _("Text"), _("Answer")), rows=rows) if rows else None


def _answered(report: Report) -> str:
    if report.answered_at is None:
        return _("not answered yet")
    return _("action taken") if report.action_taken else _("nothing found")
