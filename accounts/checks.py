"""Deployment checks of the accounts' settings (`manage.py check --deploy`)."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.core import checks

#: Email backends that send nothing.
NOWHERE: Final = tuple(f"django.core.mail.backends.{name}.EmailBackend" for name in ("console", "dummy"))


@checks.register(checks.Tags.security, deploy=True)
def check_mail(app_configs: Any, **_: Any) -> list[checks.CheckMessage]:  # noqa: ANN401, ARG001 - as Django calls it
    """Warn if mail would not be sent: resetting a password and confirming an address need it."""
    if settings.EMAIL_BACKEND not in NOWHERE:
        return []
    message = "Mails are not sent: nobody can reset a password or confirm an address."
    return [
        checks.Warning(message, hint="Set EMAIL_URL, such as smtp+tls://user:password@host:587.", id="accounts.W001")
    ]
