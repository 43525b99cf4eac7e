"""Display names of the themes of puzzles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.puzzles.themes import Theme

THEME_TITLES: Final[Mapping[Theme, Promise]] = {
    Theme.HOLD_BACK: _("Hold a card back"),
    Theme.FIRST_UP: _("Which card goes up first"),
    Theme.DRAW_FIRST: _("Draw first"),
    Theme.BEFORE_COVERED: _("Before it's covered"),
    Theme.REDEAL: _("Time to redeal"),
    Theme.BEFORE_REDEAL: _("Before you redeal"),
    Theme.DIRECTION: _("Choose the direction"),
    Theme.MAKE_SPACE: _("Make a space"),
    Theme.FILL_SPACE: _("Fill a space"),
    Theme.KEEP_SPACE: _("Keep a space free"),
    Theme.DIG: _("Dig for cards"),
    Theme.USE_RESERVE: _("Use the reserve"),
    Theme.KEEP_RESERVE: _("Save the reserve"),
    Theme.MOVE_RUN: _("Move a run"),
    Theme.TWINS: _("Which of two alike"),
    Theme.START_FOUNDATION: _("Start a foundation"),
    Theme.FIRST_ROW: _("Play from the first row"),
    Theme.KEEP_FIRST_ROW: _("Leave the first row alone"),
    Theme.OPEN_PASSAGE: _("Open a passage"),
    Theme.TRUMP_BRIDGE: _("A trump as a bridge"),
    Theme.FOOL: _("Use the Fool"),
    Theme.TEN_ON_TWO: _("A ten on a two"),
}
