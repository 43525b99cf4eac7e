"""Rare orders of server messages at a table; the tests send every frame themselves."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from games.core.errors import ErrorCode
from games.live import frames, protocol
from games.live.attempt_state import AttemptState, PauseState, now_ms
from games.rules import CATALOGUE, Progress, Record, Table
from tests.browser.conftest import PATIENCE_MS, noted_errors
from tests.browser.table_driver import Mouse, Player, deal, won_record

END_MS = 754_000
#: Orders of the last messages: any three of the four come in each of their orders.
ORDERS = [
    order.split()
    for order in (
        "moved ended verdict closed",
        "moved closed verdict ended",
        "ended closed moved verdict",
        "verdict ended moved closed",
        "verdict closed moved ended",
        "closed ended verdict moved",
    )
]

#: Counts events that must happen once: the panel opens, a win is celebrated, a sentence is shown or announced.
WATCH = """
globalThis.seen = {opened: 0, celebrated: 0, said: []};
addEventListener("DOMContentLoaded", () => {
  new MutationObserver((changes) => {
    for (const {type, target, addedNodes} of changes) {
      if (type === "attributes") seen.opened += Number(target.id === "finish" && target.open);
      for (const node of addedNodes) {
        seen.celebrated += Number(Boolean(node.classList?.contains("celebration")));
        const isRead = /^finish-(rank|title)$/.test(target.id) && document.querySelector("#finish").open;
        if (target.id === "live" || isRead) seen.said.push(node.textContent);
      }
    }
  }).observe(document.body, {subtree: true, childList: true, attributeFilter: ["open"]});
});
"""
FINISHED = """() => ({
  opened: seen.opened,
  said: seen.said,
  celebrated: seen.celebrated,
  texts: ["title", "cards", "time", "rank"].map((name) => document.querySelector(`#finish-${name}`).textContent),
  finished: document.body.dataset.finished,
  moves: document.querySelector("#moves").textContent,
  clock: document.querySelector("#clock").textContent,
  offered: document.querySelectorAll("#undo:enabled, #resign:enabled, #auto:not([hidden])").length,
})"""


class Server:
    """Stand-in for the server at one table, with a game about to be won or resigned."""

    def __init__(self, *, won: bool) -> None:
        record = Record.from_json(won_record("labyrinth"))
        tokens = record.tokens if won else record.tokens[:6]
        self.hellos: list[dict[str, Any]] = []
        self.received: list[dict[str, Any]] = []
        self.answer: list[str] = []
        self.table: Table = record.open_table()
        attempt = _attempt("playing", table=self.table)
        moved = []
        for k, token in enumerate(tokens):
            if k == len(tokens) - 2:
                self.view = protocol.write(frames.view(attempt))
            attempt.push(token, 10_000)
            moved.append(frames.moved(token, 10_000, attempt))
        self.before_last, last = moved[-2:]
        over = _attempt("pending", "won" if won else "resigned", table=self.table)
        figures: Any = {"cards_up": self.table.cards_up, "elapsed_ms": END_MS, "tokens": len(tokens)}
        error = protocol.Error(ErrorCode.CLOSED, "over", len(tokens), {"state": "pending"})
        self.frames = {
            "moved": last,
            "ended": frames.ended(over),
            "verdict": protocol.write(protocol.Verdict("verified", [], 3, **figures)),
            "closed": protocol.write(error),
        }
        self.resumed = frames.resumed(over)

    def serve(self, line: Any) -> None:
        self.line = line
        line.on_message(self._take)

    def _take(self, text: str) -> None:
        message = json.loads(text)
        if message["type"] == "hello":
            self.hellos.append(message)
            for frame in self.answer or [self.view, self.before_last]:
                self.line.send(frame)
        elif message["type"] == "ping":
            self.line.send(protocol.write(protocol.Pong(message["t"], 11_000)))
        else:
            self.received.append(message)


def _attempt(state: str, how: str = "", *, table: Table) -> AttemptState:
    """Return an attempt with the data needed for the frames."""
    return AttemptState(
        attempt_id=1,
        public_id=UUID(int=1),
        player_id=1,
        ranked=False,
        state=state,
        how=how,
        started_at=datetime(2030, 1, 1, tzinfo=UTC),
        started_ms=now_ms() - 9_000,
        deadline=None,
        deadline_ms=None,
        deals_at_ms=0,
        for_race=False,
        end_ms=END_MS,
        may_pause=True,
        pauses=PauseState(None, 0),
        deal=protocol.DealInfo("labyrinth", "labyrinth", dict(CATALOGUE["labyrinth"].options), None, ""),
        table=table,
        progress=Progress(table.cards_up),
        reveals=None,
        tokens=(),
        token_times=(),
        last_ms=0,
        verdict=None,
    )


@pytest.fixture(scope="module")
def stage(chromium: Any, site: Any) -> Iterator[tuple[Any, list[Server]]]:
    """A page at a table, and the stand-ins it has connected to; the last one serves the next connection."""
    context = chromium.new_context(base_url=site.url, service_workers="block")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto("/play/labyrinth/")
    deal(page)
    servers: list[Server] = []
    page.add_init_script(WATCH)
    page.clock.install()

    def connect(line: Any) -> None:
        servers[-1].serve(line)

    page.route_web_socket(re.compile("/ws/play/"), connect)
    yield page, servers
    context.close()


@pytest.fixture
def seat(stage: tuple[Any, list[Server]], complaints: list[str]) -> Iterator[Callable[[Server], Any]]:
    """Open the table of a stand-in, with a game two tokens from the end, one of which is played."""
    page, servers = stage

    def sit(server: Server) -> Any:
        servers.append(server)
        page.reload()
        Player(page).start()
        before = server.table.token_count - 1
        page.wait_for_function("n => Number(document.querySelector('#felt').dataset.confirmed) === n", arg=before)
        return page

    with noted_errors(page.context, complaints):
        yield sit
    page.clock.resume()


def finished(page: Any) -> dict[str, Any]:
    """Return what the page shows and has done, once it is idle."""
    page.wait_for_selector("#finish-rank[data-state=verified]", state="attached")
    page.wait_for_function("() => document.body.dataset.finished")
    page.clock.fast_forward(3_000)  # past the celebration
    page.wait_for_selector("#finish[open]")
    found: dict[str, Any] = page.evaluate(FINISHED)
    return found


@pytest.mark.parametrize("how", ["won", "resigned"])
def test_the_end_is_shown_once_in_every_message_order(seat: Callable[[Server], Any], how: str) -> None:
    wrong = {}
    for order in ORDERS if how == "won" else ORDERS[::5]:  # the same code handles both
        server = Server(won=how == "won")
        page = seat(server)
        for name in order:
            server.line.send(server.frames[name])
        page.wait_for_function(
            "n => Number(document.querySelector('#felt').dataset.confirmed) === n", arg=server.table.token_count
        )
        found = finished(page)
        up = server.table.cards_up
        title = {"won": "Won in 12:34", "resigned": f"{up} of 52 cards up"}[how]
        expected = {
            "opened": 1,
            "celebrated": 1 if how == "won" else 0,
            "texts": [title, f"{up}/52", "12:34.0", "Your result counts."],
            "finished": "won" if how == "won" else "over",
            "moves": str(server.table.token_count),
            "clock": "12:34.0",
            "offered": 0,
        }
        said = " ".join(found.pop("said"))
        # The focus reads the headline, and the panel's description the verdict if it is there already.
        if found != expected or title in said or said.count("counts") > 1:
            wrong[order] = (found, said)
        assert page.evaluate("document.activeElement.id") == "finish-title"
        assert len(server.hellos) == 1
    assert wrong == {}


@pytest.mark.parametrize("lost", ["moved", "ended"])
def test_lost_end_messages_are_requested(seat: Callable[[Server], Any], lost: str) -> None:
    server = Server(won=True)
    page = seat(server)
    for name in {"moved", "ended", "verdict"} - {lost}:
        server.line.send(server.frames[name])
    page.wait_for_function("() => document.querySelector('#resign').disabled")
    server.answer = [server.frames["moved"], server.resumed, server.frames["ended"], server.frames["verdict"]]
    page.clock.run_for(1_100)
    page.wait_for_function("() => document.querySelector('#finish-title').textContent === 'Won in 12:34'")
    assert len(server.hellos) == 2
    found = finished(page)
    assert (found["opened"], found["celebrated"]) == (1, 1)


def test_a_win_during_a_disconnection_is_celebrated_once(seat: Callable[[Server], Any]) -> None:
    server = Server(won=True)
    page = seat(server)
    server.answer = [server.frames["moved"], server.resumed, server.frames["ended"], server.frames["verdict"]]
    reconnect(page, server)
    assert finished(page)["celebrated"] == 1
    page.click("#finish-close")
    server.answer = [server.resumed, server.frames["ended"], server.frames["verdict"]]
    reconnect(page, server)
    server.line.send(server.frames["verdict"])
    page.clock.run_for(3_000)
    assert page.is_hidden("#finish")


def test_a_duplicate_move_is_announced_once(seat: Callable[[Server], Any]) -> None:
    server = Server(won=False)
    page = seat(server)
    page.evaluate("seen.said = []")
    stale = protocol.write(protocol.Error(ErrorCode.STALE, "stale", 4))
    for frame in (stale, server.before_last, server.frames["moved"], server.before_last, server.frames["moved"]):
        server.line.send(frame)
    server.line.send(protocol.write(protocol.Error(ErrorCode.RATE_LIMITED, "slower", 6)))
    page.wait_for_selector("#notice:not([hidden])")  # the last frame has arrived
    notice = page.text_content("#notice")
    said = [text for text in page.evaluate("seen.said") if text != notice]
    assert len(said) == 1, said
    assert page.text_content("#moves") == "6"


def test_a_disconnected_slow_reader_resumes(seat: Callable[[Server], Any]) -> None:
    server = Server(won=False)
    page = seat(server)
    server.answer = [server.frames["moved"], resumed(6)]
    reconnect(page, server, 4408)
    page.wait_for_function("() => document.querySelector('#felt').dataset.confirmed === '6'")
    assert [hello["have"] for hello in server.hellos] == [0, 5]


def reconnect(page: Any, server: Server, code: int = 1012) -> None:
    """Close the connection with this code, and wait until the page has connected again."""
    server.line.close(code=code)
    page.wait_for_selector("#lost:not([hidden])")
    page.clock.run_for(1_000)
    page.wait_for_selector("#lost", state="hidden")


def resumed(n: int) -> str:
    """Return the answer to a page that has missed nothing after token `n`."""
    return protocol.write(protocol.Resumed(n, 11_000, paused=False, state="playing"))


def test_a_draining_server_is_left_with_the_pending_move(seat: Callable[[Server], Any]) -> None:
    server = Server(won=True)
    page = seat(server)
    server.answer = [resumed(server.table.token_count - 1)]
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    server.line.close(code=1012)
    page.wait_for_selector("#lost:not([hidden])")
    Mouse(page).play(won_record("labyrinth")["tokens"][-1])
    assert page.is_hidden("#notice")
    assert len(server.hellos) == 1
    page.clock.run_for(500)
    page.wait_for_selector("#lost", state="hidden")
    page.wait_for_function("() => true")  # all messages of the page have arrived
    n = server.table.token_count
    assert [hello["have"] for hello in server.hellos] == [server.hellos[0]["have"], n - 1]
    assert [(one["type"], one["n"]) for one in server.received] == [("move", n)]


def test_a_second_draining_server_is_retried_slowly(seat: Callable[[Server], Any]) -> None:
    server = Server(won=True)
    page = seat(server)
    server.serve = lambda line: line.close(code=1012)  # type: ignore[method-assign]
    page.evaluate("Math.random = () => 0.5")
    tries = page.evaluate(
        """() => {
          globalThis.tries = 0;
          globalThis.WebSocket = class extends WebSocket { constructor(...args) { super(...args); tries += 1; } };
        }"""
    )
    assert tries is None
    server.line.close(code=1012)
    page.wait_for_selector("#lost:not([hidden])")
    for _ in range(40):
        page.clock.run_for(250)
    assert 2 <= page.evaluate("tries") <= 7, "in ten seconds; each wait is longer than the one before"


def test_a_move_is_kept_while_the_database_is_busy(seat: Callable[[Server], Any]) -> None:
    server = Server(won=True)
    page = seat(server)
    n = server.table.token_count
    busy = protocol.busy("the database could not be reached")
    refused = protocol.write(protocol.Error(busy.code, busy.message, n - 1, busy.data))
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    page.evaluate("Math.random = () => 0.5")
    Mouse(page).play(won_record("labyrinth")["tokens"][-1])
    wait_received(page, server)
    server.answer = [refused]
    server.line.send(refused)
    page.wait_for_selector("#lost:not([hidden])")
    assert page.text_content("#lost-text") == "Our server is having trouble. Your move is kept."
    for count in (2, 3):
        page.clock.run_for(1_000)
        page.wait_for_function("() => true")
        assert len(server.hellos) == count
    assert page.is_visible("#lost")
    server.answer = [resumed(server.table.token_count - 1)]
    page.clock.run_for(1_000)
    page.wait_for_selector("#lost", state="hidden")
    wait_received(page, server, 2)
    assert [(one["type"], one["n"]) for one in server.received] == [("move", n)] * 2


def wait_received(page: Any, server: Server, number: int = 1) -> None:
    """Wait until the server has this many of the page's questions."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while len(server.received) < number:
        assert time.monotonic() < until
        page.evaluate("0")


def test_an_unanswered_question_goes_to_the_next_server(seat: Callable[[Server], Any]) -> None:
    server = Server(won=False)
    page = seat(server)
    server.answer = [resumed(server.table.token_count - 1)]
    page.click("#resign")
    page.click("dialog[open] [value=resign]")
    wait_received(page, server)
    reconnect(page, server)
    wait_received(page, server, 2)
    n = server.table.token_count
    assert [(one["type"], one["n"]) for one in server.received] == [("resign", n)] * 2
    server.line.send(server.frames["moved"])
    server.line.send(server.frames["ended"])
    server.line.send(server.frames["verdict"])
    finished(page)


def test_a_resignation_does_not_apply_to_a_newer_position(seat: Callable[[Server], Any]) -> None:
    server = Server(won=False)
    page = seat(server)
    server.answer = [server.frames["moved"], resumed(server.table.token_count)]
    page.click("#resign")
    page.click("dialog[open] [value=resign]")
    wait_received(page, server)
    reconnect(page, server)
    assert [one["type"] for one in server.received] == ["resign"]


def test_a_signed_out_player_is_notified(seat: Callable[[Server], Any]) -> None:
    server = Server(won=False)
    page = seat(server)
    server.line.send(protocol.write(protocol.Error(ErrorCode.RATE_LIMITED, "slower", 6)))
    page.wait_for_selector("#notice:not([hidden])")
    server.line.close(code=4401)
    page.wait_for_selector("#lost:not([hidden])")
    assert page.inner_text("#lost-text") == "You've been signed out. Reload the page to continue."
    assert page.is_hidden("#notice")


def test_a_win_with_reduced_motion_is_not_celebrated(seat: Callable[[Server], Any]) -> None:
    server = Server(won=True)
    page = seat(server)
    page.emulate_media(reduced_motion="reduce")
    page.wait_for_selector("html[data-motion=none]")
    for name in ("moved", "ended", "verdict"):
        server.line.send(server.frames[name])
    assert finished(page)["celebrated"] == 0
    page.emulate_media(reduced_motion="no-preference")
