"""`manage.py fairplay`: judge the fairness of stored attempts again, after a change of the rules of fair play."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet
from tqdm import tqdm

from games.models import Attempt
from games.rules import CATALOGUE
from leaderboards.management.attempt_lookup import NOT_FOUND, finished_attempt
from leaderboards.management.documented_command import ExplainedCommand
from leaderboards.verdicts.reflagging import Reflagged, ReflagOutcome, deals_of, fairly_judged, reflag

DIFFERS: Final = 1
INTERRUPTED: Final = 130

_LEFT: Final = {
    ReflagOutcome.STAFF: "staff decided",
    ReflagOutcome.RECORD: "the record is invalid, see `manage.py verify`",
    ReflagOutcome.MEANWHILE: "settled by another process in the meantime",
}
_STATES: Final = (Attempt.State.VERIFIED, Attempt.State.REVIEW, Attempt.State.REJECTED)


class Command(ExplainedCommand):
    """Command that recomputes flags and reports differences; `--write` settles them."""

    help = (
        "Repeat the fair play checks of stored games: pace, copies, devices. Prints what would change; with --write, "
        "updates verdicts and boards. Staff decisions are only reported, never changed. Records are not replayed: "
        "`verify` does that."
    )
    epilog = (
        "examples:\n"
        "  manage.py fairplay                               all attempts, without changes\n"
        "  manage.py fairplay --variant braid --since 2026-11-01 --until 2026-11-21\n"
        "  manage.py fairplay --state review --write        release attempts that are no longer doubtful\n"
        "  manage.py fairplay --attempt 5f0c0d9e-… --write  one attempt, by its id on the site or its number\n"
        "  manage.py fairplay --write --from-deal 4711      resume after an interruption\n\n"
        "Attempts are judged deal by deal, and each batch is committed separately, so the command can be\n"
        "interrupted and run again. A dry run finds copies by the stored lines; --write adds missing lines\n"
        "to older games.\n\n"
        "exit codes: 0 nothing differs, 1 something differs or was changed,\n"
        "            2 no such attempt, 130 interrupted"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add options that select attempts and enable writing."""
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument(
            "--dry-run", action="store_true", help="print what would change without changing it (default)"
        )
        mode.add_argument("--write", action="store_true", help="settle the differences")
        parser.add_argument("--attempt", action="append", metavar="ID", help="this attempt; can be repeated")
        parser.add_argument("--variant", choices=list(CATALOGUE), help="attempts at this variant")
        parser.add_argument("--state", choices=[str(state) for state in _STATES], help="attempts in this state")
        parser.add_argument(
            "--since", type=date.fromisoformat, metavar="DAY", help="started on this day (UTC) or later"
        )
        parser.add_argument("--until", type=date.fromisoformat, metavar="DAY", help="started on this day or earlier")
        parser.add_argument("--from-deal", type=int, metavar="N", help="at deals from this number on")
        parser.add_argument("--no-progress", action="store_true", help="hide the progress bar")

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401
        """Judge the selected attempts, and print the differences."""
        if options["since"] and options["until"] and options["since"] > options["until"]:
            raise CommandError("--since is later than --until.", returncode=NOT_FOUND)
        chosen, write = _chosen(options), options["write"]
        tally = _Tally(write=write)
        bar = tqdm(total=chosen.count(), unit="attempt", disable=options["no_progress"] or None)
        stopped = self._judge(chosen, tally, bar, write=write)
        self.stdout.write("\n".join([*tally.lines(), *tally.changes]))
        if stopped is not None:
            self.stderr.write(f"Interrupted. Resume with --from-deal {stopped}.")
            sys.exit(INTERRUPTED)
        if tally.differs:
            sys.exit(DIFFERS)

    def _judge(self, chosen: QuerySet[Attempt], tally: _Tally, bar: tqdm[Any], *, write: bool) -> int | None:
        """Process the attempts; return the deal at which this was interrupted, if it was."""
        with bar:
            for deal in deals_of(chosen):
                try:
                    for found in reflag(chosen, deal, write=write):
                        tally.add(found)
                        bar.update(len(found))
                except KeyboardInterrupt:
                    return deal
        return None


class _Tally:
    """Tally of the outcomes, with a line for each attempt that differs."""

    def __init__(self, *, write: bool) -> None:
        self.changes: list[str] = []
        self._changed, self._verb = ("changed", "was") if write else ("would change", "would be")
        self._outcomes: Counter[ReflagOutcome] = Counter()
        self._states: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self._flags: tuple[Counter[str], Counter[str]] = Counter(), Counter()

    @property
    def differs(self) -> bool:
        """True if any attempt differs from its earlier judgement, or could not be judged."""
        return self._outcomes.total() > self._outcomes[ReflagOutcome.SAME]

    def add(self, found: Iterable[Reflagged]) -> None:
        """Add attempts to the tally."""
        for reflagged in found:
            self._outcomes[reflagged.outcome] += 1
            for when, (state, flags) in enumerate(
                ((reflagged.before, reflagged.flags_before), (reflagged.after, reflagged.flags_after))
            ):
                self._states[when][str(state)] += 1
                self._flags[when].update(flags)
            if reflagged.outcome is not ReflagOutcome.SAME:
                self.changes.append(self._line(reflagged))

    def lines(self) -> Iterator[str]:
        """Yield the counts."""
        done = self._outcomes
        yield f"{done.total()} judged, {done[ReflagOutcome.CHANGED]} {self._changed}"
        for outcome, note in _LEFT.items():
            if done[outcome]:
                yield f"{done[outcome]} unchanged, {note}"
        for title, (before, after) in (("state", self._states), ("flag", self._flags)):
            yield f"{title:<16}{'before':>10}{'after':>10}"
            for name in sorted(before | after):
                yield f"{name:<16}{before[name]:>10}{after[name]:>10}"

    def _line(self, reflagged: Reflagged) -> str:
        before = _in_words(reflagged.before, reflagged.flags_before)
        if reflagged.outcome in _LEFT:
            line = f"{reflagged.attempt}: {before} unchanged, {_LEFT[reflagged.outcome]}"
            if reflagged.outcome is not ReflagOutcome.STAFF:
                return line
            return f"{line}; would now be flagged {', '.join(reflagged.flags_after) or 'for nothing'}"
        return f"{reflagged.attempt}: {before} {self._verb} {_in_words(reflagged.after, reflagged.flags_after)}"


def _in_words(state: Attempt.State, flags: tuple[str, ...]) -> str:
    return f"{state} ({', '.join(flags)})" if flags else str(state)


def _chosen(options: dict[str, Any]) -> QuerySet[Attempt]:
    chosen = fairly_judged()
    if options["attempt"]:
        chosen = chosen.filter(pk__in=[finished_attempt(text).pk for text in options["attempt"]])
    if options["variant"]:
        chosen = chosen.filter(deal__variant=options["variant"])
    if options["state"]:
        chosen = chosen.filter(state=options["state"])
    if options["since"]:
        chosen = chosen.filter(started_at__gte=_midnight(options["since"]))
    if options["until"]:
        chosen = chosen.filter(started_at__lt=_midnight(options["until"]) + timedelta(days=1))
    if options["from_deal"] is not None:
        chosen = chosen.filter(deal__gte=options["from_deal"])
    return chosen


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
