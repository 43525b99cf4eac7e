"""Web Push client: encrypts a message (RFC 8291), signs it (RFC 8292), and posts it to the browser's push service.

The endpoint comes from a browser, so it is checked again before anything is sent. Redirects are not followed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec

from accounts.models import PushDevice
from accounts.push.devices import is_allowed
from accounts.push.vapid_key import signed

log = logging.getLogger(__name__)

#: Timeout for each step of a request, in seconds.
_PATIENCE: Final = 3.0
#: Topic: a newer message replaces a pending one with the same topic.
_TOPIC: Final = "day"
_OVER: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})

Connect = Callable[[str], HTTPConnection]


class DeliveryOutcome(Enum):
    """Outcome of sending a message."""

    TAKEN = auto()
    FAILED = auto()
    GONE = auto()
    """The subscription has expired."""


@dataclass(frozen=True, slots=True)
class Message:
    """Message with its recipient; `seconds` is its time to live."""

    to: PushDevice
    content: bytes
    seconds: int


def connect_securely(host: str) -> HTTPConnection:
    """Open a TLS connection to a push service, verifying its certificate."""
    return HTTPSConnection(host, timeout=_PATIENCE)


def send(message: Message, connect: Connect = connect_securely) -> DeliveryOutcome:
    """Send a message. It never raises: the service may be down, and the endpoint comes from a browser."""
    address = urlsplit(message.to.endpoint)
    host = address.hostname or ""
    if not is_allowed(message.to.endpoint):
        return DeliveryOutcome.GONE
    headers = {
        **signed(f"https://{host}"),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(message.seconds),
        "Topic": _TOPIC,
        "Urgency": "normal",
    }
    connection = connect(host)
    try:
        connection.request("POST", address._replace(scheme="", netloc="").geturl(), _encrypted(message), headers)
        status = connection.getresponse().status
    except (OSError, HTTPException) as failure:
        log.warning("a push service did not answer", extra={"service": host, "failure": type(failure).__name__})
        return DeliveryOutcome.FAILED
    finally:
        connection.close()
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
