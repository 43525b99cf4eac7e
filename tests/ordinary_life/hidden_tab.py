"""A tab that is hidden, shown again, put into the browser's cache and taken out, as the page hears of it.

    hide(page); show(page)                   # another tab, a locked phone
    freeze(page); resume(page)               # a hidden tab that the browser stopped
    leave(page); come_back(page)             # the browser's back/forward cache
    wake(page, "online")                     # one of `WAKE_SIGNALS` alone

Chromium draws a headless page as visible whatever is in front of it, so these set what the page reads and dispatch what
it hears.
"""

from __future__ import annotations

from typing import Any, Final

SET = """state => {
  for (const [name, value] of [["visibilityState", state], ["hidden", state === "hidden"]])
    Object.defineProperty(document, name, {configurable: true, get: () => value});
  document.hasFocus = () => state === "visible";
  document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));
  window.dispatchEvent(new Event(state === "visible" ? "focus" : "blur"));
}"""
_DISPATCH = "name => document.dispatchEvent(new Event(name))"
_TRANSITION = "name => window.dispatchEvent(new PageTransitionEvent(name, {persisted: true}))"

#: What tells a page that it may have missed something.
WAKE_SIGNALS: Final = ("visible", "pageshow", "online")


def hide(page: Any) -> None:
    page.evaluate(SET, "hidden")


def show(page: Any) -> None:
    page.evaluate(SET, "visible")


def freeze(page: Any) -> None:
    """Hide the page and tell it that it is stopped. Its timers go on: a test moves its clock with `PageClock.sleep`."""
    hide(page)
    page.evaluate(_DISPATCH, "freeze")


def resume(page: Any) -> None:
    page.evaluate(_DISPATCH, "resume")
    show(page)


def leave(page: Any) -> None:
    """Leave the page, which the browser keeps in its cache."""
    page.evaluate(_TRANSITION, "pagehide")
    hide(page)


def come_back(page: Any) -> None:
    """Come back to the page from the browser's cache."""
    page.evaluate(_TRANSITION, "pageshow")
    show(page)


def wake(page: Any, signal: str) -> None:
    """Dispatch one of `WAKE_SIGNALS` alone."""
    match signal:
        case "visible":
            show(page)
        case "pageshow":
            page.evaluate(_TRANSITION, "pageshow")
        case "online":
            page.evaluate("() => window.dispatchEvent(new Event('online'))")
        case _:
            raise ValueError(signal)
