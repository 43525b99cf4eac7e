"""Stock of sealed deals: atomic sealing, single use, and how the days draw from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from games import tasks
from games.deals import difficulty, first_day, ledger, publishing, sealed_stock
from games.deals.certification import Certificate, CertificateError, winning_record
from games.deals.difficulty import DifficultyFigures
from games.manifests import VARIANTS
from games.models import AwaitedDeal, Deal, LedgerEntry, SealedDeal
from games.rules import CATALOGUE, commitment
from games.rules.table import MAX_TOKENS
from tests import factories
from tests.concurrency import run_together
from tests.factories import seal_deal, won_records

MONDAY = date(2026, 11, 23)
NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def patient(settings: Any) -> None:
    """A site that waits for certificates, as in production."""
    settings.DEAL_PATIENCE, settings.SEALED_STOCK = 90, 5


def certificate(variant: str = "stonewall", index: int = 0, grade: int = 3) -> Certificate:
    record = won_records(variant)[index]
    return Certificate(record, DifficultyFigures(0.0, 0.1, 500, len(record.tokens)), grade)


def test_a_sealed_deal_is_complete(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([None, certificate(grade=4)])
    seeds: list[bytes] = []

    def certify(variant: str, seed: bytes, **_: Any) -> Certificate | None:
        seeds.append(seed)
        return next(found)

    monkeypatch.setattr(sealed_stock, "certify", certify)
    added = sealed_stock.seal_one("stonewall")
    assert added is not None
    assert len(set(seeds)) == 2, "an unwinnable seed is followed by another"
    sealed = SealedDeal.objects.get()
    assert bytes(sealed.seed) == certificate().record.seed
    assert (sealed.grade, sealed.nodes, sealed.greedy_wins) == (4, 500, 0.1)
    assert sealed.par == len(certificate().record.tokens)


def test_a_deal_with_a_meaningless_par_is_skipped(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = sorted((certificate(), certificate(index=1)), key=lambda one: one.par)
    assert short.par < long.par
    found = iter([long, short])
    facts = replace(VARIANTS["stonewall"], median_par=short.par)
    monkeypatch.setattr(difficulty, "VARIANTS", {"stonewall": facts})
    monkeypatch.setattr(difficulty, "MOST_MEDIANS", 1)
    monkeypatch.setattr(sealed_stock, "certify", lambda *_, **__: next(found))
    added = sealed_stock.seal_one("stonewall")
    assert added is not None
    assert added.par == short.par, "exactly the longest is allowed"


def test_sealed_deals_with_too_long_lines_are_not_dealt(db: None) -> None:
    row = seal_deal("stonewall")
    SealedDeal.objects.filter(pk=row.pk).update(par=difficulty.longest_par("stonewall") + 1)
    assert sealed_stock.take("stonewall", row.grade) is None
    assert sealed_stock.levels()["stonewall"].total() == 0
    SealedDeal.objects.filter(pk=row.pk).update(par=difficulty.longest_par("stonewall"))
    assert sealed_stock.levels()["stonewall"].total() == 1
    assert sealed_stock.take("stonewall", row.grade) is not None


def test_a_variant_without_a_measured_par_takes_every_line(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    unmeasured = replace(VARIANTS["stonewall"], median_par=None, grade_thresholds=None)
    monkeypatch.setattr(difficulty, "VARIANTS", {**VARIANTS, "stonewall": unmeasured})
    row = seal_deal("stonewall")
    SealedDeal.objects.filter(pk=row.pk).update(par=MAX_TOKENS)
    assert sealed_stock.levels()["stonewall"].total() == 1


def test_lines_are_shortened_unless_todays_deal_is_missing(
    db: None, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    patiences: list[float] = []

    def certify(variant: str, seed: bytes, *, patience: float, **_: Any) -> Certificate:
        patiences.append(patience)
        return certificate(index=len(patiences) - 1)

    monkeypatch.setattr(sealed_stock, "certify", certify)
    today = timezone.now().date()
    AwaitedDeal.objects.create(variant="plot", day=today + timedelta(days=1), since=NOW)
    next(sealed_stock.fill(["stonewall"], stop=lambda: False))
    AwaitedDeal.objects.create(variant="plot", day=today, since=NOW)
    next(sealed_stock.fill(["stonewall"], stop=lambda: False))
    next(first_day.certify_today(lambda: False))
    assert patiences == [sealed_stock.PATIENCE, 0, 0]


def test_nothing_is_sealed_after_a_stop_request(db: None) -> None:
    assert sealed_stock.seal_one("stonewall", stop=lambda: True) is None
    assert not SealedDeal.objects.exists()


def test_a_wrong_line_is_no_certificate(
    db: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    record = won_records("stonewall")[0]
    with pytest.raises(CertificateError):
        winning_record("stonewall", record.seed, record.tokens[:-1])
    with pytest.raises(CertificateError):
        winning_record("stonewall", bytes(32), record.tokens)
    stops = iter([False, True])
    seen: list[bytes] = []

    def certify(variant: str, seed: bytes, **_: Any) -> Certificate:
        seen.append(seed)
        return Certificate(winning_record(variant, seed, record.tokens), DifficultyFigures(0, 0, 1, 1), 1)

    monkeypatch.setattr(sealed_stock, "certify", certify)
    assert sealed_stock.seal_one("stonewall", stop=lambda: next(stops)) is None
    assert not SealedDeal.objects.exists()
    assert "not certified" in caplog.text
    assert seen[0].hex() not in caplog.text


def test_the_nearest_then_oldest_grade_is_taken(db: None) -> None:
    for index, grade in enumerate((5, 3, 3)):
        seal_deal("stonewall", index, grade=grade)
    taken = [found and found.grade for found in (sealed_stock.take("stonewall", 4) for _ in range(4))]
    assert taken == [5, 3, 3, None]


def test_deals_sealed_under_other_rules_stay_in_stock(db: None) -> None:
    row = seal_deal("stonewall")
    SealedDeal.objects.filter(pk=row.pk).update(rules_version=99)
    assert sealed_stock.take("stonewall", 3) is None
    assert sealed_stock.levels()["stonewall"].total() == 0


def test_a_day_publishes_from_the_stock_to_the_ledger(db: None, patient: None) -> None:
    factories.seal_all_variants()
    published = publishing.ensure_deals(MONDAY, ahead=0, now=NOW)
    assert [deal.variant for deal in published] == list(CATALOGUE)
    assert not SealedDeal.objects.exists()
    for deal, entry in zip(published, LedgerEntry.objects.select_related("deal"), strict=True):
        assert deal.proven
        assert (deal.grade, deal.par) == (3, len(won_records(deal.variant)[0].tokens))
        assert commitment(bytes(deal.seed)) == deal.commitment == entry.commitment
        assert entry.deal == deal
        assert ledger.wins(deal)
    assert not list(ledger.check(NOW))
    assert publishing.ensure_deals(MONDAY, ahead=0, now=NOW) == published


def test_a_day_takes_a_deal_of_its_grade(db: None, patient: None) -> None:
    days = [MONDAY + timedelta(days=n) for n in range(9)]
    for index, grade in enumerate((5, 3, 1)):
        seal_deal("stonewall", index, grade=grade)
        day = next(day for day in days if difficulty.target_grade("stonewall", day) == grade)
        published = publishing.publish("stonewall", day, now=NOW)
        assert published is not None
        assert published.grade == grade


def test_every_day_is_mixed() -> None:
    for day in (MONDAY + timedelta(days=n) for n in range(365)):
        grades = {name: difficulty.target_grade(name, day) for name in CATALOGUE}
        table = Counter(grades.values())
        assert table.keys() <= difficulty.GRADES.keys(), day
        assert len({CATALOGUE[name].game for name, grade in grades.items() if grade < difficulty.FAIR}) >= 2, day
        assert table[difficulty.FAIR] == 3, day
        assert table[5] <= 2, day


@pytest.mark.parametrize("variant", CATALOGUE)
def test_every_game_is_easy_at_least_once_a_week(variant: str) -> None:
    easy = [difficulty.target_grade(variant, MONDAY + timedelta(days=n)) < difficulty.FAIR for n in range(365)]
    assert all(any(easy[first : first + 7]) for first in range(len(easy) - 6))


def test_one_grade_never_crowds_out_the_one_a_day_waits_for(db: None, patient: None, settings: Any) -> None:
    settings.SEALED_STOCK = 3
    full = seal_deal("stonewall", grade=5)
    for n in range(1, 2 * settings.SEALED_STOCK):
        full.pk, full.seed = None, bytes([n] * 32)
        full.save(force_insert=True)
    day = next(
        day
        for day in (MONDAY + timedelta(days=n) for n in range(2, 11))
        if difficulty.target_grade("stonewall", day) == 3
    )
    assert publishing.ensure_deals(day, ahead=0, now=NOW) == []
    grades, index = iter((5, 3)), iter((1, 2))

    def seal(variant: str, **_: Any) -> SealedDeal:
        return seal_deal(variant, next(index), grade=next(grades))

    fill = sealed_stock.fill(["stonewall"], stop=lambda: sealed_stock.levels()["stonewall"][3] > 0, seal=seal)
    assert [sealed.grade for sealed in fill] == [5, 3]
    assert sealed_stock.levels()["stonewall"] == Counter({5: 5, 3: 1})
    publishing.ensure_deals(day, ahead=0, now=NOW)
    assert Deal.objects.get(variant="stonewall", day=day).grade == 3


def test_todays_deal_waits_a_limited_time_for_its_certificate(db: None, patient: None) -> None:
    seal_deal("braid")
    assert [deal.variant for deal in publishing.todays_deals(NOW)] == ["braid"]
    with pytest.raises(publishing.DealAwaitedError):
        publishing.todays_deal("plot", NOW)
    with pytest.raises(Deal.DoesNotExist):
        publishing.todays_deal("patience", NOW)
    assert AwaitedDeal.objects.count() == len(CATALOGUE) - 1
    seal_deal("plot")
    soon = NOW + timedelta(seconds=89)
    assert [deal.variant for deal in publishing.todays_deals(soon)] == ["braid", "plot"]
    late = NOW + timedelta(seconds=90)
    assert {deal.variant: deal.proven for deal in publishing.todays_deals(late)} == {
        name: name in {"braid", "plot"} for name in CATALOGUE
    }
    assert not AwaitedDeal.objects.exists()
    assert LedgerEntry.objects.filter(proven=False).count() == len(CATALOGUE) - 2


def test_commitments_are_public_a_day_before_even_unproven(db: None, patient: None) -> None:
    day = MONDAY + timedelta(days=2)
    opens = datetime(2026, 11, 25, tzinfo=UTC)
    assert publishing.ensure_deals(day, ahead=0, now=NOW) == []
    assert publishing.ensure_deals(day, ahead=0, now=opens - timedelta(hours=25, seconds=1)) == []
    published = publishing.ensure_deals(day, ahead=0, now=opens - timedelta(hours=25))
    assert len(published) == len(CATALOGUE)
    entry = LedgerEntry.objects.first()
    assert entry is not None
    assert entry.opens_at - entry.published_at >= timedelta(hours=24)


def test_the_schedule_keeps_every_commitment_public_a_day_before(
    db: None, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs the hourly task over some days without stock, when deals are published as late as possible."""
    for hour in range(4 * 24):
        now = NOW.replace(hour=0, minute=7) + timedelta(hours=hour)
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        tasks.keep_deals()
    later = LedgerEntry.objects.filter(day__gte=MONDAY + timedelta(days=2))  # earlier days are late already
    assert {entry.day for entry in later} == {MONDAY + timedelta(days=n) for n in (2, 3, 4, 5)}
    assert min(entry.opens_at - entry.published_at for entry in later) >= timedelta(hours=24)


def test_with_a_stock_the_coming_days_are_published_at_once(
    db: None, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index, day in enumerate((0, 1, 2)):
        seal_deal("stonewall", index, grade=difficulty.target_grade("stonewall", MONDAY + timedelta(days=day)))
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    tasks.keep_deals()
    assert [deal.day for deal in Deal.objects.order_by("day")] == [MONDAY + timedelta(days=n) for n in range(3)]


def test_tomorrow_waits_a_quarter_of_an_hour_at_first(db: None, patient: None) -> None:
    tomorrow = MONDAY + timedelta(days=1)
    assert publishing.ensure_deals(tomorrow, ahead=0, now=NOW) == []
    assert publishing.ensure_deals(tomorrow, ahead=0, now=NOW + timedelta(minutes=14)) == []
    assert len(publishing.ensure_deals(tomorrow, ahead=0, now=NOW + timedelta(minutes=15))) == len(CATALOGUE)


def test_missing_deals_of_a_day_are_sealed_first(db: None, patient: None) -> None:
    assert sealed_stock.next_variant() == "braid"
    seal_deal("braid")
    publishing.todays_deals(NOW)
    Deal.objects.filter(variant="tarot").delete()
    AwaitedDeal.objects.exclude(variant="tarot").delete()
    assert sealed_stock.next_variant() == "tarot"


def test_the_scarcest_variant_is_sealed_next(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SEALED_STOCK = 2
    full = Counter({1: 1, 2: 1, 3: 1, 4: 1, 5: 1})
    monkeypatch.setattr(sealed_stock, "levels", lambda: dict.fromkeys(CATALOGUE, full) | {"plot": Counter({3: 1})})
    assert sealed_stock.next_variant() == "plot"
    assert sealed_stock.next_variant(["braid"]) is None


def test_a_missing_grade_is_searched_up_to_twice_the_target(settings: Any) -> None:
    settings.SEALED_STOCK = 3
    assert sealed_stock.is_short(Counter({3: 5}))
    assert not sealed_stock.is_short(Counter({3: 6}))
    assert not sealed_stock.is_short(Counter({1: 1, 2: 1, 3: 1, 4: 1, 5: 1}))


def test_only_spare_deals_are_taken(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    seal_deal("stonewall", 0)
    seal_deal("stonewall", 1)
    assert sealed_stock.take_spare("stonewall") is None
    monkeypatch.setattr(sealed_stock, "RESERVED_FOR_DAYS", 1)
    with transaction.atomic():
        found = sealed_stock.take_spare("stonewall")
    assert found is not None
    deal = publishing.make_deal(CATALOGUE["stonewall"], found, opens_at=timezone.now())
    assert deal.proven
    assert ledger.wins(deal)
    assert not LedgerEntry.objects.exists(), "only daily deals are on the ledger"


def test_a_failed_publication_leaves_the_deal_in_stock(
    db: None, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal_deal("stonewall")

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(ledger, "append", fail)
    with pytest.raises(RuntimeError):
        publishing.publish("stonewall", MONDAY, now=NOW)
    assert SealedDeal.objects.count() == 1
    assert not Deal.objects.exists()


def test_concurrent_publishers_publish_every_deal_once(transactional_db: None, patient: None) -> None:
    factories.seal_all_variants()

    def publish() -> None:
        publishing.ensure_deals(MONDAY, ahead=0, now=NOW)

    assert run_together(*[publish] * 6) == [None] * 6
    assert Deal.objects.filter(proven=True).count() == len(CATALOGUE)
    assert not SealedDeal.objects.exists()
    assert not list(ledger.check(NOW))
