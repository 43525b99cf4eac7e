"""Admin mixins for rows that only the service writes."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


class ServiceRows:
    """Mixin that refuses to add and delete rows."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Return False."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Return False."""
        return False


class ReadOnlyRows(ServiceRows):
    """Mixin that refuses to change rows, too."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401, ARG002
        """Return False."""
        return False
