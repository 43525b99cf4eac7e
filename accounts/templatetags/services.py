"""Template tags for social sign-in."""

from __future__ import annotations

from django import template

from accounts.sign_in.providers import configured, connections_of

register = template.Library()
register.simple_tag(configured, name="services")
register.simple_tag(connections_of, name="connections")
