"""Web Push client: encrypts a message (RFC 8291), signs it (RFC 8292), and posts it to the browser's push service.

The endpoint comes from a browser, so it is checked again before anything is sent.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import Final, Literal
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec

from accounts.models import PushDevice
from accounts.push.devices import is_allowed
from accounts.push.vapid_key import signed
from games.core import https_client

log = logging.getLogger(__name__)

_OVER: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class DeliveryOutcome(Enum):
    """Outcome of sending a message."""

    TAKEN = auto()
    FAILED = auto()
    GONE = auto()
    """The subscription has expired."""


@dataclass(frozen=True, slots=True)
class Message:
    """Message with its recipient and its delivery: `seconds` to live, and a topic.

    A newer message replaces a pending one with the same topic.
    """

    to: PushDevice
    content: bytes
    seconds: int
    topic: str
    urgency: Literal["normal", "high"] = "normal"


def send(message: Message, connect: https_client.Connect = https_client.connect) -> DeliveryOutcome:
    """Send a message. It never raises: the service may be down, and the endpoint comes from a browser."""
    endpoint = message.to.endpoint
    if not is_allowed(endpoint):
        return DeliveryOutcome.GONE
    host = urlsplit(endpoint).hostname or ""
    headers = {
        **signed(f"https://{host}"),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(message.seconds),
        "Topic": message.topic,
        "Urgency": message.urgency,
    }
    status = https_client.post(endpoint, _encrypted(message), headers, connect)
    if status is None:
        return DeliveryOutcome.FAILED
    if status in _OVER:
        return DeliveryOutcome.GONE
    if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        log.warning("a push service refused a message", extra={"service": host, "status": status})
        return DeliveryOutcome.FAILED
    return DeliveryOutcome.TAKEN


def _encrypted(message: Message) -> bytes:
    encrypted: bytes = http_ece.encrypt(
        message.content,
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=bytes(message.to.p256dh),
        auth_secret=bytes(message.to.auth),
        version="aes128gcm",
    )
    return encrypted
