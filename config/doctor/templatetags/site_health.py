"""Template tags of the staff's pages: the version, and the doctor's quick checks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from django import template
from django.db import connections

from config.doctor.finding import Finding
from games.db.shared_cache import SharedCache
from games.rules.version import __version__

register = template.Library()

_findings: Final = SharedCache("doctor", list[Finding], fresh=60.0)
#: Thread of the checks, which take seconds, and the seconds for which a page waits for it.
_doctor: Final = ThreadPoolExecutor(1, "doctor")
PATIENCE: Final = 0.2


@register.simple_tag
def version() -> str:
    """Return the version of Talon."""
    return __version__


@register.simple_tag
def faults_for(staff: Any) -> list[Finding] | None:  # noqa: ANN401 - any kind of user
    """Return what the quick checks find, at most a minute old, for superusers only; None while the checks run."""
    if not staff.is_superuser:
        return []
    try:
        return _doctor.submit(findings).result(PATIENCE)
    except TimeoutError:
        return None


def findings() -> list[Finding]:
    """Return what the quick checks find, at most a minute old."""
    # Imported here because Django loads all tags in every process, and few show this page.
    from config.doctor.check_list import QUICK, examine  # noqa: PLC0415

    try:
        return _findings.get("", lambda: examine(QUICK))
    finally:
        connections.close_all()
