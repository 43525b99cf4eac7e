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
        from accounts import checks  # noqa: F401, PLC0415
        from accounts.names import directory  # noqa: PLC0415
        from accounts.profile import avatars, follows, win_days  # noqa: PLC0415
        from accounts.sign_in import guests, session_end  # noqa: F401, PLC0415
        from games.db.players import PlayerServices, player_services  # noqa: PLC0415

        player_services.register(
            PlayerServices(
                player_for=guests.player_for,
                create_guest=guests.create_guest,
                bot_player=guests.bot_player,
                sign_in=guests.sign_in,
                accounts_among=directory.accounts_among,
                shown_names=directory.shown_names,
                names_on_pages=directory.names_on_pages,
                names_of=directory.names_of,
                streaks_of=win_days.current_streaks,
                relaxed_streak_of=win_days.relaxed_streak,
                find_by_name=directory.find_by_name,
                follows=follows.is_following,
                avatar_of=avatars.address_of,
            )
        )
