"""Redis outages: pages work without the cache."""

from __future__ import annotations

import contextvars
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.core.cache import caches as caches_by_name
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache
from django.test import Client
from redis.exceptions import RedisError

from accounts.models import User
from config.backends import caches
from config.backends.caches import TolerantRedisCache
from config.backends.circuit_breaker import CircuitBreaker
from games.core import limits
from games.models import Attempt
from tests.config.malformed import addresses
from tests.factories import make_deal

PASSWORD = "seven of wands"
AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture
def breaker(monkeypatch: pytest.MonkeyPatch) -> CircuitBreaker:
    """A closed circuit breaker; the memory that all such caches of a process share is empty."""
    TolerantRedisCache(AWAY, {})._fallback.clear()
    breaker = CircuitBreaker("Redis", failures=1, retry_after=3600, errors=caches.ERRORS)
    monkeypatch.setattr(TolerantRedisCache, "breaker", breaker)
    return breaker


@pytest.fixture
def away(settings: Any, breaker: CircuitBreaker) -> Iterator[None]:
    settings.CACHES = {"default": {"BACKEND": "config.backends.caches.TolerantRedisCache", "LOCATION": AWAY}}
    cache.clear()
    yield
    cache.clear()


@pytest.mark.django_db
def test_every_page_answers_a_player(away: None) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("Ada", password=PASSWORD))
    paths = [address for pattern, address in addresses({}).items() if "<" not in pattern]
    assert len(paths) > 40
    failed = {path: code for path in paths if (code := client.get(path).status_code) >= 500}
    assert not failed


@pytest.mark.django_db
def test_sign_in_and_sign_up_work(away: None) -> None:
    User.objects.create_user("Ada Lovelace", password=PASSWORD)
    client = Client()
    wrong = client.post("/accounts/login/", {"login": "Ada Lovelace", "password": "wrong"})
    assert "Wrong name" in wrong.content.decode()
    signed_in = client.post("/accounts/login/", {"login": "Ada Lovelace", "password": PASSWORD})
    assert (signed_in.status_code, signed_in["Location"]) == (302, "/")
    new = {"username": "Grace Hopper", "password1": PASSWORD}
    assert Client().post("/accounts/signup/", new)["Location"] == "/"
    assert Client().post("/accounts/password/reset/", {"email": "ada@example.org"}).status_code == 302


@pytest.mark.django_db(transaction=True)
def test_starting_a_game_works(away: None) -> None:
    make_deal("plot")
    client = Client()
    assert client.post("/play/plot/start")["Location"].startswith("/table/")
    assert client.post("/practice/start", {"name": "braid"})["Location"].startswith("/table/")
    assert Client().post("/practice/start", {"name": "plot"})["Location"].startswith("/table/")
    assert Attempt.objects.count() == 3
    assert client.get(f"/table/{Attempt.objects.filter(ranked=True).get().public_id}/").status_code == 200


@pytest.mark.django_db
def test_limits_hold_within_the_process(away: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "api", "2/m")
    client = Client()
    assert [client.get("/api/v1/deals").status_code for _ in range(3)] == [200, 200, 429]


def test_every_operation_is_tolerant(away: None) -> None:
    assert cache.get("a", 7) == 7
    assert cache.add("a", 1)
    assert not cache.add("a", 2)
    assert cache.incr("a") == 2
    assert cache.decr("a") == 1
    assert "a" in cache
    assert cache.touch("a", 10)
    assert cache.set_many({"b": 1, "c": 2}) == []
    assert cache.get_many(["a", "b", "d"]) == {"a": 1, "b": 1}
    assert cache.get_or_set("d", 4) == 4
    cache.delete_many(["b", "c"])
    assert cache.delete("a")
    assert cache.get("b") is None
    cache.set("a", 1)
    cache.clear()
    assert not cache.has_key("a")


def test_no_operation_is_missing() -> None:
    """Every operation of Django's Redis cache is wrapped."""
    own = {name for name in vars(RedisCache) if not name.startswith("_") and hasattr(BaseCache, name)}
    assert own - {"get_backend_timeout"} == set(caches._METHODS)


class Line:
    """A connection to Redis that counts callers, and fails while it is down."""

    def __init__(self) -> None:
        self.asked = 0
        self.down = True

    def get(self, key: str, default: Any) -> Any:
        self.asked += 1
        if self.down:
            raise RedisError("gone")
        return "from Redis"


@pytest.fixture
def line(breaker: CircuitBreaker) -> tuple[Line, TolerantRedisCache]:
    line, made = Line(), TolerantRedisCache(AWAY, {})
    made.__dict__["_cache"] = line
    return line, made


def test_redis_is_asked_again_after_a_pause(line: tuple[Line, TolerantRedisCache], breaker: CircuitBreaker) -> None:
    way, made = line
    assert [made.get("a") for _ in range(3)] == [None] * 3
    assert way.asked == 1
    breaker._breaker.reset_timeout = 0  # the pause ends
    assert made.get("a") is None
    assert way.asked == 2
    way.down = False
    assert [made.get("a") for _ in range(3)] == ["from Redis"] * 3


def test_a_redis_that_says_nothing_is_given_up_soon(breaker: CircuitBreaker, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float | None] = []
    real = socket.socket.settimeout

    def settimeout(of: socket.socket, value: float | None) -> None:
        waited.append(value)
        real(of, value)

    monkeypatch.setattr(socket.socket, "settimeout", settimeout)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        made = TolerantRedisCache(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", {})
        made.set("a", 1)
    assert made.get("a") == 1
    assert made._cache.get_client().connection_pool.connection_kwargs["socket_timeout"] == caches.TIMEOUT
    assert set(waited) <= {caches.TIMEOUT, None, 0}


def test_with_redis_it_is_the_cache(redis_url: str, breaker: CircuitBreaker) -> None:
    made, other = TolerantRedisCache(redis_url, {}), TolerantRedisCache(redis_url, {})
    made.set("shared", [1])
    assert other.get("shared") == [1]
    assert other._fallback.get("shared") is None
    assert made.add("counted", 1)
    assert other.incr("counted") == 2


def test_requests_of_a_process_share_connections(redis_url: str, settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "config.backends.caches.TolerantRedisCache", "LOCATION": redis_url}}

    def connection() -> int:
        client: Any = caches_by_name["default"]
        number: int = client._cache.get_client().client_id()
        return number

    assert len({contextvars.Context().run(connection) for _ in range(20)}) == 1, "each in its own context"
