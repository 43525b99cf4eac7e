"""Names of players: what may be one, and when two names are too much alike."""

from __future__ import annotations

import re
import secrets
import unicodedata
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

SHORTEST: Final = 2
LONGEST: Final = 24

#: What a deleted account is called wherever its results stay.
FORMER_PLAYER: Final = "Former player"

# Letters and digits that look like another in common typefaces, each with the one that stands for its group.
# Applied after case folding and the removal of accents, so only bare small letters are listed.
_LOOKALIKES: Final = str.maketrans(
    "01i|5ıɩɑɡ" + "авекмнорстухѕіјԁԛԝһгпьӏүө" + "αβγεηικνορσςτυχωμ" + "օսոհցզ",
    "olllsllag" + "abekmhopctyxsljdqwhrnblyo" + "abyenlkvopoctuxwu" + "ounhgq",
)

_RESERVED: Final = (
    "admin", "administrator", "root", "system", "staff", "team", "support", "help", "moderator", "mod", "official",
    "talon", "server", "bot", "guest", "anonymous", "nobody", "everyone", "unknown", "deleted", "deleted player",
    FORMER_PLAYER, "you", "me", "null", "none", "undefined",
)  # fmt: skip

# Alphabets with letters that pass for one another: one name keeps to one of them.
_ALPHABETS: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "COPTIC", "CHEROKEE", "GEORGIAN", "LISU"})

_JOINERS: Final = frozenset(" -_.'")

_FIRST: Final = (
    "Amber", "Autumn", "Azure", "Brave", "Bright", "Calm", "Clever", "Copper", "Coral", "Crimson", "Curious", "Daring",
    "Dusky", "Eager", "Early", "Emerald", "Fabled", "Gentle", "Gilded", "Golden", "Happy", "Hazel", "Honest", "Humble",
    "Indigo", "Ivory", "Jolly", "Keen", "Kindly", "Lively", "Lucky", "Lunar", "Mellow", "Merry", "Mighty", "Misty",
    "Nimble", "Noble", "Olive", "Patient", "Pearly", "Polite", "Quiet", "Rapid", "Russet", "Scarlet", "Silver", "Snowy",
    "Sunny", "Swift", "Tawny", "Tidy", "Velvet", "Violet", "Wandering", "Warm", "Wily", "Winter", "Witty", "Zesty",
)  # fmt: skip
_SECOND: Final = (
    "Badger", "Beaver", "Bittern", "Buzzard", "Cormorant", "Crane", "Curlew", "Dipper", "Dolphin", "Dormouse", "Dove",
    "Eagle", "Falcon", "Ferret", "Finch", "Fox", "Gannet", "Goshawk", "Hare", "Harrier", "Hedgehog", "Heron", "Hobby",
    "Ibis", "Jackdaw", "Jay", "Kestrel", "Kingfisher", "Kite", "Lapwing", "Lark", "Linnet", "Lynx", "Magpie", "Marten",
    "Merlin", "Mole", "Nightjar", "Osprey", "Otter", "Owl", "Peregrine", "Pipit", "Plover", "Puffin", "Raven", "Robin",
    "Rook", "Seal", "Shrike", "Siskin", "Sparrow", "Squirrel", "Starling", "Stoat", "Stork", "Swallow", "Swan",
    "Thrush", "Wren",
)  # fmt: skip


def name_key(name: str) -> str:
    """Fold ``name`` so that names which read alike get the same key.

    Case, width, accents, spaces, punctuation and look-alike letters do not tell names apart.
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    bare = "".join(c for c in unicodedata.normalize("NFKD", folded) if _tells_apart(c))
    return bare.translate(_LOOKALIKES).replace("rn", "m").replace("vv", "w")


def clean_name(text: str) -> str:
    """Give ``text`` as a name: compatibility forms resolved and blanks tidied.

    :raises ValidationError: when it cannot be a name. Whether somebody has it already is not looked at.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not SHORTEST <= len(name) <= LONGEST:
        raise ValidationError(
            _("A name has %(shortest)s to %(longest)s characters."),
            code="name_length",
            params={"shortest": SHORTEST, "longest": LONGEST},
        )
    if not _is_well_formed(name):
        raise ValidationError(
            _("A name is made of letters and digits, with single spaces, dots, hyphens, underscores or apostrophes."),
            code="name_characters",
        )
    if len(_alphabets(name)) > 1:
        raise ValidationError(_("A name keeps to the letters of one alphabet."), code="name_alphabets")
    if name_key(name) in _RESERVED_KEYS:
        raise ValidationError(_("This name is reserved."), code="name_reserved")
    return name


def guest_name() -> str:
    """Make up a friendly name for a guest, such as ``Lucky Otter 4821``. Two guests may get the same one."""
    return f"{secrets.choice(_FIRST)} {secrets.choice(_SECOND)} {1000 + secrets.randbelow(9000)}"


def _tells_apart(character: str) -> bool:
    if "\u0300" <= character <= "\u036f":  # accents of the European alphabets; elsewhere marks are vowels
        return False
    return character == "|" or unicodedata.category(character)[0] in "LMN"


def _is_well_formed(name: str) -> bool:
    if not (name[0].isalnum() and name[-1] not in _JOINERS):
        return False
    if re.search(r"[ \-_.']{2}", name):
        return False
    return _marks_in_a_row(name) <= 2 and all(
        c in _JOINERS or unicodedata.category(c) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"} for c in name
    )


def _marks_in_a_row(name: str) -> int:
    longest = run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        longest = max(longest, run)
    return longest


def _alphabets(name: str) -> set[str]:
    return {unicodedata.name(c, "").partition(" ")[0] for c in name if c.isalpha()} & _ALPHABETS


_RESERVED_KEYS: Final = frozenset(map(name_key, _RESERVED))
