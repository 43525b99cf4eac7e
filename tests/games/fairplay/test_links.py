"""Links by device: flags a player whose browser was used by another player to begin the same deal before."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import BACKEND
from games.attempts.verification import compare, judge
from games.core.addresses import UNKNOWN, area_of
from games.core.retention import remove_aged
from games.core.verdict_reasons import reason, shown
from games.fairplay import account_links
from games.fairplay.account_links import COOKIE, KEPT, known_device, linked_among, network_digest
from games.housekeeping import KINDS
from games.models import GRACE, Attempt, Deal, Start
from leaderboards.verdicts import settlement
from tests import factories
from tests.factories import DAY, NOON, make_account, make_deal
from tests.games.fairplay.scripted import begun, leave, member, sign_up, verdict

pytestmark = pytest.mark.django_db

State = Attempt.State


@pytest.fixture(autouse=True)
def plot() -> Deal:
    return make_deal("plot")


def test_a_daily_game_stores_a_mark_and_a_digest(client: Client) -> None:
    attempt = begun(client)
    start = Start.objects.get()
    assert (start.attempt, start.deal, start.made_at) == (attempt, attempt.deal, attempt.started_at)
    assert bytes(start.network) == network_digest("192.0.2.0/24", start.made_at)
    assert b"192" not in bytes(start.network)
    cookie = client.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 400 * 24 * 3600)
    assert start.device.hex in cookie.value
    begun(client)
    assert Start.objects.count() == 1


def test_the_mark_is_a_secure_cookie_in_production(client: Client, settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = True
    begun(client)
    assert client.cookies[COOKIE]["secure"]


def test_the_mark_is_read_from_a_sockets_cookies(client: Client) -> None:
    begun(client)
    value = client.cookies[COOKIE].value
    assert known_device({COOKIE: value}) == Start.objects.get().device
    assert known_device({COOKIE: value + "x"}) is None
    assert known_device({}) is None


def test_viewing_pages_sets_no_mark(client: Client) -> None:
    client.get("/play/plot/")
    assert COOKIE not in client.cookies


def test_players_see_no_ids_or_figures(client: Client) -> None:
    begun(client)
    leave(client)
    attempt = begun(client)
    verdict(attempt)
    (reason,) = attempt.reasons
    assert set(reason) == {"code", "message"}
    assert not any(character.isdigit() for character in reason["message"])


def linked_pair(variant: str = "tarot") -> list[Attempt]:
    deal, device = make_deal(variant, DAY), uuid.uuid4()
    pair = [
        factories.finished(deal, tokens=factories.line(deal, seed=n), started_at=NOON + n * timedelta(minutes=1))
        for n in range(2)
    ]
    for attempt in pair:
        starts(device, [attempt])
    return pair


def starts(device: uuid.UUID, attempts: Sequence[Attempt], network: bytes = b"") -> None:
    for one in attempts:
        Start.objects.create(attempt=one, deal=one.deal, device=device, network=network, made_at=one.started_at)


def on_one_network(network: bytes = bytes(16)) -> list[Attempt]:
    """Two players' finished attempts at one deal, begun in turn on two devices in one network."""
    pair = linked_pair()
    for attempt in pair:
        Start.objects.filter(attempt=attempt).update(device=uuid.uuid4(), network=network)
    return pair


def reflagged(attempt: Attempt) -> list[str]:
    """Return the reasons of an attempt that its pace sends to review."""
    too_fast = replace(judge(attempt), state=State.REVIEW, reasons=[reason("pace", "Too fast.")])
    return [one["code"] for one in compare([(attempt, too_fast)])[0].reasons]


def test_a_shared_network_alone_is_no_reason() -> None:
    first, second = on_one_network()
    assert (judge(second).state, judge(second).reasons) == (State.VERIFIED, [])
    assert reflagged(second) == ["pace", "same_network"]
    assert reflagged(first) == ["pace"]


def test_a_shared_network_adds_nothing_to_an_invalid_record() -> None:
    second = on_one_network()[1]
    second.end = "won"
    assert [one["code"] for one in judge(second).reasons] == ["wrong_end"]


def test_unknown_networks_are_no_link() -> None:
    first, second = on_one_network(b"")
    assert reflagged(second) == ["pace"]
    assert not account_links.on_network_of(first)


def test_staff_see_the_other_games_at_a_deal_on_a_network() -> None:
    first, second = on_one_network()
    starts(uuid.uuid4(), [factories.finished(first.deal)], bytes([1] * 16))
    starts(uuid.uuid4(), [factories.finished(make_deal("plot", DAY))], bytes(16))
    assert list(account_links.on_network_of(second)) == [first]
    assert list(account_links.on_network_of(first)) == [second]


def test_players_do_not_see_that_a_network_is_shared() -> None:
    network = reason("same_network", "On the same network.")
    assert [one.code for one in shown([reason("pace", "Too fast."), network])] == ["pace"]


def test_an_earlier_game_cannot_be_flagged() -> None:
    first, second = linked_pair()
    assert linked_among([first, second]) == {second.pk}


def test_one_of_two_simultaneous_starts_stands() -> None:
    deal, device = make_deal("tarot", DAY), uuid.uuid4()
    pair = [factories.finished(deal) for _ in range(2)]
    starts(device, pair)
    assert linked_among(pair) == {pair[1].pk}


def test_own_earlier_starts_are_no_link() -> None:
    """For example a guest's practice that was merged into the account, on the device of the ranked game."""
    deal, device, me = make_deal("tarot", DAY), uuid.uuid4(), make_account()
    mine = [
        factories.finished(deal, who=me, ranked=ranked, started_at=NOON + hours * timedelta(hours=1))
        for ranked, hours in ((False, 0), (True, 1))
    ]
    starts(device, mine)
    assert linked_among(mine) == set()
    assert judge(mine[1]).state == State.VERIFIED
    starts(device, [factories.finished(deal, started_at=NOON - timedelta(hours=1))])
    assert linked_among(mine) == {one.pk for one in mine}


def test_practice_is_not_flagged_and_illegal_stays_rejected() -> None:
    _, second = linked_pair()
    second.ranked = False
    assert judge(second).state == State.VERIFIED
    second.ranked, second.end = True, "won"
    assert judge(second).state == State.REJECTED


def test_findings_outlive_the_deleted_traces() -> None:
    _, second = linked_pair()
    settlement.settle(second.pk)
    Start.objects.all().delete()
    second.refresh_from_db()
    assert [one["code"] for one in judge(second).reasons] == ["same_device"]


def test_the_check_is_one_query_for_many_attempts() -> None:
    pairs = [linked_pair(variant)[1] for variant in ("tarot", "plot", "braid")]
    with CaptureQueriesContext(connection) as queries:
        assert linked_among(pairs) == {one.pk for one in pairs}
        assert linked_among([]) == set()
    assert len(queries) == 1


def test_the_query_uses_indexes() -> None:
    linked_pair()
    for shared in account_links._SHARED.values():
        statement = account_links._LINKED.format(shared=shared, ids="1")
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
                assert not [row for row in cursor.fetchall() if str(row[3]).startswith("SCAN")]


@pytest.mark.parametrize(
    ("address", "area"),
    [("192.0.2.77", "192.0.2.0/24"), ("::ffff:192.0.2.77", "192.0.2.0/24"),
     ("2001:db8:1:2ff:3::4", "2001:db8:1:200::/56"), ("127.0.0.1", UNKNOWN), ("::1", UNKNOWN), ("", UNKNOWN)],
)  # fmt: skip
def test_addresses_are_truncated(address: str, area: str) -> None:
    assert area_of(RequestFactory().get("/", REMOTE_ADDR=address)) == area


def test_the_network_digest_depends_on_month_and_key(settings: Any) -> None:
    period = datetime(1970, 1, 1, tzinfo=UTC) + 600 * KEPT
    first = network_digest("192.0.2.0/24", period)
    assert len(first) == 16
    assert network_digest("192.0.2.0/24", period + KEPT - timedelta(seconds=1)) == first
    assert network_digest("192.0.2.0/24", period + KEPT) != first
    assert network_digest("192.0.3.0/24", period) != first
    settings.SECRET_KEY = "another"
    assert network_digest("192.0.2.0/24", period) != first
    assert network_digest(UNKNOWN, period) == b""


def test_traces_are_kept_for_thirty_days() -> None:
    linked_pair()
    now = timezone.now()
    young, old = Start.objects.order_by("pk")
    Start.objects.filter(pk=young.pk).update(made_at=now - KEPT + timedelta(minutes=1))
    Start.objects.filter(pk=old.pk).update(made_at=now - KEPT - timedelta(minutes=1))
    remove_aged(KINDS, now)
    assert list(Start.objects.all()) == [young]


def test_account_deletion_leaves_only_secret_traces(client: Client) -> None:
    sign_up(client)
    user = begun(client).player
    assert isinstance(user, User)
    past = factories.finished(make_deal("tarot", day=DAY - timedelta(days=3)), user)
    starts(uuid.uuid4(), [past])
    erase_player(user)
    assert [start.attempt for start in Start.objects.all()] == [None]
    closes_at = Start.objects.get().deal.closes_at
    assert closes_at is not None
    remove_aged(KINDS, closes_at + GRACE - timedelta(seconds=1))
    assert Start.objects.exists()
    remove_aged(KINDS, closes_at + GRACE)
    assert not Start.objects.exists()


def test_the_privacy_page_shows_the_real_retention_times(client: Client) -> None:
    page = client.get("/privacy/").content.decode()
    assert f"deleted after {KEPT.days} days" in page
    assert f"stays for {account_links.COOKIE_AGE.days} days" in page
    assert '<a href="/privacy/">' in client.get("/").content.decode()
    client.force_login(member(), backend=BACKEND)
    assert client.get("/privacy/").status_code == 200
