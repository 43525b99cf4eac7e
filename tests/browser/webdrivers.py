"""WebDriver for browsers without Playwright: Firefox by its BiDi socket, WebKitGTK by its driver."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

import httpx
from websockets.sync.client import ClientConnection, connect

from deploy.servers import free_port
from tests.requirements import MINI_BROWSERS

_T = TypeVar("_T")
START_SECONDS = 60
ANSWER_SECONDS = 90
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox") or ""


class Browser(Protocol):
    """One window."""

    def goto(self, address: str) -> None:
        """Open an address and wait until it has loaded."""

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a JavaScript function, which may be asynchronous, in the page, and return its result from JSON."""

    def point(self, *steps: tuple[str, int, int]) -> None:
        """Move the mouse, press, release: `("pointerMove", x, y)`, `("pointerDown", 0, 0)`, `("pointerUp", 0, 0)`."""


def _actions(steps: tuple[tuple[str, int, int], ...]) -> list[dict[str, Any]]:
    moves = [
        {"type": kind, "x": x, "y": y, "duration": 20} if kind == "pointerMove" else {"type": kind, "button": 0}
        for kind, x, y in steps
    ]
    return [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}]


class Firefox:
    """Driven by WebDriver BiDi, which needs no separate driver."""

    def __init__(self, line: ClientConnection) -> None:
        self._line, self._numbers = line, count(1)
        self._ask("session.new", capabilities={})
        self._window = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def _ask(self, method: str, **parameters: Any) -> Any:
        number = next(self._numbers)
        self._line.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self._line.recv(timeout=ANSWER_SECONDS))).get("id") != number:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def goto(self, address: str) -> None:
        self._ask("browsingContext.navigate", context=self._window, url=address, wait="complete")

    def call(self, function: str, *arguments: Any) -> Any:
        found = self._ask(
            "script.callFunction",
            functionDeclaration=f"async text => JSON.stringify(await ({function})(...JSON.parse(text)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(arguments)}],
            target={"context": self._window},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def point(self, *steps: tuple[str, int, int]) -> None:
        self._ask("input.performActions", context=self._window, actions=_actions(steps))


class WebKit:
    """Driven by classic WebDriver."""

    def __init__(self, client: httpx.Client) -> None:
        options = {"binary": str(MINI_BROWSERS[0]), "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options, "timeouts": {"script": ANSWER_SECONDS * 1000}}}
        self._client = client
        self._session = f"/session/{self._ask('/session', capabilities=wanted)['sessionId']}"

    def _ask(self, path: str, **parameters: Any) -> Any:
        answer = self._client.post(path, json=parameters)
        assert answer.status_code == httpx.codes.OK, answer.text
        return answer.json()["value"]

    def goto(self, address: str) -> None:
        self._ask(f"{self._session}/url", url=address)

    def call(self, function: str, *arguments: Any) -> Any:
        script = f"""const args = [...arguments], done = args.pop();
          (async () => JSON.stringify(await ({function})(...args) ?? null))()
            .then(said => done({{said}}), error => done({{error: String(error)}}))"""
        found = self._ask(f"{self._session}/execute/async", script=script, args=list(arguments))
        assert "said" in found, found
        return json.loads(found["said"])

    def point(self, *steps: tuple[str, int, int]) -> None:
        self._ask(f"{self._session}/actions", actions=_actions(steps))

    def close(self) -> None:
        """End the session, and with it the browser."""
        self._client.delete(self._session)


@contextmanager
def _running(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _when_up(attempt: Callable[[], _T]) -> _T:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            return attempt()
        except (OSError, httpx.TransportError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


@contextmanager
def firefox(home: Path) -> Iterator[Browser]:
    """Firefox with a new profile below `home`."""
    port = free_port()
    command = [FIREFOX, "--headless", "--no-remote", "--profile", str(home), f"--remote-debugging-port={port}"]
    with _running(command, env=os.environ | {"HOME": str(home)}), ExitStack() as lines:
        address = f"ws://127.0.0.1:{port}/session"
        yield Firefox(_when_up(lambda: lines.enter_context(connect(address, max_size=None))))


@contextmanager
def webkit(home: Path) -> Iterator[Browser]:
    """WebKitGTK's MiniBrowser on its own screen."""
    reading, writing = os.pipe()
    port, screen = free_port(), ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x1000x24"]
    with _running(screen, pass_fds=[writing]), os.fdopen(reading) as numbers:
        os.close(writing)
        display = f":{numbers.readline().strip()}"
        environment = os.environ | {"DISPLAY": display, "HOME": str(home), "LIBGL_ALWAYS_SOFTWARE": "1"}
        with (
            _running(["WebKitWebDriver", f"--port={port}"], env=environment),
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=ANSWER_SECONDS) as client,
        ):
            _when_up(lambda: client.get("/status"))
            browser = WebKit(client)
            try:
                yield browser
            finally:
                browser.close()
