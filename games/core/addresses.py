"""Client addresses and networks of requests and connections.

uvicorn has already resolved the address: it trusts `X-Forwarded-For` only from the proxies in FORWARDED_ALLOW_IPS.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final

from django.http import HttpRequest

#: Prefix length of the smallest network in IPv6; its devices choose the remaining bits themselves.
IPV6_PREFIX: Final = 64
#: Prefix length of the largest IPv6 allocation a provider gives one customer: as many networks as many households have.
WIDE_IPV6_PREFIX: Final = 48
#: Prefix lengths to which an address is truncated so that it no longer identifies a person. In IPv6, providers give a
#: household up to a /56.
IPV4_AREA: Final = 24
IPV6_AREA: Final = 56
#: Factors on a limit per network for a household's IPv6 networks together, and for a wide IPv6 network as a whole, in
#: addition to the limit for each network in it.
HOUSEHOLD: Final = 2
WIDE: Final = 10
#: Placeholder for a missing address, such as that of a Unix socket.
UNKNOWN: Final = "unknown"


def client_address(request: HttpRequest) -> str:
    """Return the client's address; an IPv4-mapped IPv6 address is returned as IPv4."""
    return _canonical_form(str(request.META.get("REMOTE_ADDR", "")))


def network_of(request: HttpRequest) -> str:
    """Return the network that counts as one client: an IPv4 address or an IPv6 /64. Limits use `shares_of`."""
    return _network(client_address(request))


def wide_network_of(request: HttpRequest) -> str:
    """Return the client's IPv4 address, or the largest IPv6 network that one client is likely to have."""
    return wide(client_address(request))


def area_of(request: HttpRequest) -> str:
    """Return the client's wider network, see `area`."""
    return area(client_address(request))


def area(network: str) -> str:
    """Return the wider network of an address or a network: the IPv4 /24 or IPv6 /56, or `UNKNOWN`.

    A loopback address is unknown: a proxy may hide the clients' addresses.
    """
    address = network.partition("/")[0]
    if not is_known(address):
        return UNKNOWN
    bits = IPV6_AREA if ":" in address else IPV4_AREA
    return str(ip_network(f"{address}/{bits}", strict=False))


def network_of_scope(scope: dict[str, Any]) -> str:
    """Return the network of an ASGI connection, as `network_of` does for a request."""
    client = scope.get("client")
    return _network(_canonical_form(str(client[0]) if client else ""))


def is_known(network: str) -> bool:
    """Return False for an unknown or loopback address, where a proxy may hide the clients' addresses."""
    if network == UNKNOWN:
        return False
    return not ip_address(network.partition("/")[0]).is_loopback and network != "::/64"


def wide(network: str) -> str:
    """Return the wide network that contains `network`, as in `network_of`; an IPv4 address is its own."""
    return _network(network.partition("/")[0], WIDE_IPV6_PREFIX)


def shares_of(network: str) -> dict[str, int]:
    """Return the networks that a limit per network counts for `network`, narrow first, each with a factor on the limit.

    An IPv6 network also counts with its /56 and its /48, because one client may have as many networks.
    """
    if ":" not in network:
        return {network: 1}
    return {network: 1, _network(network.partition("/")[0], IPV6_AREA): HOUSEHOLD, wide(network): WIDE}


def _canonical_form(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        return UNKNOWN
    return str((address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address)


def _network(address: str, prefix: int = IPV6_PREFIX) -> str:
    return str(ip_network(f"{address}/{prefix}", strict=False)) if ":" in address else address
