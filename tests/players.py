"""Players with an account, and browsers in which they are signed in."""

from __future__ import annotations

from typing import Any

from django.test import Client

from accounts.models import User
from accounts.sign_in.guests import BACKEND


def account(name: str, **fields: Any) -> User:
    """Create an account that may be named to others."""
    return User.objects.create_user(name, password=None, display_name=name, name_key=name.lower(), **fields)


def signed_in(player: Any) -> Client:
    """Return a browser in which the player is signed in, without having typed a password just now."""
    client = Client()
    client.force_login(player, backend=BACKEND)
    return client
