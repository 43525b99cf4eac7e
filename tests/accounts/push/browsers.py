"""Browsers that subscribe to push notifications, and the push service that they use."""

from __future__ import annotations

import json
import secrets
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client
from django.utils.http import urlsafe_base64_encode

from accounts.push.delivery import DeliveryOutcome, Message, send
from tests.posted import PostService

ADDRESS = "/players/me/push/"
HOUR = 12


class Browser:
    """A browser's keys and decryption."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.auth = secrets.token_bytes(16)
        self.endpoint = f"https://fcm.googleapis.com/fcm/send/{secrets.token_hex(8)}"

    def subscription(self, **changed: object) -> dict[str, object]:
        """Return what the browser sends to the site."""
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        subscription = {
            "endpoint": self.endpoint,
            "p256dh": urlsafe_base64_encode(point),
            "auth": urlsafe_base64_encode(self.auth),
        }
        return {**subscription, "hour": HOUR, "zone": "UTC", **changed}

    def read(self, body: bytes) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(
            http_ece.decrypt(body, private_key=self.private, auth_secret=self.auth, version="aes128gcm")
        )
        return content


class Service(PostService):
    """A push service, which accepts messages unless its `status` is changed."""

    def __init__(self) -> None:
        super().__init__("fcm.googleapis.com", 201)

    def send(self, message: Message) -> DeliveryOutcome:
        return send(message, self.connect)


def post(client: Client, subscription: object) -> Any:
    return client.post(ADDRESS, json.dumps(subscription), content_type="application/json")


def turn_on(client: Client, **changed: object) -> Browser:
    browser = Browser()
    assert post(client, browser.subscription(**changed)).json() == {"on": True}
    return browser
