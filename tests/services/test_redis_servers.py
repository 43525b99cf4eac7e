"""Several Redis servers: groups are spread over the channel layer's servers, and only one beat leads."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from celery import Celery
from channels.layers import ChannelLayerManager
from channels_redis.pubsub import RedisPubSubChannelLayer
from django.test import override_settings
from redis import Redis as Client
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from config.backends.beat import LEASE, NAME, Lead, LeadingScheduler
from deploy.servers import Redis
from games.core.events import attempt_group

pytestmark = [pytest.mark.needs("redis"), pytest.mark.services]
TRIES = 60
BETWEEN = 0.5  # seconds


@pytest.fixture
def pair() -> Iterator[tuple[Redis, Redis]]:
    servers = Redis(), Redis()
    for server in servers:
        server.start()
    try:
        yield servers
    finally:
        for server in servers:
            server.remove()


def layer_of(*servers: Redis) -> RedisPubSubChannelLayer:
    """Return a process's channel layer, as the settings configure it."""
    hosts = [{"address": server.url, "retry": Retry(NoBackoff(), retries=1)} for server in servers]
    config = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": hosts, "prefix": "talon"}}
    with override_settings(CHANNEL_LAYERS={"default": config}):
        layer: RedisPubSubChannelLayer = ChannelLayerManager()["default"]
    return layer


class Listener:
    """Another process that listens on one channel all the time; a cancelled receiver would lose its channel."""

    def __init__(self, layer: RedisPubSubChannelLayer, channel: str) -> None:
        self.layer, self.channel = layer, channel
        self.arrived: asyncio.Queue[str] = asyncio.Queue()

    async def listen(self) -> None:
        while True:
            self.arrived.put_nowait((await self.layer.receive(self.channel))["type"])


async def heard(sender: RedisPubSubChannelLayer, listener: Listener, group: str) -> bool:
    """Return whether messages to a group arrive in another process, as when a table is opened and moves are made."""
    try:
        await listener.layer.group_add(group, listener.channel)
        # After an outage the listener takes a moment to rejoin its groups.
        for _ in range(TRIES):
            await sender.group_send(group, {"type": group})
            with suppress(TimeoutError):
                while await asyncio.wait_for(listener.arrived.get(), BETWEEN) != group:
                    pass
                return True
    except RedisError:
        pass
    return False


async def test_a_layer_survives_the_loss_of_one_server(pair: tuple[Redis, Redis]) -> None:
    first, second = pair
    sender, layer = layer_of(first, second), layer_of(first, second)
    listener = Listener(layer, await layer.new_channel())
    listening = asyncio.create_task(listener.listen())
    groups = [attempt_group(uuid.uuid4()) for _ in range(24)]
    assert all([await heard(sender, listener, group) for group in groups])
    assert 0 < sum(on(first, group) for group in groups) < len(groups), "both servers carry some"
    second.stop()
    groups = [attempt_group(uuid.uuid4()) for _ in range(24)]
    carried = [group for group in groups if await heard(sender, listener, group)]
    assert 0 < len(carried) < len(groups)
    assert all(on(first, group) for group in carried)
    second.start()
    assert all([await heard(sender, listener, group) for group in groups])
    listening.cancel()
    await asyncio.wait([listening])
    await sender.flush()
    await layer.flush()


def on(server: Redis, group: str) -> bool:
    with Client.from_url(server.url) as client:
        return bool(client.pubsub_channels(f"talon__group__{group}"))


def test_one_beat_leads_until_it_stops_or_loses_its_lease(pair: tuple[Redis, Redis]) -> None:
    server = pair[0]
    one, other = Lead(server.url), Lead(server.url)
    assert one.hold()
    assert not other.hold()
    assert one.hold(), "renewed"
    one.release()
    assert other.hold(), "at once"
    with Client.from_url(server.url) as client:
        assert 0 < client.ttl(NAME) <= LEASE, "a killed leader loses the lease within this time"
        client.flushall()
    assert one.hold()
    assert not other.hold(), "a lost lease is acquired again, not renewed"


def test_no_beat_leads_while_the_broker_is_away(pair: tuple[Redis, Redis]) -> None:
    server = pair[0]
    lead = Lead(server.url)
    assert lead.hold()
    server.stop()
    assert not lead.hold()
    server.start()
    assert lead.hold()


def test_a_full_broker_keeps_tasks_due_and_lost_verdicts_are_requested_again(
    pair: tuple[Redis, Redis], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Celery("of-a-test", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {"keep": {"task": "keep", "schedule": 0.0}}
    with override_settings(CELERY_BROKER_URL=pair[0].url):
        beat = LeadingScheduler(app=app, schedule_filename=str(tmp_path / "schedule"))
    sent: list[object] = []

    def request(*task: object) -> bool:
        sent.append(task)
        return True

    monkeypatch.setattr(beat, "apply_async", lambda *_, **__: sent.append("keep"))
    monkeypatch.setattr("config.backends.beat.request_task", request)
    with Client.from_url(pair[0].url) as client:
        assert beat._lead.hold()
        client.config_set("maxmemory", 1)
        assert beat.tick() > 0
        assert sent == []
        client.config_set("maxmemory", 0)
    beat.tick()
    assert sent == [("talon.sweep", True), "keep"]
    beat.close()


def test_a_beat_survives_one_missed_renewal(pair: tuple[Redis, Redis], monkeypatch: pytest.MonkeyPatch) -> None:
    lead, other = Lead(pair[0].url), Lead(pair[0].url)
    assert lead.hold()

    def silent() -> bool:
        raise RedisError

    with monkeypatch.context() as patch:
        patch.setattr(lead._lock, "reacquire", silent)
        assert not lead.hold()
    assert not other.hold(), "the first one still has the lease"
    assert lead.hold(), "without waiting"
    lead.release()
    other.release()


def test_only_one_of_two_beats_sends(
    pair: tuple[Redis, Redis], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Celery("of-a-test", broker="memory://", set_as_current=False)
    app.conf.beat_schedule = {"keep": {"task": "keep", "schedule": 0.0}}
    sent: list[str] = []
    with override_settings(CELERY_BROKER_URL=pair[0].url):
        beats = [LeadingScheduler(app=app, schedule_filename=str(tmp_path / name)) for name in ("one", "other")]
    for beat, name in zip(beats, ("one", "other"), strict=True):
        monkeypatch.setattr(beat, "apply_async", lambda *_, name=name, **__: sent.append(name))
    for _ in range(3):
        for beat in beats:
            beat.tick()
    assert set(sent) == {"one"}
    beats[0].close()
    beats[1].tick()
    assert sent[-1] == "other"
    beats[1].close()
