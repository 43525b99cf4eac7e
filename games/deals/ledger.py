"""Public ledger: a hash chain with one line for each daily deal.

A line is ASCII, with fields separated by single spaces:

    talon-ledger-1 <index> <variant> <day> <rules> <proven|unproven> <commitment> <opens> <published> <previous>

The index counts from 0. The day is written 2026-11-21; opens and published are written 2026-11-21T00:00:00Z. The
commitment is the SHA-256 of the deal's seed, and previous the hash of the preceding line (64 zeros for the first), both
in lower-case hex. The hash of a line is the SHA-256 of its bytes, without a line end. docs/fairness.md explains how to
verify all this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from django.db import connection
from django.utils import timezone

from games.models import Deal, LedgerEntry
from games.rules import Record, RulesError, commitment, replay

FORM: Final = "talon-ledger-1"
BEGINNING: Final = "0" * 64
"""The `previous` hash of the first line."""

#: Maximum number of lines in one response.
MOST_LINES: Final = 5000

#: Key of the PostgreSQL advisory lock that serializes publishers; SQLite has one writer anyway.
_PEN: Final = 0x7A10_1ED6


@dataclass(frozen=True, slots=True)
class Fault:
    """An error found in the ledger."""

    index: int | None
    code: str
    message: str

    def __str__(self) -> str:
        where = "ledger" if self.index is None else f"line {self.index}"
        return f"{where}: {self.message}"


def lock_ledger() -> None:
    """Block other publishers until this transaction ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_PEN])


def append(deal: Deal, now: datetime | None = None) -> LedgerEntry:
    """Append a daily deal's line; call it in the transaction that creates the deal, after `lock_ledger`."""
    assert deal.day is not None
    last = LedgerEntry.objects.order_by("-index").first()
    entry = LedgerEntry(
        index=0 if last is None else last.index + 1,
        deal=deal,
        variant=deal.variant,
        day=deal.day,
        rules_version=deal.rules_version,
        proven=deal.proven,
        commitment=deal.commitment,
        opens_at=deal.opens_at,
        published_at=(now or timezone.now()).replace(microsecond=0),
        previous=BEGINNING if last is None else last.hash,
    )
    entry.hash = line_hash(entry)
    entry.save(force_insert=True)
    return entry


def line(entry: LedgerEntry) -> str:
    """Return an entry's canonical line."""
    fields = (
        FORM,
        entry.index,
        entry.variant,
        entry.day.isoformat(),
        entry.rules_version,
        "proven" if entry.proven else "unproven",
        entry.commitment,
        instant(entry.opens_at),
        instant(entry.published_at),
        entry.previous,
    )
    return " ".join(map(str, fields))


def line_hash(entry: LedgerEntry) -> str:
    """Return the hash of an entry's canonical line, in hex."""
    return sha256(line(entry).encode("ascii")).hexdigest()


def instant(moment: datetime) -> str:
    """Format a time as in the lines: UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def entry_json(entry: LedgerEntry, now: datetime) -> dict[str, Any]:
    """Return an entry as JSON: its fields, its line and hash, and the seed once it is revealed."""
    deal = entry.deal
    return {
        "index": entry.index,
        "variant": entry.variant,
        "day": entry.day.isoformat(),
        "rules": entry.rules_version,
        "proven": entry.proven,
        "starter": deal.starter,
        "commitment": entry.commitment,
        "opens_at": instant(entry.opens_at),
        "published_at": instant(entry.published_at),
        "previous": entry.previous,
        "line": line(entry),
        "hash": entry.hash,
        "seed": bytes(deal.seed).hex() if deal.is_revealed(now) else None,
    }


def lines_from(first: int, now: datetime) -> dict[str, Any]:
    """Return a page of lines from index `first` on as JSON; `next` is the index after them, None at the end."""
    entries = LedgerEntry.objects.select_related("deal").defer("deal__solution").filter(index__gte=first)
    page = list(entries.order_by("index")[: MOST_LINES + 1])
    following = page[MOST_LINES].index if len(page) > MOST_LINES else None
    return {"form": FORM, "entries": [entry_json(entry, now) for entry in page[:MOST_LINES]], "next": following}


def check(now: datetime | None = None) -> Iterator[Fault]:
    """Check the whole ledger and yield every fault: in the chain, the announcements, the seeds and the winning records.

    Winning records of secret deals are checked too, without revealing anything about them.
    """
    now = now or timezone.now()
    previous, expected = BEGINNING, 0
    for entry in LedgerEntry.objects.select_related("deal").order_by("index").iterator(chunk_size=200):
        yield from _chain_faults(entry, expected, previous)
        yield from _deal_faults(entry, now)
        previous, expected = entry.hash, entry.index + 1
    unlisted = Deal.objects.filter(day__isnull=False, ledger_entry=None).order_by("day", "id")
    for variant, day in unlisted.values_list("variant", "day"):
        yield Fault(None, "unlisted_deal", f"the deal of {variant} of {day} has no line")


def _chain_faults(entry: LedgerEntry, expected: int, previous: str) -> Iterator[Fault]:
    if entry.index != expected:
        yield Fault(entry.index, "missing_line", f"line {expected} should stand here")
    if entry.previous != previous:
        yield Fault(entry.index, "broken_chain", "it does not follow from the line before")
    if entry.hash != line_hash(entry):
        yield Fault(entry.index, "wrong_hash", "its hash does not match its content")


def _deal_faults(entry: LedgerEntry, now: datetime) -> Iterator[Fault]:
    deal = entry.deal
    announced = (entry.variant, entry.day, entry.rules_version, entry.proven, entry.commitment, entry.opens_at)
    if announced != (deal.variant, deal.day, deal.rules_version, deal.proven, deal.commitment, deal.opens_at):
        yield Fault(entry.index, "changed_deal", "the deal is not the one announced")
    if commitment(bytes(deal.seed)) != entry.commitment:
        kind = "revealed" if deal.is_revealed(now) else "kept"
        yield Fault(entry.index, "wrong_seed", f"the {kind} seed does not give the commitment")
    if entry.proven and not wins(deal):
        yield Fault(entry.index, "wrong_record", "the winning record does not win this deal")


def wins(deal: Deal) -> bool:
    """Return True if the deal's winning record belongs to it, replays, wins, and is exactly as long as par."""
    if deal.solution is None:
        return False
    try:
        record = Record.from_bytes(bytes(deal.solution))
        result = replay(record)
    except RulesError:
        return False
    same = (record.version, record.name, record.seed) == (deal.rules_version, deal.variant, bytes(deal.seed))
    return same and result.ok and result.won and result.tokens == deal.par
