"""Where a request or connection comes from.

uvicorn has already settled the address: it trusts `X-Forwarded-For` from the proxies in FORWARDED_ALLOW_IPS only.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final

from django.http import HttpRequest

#: The bits of an IPv6 address that identify a household, which is free to choose the rest.
IPV6_PREFIX: Final = 64
#: The bits of an IPv6 address that a provider gives one customer at most, who has many households' worth of networks.
WIDE_IPV6_PREFIX: Final = 48
#: The bits of an IPv4 address that are left when it is to name nobody.
IPV4_AREA: Final = 24
#: Stands for a missing address, as on a Unix socket.
UNKNOWN: Final = "unknown"


def client_address(request: HttpRequest) -> str:
    """The client's address; an IPv4 address written as IPv6 is returned as IPv4."""
    return _own_form(str(request.META.get("REMOTE_ADDR", "")))


def network_of(request: HttpRequest) -> str:
    """What counts as one client: an IPv4 address, or an IPv6 network."""
    return _network(client_address(request))


def wide_network_of(request: HttpRequest) -> str:
    """Return an IPv4 address, or the largest IPv6 network that one client is likely to have."""
    return _network(client_address(request), WIDE_IPV6_PREFIX)


def area_of(request: HttpRequest) -> str:
    """The client's wider network: the /24 of an IPv4 address, the /64 of an IPv6 address, or `UNKNOWN`."""
    address = client_address(request)
    if address == UNKNOWN:
        return UNKNOWN
    bits = IPV6_PREFIX if ":" in address else IPV4_AREA
    return str(ip_network(f"{address}/{bits}", strict=False))


def network_of_scope(scope: dict[str, Any]) -> str:
    """Like `network_of`, for an ASGI connection."""
    client = scope.get("client")
    return _network(_own_form(str(client[0]) if client else ""))


def _own_form(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        return UNKNOWN
    return str((address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address)


def _network(address: str, prefix: int = IPV6_PREFIX) -> str:
    return str(ip_network(f"{address}/{prefix}", strict=False)) if ":" in address else address
