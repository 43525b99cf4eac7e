"""The hand-written reads return what the ORM's queries return, on this database."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection, router, transaction
from django.db.models import F, Model, Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.connection import ConnectionDoesNotExist

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.db import hot_queries
from games.db.replicas.router import Router, reading_from
from games.models import Attempt, Move
from tests.factories import make_deal

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 17, 0, 0, 1, 250_000, tzinfo=UTC)
FINISHED: dict[str, Any] = {
    "state": "verified",
    "end": "won",
    "finished_at": NOW,
    "record": b"\0\xff",
    "decisions_digest": b"\1",
}


def fields_of(row: Model | None) -> dict[str, Any]:
    """Every field's value, with bytes for the views that a database returns."""
    assert row is not None
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return {name: bytes(value) if isinstance(value, memoryview) else value for name, value in values.items()}


def assert_same(found: Model | None, expected: Model | None) -> None:
    """Both rows have the same values, types included, and no field is deferred."""
    assert found is not None
    with CaptureQueriesContext(connection) as queries:
        assert fields_of(found) == fields_of(expected)
        assert [type(one) for one in vars(found).values()] == [type(one) for one in vars(expected).values()]
    assert not queries
    found.save(force_update=True)  # as a row that was read


def attempt_of(player: User, **fields: Any) -> Attempt:
    return Attempt.objects.create(player=player, deal=make_deal(), started_at=NOW, **{"ranked": True, **fields})


def read_attempt(public_id: uuid.UUID) -> Attempt | None:
    return Attempt.objects.select_related("deal").filter(public_id=public_id).first()


def test_session_is_read_as_by_the_orm() -> None:
    now = timezone.now()
    for number, lasts in enumerate([timedelta(days=1), timedelta(0), timedelta(days=-1)]):
        Session.objects.create(session_key=str(number), session_data="ä'%s", expire_date=now + lasts)
    assert_same(hot_queries.session("0", now), Session.objects.filter(session_key="0", expire_date__gt=now).first())
    assert [hot_queries.session(key, now) for key in ("1", "2", "3", "", None)] == [None] * 5


def test_player_is_read_as_by_the_orm() -> None:
    guest, account = create_guest(), User.objects.create_user("Ada", preferences={"a": ["ä'%s"]}, banned_at=NOW)
    for one in (guest, account):
        assert_same(hot_queries.player(one.pk), User.objects.filter(pk=one.pk).first())
    assert hot_queries.player(account.pk + 1) is None


def test_attempt_and_deal_are_read_as_by_the_orm() -> None:
    guest = create_guest()
    values = {"reasons": [{"code": "ä'%s"}], "auto_runs": [[1, 2]], "cards_up": 3, "elapsed_ms": 2**40}
    made = [attempt_of(guest, **FINISHED, **values)]
    made.append(Attempt.objects.create(player=guest, deal=made[0].deal, started_at=NOW, ranked=False))
    for one in made:
        found, expected = hot_queries.attempt_with_deal(one.public_id), read_attempt(one.public_id)
        assert found is not None
        assert expected is not None
        assert_same(found.deal, expected.deal)
        assert_same(found, expected)
    assert hot_queries.attempt_with_deal(uuid.uuid4()) is None


@pytest.mark.parametrize("tokens", [(), ("a1", "b2", "")])
def test_journal_is_read_as_by_the_orm(tokens: tuple[str, ...]) -> None:
    guest = create_guest()
    attempt = attempt_of(guest)
    other = Attempt.objects.create(player=guest, deal=attempt.deal, started_at=NOW, ranked=False)
    Move.objects.create(attempt=other, n=1, token="zz", ms=5)
    for n, token in reversed(list(enumerate(tokens, 1))):
        Move.objects.create(attempt=attempt, n=n, token=token, ms=n * 100)
    query = Attempt.objects.filter(public_id=attempt.public_id).order_by("moves__n")
    found = hot_queries.played(attempt.public_id)
    assert found == list(query.values_list("state", "moves__token", "moves__ms"))
    assert len(found) == max(1, len(tokens))
    assert hot_queries.played(uuid.uuid4()) == []


def test_begun_attempts_are_read_as_by_the_orm() -> None:
    guest, deal, other = create_guest(), make_deal("braid"), make_deal("plot")
    assert deal.closes_at is not None
    assert deal.day is not None
    times = [deal.closes_at + timedelta(hours=hours) for hours in (-3, -2, -1, 0, 1)]
    whose: dict[str, Any] = {"player": guest, "deal": deal, "reasons": [{"code": "ä'%s"}]}
    for at in times:
        Attempt.objects.create(**whose, started_at=at, ranked=False)
    Attempt.objects.create(**whose, started_at=times[-1], ranked=True)
    Attempt.objects.create(player=guest, deal=other, started_at=NOW, ranked=True)
    Attempt.objects.create(player=create_guest(), deal=deal, started_at=NOW, ranked=True)
    query = (
        Attempt.objects.filter(Q(ranked=True) | Q(started_at__lt=F("deal__closes_at")), player=guest)
        .defer("record")
        .order_by("ranked", "-started_at")
    )
    for found, expected in (
        (hot_queries.attempts_on(guest.pk, deal.day), query.filter(deal__day=deal.day)),
        (hot_queries.attempts_at(guest.pk, deal.pk), query.filter(deal=deal.pk)),
    ):
        assert len(found) >= 4
        assert found == list(expected)
        for one, same in zip(found, expected, strict=True):
            assert one.get_deferred_fields() == same.get_deferred_fields() == {"record"}
            assert {name: value for name, value in vars(one).items() if name != "_state"} == {
                name: value for name, value in vars(same).items() if name != "_state"
            }
    assert hot_queries.attempts_at(guest.pk + 100, deal.pk) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "read",
    [
        lambda: hot_queries.session("a", NOW),
        lambda: hot_queries.player(1),
        lambda: hot_queries.attempt_with_deal(uuid.uuid4()),
        lambda: hot_queries.played(uuid.uuid4()),
        lambda: hot_queries.attempts_on(1, NOW.date()),
        lambda: hot_queries.attempts_at(1, 1),
    ],
)
def test_reads_go_to_the_chosen_replica(read: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(router, "routers", [Router()])
    with reading_from("nowhere"):
        with pytest.raises(ConnectionDoesNotExist):
            read()
        with transaction.atomic():
            assert not read()  # a transaction reads the primary
