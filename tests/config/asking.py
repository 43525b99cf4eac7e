"""Requests to an ASGI application as from a browser, without a server."""

from __future__ import annotations

import gzip
import re
from typing import Any

from asgiref.testing import ApplicationCommunicator


class Answer:
    def __init__(self, start: dict[str, Any], body: bytes) -> None:
        self.status, self.headers = start["status"], start["headers"]
        fields = dict(self.headers)
        if b"Content-Encoding" in fields:
            assert int(fields[b"Content-Length"]) == len(body)
            body = gzip.decompress(body)
        self.text = body.decode()
        self.tokens = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.text)

    @property
    def cookies(self) -> dict[str, str]:
        cookies = [value.decode() for name, value in self.headers if name.lower() == b"set-cookie"]
        return dict(cookie.partition(";")[0].split("=", 1) for cookie in cookies)


async def ask(
    site: Any, path: str = "/", *, method: str = "GET", query: str = "", address: str = "", **headers: str
) -> Answer:
    headers = {"host": "127.0.0.1", "accept": "text/html,*/*;q=0.8", "accept_language": "en", **headers}
    fields = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": fields,
        "scheme": "http",
        "client": (address, 1) if address else None,
    }
    line = ApplicationCommunicator(site, scope)
    await line.send_input({"type": "http.request", "body": b""})
    start = await line.receive_output(30)
    return Answer(start, (await line.receive_output(30))["body"])
