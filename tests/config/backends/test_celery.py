"""Celery workers: queues, and database connections kept between tasks and repaired."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from celery.exceptions import QueueNotFound
from celery.fixups.django import DjangoWorkerFixup
from django.db import connection, connections

from config import celery
from deploy.procfile import commands


def begin_task(*, eager: bool = False) -> None:
    celery.check_connections(task=SimpleNamespace(request=SimpleNamespace(is_eager=eager)))


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(celery, "_used_at", time.monotonic())
    yield
    connection.errors_occurred = False


@pytest.fixture
def mended(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Record each time Django checks the connections."""
    done: list[bool] = []
    monkeypatch.setattr(celery, "close_old_connections", lambda: done.append(True))
    return done


def test_celery_itself_does_not_close_connections_between_tasks() -> None:
    assert DjangoWorkerFixup(celery.app).db_reuse_max > celery.app.conf.worker_max_tasks_per_child


def test_a_child_process_has_one_connection_without_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: dict[str, Any] = {"OPTIONS": {"pool": {"max_size": 9}, "connect_timeout": 3}, "CONN_MAX_AGE": 0}
    monkeypatch.setitem(connections.settings, "default", chosen)
    celery.use_single_connection()
    assert chosen == {"OPTIONS": {"connect_timeout": 3}, "CONN_MAX_AGE": None}


@pytest.mark.django_db
def test_connections_are_checked_only_after_a_pause(mended: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(celery, "_used_at", time.monotonic() - 60)
    begin_task()
    begin_task()
    assert mended == [True]


@pytest.mark.django_db
@pytest.mark.usefixtures("steady")
def test_a_failed_connection_is_repaired_at_the_next_task(mended: list[bool]) -> None:
    begin_task()
    assert mended == []
    connection.ensure_connection()
    connection.errors_occurred = True
    begin_task()
    assert mended == [True]


@pytest.mark.usefixtures("mended")
def test_an_eager_task_keeps_its_callers_connections(mended: list[bool]) -> None:
    begin_task(eager=True)
    assert mended == []


def tasks() -> list[str]:
    celery.app.loader.import_default_modules()
    return sorted(name for name in celery.app.tasks if name.startswith("talon."))


def queue_of(task: str) -> str:
    return str(celery.app.amqp.router.route({}, task)["queue"].name)


def consumed(process: str) -> set[str]:
    """Return the queues of a worker process in production."""
    command = commands()[process]
    return set(command[command.index("--queues") + 1].split(","))


def test_every_queue_has_a_worker() -> None:
    queues = {queue_of(task) for task in tasks()} | set(celery.app.amqp.queues)
    each = [consumed(process) for process in ("worker", "keeper", "analyst")]
    assert queues == set.union(*each)
    assert sum(len(taken) for taken in each) == len(queues), "every queue has one kind of worker"


def test_no_other_queue_delays_verdicts() -> None:
    assert [task for task in tasks() if queue_of(task) in consumed("worker")] == ["talon.verify"]
    assert len(tasks()) > 6


def test_analyses_and_puzzles_delay_nothing_else() -> None:
    analyst = [task for task in tasks() if queue_of(task) in consumed("analyst")]
    assert analyst == ["talon.analyse", "talon.build_explorers", "talon.fill_puzzles"]
    assert queue_of("talon.analyse") != queue_of("talon.fill_puzzles")


@pytest.mark.parametrize("task", ["talon.verify", "talon.sweep", "talon.fill_sealed"])
def test_a_task_goes_to_one_queue(task: str) -> None:
    with celery.app.connection_for_write("memory://") as broker:
        queues = {name: queue(broker.channel()) for name, queue in celery.app.amqp.queues.items()}
        for queue in queues.values():
            queue.declare()
            queue.purge()
        with celery.app.amqp.Producer(broker.channel()) as producer:
            celery.app.send_task(task, [0], producer=producer)
        taken = [name for name, queue in queues.items() for _ in range(3) if queue.get(no_ack=True)]
    assert taken == [queue_of(task)]


def test_routes_name_existing_tasks() -> None:
    assert set(celery.app.conf.task_routes) <= set(tasks())


def test_an_unknown_queue_is_refused() -> None:
    with pytest.raises(QueueNotFound):
        celery.app.send_task("talon.verify", [0], queue="lost")


def test_a_worker_without_queues_takes_from_all() -> None:
    """The one-process server has such a worker."""
    controller = celery.app.WorkController(pool="solo", concurrency=1)
    controller.setup_queues(None)
    assert set(celery.app.amqp.queues.consume_from) == {queue_of(task) for task in tasks()}
