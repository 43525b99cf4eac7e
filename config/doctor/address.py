"""Checks of the public address: does it lead here, through a proxy that passes on what it must?"""

from __future__ import annotations

import json
import os
import ssl
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from socket import create_connection
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin

from config.doctor import echo
from config.doctor.finding import Finding
from games.core.errors import ErrorCode
from games.rules.version import __version__

#: Timeout for each step of a request, in seconds.
TIMEOUT: Final = 3.0
#: An address of documentation pages, which no visitor has.
FORGED: Final = "192.0.2.1"
#: Share of a certificate's life by whose end it should have been renewed.
RENEWED_BY: Final = 5 / 6
HELP: Final = "see docs/install.md, A different proxy"


def public_address() -> Iterator[Finding]:
    """Yield that the public address does not lead to this site, or that its proxy hides or believes too much."""
    if "PUBLIC_URL" not in os.environ:
        return  # an embedded site on any port
    try:
        seen = _echoed()
    except (OSError, ValueError) as error:
        cause = (
            f"PUBLIC_URL: {settings.PUBLIC_URL} does not lead to a process of this site with this SECRET_KEY: {error}"
        )
        yield Finding("public_url", cause, "correct PUBLIC_URL, DNS and proxy, then restart the site")
        return
    public = urlsplit(settings.PUBLIC_URL)
    if (seen["scheme"], seen["host"]) != (public.scheme, public.netloc):
        cause = f"The proxy turns {settings.PUBLIC_URL} into {seen['scheme']}://{seen['host']}."
        yield Finding("proxy_headers", cause, f"pass Host and set X-Forwarded-Proto; {HELP}")
    if seen["address"] == FORGED and public.hostname not in {"127.0.0.1", "localhost", "::1"}:
        cause = "The proxy passes on the X-Forwarded-For of visitors, who can thus forge their address."
        yield Finding("forged_address", cause, f"replace X-Forwarded-For; {HELP}")
    if seen["version"] != __version__:
        cause = f"This is version {__version__}, but a web process runs {seen['version']}."
        yield Finding("versions", cause, "docker compose up -d web tables")


def sockets() -> Iterator[Finding]:
    """Yield that WebSockets do not reach a table process through the proxy."""
    if "PUBLIC_URL" not in os.environ:
        return
    reason = ""
    try:
        address = f"{settings.PUBLIC_URL.replace('http', 'ws', 1)}/ws/board/0/"
        with connect(address, origin=Origin(settings.PUBLIC_URL), open_timeout=TIMEOUT) as socket:
            socket.recv(timeout=TIMEOUT)
    except ConnectionClosed as closed:
        reason = closed.rcvd.reason if closed.rcvd else ""
    except (WebSocketException, OSError) as error:
        yield Finding("sockets", f"The proxy does not pass on WebSockets: {error}", f"allow them under /ws/; {HELP}")
    if reason == ErrorCode.MISDIRECTED:
        cause = "The proxy sends WebSockets to web processes instead of table processes."
        yield Finding("sockets", cause, "route /ws/ to the table processes (docs/install.md, Table processes)")


def certificate() -> Iterator[Finding]:
    """Yield that the certificate is invalid, or should have been renewed."""
    public = urlsplit(settings.PUBLIC_URL)
    if public.scheme != "https" or public.hostname is None:
        return
    try:
        begins, ends = _validity(public.hostname, public.port or 443)
    except OSError as error:  # ssl.SSLError is one
        yield Finding("certificate", f"The certificate of {public.hostname}: {error}", "docker compose logs proxy")
        return
    if datetime.now(UTC) > begins + RENEWED_BY * (ends - begins):
        cause = f"The certificate of {public.hostname} ends on {ends:%Y-%m-%d} and has not been renewed."
        yield Finding("certificate", cause, "docker compose restart proxy, then: docker compose logs proxy")


def _echoed() -> dict[str, Any]:
    """Return what the site sees of a request with a forged address."""
    headers = {echo.HEADER: echo.signature(), "X-Forwarded-For": FORGED}
    request = urllib.request.Request(f"{settings.PUBLIC_URL}{echo.PATH}", headers=headers)  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310
        return dict(json.load(response))


def _validity(host: str, port: int) -> tuple[datetime, datetime]:
    """Return the beginning and the end of the certificate's validity."""
    tls = ssl.create_default_context()
    with create_connection((host, port), TIMEOUT) as plain, tls.wrap_socket(plain, server_hostname=host) as secure:
        found: Any = secure.getpeercert()
    begins, ends = (ssl.cert_time_to_seconds(found[name]) for name in ("notBefore", "notAfter"))
    return datetime.fromtimestamp(begins, UTC), datetime.fromtimestamp(ends, UTC)
