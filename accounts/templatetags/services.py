"""The services by which one can sign in here."""

from __future__ import annotations

from django import template

from accounts.models import User
from accounts.providers import Connection, Service, configured, connections_of

register = template.Library()


@register.simple_tag
def services() -> list[Service]:
    """Those that this site has keys for."""
    return configured()


@register.simple_tag
def connections(player: User) -> list[Connection]:
    """Those that the player is connected to."""
    return connections_of(player)
