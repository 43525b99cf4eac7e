"""Template tags of the staff's pages: the version, and the doctor's quick checks."""

from __future__ import annotations

from typing import Any, Final

from django import template

from config.doctor.finding import Finding
from games.db.shared_cache import SharedCache
from games.rules.version import __version__

register = template.Library()

_findings: Final = SharedCache("doctor", list[Finding], fresh=60.0)


@register.simple_tag
def version() -> str:
    """Return the version of Talon."""
    return __version__


@register.simple_tag
def faults_for(staff: Any) -> list[Finding]:  # noqa: ANN401 - any kind of user
    """Return what the quick checks find, at most a minute old, for superusers only."""
    if not staff.is_superuser:
        return []
    # Imported here because Django loads all tags in every process, and few show this page.
    from config.doctor.check_list import QUICK, examine  # noqa: PLC0415

    return _findings.get("", lambda: examine(QUICK))
