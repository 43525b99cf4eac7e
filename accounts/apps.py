from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = _("Players")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect signal receivers, register the checks, and register the accounts' functions with the games app."""
        # These modules need models, which are only loaded now.
        from accounts import avatars, checks, follows, guests, presence, sessions, winning  # noqa: F401, PLC0415
        from games.players import People, people  # noqa: PLC0415

        people.register(
            People(
                guests.player_for,
                guests.create_guest,
                guests.sign_in,
                presence.accounts_among,
                presence.shown_names,
                presence.names_on_pages,
                presence.names_of,
                winning.current_streak,
                presence.find_by_name,
                follows.is_following,
                avatars.address_of,
            )
        )
