"""HTTPS client for URLs that come from outside: push endpoints of browsers, and webhooks of players.

It connects only to globally routable addresses, and to exactly the address it has checked, so a host name that
resolves differently the next time (DNS rebinding) leads nowhere else. It follows no redirects and reads no body.
"""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

log = logging.getLogger(__name__)

#: Timeout for each step of a request, in seconds.
TIMEOUT: Final = 3.0
#: Maximum number of a host's addresses to try.
_MAX_TRIES: Final = 2
#: The only part of IPv6 that is allocated to public networks.
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")

Connect = Callable[[str], HTTPConnection]


class PrivateAddressError(OSError):
    """A host has no globally routable address."""


class PublicHTTPSConnection(HTTPSConnection):
    """HTTPS connection to a public address of the host, with a certificate for the host's name."""

    def __init__(self, host: str, *, context: ssl.SSLContext | None = None) -> None:
        self._tls = context or ssl.create_default_context()
        super().__init__(host, timeout=TIMEOUT, context=self._tls)

    def connect(self) -> None:
        """Resolve the host once, and connect to a checked address.

        :raises PrivateAddressError: if none of its addresses is public.
        """
        self.sock = self._tls.wrap_socket(_open_socket(self.host, self.port), server_hostname=self.host)


def connect(host: str) -> HTTPConnection:
    """Return a connection to a public host, which opens with the first request."""
    return PublicHTTPSConnection(host)


def post(url: str, body: bytes, headers: Mapping[str, str], connect: Connect = connect) -> int | None:
    """Post to an https URL; return the status, or None without an answer.

    It never raises, because the host may be down or hostile, and logs only the host, because the path may be a secret.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    connection = connect(host)
    try:
        connection.request("POST", parts._replace(scheme="", netloc="", fragment="").geturl(), body, dict(headers))
        return connection.getresponse().status
    except (OSError, HTTPException, UnicodeError) as failure:  # UnicodeError: an impossible host name
        log.warning("a host did not answer", extra={"host": host, "failure": type(failure).__name__})
        return None
    finally:
        connection.close()


def is_public(address: str) -> bool:
    """Return whether an IP address is globally routable. Those that contain an IPv4 address are not accepted."""
    found = ip_address(address)
    if isinstance(found, IPv4Address):
        return found.is_global and not found.is_multicast
    return found.is_global and found in _GLOBAL_UNICAST and found.sixtofour is None and found.teredo is None


def _open_socket(host: str, port: int) -> socket.socket:
    failure: OSError = PrivateAddressError(f"{host} has no public address")
    for address in _public_addresses(host, port):
        try:
            return socket.create_connection((address, port), TIMEOUT)
        except OSError as refused:
            failure = refused
    raise failure


def _public_addresses(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = dict.fromkeys(str(address[0]) for *_, address in found)
    return [address for address in addresses if is_public(address)][:_MAX_TRIES]
