"""A page's clocks and timers, which a test can make sleep, jump and advance.

    page = visit(fresh=True)
    clock = PageClock(page, server_clock)  # before the page that is to be tested is opened
    page.goto("/")
    clock.sleep(600)   # the machine was suspended: Date and the server went on, performance.now and timers did not
    clock.jump(-3600)  # the system clock was corrected: only Date moves, forwards or backwards
    clock.advance(15)  # time passes everywhere, and the page's timers fire on the way, without a wait
    clock.stop()       # time passes only by `advance`, however slow the machine is; `go` lets it run again

A page runs in real time otherwise. `sleep` says nothing to the page: a test follows it with one of
`hidden_tab.WAKE_SIGNALS`, or with nothing, as on a desktop whose tab was visible all the time. The server moves only if
its clock is given (the fixture `server_clock`).
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

_SCRIPT = """(() => {
  if (globalThis.pageClock) return;
  const {Date: RealDate, setTimeout: later, clearTimeout: forget, requestAnimationFrame: onFrame} = globalThis;
  const realNow = performance.now.bind(performance);
  let [ahead, corrected, last, stopped] = [0, 0, 0, null];
  const now = () => (stopped ?? realNow()) + ahead;
  const today = () => performance.timeOrigin + now() + corrected;

  performance.now = now;
  globalThis.requestAnimationFrame = (call) => onFrame.call(globalThis, () => call(now()));
  globalThis.Date = class Date extends RealDate {
    constructor(...parts) { if (parts.length) super(...parts); else super(today()); }
    static now() { return Math.floor(today()); }
  };

  const timers = new Map();
  const fire = (id) => {
    const timer = timers.get(id);
    if (!timer) return;
    if (timer.every === null) timers.delete(id);
    else arm(id, Object.assign(timer, {due: Math.max(timer.due + timer.every, now() - timer.every)}));
    timer.call(...timer.args);
  };
  const arm = (id, timer) => {
    timers.set(id, timer);
    forget(timer.real);
    if (stopped === null) timer.real = later.call(globalThis, fire, timer.due - now(), id);
  };
  const add = (call, wait, args, repeats) => {
    const ms = Math.max(Number(wait) || 0, repeats ? 1 : 0);
    arm(last += 1, {due: now() + ms, every: repeats ? ms : null, args, call});
    return last;
  };
  const drop = (id) => { forget(timers.get(id)?.real); timers.delete(id); };
  globalThis.setTimeout = (call, wait, ...args) => add(call, wait, args, false);
  globalThis.setInterval = (call, wait, ...args) => add(call, wait, args, true);
  globalThis.clearTimeout = globalThis.clearInterval = drop;

  AbortSignal.timeout = (ms) => {
    const control = new AbortController();
    setTimeout(() => control.abort(new DOMException("signal timed out", "TimeoutError")), ms);
    return control.signal;
  };

  const pause = () => new Promise((go) => later.call(globalThis, go, 0));
  globalThis.pageClock = {
    jump: (ms) => { corrected += ms; },
    stop: () => {
      stopped ??= realNow();
      for (const {real} of timers.values()) forget(real);
    },
    go: () => {
      stopped = null;
      for (const [id, timer] of timers) arm(id, timer);
    },
    advance: async (ms) => {
      const end = now() + ms;
      for (;;) {
        const [next] = [...timers].filter(([, {due}]) => due <= end).sort(([, a], [, b]) => a.due - b.due);
        if (!next) break;
        const [id, timer] = next;
        ahead += Math.max(0, timer.due - now());
        forget(timer.real);
        fire(id);
        await pause();
      }
      ahead += Math.max(0, end - now());
      for (const [id, timer] of timers) arm(id, timer);
    },
  };
})()"""


class ServerClock:
    """How far the embedded server's wall clock is ahead of the machine's, in a file that the server maps."""

    def __init__(self, file: Path) -> None:
        file.write_bytes(struct.pack("d", 0.0))
        with file.open("r+b") as opened:
            self._map = mmap.mmap(opened.fileno(), 0)
        self._ahead = 0.0

    def move(self, seconds: float) -> None:
        self._set(self._ahead + seconds)

    def reset(self) -> None:
        self._set(0.0)

    def _set(self, seconds: float) -> None:
        self._ahead = seconds
        self._map[:] = struct.pack("d", seconds)


class PageClock:
    """The clocks of all documents of a page that are opened from now on."""

    def __init__(self, page: Any, server: ServerClock | None = None) -> None:
        self._page, self._server = page, server
        page.add_init_script(_SCRIPT)

    def sleep(self, seconds: float) -> None:
        """Suspend the machine: Date and the server go on, performance.now and all timers stand still."""
        self._move_server(seconds)  # first: the page asks for the time as soon as it notices
        self.jump(seconds)

    def jump(self, seconds: float) -> None:
        """Correct the system clock, forwards or backwards: only Date moves."""
        self._page.evaluate("ms => pageClock.jump(ms)", seconds * 1000)

    def advance(self, seconds: float) -> None:
        """Let time pass; timers fire in order, each at its time. A page that opens another one has no more to do."""
        self._move_server(seconds)
        try:
            self._page.evaluate("ms => pageClock.advance(ms)", seconds * 1000)
        except sync_api.Error as error:
            if "Execution context was destroyed" not in str(error):
                raise

    def stop(self) -> None:
        """Stop the page's clocks and timers; they move by `advance` alone."""
        self._page.evaluate("pageClock.stop()")

    def go(self) -> None:
        """Let the clocks run again from where they would be; timers that are overdue fire."""
        self._page.evaluate("pageClock.go()")

    def _move_server(self, seconds: float) -> None:
        if self._server is not None:
            self._server.move(seconds)
