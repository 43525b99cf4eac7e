"""Delivery of a message to a room's webhook, with limits for the room and its host."""

from __future__ import annotations

import json
import logging
import time
from http import HTTPStatus
from typing import Any, Final

from django.utils import timezone

from games.core import https_client, limits
from games.races.models import RoomWebhook
from games.races.webhooks.webhook_url import host_of, is_allowed

log = logging.getLogger(__name__)

Message = dict[str, Any]
"""A message in the form of Discord's webhooks."""

_S: Final = RoomWebhook.State
_OVER: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
#: Seconds before the only retry, for a service that is busy or broken.
_PAUSE: Final = 2.0
_HEADERS: Final = {"Content-Type": "application/json", "User-Agent": "Talon (results webhook, 1)"}


def send(
    webhook: RoomWebhook, message: Message, connect: https_client.Connect = https_client.connect, *, retry: bool = False
) -> None:
    """Send a message and store its outcome. A webhook that no longer exists loses its URL.

    :raises RateLimitedError: after too many messages for the room or its host.
    """
    limits.spend_of(webhook.room_id, "webhook_room")
    limits.spend_of(webhook.player_id, "webhook")
    status = _post(webhook.url, message, connect)
    if retry and status is not None and _is_busy(status):
        time.sleep(_PAUSE)
        status = _post(webhook.url, message, connect)
    store_state(webhook, _state(webhook.url, status))


def store_state(webhook: RoomWebhook, state: RoomWebhook.State) -> None:
    """Store the outcome of a message, unless the host has replaced the webhook in the meantime."""
    url = "" if state == _S.GONE else webhook.url
    RoomWebhook.objects.filter(pk=webhook.pk, url=webhook.url).update(state=state, state_at=timezone.now(), url=url)


def _post(url: str, message: Message, connect: https_client.Connect) -> int | None:
    # The operator may have removed a service since the URL was stored.
    return https_client.post(url, json.dumps(message).encode(), _HEADERS, connect) if is_allowed(url) else None


def _is_busy(status: int) -> bool:
    return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR


def _state(url: str, status: int | None) -> RoomWebhook.State:
    if status in _OVER:
        return _S.GONE
    if status is None or not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        log.warning("a webhook refused a message", extra={"service": host_of(url), "status": status})
        return _S.FAILED
    return _S.POSTED
