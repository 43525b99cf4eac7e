"""Where a request or a connection comes from, in one place.

The server has settled the address already: uvicorn believes `X-Forwarded-For` from the proxies in FORWARDED_ALLOW_IPS
and from nobody else.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final

from django.http import HttpRequest

#: Bits of an IPv6 address that belong to one household: it may choose the rest as it likes.
IPV6_PREFIX: Final = 64
#: Stands for an address that is none, as of a connection through a Unix socket.
UNKNOWN: Final = "unknown"


def client_address(request: HttpRequest) -> str:
    """The client's address; an IPv4 address that is written as IPv6 in its own form."""
    return _own_form(str(request.META.get("REMOTE_ADDR", "")))


def network_of(request: HttpRequest) -> str:
    """What counts as one client: an IPv4 address, or an IPv6 network."""
    return _network(client_address(request))


def network_of_scope(scope: dict[str, Any]) -> str:
    """As `network_of`, of an ASGI connection."""
    client = scope.get("client")
    return _network(_own_form(str(client[0]) if client else ""))


def _own_form(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        return UNKNOWN
    return str((address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address)


def _network(address: str) -> str:
    return str(ip_network(f"{address}/{IPV6_PREFIX}", strict=False)) if ":" in address else address
