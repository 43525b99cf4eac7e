"""One message to one browser: encrypted for it (RFC 8291), signed by the site (RFC 8292), sent to its push service.

The address comes from a browser, so it is looked at again before anything is sent. Redirects are not followed.
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

from accounts.push.devices import Subscription, is_allowed
from accounts.push.keys import signed

log = logging.getLogger(__name__)

#: Seconds that a push service may take over each step of a request.
_PATIENCE: Final = 3.0
#: A message that waits is replaced by a later one with the same topic.
_TOPIC: Final = "day"
_OVER: Final = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})

Connect = Callable[[str], HTTPConnection]


class Outcome(Enum):
    """What became of a message."""

    TAKEN = auto()
    FAILED = auto()
    GONE = auto()
    """The browser takes no more messages there."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent where; worthless after so many `seconds`."""

    to: Subscription
    content: bytes
    seconds: int


def connect_securely(host: str) -> HTTPConnection:
    """A connection to a push service, whose certificate is checked."""
    return HTTPSConnection(host, timeout=_PATIENCE)


def send(message: Message, connect: Connect = connect_securely) -> Outcome:
    """Send a message. It never raises: a service may be down, and the address may be anything."""
    address = urlsplit(message.to.endpoint)
    host = address.hostname or ""
    if not is_allowed(message.to.endpoint):
        return Outcome.GONE
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
        return Outcome.FAILED
    finally:
        connection.close()
    if status in _OVER:
        return Outcome.GONE
    if not HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        log.warning("a push service refused a message", extra={"service": host, "status": status})
        return Outcome.FAILED
    return Outcome.TAKEN


def _encrypted(message: Message) -> bytes:
    encrypted: bytes = http_ece.encrypt(
        message.content,
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=message.to.p256dh,
        auth_secret=message.to.auth,
        version="aes128gcm",
    )
    return encrypted
