"""Reference implementation: a second, slow engine, written from the rules page alone, to check the real one."""

from __future__ import annotations

from .shuffle import shuffled, unshuffled
from .table import OPTIONS, STANDARD, VARIANTS, SlowTable

__all__ = ["OPTIONS", "STANDARD", "VARIANTS", "SlowTable", "shuffled", "unshuffled"]
