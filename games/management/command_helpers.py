"""Helpers for long-running commands: Ctrl-C without lost work, and options."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from games.rules import CATALOGUE

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C."""


@contextmanager
def interruption() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C sets, so that work stops at its next check; a second Ctrl-C ends it at once.

    A KeyboardInterrupt could get lost: raised inside an interpreter callback, it is only printed.
    """
    interrupted = threading.Event()

    def request_stop(_signal: int, _frame: object) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, previous_handler)

    previous_handler = signal.signal(signal.SIGINT, request_stop)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, previous_handler)


def add_variant_option(parser: ArgumentParser) -> None:
    """Add `--variant`, which can be repeated."""
    parser.add_argument(
        "--variant",
        action="append",
        choices=list(CATALOGUE),
        metavar="VARIANT",
        help=f"one of {', '.join(CATALOGUE)}; can be repeated (default: all)",
    )


def positive(text: str) -> int:
    """Read a whole number above 0 from an option."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"a number above 0, not {text!r}")
    return int(text)
