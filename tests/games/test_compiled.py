"""Queries and inserts with cached SQL do the same as Django's own on this database."""

from __future__ import annotations

import itertools
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connection, transaction
from django.db.models import BigIntegerField, Model, Q, QuerySet, UUIDField
from django.test.utils import CaptureQueriesContext

from accounts.guests import create_guest
from accounts.models import User
from games.compiled import Compiled, Given, Inserting, Insertion, insert_in_order
from games.models import Attempt, Start
from games.reserved_ids import AT_A_TIME, ReservedIds
from games.rules import CATALOGUE
from tests.games.conftest import make_deal

pytestmark = pytest.mark.django_db
variants = itertools.cycle(CATALOGUE)
NOW = datetime(2026, 5, 17, 0, 0, 1, 250_000, tzinfo=UTC)

READ = Compiled(
    lambda: Attempt.objects.select_related("deal", "answer").filter(public_id=Given("public_id", UUIDField()))
)


def fields_of(row: Model) -> dict[str, Any]:
    """Return the values of all fields, with memoryviews converted to bytes."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return {name: bytes(value) if isinstance(value, memoryview) else value for name, value in values.items()}


def attempt_of(player: User, **fields: Any) -> Attempt:
    return Attempt(player=player, deal=make_deal(next(variants)), started_at=NOW, **{"ranked": True, **fields})


def test_reads_equal_djangos() -> None:
    end: dict[str, Any] = {"state": "verified", "end": "won", "finished_at": NOW, "record": b"\0\xff", "line": b"\1"}
    made = attempt_of(create_guest(), reasons=[{"code": "ä'%s"}], auto_runs=[[1, 2]], cards_up=3, **end)
    made.save()
    found = READ.first(public_id=made.public_id)
    asked = Attempt.objects.select_related("deal", "answer").get(pk=made.pk)
    assert found is not None
    with CaptureQueriesContext(connection) as queries:
        assert fields_of(found) == fields_of(asked)
        assert fields_of(found.deal) == fields_of(asked.deal)
        assert not hasattr(found, "answer")
    assert not queries
    found.refresh_from_db()
    assert found == asked


def test_values_change_between_calls() -> None:
    guest = create_guest()
    made = [attempt_of(guest, ranked=False) for _ in range(2)]
    for one in made:
        one.save()
    assert [READ.first(public_id=one.public_id) for one in made] == made
    assert READ.first(public_id=uuid.uuid4()) is None


def test_constants_of_a_query_stay() -> None:
    guest, of_player = create_guest(), Q(player=Given("player", BigIntegerField()))
    read = Compiled(lambda: Attempt.objects.filter(of_player, ranked=True, state="playing").order_by("pk"))
    attempt_of(guest, ranked=False).save()
    ranked = attempt_of(guest)
    ranked.save()
    assert read.all(player=guest.pk) == [ranked]
    assert read.all(player=guest.pk + 1) == []


def test_values_and_deferred_rows_are_read_like_djangos() -> None:
    guest, of_player = create_guest(), Q(player=Given("player", BigIntegerField()))
    made = [attempt_of(guest, ranked=False) for _ in range(3)]
    for one in made:
        one.save()
    values = Attempt.objects.order_by("pk").values_list("public_id", "deal__day", "started_at")
    read = Compiled(lambda: values.filter(of_player)[:2])
    assert read.all(player=guest.pk) == list(values.filter(player=guest)[:2])
    assert read.first(player=guest.pk + 1) is None
    rows = Compiled(lambda: Attempt.objects.filter(of_player).defer("record").order_by("-pk"))
    found = rows.all(player=guest.pk)
    assert found == made[::-1]
    assert found[0].get_deferred_fields() == {"record"}
    assert found[0].record is None


def test_the_sql_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def query() -> QuerySet[User]:
        asked.append(1)
        return User.objects.filter(pk=Given("pk", BigIntegerField()))

    read = Compiled(query)
    guest = create_guest()
    assert [read.first(pk=guest.pk) for _ in range(3)] == [guest] * 3
    assert asked == [1]


def test_inserts_equal_djangos() -> None:
    guest = create_guest()
    fields: dict[str, Any] = {
        "reasons": [{"code": "ä'%s"}],
        "deadline": NOW + timedelta(days=1),
        "public_id": uuid.uuid4(),
    }
    saved = attempt_of(guest, **fields | {"public_id": uuid.uuid4()})
    saved.save()
    made = attempt_of(guest, **fields)
    assert Inserting(Attempt).add(made)
    own = {"id", "deal_id", "public_id"}
    for row in (made, Attempt.objects.get(pk=made.pk)):
        assert {name: value for name, value in fields_of(row).items() if name not in own} == {
            name: value for name, value in fields_of(saved).items() if name not in own
        }
    assert made.pk != saved.pk
    assert Attempt.objects.get(public_id=fields["public_id"]) == made
    made.cards_up = 3
    made.save()  # as an existing row
    assert Attempt.objects.count() == 2


def test_a_row_with_its_own_key_keeps_it() -> None:
    session = Session(session_key="a" * 32, session_data="x", expire_date=NOW)
    assert Inserting(Session).add(session)
    assert fields_of(Session.objects.get(pk="a" * 32)) == fields_of(session)


@pytest.mark.django_db(transaction=True)
def test_a_duplicate_unique_value() -> None:
    first = attempt_of(create_guest())
    assert Inserting(Attempt).add(first)
    again = Attempt(player=first.player, deal=first.deal, started_at=NOW, ranked=True)
    with transaction.atomic():
        assert not Inserting(Attempt, pass_over=True).add(again)
        assert Attempt.objects.get() == first  # the transaction can continue
    assert again.pk is None
    with pytest.raises(IntegrityError):
        Inserting(Attempt).add(again)


@pytest.mark.django_db(transaction=True)
def test_a_dangling_reference_is_refused() -> None:
    attempt = attempt_of(create_guest())
    attempt.player_id += 1
    with pytest.raises(IntegrityError), transaction.atomic():
        Inserting(Attempt, pass_over=True).add(attempt)
    assert not Attempt.objects.exists()
    assert not Start.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_rows_in_one_round_trip_are_one_commit() -> None:
    deal = make_deal(next(variants))
    player = User(pk=ReservedIds(User).take(), username="ariadne")
    attempt = Attempt(player=player, deal=deal, started_at=NOW, ranked=True)
    start = Start(attempt=attempt, deal=deal, device=uuid.uuid4(), network=b"\0'", made_at=NOW)
    rows = [
        Insertion(Inserting(User, numbered=True), player),
        Insertion(Inserting(Attempt), attempt),
        Insertion(Inserting(Start, found_by="attempt.public_id"), start),
    ]
    with pytest.raises(IntegrityError):
        insert_in_order([*rows, rows[1]])
    assert not any(model.objects.exists() for model in (User, Attempt, Start))
    assert insert_in_order(rows) == [True] * 3
    for row in (player, attempt, start):
        assert fields_of(type(row).objects.get()) == fields_of(row)


def test_a_row_with_a_dangling_reference_is_not_inserted() -> None:
    attempt = attempt_of(create_guest())
    start = Start(attempt=attempt, deal=attempt.deal, device=uuid.uuid4(), network=b"", made_at=NOW)
    assert not Inserting(Start, found_by="attempt.public_id").add(start)
    assert not Start.objects.exists()


def test_reserved_keys_are_used_once() -> None:
    ids = [ReservedIds(User), ReservedIds(User)]
    taken = []
    for turn in range(3 * AT_A_TIME):
        number = ids[turn % 2].take()
        taken += [number, User.objects.create(username=f"player {turn}").pk]
        User.objects.create(pk=number, username=f"guest {turn}")
    assert len(set(taken)) == len(taken)
