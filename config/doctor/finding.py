"""Finding of a doctor's check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Finding(NamedTuple):
    """A fault, in one sentence, and the command or step that repairs it.

    `fix` names the repair that `manage.py doctor --fix` may run by itself, see `repairs`.
    """

    fault: str
    cause: str
    command: str
    fix: str = ""


Check = Callable[[], Iterator[Finding]]
