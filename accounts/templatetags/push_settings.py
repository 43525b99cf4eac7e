"""Template tag for the push switches of the visitor's account, for pages of any app."""

from __future__ import annotations

from typing import Any

from django import template

from accounts.push import views

register = template.Library()


@register.simple_tag(takes_context=True)
def push_settings(context: dict[str, Any]) -> dict[str, object]:
    """Return the push settings in this browser; empty if there are none."""
    return views.shown(context["request"])
