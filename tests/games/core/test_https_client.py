"""HTTPS client: public addresses only, connected to as checked, and nothing else followed or read."""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from games.core import https_client
from games.core.https_client import PublicHTTPSConnection, is_public, post

PUBLIC = "162.159.128.233"
URL = "https://hooks.example/api/secret"


class Handler(BaseHTTPRequestHandler):
    """Handler that redirects, with a body that never ends."""

    paths: list[str]

    def do_POST(self) -> None:
        self.paths.append(self.path)
        self.send_response(307)
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(b"x")
        self.wfile.flush()
        self.rfile.read()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(certificate: Path | None = None) -> Iterator[tuple[int, list[str]]]:
    """Serve on this machine; yield the port and the list of requested paths."""
    handler = type("Recorder", (Handler,), {"paths": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_port, handler.paths  # type: ignore[attr-defined]
        server.shutdown()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate for `hooks.example`, with its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks.example")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(made.public_bytes(Encoding.PEM) + private)
    return file


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Answers for host names, one list of addresses for each resolution."""
    answers: list[list[str]] = []

    def resolve(_host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answers.pop(0)]

    monkeypatch.setattr("games.core.https_client.socket.getaddrinfo", resolve)
    return answers


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Addresses that a connection was opened to; each attempt fails."""
    addresses: list[tuple[str, int]] = []

    def refuse(address: tuple[str, int], _timeout: float) -> socket.socket:
        addresses.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr("games.core.https_client.socket.create_connection", refuse)
    return addresses


@pytest.mark.parametrize("address", [PUBLIC, "1.1.1.1", "2606:4700::6810:84e5", "2a00:1450:4001:810::200e"])
def test_public_addresses_are_accepted(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.0", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff0e::1", "2001:db8::1"),
        *("::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::a00:1", "2002:7f00:1::1", "2001:0:7f00:1::1"),
    ],
)
def test_private_and_embedded_addresses_are_refused(address: str) -> None:
    assert not is_public(address)


def test_no_connection_opens_to_a_private_address(
    resolved: list[list[str]], opened: list[tuple[str, int]], caplog: pytest.LogCaptureFixture
) -> None:
    resolved.append(["10.0.0.8", "::ffff:127.0.0.1"])
    with caplog.at_level(logging.WARNING):
        assert post(URL, b"", {}) is None
    assert opened == []
    assert caplog.records[-1].__dict__["failure"] == "PrivateAddressError"
    assert caplog.records[-1].__dict__["host"] == "hooks.example"
    assert "secret" not in str([record.__dict__ for record in caplog.records])


def test_a_rebinding_name_is_resolved_only_once(resolved: list[list[str]], opened: list[tuple[str, int]]) -> None:
    resolved += [["127.0.0.1", PUBLIC], ["127.0.0.1"]]
    assert post(URL, b"", {}) is None
    assert opened == [(PUBLIC, 443)]
    assert resolved == [["127.0.0.1"]]


def test_an_impossible_host_name_is_no_error() -> None:
    assert post(f"https://{'a' * 64}.example/", b"", {}) is None


def test_redirects_are_not_followed_and_bodies_not_read() -> None:
    with serving() as (port, paths):
        status = post(URL, b"", {}, lambda _host: HTTPConnection("127.0.0.1", port, timeout=30))
    assert (status, paths) == (307, ["/api/secret"])


@pytest.mark.parametrize(("host", "status"), [("hooks.example", 307), ("other.example", None)])
def test_the_certificate_must_be_for_the_host_name(
    certificate: Path, resolved: list[list[str]], monkeypatch: pytest.MonkeyPatch, host: str, status: int | None
) -> None:
    context = ssl.create_default_context(cafile=str(certificate))
    resolved.append([PUBLIC])
    with serving(certificate) as (port, paths):
        local = socket.socket()
        local.settimeout(30)
        local.connect(("127.0.0.1", port))
        monkeypatch.setattr("games.core.https_client.socket.create_connection", lambda *_: local)
        connection = PublicHTTPSConnection(host, context=context)
        assert post(f"https://{host}/api/secret", b"", {}, lambda _host: connection) == status
    assert bool(paths) == (status is not None)


def test_the_default_connection_verifies_and_has_a_timeout() -> None:
    connection = https_client.connect("hooks.example")
    assert isinstance(connection, PublicHTTPSConnection)
    assert connection.timeout == https_client.TIMEOUT
    assert connection._tls.verify_mode == ssl.CERT_REQUIRED
    assert connection._tls.check_hostname
