"""Every page that follows the server over a socket, a poll or a clock, opened by the visitors it needs."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from websockets.sync.client import connect
from websockets.typing import Origin

from tests.browser.conftest import ROOT
from tests.browser.racing import race_soon
from tests.browser.table_driver import deal, won_record
from tests.ordinary_life.conftest import Server
from tests.ordinary_life.page_clock import PageClock

VARIANT: Final = "stonewall"

#: Closes the page's sockets, with the next one, as a server that refuses them does.
_REFUSABLE = """
(() => {
  const sockets = new Set();
  globalThis.WebSocket = class extends WebSocket {
    constructor(...args) { super(...args); sockets.add(this); }
  };
  globalThis.refuseSockets = (code) => {
    for (const socket of sockets) {
      socket.close();
      if (socket.readyState !== WebSocket.CLOSED) socket.dispatchEvent(new CloseEvent("close", {code}));
    }
    sockets.clear();
  };
})()"""


class World:
    """A race with a table on the screen and an opponent that the test moves, and what the other pages show."""

    def __init__(self, server: Server) -> None:
        self._server = server
        site = server.site
        self.created = site.control.ask("live_pages")
        self._tokens = won_record(VARIANT)["tokens"]
        self.race = race_soon(site, "Ariadne", "Theseus", variant=VARIANT, seconds=4, limit_s=3600, public=True)
        self.moves = 0
        """Moves of the opponent, who is there when the race starts."""
        self.move()

    def move(self) -> None:
        """Let the opponent play a move, over a network of its own."""
        opponent = self.race["racers"][1]
        base = f"127.0.0.1:{self._server.site.environment['PORT']}"
        with connect(
            f"ws://{base}{opponent['table'].replace('/table/', '/ws/play/')}",
            additional_headers={"Cookie": f"sessionid={opponent['session']}"},
            origin=Origin(f"http://{base}"),
            compression=None,
        ) as socket:
            socket.send(json.dumps({"type": "hello", "v": 1, "have": None}))
            while (message := json.loads(socket.recv(60)))["type"] != "view":
                assert message["type"] == "waiting", message
            self.moves = message["n"] + 1
            socket.send(json.dumps({"type": "move", "n": self.moves, "token": self._tokens[message["n"]]}))
            while json.loads(socket.recv(30))["type"] != "moved":
                pass


@dataclass(frozen=True)
class LivePage:
    """A kind of page: the template it is rendered from, how a visitor gets there, and what it must show."""

    template: str
    address: Callable[[World], str]
    session: Callable[[World], str] = lambda _: ""
    #: The address that it polls; without one, it has sockets.
    polls: str = ""
    sockets: int = 1
    #: Whether it shows the opponent's moves.
    follows_race: bool = False
    #: The element with a clock, and whether it counts up or down.
    clock: str = ""
    runs: int = 0
    arrive: Callable[[Any], object] = lambda _: None


def _racer(world: World) -> Any:
    return world.race["racers"][0]


PAGES: Final = {
    "table": LivePage(
        "games/table.html",
        lambda _: "/play/labyrinth/",
        sockets=2,
        clock="#clock",
        runs=1,
        arrive=deal,
    ),
    "race table": LivePage(
        "games/table.html",
        lambda world: str(_racer(world)["table"]),
        lambda world: str(_racer(world)["session"]),
        sockets=2,
        follows_race=True,
        clock="#clock",
        runs=1,
    ),
    "room": LivePage(
        "races/room.html",
        lambda world: f"/races/{world.race['code']}/",
        follows_race=True,
        clock="#running-clock",
        runs=-1,
    ),
    "overlay": LivePage("races/overlay.html", lambda world: f"/races/{world.race['code']}/overlay/", follows_race=True),
    "TV": LivePage("races/tv.html", lambda _: "/races/tv/", follows_race=True, clock="#running-clock", runs=-1),
    "puzzle race": LivePage(
        "races/puzzle_race.html",
        lambda world: str(world.created["puzzles"]),
        lambda world: str(world.created["puzzle_player"]),
        clock="#starting-number",
        runs=-1,
    ),
    "storm": LivePage(
        "puzzles/run.html",
        lambda world: str(world.created["storm"]),
        lambda world: str(world.created["storm_player"]),
        sockets=0,
        clock="#run-clock",
        runs=-1,
    ),
    "puzzle of the day": LivePage("puzzles/puzzle.html", lambda _: "/puzzles/", sockets=0),
    "board": LivePage("boards/deal.html", lambda world: f"/boards/{world.created['day']}/labyrinth/"),
    "race call": LivePage("base.html", lambda _: "/rules/", lambda world: str(world.created["waiting_player"])),
    "home": LivePage("games/home.html", lambda _: "/", polls="/playing.json", clock=".countdown b", runs=-1),
    "lobby": LivePage("races/lobby.html", lambda _: "/races/", polls="/races/lobby.json"),
    "practice": LivePage("races/_seeks.html", lambda _: "/practice/", polls="/races/seeks.json"),
}


@dataclass
class Opened:
    """A page on the screen, with its clock, and with what it has heard from the server."""

    name: str
    kind: LivePage
    page: Any
    clock: PageClock
    errors: list[str] = field(default_factory=list)
    #: Sockets by address, of those that have received something since `forget`.
    heard: set[str] = field(default_factory=set)

    @classmethod
    def open(cls, name: str, world: World, page: Any) -> Opened:
        """Open the page in a context of its own."""
        kind = PAGES[name]
        opened = cls(name, kind, page, PageClock(page))
        page.add_init_script(_REFUSABLE)
        page.on("websocket", opened._listen)
        page.on("response", opened._answered)
        page.context.on("weberror", lambda error: opened.errors.append(str(error.error)))
        page.goto(kind.address(world))
        kind.arrive(page)
        return opened

    def forget(self) -> None:
        self.heard.clear()

    @property
    def is_live(self) -> bool:
        """True if every socket, or the poll, has been answered since `forget`."""
        return len(self.heard) >= (1 if self.kind.polls else self.kind.sockets)

    def seconds(self) -> int | None:
        """Return what its clock shows, None if it shows no time."""
        text = self.page.evaluate("clock => document.querySelector(clock)?.textContent ?? ''", self.kind.clock)
        parts = re.search(r"(?:(\d+):)?(?:(\d+):)?(\d+)", text)
        if parts is None:
            return None
        seconds = 0
        for part in parts.groups():
            seconds = seconds if part is None else 60 * seconds + int(part)
        return seconds

    def shows(self, moves: int) -> bool:
        """Return whether the opponent's line shows these many moves."""
        text = "one move" if moves == 1 else f"{moves} moves"
        return bool(self.page.locator(".lane", has_text="Theseus").filter(has_text=text).count())

    def _listen(self, socket: Any) -> None:
        socket.on("framereceived", lambda _: self.heard.add(socket.url))

    def _answered(self, response: Any) -> None:
        if self.kind.polls and self.kind.polls in response.url and response.ok:
            self.heard.add(response.url)


# --- Which pages these are ------------------------------------------------------------------------------------------

_STATIC = ROOT / "frontend" / "static" / "js"
_TEMPLATES = ROOT / "frontend" / "templates"
_IMPORT = re.compile(r"""(?:^import|^export|\bfrom|\bimport\()\s*["'](\.[^"']+)["']""", re.MULTILINE)
#: What follows the server, and the modules that do so for others.
_FOLLOWS = re.compile(r"new WebSocket\(|(?<!function )onWake\(")
FOLLOWING: Final = {"shared/connection.js", "shared/polling.js", "site/countdown.js"}


def _modules(entry: Path) -> set[Path]:
    """Return a module with all that it imports, at once or late."""
    found, left = set[Path](), [entry.resolve()]
    while left:
        module = left.pop()
        if module not in found and module.is_file():
            found.add(module)
            left += [(module.parent / name).resolve() for name in _IMPORT.findall(module.read_text())]
    return found


def live_templates() -> set[str]:
    """Return the templates that load a module which follows the server."""
    found = set()
    for template in _TEMPLATES.rglob("*.html"):
        entries = re.findall(r"js/([\w/-]+\.js)", template.read_text())
        modules = set(itertools.chain.from_iterable(_modules(_STATIC / entry) for entry in entries))
        names = {str(module.relative_to(_STATIC)) for module in modules}
        if names & FOLLOWING or any(_FOLLOWS.search(module.read_text()) for module in modules):
            found.add(str(template.relative_to(_TEMPLATES)))
    return found
