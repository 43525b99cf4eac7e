"""Reasons for verdicts, in stored form and as shown to players.

A stored reason may contain figures and name other players' attempts, for staff only. Players see only the code and the
sentence defined here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

VerdictReason = dict[str, Any]

STAFF: Final = "staff"


@dataclass(frozen=True, slots=True)
class ShownReason:
    """A reason as shown to the player: its subject in a word or two, and a sentence."""

    code: str
    about: StrPromise
    sentence: StrPromise


_RECORD: Final = pgettext_lazy("what a verdict is about", "record")
_PACE: Final = pgettext_lazy("what a verdict is about", "pace")
_CLOCK: Final = pgettext_lazy("what a verdict is about", "times")

_OF_RECORDS: Final = (
    ShownReason("unreadable_record", _RECORD, _("The record cannot be read.")),
    ShownReason("wrong_deal", _RECORD, _("The record belongs to another deal.")),
    ShownReason("wrong_rules", _RECORD, _("The record and the deal have different rules.")),
    ShownReason("wrong_variant", _RECORD, _("The record belongs to another game.")),
    ShownReason("replay_failed", _RECORD, _("The record contains an illegal move.")),
    ShownReason("wrong_end", _RECORD, _("The game ended differently from its record.")),
    ShownReason("not_verifiable", _RECORD, _("The record could not be replayed.")),
)
_FLAGS: Final = (
    ShownReason("clock_backwards", _CLOCK, _("The record's times go backwards.")),
    ShownReason("clock_differs", _CLOCK, _("The record's times don't match the server's.")),
    ShownReason("burst", _PACE, _("Many moves were too fast for a human hand.")),
    ShownReason("pace", _PACE, _("Faster than people usually play.")),
    ShownReason("steady", _PACE, _("The moves were as regular as a machine's.")),
    ShownReason(
        "copied_line",
        pgettext_lazy("what a verdict is about", "like an earlier game"),
        _("Another player made the same moves before."),
    ),
    ShownReason(
        "same_device",
        pgettext_lazy("what a verdict is about", "device"),
        _("Another player started this deal on the same device before."),
    ),
    ShownReason(
        "undone_reveal",
        pgettext_lazy("what a verdict is about", "undo"),
        _("A move that turned up a card was undone. This race doesn't allow that."),
    ),
)
_DECIDED: Final = ShownReason(STAFF, pgettext_lazy("what a verdict is about", "decision"), _("Our staff decided this."))
#: Fallback for codes without a sentence for players, such as those that only staff may know.
_OTHER: Final = ShownReason(
    "other", pgettext_lazy("what a verdict is about", "something else"), _("A person will check it.")
)

SHOWN: Final = {entry.code: entry for entry in (*_OF_RECORDS, *_FLAGS, _DECIDED, _OTHER)}

#: Codes that only ever accompany others and are not shown to players.
_FOR_STAFF: Final = frozenset({"same_network"})

#: Codes of what hands cannot do, so that only staff can release such a result.
_BEYOND_HANDS: Final = frozenset({"burst", "pace"})

#: Codes about the record, including the one for a record that could not be replayed. All others except the staff's
#: are flags.
_RECORD_CODES: Final = frozenset(entry.code for entry in _OF_RECORDS)


def reason(code: str, message: str, **data: object) -> VerdictReason:
    """Return a reason in stored form: a code, a sentence for staff, and related data."""
    return {"code": code, "message": message, **data}


def of_record(reasons: Iterable[VerdictReason]) -> list[VerdictReason]:
    """Return the reasons about the record itself: that it is not legal, not complete or cannot be read."""
    return [reason for reason in reasons if reason["code"] in _RECORD_CODES]


def flags(reasons: Iterable[VerdictReason]) -> list[VerdictReason]:
    """Return the reasons that are doubts about fair play."""
    return [reason for reason in reasons if reason["code"] not in _RECORD_CODES and reason["code"] != STAFF]


def undecided(reasons: Iterable[VerdictReason]) -> list[VerdictReason]:
    """Return the doubts about fair play that staff have not decided about."""
    known = list(reasons)
    return [] if any(reason["code"] == STAFF for reason in known) else flags(known)


def is_beyond_hands(reasons: Iterable[VerdictReason]) -> bool:
    """Return whether the reasons say that hands cannot have played the game."""
    return any(reason["code"] in _BEYOND_HANDS for reason in reasons)


def shown(reasons: Iterable[VerdictReason]) -> list[ShownReason]:
    """Return the reasons as their player may see them, each once, without figures or mention of other players.

    A game with bursts is also too fast overall, so `burst` replaces `pace`.
    """
    visible = (reason["code"] for reason in reasons if reason["code"] not in _FOR_STAFF)
    by_code = {entry.code: entry for entry in (SHOWN.get(code, _OTHER) for code in visible)}
    if "burst" in by_code:
        by_code.pop("pace", None)
    return list(by_code.values())


def for_player(reasons: Iterable[VerdictReason], state: str) -> list[VerdictReason]:
    """Return the reasons of `shown` as JSON, in English, for programs. Doubts about a verified game are for staff."""
    if state == "verified":
        return []
    with translation.override("en"):
        return [{"code": entry.code, "message": str(entry.sentence)} for entry in shown(reasons)]
