"""Origin check of WebSockets: only this site's pages (scheme, host and port) may open one.

Browsers send the session cookie with every WebSocket, whatever page opens it; the `Origin` header identifies the page.
"""

from __future__ import annotations

from django.conf import settings
from django.http.request import split_domain_port, validate_host

from config.routing import refuse
from games.core.asgi_types import Application, Receive, Scope, Send


class OriginCheck:
    """ASGI middleware that refuses connections from pages of other origins with HTTP status 403.

    Channels' validator checks host names only, or a fixed list; the embedded server picks its port when it starts.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        headers = [(name, value.decode("latin-1").lower()) for name, value in scope.get("headers", [])]
        origins = [value for name, value in headers if name == b"origin"]
        hosts = [value for name, value in headers if name == b"host"]
        if len(origins) == 1 and origins[0] in _own(hosts):
            await self._application(scope, receive, send)
        else:
            await refuse(scope, receive, send)


def _own(hosts: list[str]) -> set[str]:
    """Return the site's public origin and the origins this connection was made to."""
    public: str = settings.CSRF_TRUSTED_ORIGINS[0]
    scheme = public.partition("://")[0]
    known = [host for host in hosts if validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)]
    return {public, *(f"{scheme}://{host}" for host in known)}
