"""The client's connection by itself: what it makes of close codes, silence and signals, at its own clock."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Visit, from_sources

#: A connection with stand-ins for its sockets; `statuses` has its statuses.
CONNECT = """async () => {
  globalThis.sockets = [];
  globalThis.statuses = [];
  globalThis.WebSocket = class extends EventTarget {
    static CONNECTING = 0;
    static OPEN = 1;
    readyState = 0;
    sent = [];
    constructor() { super(); sockets.push(this); }
    send(text) { this.sent.push(JSON.parse(text).type); }
    close() { this.readyState = 2; }
    opens() { this.readyState = 1; this.dispatchEvent(new Event("open")); }
    says(message) { this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) })); }
    ends(code) { this.readyState = 3; this.dispatchEvent(new CloseEvent("close", { code })); }
    arrives() { this.opens(); this.says({ type: "view" }); }
  };
  const { Connection } = await import("/static/js/shared/connection.js");
  globalThis.connection = new Connection("/ws/play/1/", {
    hello: () => ({ type: "hello" }), message: () => {}, status: (status) => statuses.push(status),
  });
  sockets[0].arrives();
}"""
SIGNALS = ("new Event('online')", "new Event('focus')", "new Event('click')", "new Event('keydown')")


@pytest.fixture
def page(visit: Visit) -> Any:
    page = visit(fresh=True)
    from_sources(page)
    page.add_init_script("Math.random = () => 0.5")
    page.clock.install()
    page.goto("/verify/")
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 1)
    page.evaluate(CONNECT)
    return page


def count(page: Any) -> int:
    return int(page.evaluate("sockets.length"))


def last(page: Any, does: str) -> Any:
    return page.evaluate(f"sockets.at(-1).{does}")


def status(page: Any) -> str:
    return str(page.evaluate("statuses.at(-1)"))


@pytest.mark.parametrize(
    ("code", "named"),
    [
        (4400, "refused"),
        (4401, "signed-out"),
        (4403, "refused"),
        (4404, "refused"),
        (4406, "refused"),
        (4410, "refused"),
    ],
)
def test_a_final_code_ends_the_connection(page: Any, code: int, named: str) -> None:
    last(page, f"ends({code})")
    assert status(page) == named
    page.clock.run_for(60_000)
    for signal in SIGNALS:
        page.evaluate(f"window.dispatchEvent({signal})")
    assert count(page) == 1


@pytest.mark.parametrize(
    ("code", "named"),
    [(1006, "lost"), (1011, "lost"), (1013, "lost"), (4303, "waiting"), (4301, "lost"), (4308, "lost"), (4408, "lost"),
     (4409, "crowded"), (4429, "crowded")],
)  # fmt: skip
def test_all_other_codes_are_retried(page: Any, code: int, named: str) -> None:
    last(page, f"ends({code})")
    assert status(page) == named
    page.clock.run_for(1_100)
    assert count(page) == 2


def test_a_crowded_server_is_asked_ever_more_slowly(page: Any) -> None:
    tries = []
    for _ in range(9):
        last(page, "opens()")
        last(page, "ends(4409)")
        before, waited = count(page), 0
        while count(page) == before and waited < 20_000:
            page.clock.run_for(200)
            waited += 200
        tries.append(waited)
    assert tries == sorted(tries)
    assert (tries[0], tries[-1]) == (400, 15_000)


def test_a_replaced_page_takes_its_place_back_only_when_used(page: Any) -> None:
    last(page, "ends(4411)")
    assert status(page) == "replaced"
    page.clock.run_for(60_000)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    assert count(page) == 1, "two pages would fight"
    for n, signal in enumerate(SIGNALS[1:], 2):
        page.evaluate(f"window.dispatchEvent({signal})")
        assert (count(page), status(page)) == (n, "connecting")
        last(page, "arrives()")
        last(page, "ends(4411)")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
    assert count(page) == len(SIGNALS) + 1


@pytest.mark.parametrize("signal", ["window, 'online'", "document, 'visibilitychange'"])
def test_a_waking_page_gives_a_silent_connection_two_seconds(page: Any, signal: str) -> None:
    wake = "((target, name) => target.dispatchEvent(new Event(name, {bubbles: true})))"
    page.evaluate(f"{wake}({signal})")
    assert last(page, "sent") == ["hello", "ping"]
    last(page, "says({type: 'pong'})")
    page.clock.run_for(2_100)
    assert (count(page), status(page)) == (1, "open")
    page.evaluate(f"{wake}({signal})")
    page.clock.run_for(1_900)
    assert (count(page), status(page)) == (1, "open")
    page.clock.run_for(200)
    assert (count(page), status(page)) == (2, "connecting")
    page.clock.run_for(100)
    page.evaluate(f"{wake}({signal})")  # while it is being opened
    page.clock.run_for(2_100)
    assert count(page) == 3
    last(page, "ends(1006)")
    page.evaluate(f"{wake}({signal})")  # while it waits
    assert count(page) == 4


def test_a_silent_connection_is_lost_within_eight_seconds(page: Any) -> None:
    page.clock.run_for(4_100)
    assert last(page, "sent") == ["hello", "ping"]
    page.clock.run_for(3_300)
    assert (count(page), status(page)) == (1, "open")
    page.clock.run_for(200)
    assert status(page) == "lost"
    page.clock.run_for(500)
    assert (count(page), status(page)) == (2, "connecting")


def test_a_slow_network_gets_longer_to_open_and_to_answer(page: Any) -> None:
    last(page, "ends(1006)")
    page.clock.run_for(500)
    assert count(page) == 2
    page.clock.run_for(2_000)
    assert status(page) == "lost"
    page.clock.run_for(800)
    assert count(page) == 3
    page.clock.run_for(3_000)
    last(page, "arrives()")
    page.clock.run_for(4_000)
    assert last(page, "sent") == ["hello", "ping"]
    page.clock.run_for(5_500)
    assert (count(page), status(page)) == (3, "open")
    page.clock.run_for(1_500)
    assert status(page) != "open"


#: Opens and closes a connection, and returns whether each of its listeners has ended.
OPEN_AND_CLOSE = """async () => {
  const { Connection } = await import("/static/js/shared/connection.js");
  const signals = [];
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    if (this === window || this === document) signals.push(options?.signal);
    add.call(this, type, listener, options);
  };
  new Connection("/ws/play/2/", { hello: () => ({}), message: () => {}, status: () => {} }).close();
  EventTarget.prototype.addEventListener = add;
  return signals.map((signal) => signal?.aborted ?? false);
}"""


def test_a_closed_connection_listens_to_nothing(page: Any) -> None:
    page.evaluate("() => { statuses.length = 0; connection.close(); }")
    for signal in SIGNALS:
        page.evaluate(f"window.dispatchEvent({signal})")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))")
    last(page, "ends(1006)")
    page.clock.run_for(60_000)
    assert (count(page), page.evaluate("statuses"), last(page, "readyState")) == (1, [], 3)
    ended = page.evaluate(OPEN_AND_CLOSE)
    assert ended
    assert all(ended)
