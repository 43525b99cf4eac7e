"""Template tags for social sign-in."""

from __future__ import annotations

from django import template

from accounts.models import User
from accounts.sign_in.providers import LinkedService, Service, configured, connections_of

register = template.Library()


@register.simple_tag
def services() -> list[Service]:
    """Return the services that this site has keys for."""
    return configured()


@register.simple_tag
def connections(player: User) -> list[LinkedService]:
    """Return the services connected to the player's account."""
    return connections_of(player)
