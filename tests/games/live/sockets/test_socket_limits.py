"""Limits on sockets: silent ones, too many of them, ended sessions, and other origins."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from config.http.websocket_origin import OriginCheck
from games.attempts.lifecycle import start_attempt
from games.core import addresses
from games.live import protocol, table_registry
from games.live.sockets import base_consumer, eviction, message_limit
from games.live.sockets.eviction import GROUP, OpenSockets, evict_player, evict_session, open_sockets, session_name
from games.live.sockets.ownership import MAX_PER_PLAYER, Ownership, Place
from tests.factories import make_deal
from tests.games.conftest import Seated, Sit
from tests.games.live.sockets.test_socket import ask, cookie_of, leave, opened, socket
from tests.games.seats import PATIENCE, Closed

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "seven of wands"


@pytest.fixture(autouse=True)
def _nobody_listens_yet() -> None:
    layer: Any = get_channel_layer()
    layer.groups.pop(GROUP, None)


async def test_a_connection_without_hello_is_closed(attempt_at: Any, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_consumer, "HELLO_WITHIN", 0.2)
    seat = sit(await sync_to_async(attempt_at)())
    await seat.connect()
    assert (await seat.ask({"type": "ping", "t": 1}))["type"] == "pong"
    assert (await seat.move("d"))["code"] == "bad_frame"
    with pytest.raises(Closed, match=str(protocol.CLOSE_NO_HELLO)):
        await seat.hear()


async def test_after_hello_silence_is_allowed(seated: Seated) -> None:
    await seated()
    (consumer,) = open_sockets()._sockets
    assert consumer._clock is None  # type: ignore[attr-defined]


class Connections:
    """Application that holds connections open until released."""

    def __init__(self) -> None:
        self.inside = 0
        self.let_go = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.inside += 1
        await self.let_go.wait()


def connection(gate: Any, user: Any = None, **scope: Any) -> tuple[asyncio.Task[None], list[dict[str, Any]]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    full = {"type": "websocket", "path": "/ws/board/1/", "query_string": b"", "user": user or AnonymousUser(), **scope}
    return asyncio.ensure_future(gate(full, receive, send)), sent


CROWDED = [{"type": "websocket.accept"}, {"type": "websocket.close", "code": protocol.CLOSE_CROWDED}]
REPLACED = {"type": "websocket.close", "code": protocol.CLOSE_REPLACED}


async def test_visitors_per_address_are_limited() -> None:
    house = Connections()
    gate = Ownership(house, 2)
    here = [connection(gate, client=("2001:db8::1", n)) for n in range(3)]
    there = connection(gate, client=("2001:db8:0:1::1", 9))
    for _ in range(3):
        await asyncio.sleep(0)
    assert [sent for _, sent in here] == [[], [], CROWDED]
    assert (house.inside, there[1]) == (3, [])
    house.let_go.set()
    await asyncio.gather(*(task for task, _ in [*here, there]))
    assert not gate._visitors
    again, sent = connection(gate, client=("2001:db8::1", 4))
    await again
    assert sent == []


async def test_large_ipv6_network_has_ten_times_the_limit() -> None:
    house = Connections()
    gate = Ownership(house, 1)
    households = [f"2001:db8:0:{n:x}00::1" for n in range(addresses.WIDE + 1)]
    lines = [connection(gate, client=(address, 9)) for address in [*households, "2001:db8:1::1"]]
    await asyncio.sleep(0)
    house.let_go.set()
    await asyncio.gather(*(task for task, _ in lines))
    assert [sent for _, sent in lines] == [*[[]] * addresses.WIDE, CROWDED, []]
    assert not gate._visitors


async def test_a_connection_that_fails_is_counted_no_more() -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("broken")

    gate = Ownership(broken, 1)
    for user in (None, None, User(pk=7), User(pk=7)):
        with pytest.raises(RuntimeError, match="broken"):
            await connection(gate, user, client=("192.0.2.1", 1))[0]
    assert not gate._visitors
    assert not gate._players


async def test_this_machine_may_be_a_proxy_and_is_not_counted() -> None:
    house = Connections()
    gate = Ownership(house, 1)
    clients = [("127.0.0.1", 5), ("::1", 5), ("::ffff:127.0.0.1", 5), None]
    lines = [connection(gate, client=client) for client in clients * 2]
    await asyncio.sleep(0)
    assert house.inside == 8
    house.let_go.set()
    await asyncio.gather(*(task for task, _ in lines))


async def test_players_of_one_address_are_not_counted_by_it() -> None:
    house = Connections()
    gate = Ownership(house, 1)
    lines = [connection(gate, User(pk=n), client=("192.0.2.1", n)) for n in range(1, 42)]
    visitor = connection(gate, client=("192.0.2.1", 99))
    await asyncio.sleep(0)
    assert house.inside == 42
    house.let_go.set()
    await asyncio.gather(*(task for task, _ in [*lines, visitor]))
    assert not gate._players


async def test_a_players_oldest_connection_gives_way_beyond_the_limit() -> None:
    house = Connections()
    gate = Ownership(house)
    lines = [connection(gate, User(pk=7), path=f"/ws/board/{n}/") for n in range(MAX_PER_PLAYER)]
    other = connection(gate, User(pk=8))
    await asyncio.sleep(0)
    lines.append(connection(gate, User(pk=7), path="/ws/board/1/"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert [n for n, (_, sent) in enumerate(lines) if sent == [REPLACED]] == [1], "the one that shows the same"
    lines.append(connection(gate, User(pk=7), path="/ws/board/99/"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert [n for n, (_, sent) in enumerate(lines) if sent == [REPLACED]] == [0, 1]
    assert len(gate._players[7]) == MAX_PER_PLAYER
    house.let_go.set()
    await asyncio.gather(*(task for task, _ in [*lines, other]))
    assert not gate._players
    assert other[1] == []


async def test_a_replaced_connection_sends_nothing_more() -> None:
    """The server's closing message may wait for a network that is gone; the place does not."""
    sent: list[str] = []
    network = asyncio.Event()

    async def send(message: dict[str, Any]) -> None:
        await network.wait()
        sent.append(message["type"])

    places: list[Place] = []
    scope = {"path": "/", "query_string": b""}
    dead, newer = (Place(places, scope, send) for _ in range(2))
    newer.replace_older()
    assert places == [newer]
    await dead.send({"type": "websocket.send", "text": "late"})
    dead.replace_older()
    dead.leave()
    assert places == [newer]
    network.set()
    assert dead._closer is not None
    await dead._closer
    assert sent == ["websocket.close"]


async def test_the_newest_connection_to_a_table_replaces_the_older(attempt_at: Any) -> None:
    attempt = await sync_to_async(attempt_at)()
    cookie = await sync_to_async(cookie_of)(attempt.player)
    old, new = (socket(attempt.public_id, cookie=cookie) for _ in range(2))
    await opened(old)
    await ask(old, {"type": "hello", "v": 1})
    assert (await ask(old, {"type": "move", "n": 1, "token": "d"}))["type"] == "moved"
    await opened(new)
    assert (await ask(old, {"type": "ping", "t": 1}))["type"] == "pong"  # until the new one has joined
    assert (await ask(new, {"type": "hello", "v": 1}))["n"] == 1
    assert await old.receive_output(PATIENCE) == REPLACED
    table_before = table_registry.shared_tables()._tables[attempt.public_id]
    await old.send_input({"type": "websocket.disconnect", "code": 1005})
    await old.wait(PATIENCE)
    assert table_registry.shared_tables()._tables[attempt.public_id] is table_before
    assert (await ask(new, {"type": "move", "n": 2, "token": "d"}))["type"] == "moved"
    await leave(new)


async def test_reconnecting_does_not_renew_the_allowance() -> None:
    player = -17
    mine = message_limit.allowance_of(player, rate=1e5)
    assert message_limit.allowance_of(player + 1) is not mine
    assert message_limit.allowance_of(None) is not message_limit.allowance_of(None)
    message_limit.retain_until_full(mine)
    identity = id(mine)
    del mine
    gc.collect()
    assert id(message_limit.allowance_of(player)) == identity
    while (player, "messages") in message_limit._shared:
        await asyncio.sleep(0.001)
        gc.collect()


def cookie(client: Client) -> str:
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def sign_out(player: User, here: Client, _other: Client) -> None:
    here.post(reverse("account_logout"))


def end_the_others(player: User, _here: Client, other: Client) -> None:
    assert other.post(reverse("account_reauthenticate"), {"password": PASSWORD}).status_code == 302
    assert other.post(reverse("usersessions_list")).status_code == 302


def change_password(player: User, _here: Client, other: Client) -> None:
    other.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    new = "eight of wands"
    changed = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert other.post(reverse("account_change_password"), changed).status_code == 302


def ban(player: User, _here: Client, _other: Client) -> None:
    ban_player(player)


def erase(player: User, _here: Client, _other: Client) -> None:
    erase_player(player)


def seated() -> tuple[User, Any, Client, Client]:
    """Return a player with an attempt, the browser at its table, and the player's second browser."""
    player = User.objects.create_user("Ada Lovelace", password=PASSWORD)
    attempt = start_attempt(player, make_deal("plot"))
    here, other = Client(), Client()
    for client in (here, other):
        client.post(reverse("account_login"), {"login": "Ada Lovelace", "password": PASSWORD})
        client.get("/rules/")  # the first page registers the session in the player's list
    return player, attempt, here, other


async def listening() -> None:
    """Wait until this process is subscribed to evictions."""
    layer: Any = get_channel_layer()
    async with asyncio.timeout(PATIENCE):
        while GROUP not in layer.groups:  # noqa: ASYNC110 - the layer tells nobody who joins
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("end", [sign_out, end_the_others, change_password, ban, erase])
async def test_a_sessions_end_closes_its_sockets_at_once(end: Callable[[User, Client, Client], None]) -> None:
    player, attempt, here, other = await sync_to_async(seated)()
    line = socket(attempt.public_id, cookie=await sync_to_async(cookie)(here))
    await opened(line)
    assert (await ask(line, {"type": "hello", "v": 1}))["type"] == "view"
    await listening()
    await sync_to_async(end)(player, here, other)
    assert await line.receive_output(PATIENCE) == {"type": "websocket.close", "code": protocol.CLOSE_SESSION}
    await leave(line)
    again = socket(attempt.public_id, cookie=await sync_to_async(cookie)(here) if here.cookies else "")
    await opened(again)
    assert (await ask(again, {"type": "hello", "v": 1}))["code"] == "session_expired"
    await leave(again)


async def test_signing_out_spares_other_sessions_and_players(rival: User) -> None:
    _player, attempt, here, other = await sync_to_async(seated)()
    cookies = [await sync_to_async(cookie)(client) for client in (here, other)]
    lines = [socket(attempt.public_id, cookie=one, query=f"page={n}") for n, one in enumerate(cookies)]
    for line in lines:
        await opened(line)
        await ask(line, {"type": "hello", "v": 1})
    await listening()
    await sync_to_async(here.post)(reverse("account_logout"))
    assert (await lines[0].receive_output(PATIENCE))["code"] == protocol.CLOSE_SESSION
    assert (await ask(lines[1], {"type": "ping", "t": 1}))["type"] == "pong"
    for line in lines:
        await leave(line)


class Other:
    """A socket of another process."""

    def __init__(self, player_id: int, session: str = "") -> None:
        self.player_id, self.session = player_id, session
        self.evicted = asyncio.Event()

    def close_for_restart(self) -> None: ...

    def evict(self) -> None:
        self.evicted.set()


async def test_evictions_reach_other_processes_through_redis(redis_url: str, settings: Any) -> None:
    backend = "channels_redis.pubsub.RedisPubSubChannelLayer"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": backend, "CONFIG": {"hosts": [redis_url]}}}
    sockets, mine, another = OpenSockets(), Other(7), Other(8, session_name("key"))
    for socket_ in (mine, another):
        sockets.add(socket_)
    async with asyncio.timeout(PATIENCE):
        while not mine.evicted.is_set():  # until the subscription is active
            await sync_to_async(evict_player)(7)
            await asyncio.sleep(0.05)
        assert not another.evicted.is_set()
        await sync_to_async(evict_session)("key")
        await another.evicted.wait()
    await unsubscribed(sockets)
    layer = get_channel_layer()
    assert layer is not None
    await layer.flush()


async def unsubscribed(sockets: OpenSockets) -> None:
    assert sockets._subscription is not None
    sockets._subscription.cancel()
    await asyncio.wait([sockets._subscription])
    await sockets._notices.close()


async def test_a_failed_subscription_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    class Layer:
        async def new_channel(self, _prefix: str) -> str:
            tries.append(1)
            raise OSError("Redis is away")

    monkeypatch.setattr("games.live.broadcasts.get_channel_layer", Layer)
    monkeypatch.setattr(eviction, "JOINED_FOR", 0.0)
    sockets, mine = OpenSockets(), Other(7)
    sockets.add(mine)
    async with asyncio.timeout(PATIENCE):
        while len(tries) < 3:  # noqa: ASYNC110 - the stub tells nobody
            await asyncio.sleep(0)
    await unsubscribed(sockets)


async def test_only_pages_of_the_same_origin_connect(settings: Any) -> None:
    for public, host, origin, own in (
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "http://127.0.0.1:8000", True),
        ("http://127.0.0.1:8000", "127.0.0.1:8001", "http://127.0.0.1:8001", True),  # with `PORT=8001 make run`
        ("http://127.0.0.1:8000", "localhost:8001", "http://localhost:8001", True),
        ("http://127.0.0.1:8000", "[::1]:8000", "http://[::1]:8000", True),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "http://127.0.0.1:8001", False),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "http://127.0.0.1", False),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "https://127.0.0.1:8000", False),
        ("http://127.0.0.1:8000", "127.0.0.1:8001", "http://localhost:8001", False),
        ("https://talon.example", "talon.example", "https://talon.example", True),
        ("https://talon.example", "TALON.example", "https://Talon.Example", True),
        ("https://talon.example", "10.0.0.7:8000", "https://talon.example", True),  # a proxy that does not pass on Host
        ("https://talon.example", "talon.example", "http://talon.example", False),
        ("https://talon.example", "talon.example", "https://talon.example:8443", False),
        ("https://talon.example", "evil.example", "https://evil.example", False),
        ("https://talon.example", "talon.example", "null", False),
        ("https://talon.example", "talon.example", "", False),
        ("https://talon.example", "talon.example", "https://[", False),
        ("https://talon.example", "talon.example", "https://talon.example:99999", False),
    ):
        settings.CSRF_TRUSTED_ORIGINS = [public]
        settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"] if "127" in public else ["talon.example"]
        house = Connections()
        house.let_go.set()
        headers = [(b"host", host.encode()), (b"origin", origin.encode())]
        task, sent = connection(OriginCheck(house), headers=headers)
        await task
        assert (house.inside == 1) is own, (public, host, origin)
        assert sent == ([] if own else [{"type": "websocket.close"}])


async def test_two_origins_or_none_are_refused() -> None:
    house = Connections()
    for origins in ([], [b"http://127.0.0.1:8000"] * 2):
        headers = [(b"host", b"127.0.0.1:8000"), *((b"origin", origin) for origin in origins)]
        task, sent = connection(OriginCheck(house), headers=headers)
        await task
        assert sent == [{"type": "websocket.close"}]
    assert house.inside == 0
