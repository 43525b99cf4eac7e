"""Checks of Redis and of the mail server."""

from __future__ import annotations

from collections.abc import Iterator
from smtplib import SMTPException
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import get_connection

from config.doctor.finding import Finding
from config.observability.outages import redis_state

#: Share of Redis's memory in use that is a fault.
FULL: Final = 0.95
SMTP: Final = "django.core.mail.backends.smtp.EmailBackend"


def redis_servers() -> Iterator[Finding]:
    """Yield the Redis servers that do not answer, refuse keys, are full, or may evict queued tasks."""
    for url in settings.REDIS_SERVERS:
        name = f"Redis at {urlsplit(url).netloc.rpartition('@')[2]}"
        if (state := redis_state(url)) == "unreachable":
            cause = f"{name} does not answer, or refuses the password in REDIS_URL."
            yield Finding("redis", cause, "docker compose up -d redis")
            continue
        info = _info(url)
        used, most, policy = info["used_memory"], info["maxmemory"], info["maxmemory_policy"]
        if info["role"] != "master":
            yield Finding(
                "redis_read_only", f"{name} is a read-only replica.", f"redis-cli -u {name[9:]} replicaof no one"
            )
        elif most and used > FULL * most:
            cause = f"{name} is full: it uses {used / 2**20:.0f} of {most / 2**20:.0f} MB."
            yield Finding("redis_full", cause, f"redis-cli config set maxmemory {2 * most}")
        elif state != "ok":
            yield Finding("redis_read_only", f"{name} refuses writes.", "see its log: a full disk, or missing rights")
        if policy.startswith("allkeys"):
            cause = f"{name} may evict queued tasks: its maxmemory-policy is {policy}."
            yield Finding("redis_evicts", cause, "redis-cli config set maxmemory-policy volatile-lru")


def mail() -> Iterator[Finding]:
    """Yield why the mail server refuses this site."""
    if settings.EMAIL_BACKEND != SMTP:
        return
    try:
        get_connection(timeout=3).open()
    except (SMTPException, OSError) as error:
        server = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
        cause = f"EMAIL_URL: the mail server {server} refuses this site: {error}"
        yield Finding(
            "mail", cause, "correct EMAIL_URL, restart the site, then: manage.py sendtestemail you@example.org"
        )


def _info(url: str) -> dict[str, Any]:
    import redis  # noqa: PLC0415 - 7 MB that the embedded site does without

    with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
        return dict(client.info())
