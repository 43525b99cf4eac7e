"""Browsers that subscribe to push notifications, and the push service that they use."""

from __future__ import annotations

import json
import secrets
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client

from accounts.push import vapid_key
from accounts.push.delivery import DeliveryOutcome, Message, send

ADDRESS = "/players/me/push/"
HOUR = 12


class Browser:
    """A browser's keys and decryption."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.auth = secrets.token_bytes(16)
        self.endpoint = f"https://fcm.googleapis.com/fcm/send/{secrets.token_hex(8)}"

    def told(self, **changed: object) -> dict[str, object]:
        """Return what the browser sends to the site."""
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        subscription = {
            "endpoint": self.endpoint,
            "p256dh": vapid_key.to_text(point),
            "auth": vapid_key.to_text(self.auth),
        }
        return {**subscription, "hour": HOUR, "zone": "UTC", **changed}

    def read(self, body: bytes) -> dict[str, str]:
        told: dict[str, str] = json.loads(
            http_ece.decrypt(body, private_key=self.private, auth_secret=self.auth, version="aes128gcm")
        )
        return told


class Service:
    """A push service on this machine that answers with `status`."""

    def __init__(self) -> None:
        self.status = 201
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.asked.append((self.path, dict(self.headers), body))
                self.send_response(service.status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def connect(self, host: str) -> HTTPConnection:
        assert host == "fcm.googleapis.com"
        return HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)

    def send(self, message: Message) -> DeliveryOutcome:
        return send(message, self.connect)


def post(client: Client, told: object) -> Any:
    return client.post(ADDRESS, json.dumps(told), content_type="application/json")


def turn_on(client: Client, **changed: object) -> Browser:
    browser = Browser()
    assert post(client, browser.told(**changed)).json() == {"on": True}
    return browser
