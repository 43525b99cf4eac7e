"""Welcome after sign-up: it names the games that the new account keeps."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from games.models import Attempt
from games.presentation.titles import deal_title

#: Maximum number of games named.
NAMED: Final = 3


def welcome_text(user: User) -> str:
    """Return the welcome of a new account, with the titles of the games that it played as a guest, latest first."""
    attempts = Attempt.objects.filter(player=user).order_by("-started_at")
    games = [str(deal_title(*of)) for of in attempts.values_list("deal__variant", "deal__game")]
    if not games:
        return _("Welcome, %(name)s!") % {"name": user}
    titles = list(dict.fromkeys(games))
    named = ", ".join(titles[:NAMED]) + (" …" if len(titles) > NAMED else "")
    text = ngettext(
        "Welcome, %(name)s! You keep your game: %(games)s.",
        "Welcome, %(name)s! You keep your %(n)s games: %(games)s.",
        len(games),
    )
    return text % {"name": user, "n": len(games), "games": named}
