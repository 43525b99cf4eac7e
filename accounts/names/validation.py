"""Player names: validation, and folding to keys that detect confusable names."""

from __future__ import annotations

import re
import secrets
import unicodedata
from functools import cache
from typing import Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.names.allowed_characters import has_one_kind_of_digits, is_fit, is_of_one_script
from accounts.names.confusables import prototype, without_invisible

SHORTEST: Final = 2
LONGEST: Final = 24
#: Maximum length of a key; one letter may fold into several.
LONGEST_KEY: Final = 128

#: Name shown with the results of a deleted account.
FORMER_PLAYER: Final = "Former player"

# Letters and digits that look alike in common typefaces, each mapped to the representative of its group, in addition to
# the Unicode confusables. Applied to lower-case letters without accents.
_LOOKALIKES: Final = str.maketrans(
    "01i|5ıɩɑɡ" + "авекмнорстухѕіјԁԛԝһгпьӏүө" + "αβγεηικνορσςτυχωμ" + "օսոհցզ",
    "olllsllag" + "abekmhopctyxsljdqwhrnblyo" + "abyenlkvopoctuxwu" + "ounhgq",
)

# By language, words for staff and for players without a name of their own: a name may not consist of these alone, with
# or without articles, in any combination or with a number (the site calls players "Guest 455"). After the colon, words
# rejected on their own or with a number.
_RESERVED: Final = {
    "en": "admin administrator bot deleted former ghost guest help mod moderator official player root server staff"
    " support system talon team the: anonymous everyone me nobody none null somebody someone undefined unknown you",
    "de": "ehemaliges gast geist gäste hilfe leitung mitarbeiter mitarbeiterin mitglied moderatorin offiziell personal"
    " spieler spielerin spielleitung verwaltung: alle anonym du jemand niemand unbekannt",
    "es": "administrador administradora antiguo ayuda equipo fantasma invitada invitado jugador jugadora jugadores"
    " moderador moderadora moderadores oficial personal soporte: alguien anónimo desconocido nadie todos tú",
    "fr": "administrateur administratrice aide ancien assistance fantôme invité invitée joueur joueuse modérateur"
    " modératrice officiel personnel équipe: anonyme inconnu personne quelqu'un tous toutlemonde vous",
    "it": "amministratore amministratrice assistenza fantasma giocatore giocatrice moderatore moderatrice ospite"
    " personale squadra ufficiale: anonimo nessuno qualcuno sconosciuto tu tutti",
    "pt": "administrador convidado equipa equipe fantasma jogador jogadora jogadores moderador moderadores oficial"
    " pessoal suporte: alguém anônimo desconhecido ninguém todos você",
}
_ARTICLES: Final = "das der die el il l la las le les los lo o os the"

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
    """Fold ``name`` so that names that read alike get the same key.

    Case, width, accents, spaces, punctuation, invisible characters and look-alike letters make no difference. A capital
    folds to what it looks like as written: a Greek eta is an H, though its small letter looks like an n.
    """
    shapes = "".join(map(_shape, _bare(unicodedata.normalize("NFKC", name))))
    key = _bare(shapes).casefold().translate(_LOOKALIKES).replace("rn", "m").replace("vv", "w")
    return key[:LONGEST_KEY]


def alike_keys(name: str) -> list[str]:
    """Return the keys of accounts that count as named ``name``: its own key and those of its other case spellings."""
    spellings = (name, name.lower(), name.upper(), name.title())
    return [key for key in dict.fromkeys(map(name_key, spellings)) if key]


def clean_name(text: str) -> str:
    """Normalise ``text`` into a name: resolve compatibility forms and collapse spaces.

    :raises ValidationError: if it is not allowed as a name. Availability is not checked here.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not SHORTEST <= len(name) <= LONGEST:
        raise ValidationError(
            _("Use %(shortest)s to %(longest)s characters."),
            code="name_length",
            params={"shortest": SHORTEST, "longest": LONGEST},
        )
    if not _is_well_formed(name):
        raise ValidationError(
            _("Use letters and digits, with single spaces, dots, hyphens, underscores or apostrophes in between."),
            code="name_characters",
        )
    if not is_of_one_script(name):
        raise ValidationError(_("Use letters of one alphabet only."), code="name_alphabets")
    if _is_reserved(name):
        raise ValidationError(_("This name is reserved."), code="name_reserved")
    return name


def guest_name() -> str:
    """Generate a friendly guest name, such as ``Lucky Otter 4821``. Two guests may get the same one."""
    return f"{secrets.choice(_FIRST)} {secrets.choice(_SECOND)} {1000 + secrets.randbelow(9000)}"


def _shape(character: str) -> str:
    """Return the lower-case letter or digit that a character looks like, a Latin one if there is one."""
    if character.isascii():
        return character
    looks = prototype(character)
    if character.isupper() and looks.isascii():
        return looks
    return "".join(map(prototype, character.casefold().translate(_LOOKALIKES)))


def _bare(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", without_invisible(text))
    return "".join(character for character in decomposed if _is_distinctive(character))


def _is_distinctive(character: str) -> bool:
    if "\u0300" <= character <= "\u036f":  # accents of European alphabets; in other scripts marks are vowels
        return False
    return character == "|" or unicodedata.category(character)[0] in "LMN"


def _is_well_formed(name: str) -> bool:
    if not (name[0].isalnum() and name[-1] not in _JOINERS):
        return False
    if re.search(r"[ \-_.']{2}", name):
        return False
    if not has_one_kind_of_digits(name) or not name_key(name):
        return False
    return _marks_in_a_row(name) <= 2 and all(c in _JOINERS or is_fit(c) for c in name)


def _marks_in_a_row(name: str) -> int:
    longest = run = 0
    for character in name:
        run = run + 1 if unicodedata.category(character)[0] == "M" else 0
        longest = max(longest, run)
    return longest


def _is_reserved(name: str) -> bool:
    without_number = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", name)
    spellings = (name, without_number, re.sub(r"\d", "", name))
    return any(_reserved().fullmatch(name_key(spelling)) for spelling in spellings)


@cache
def _reserved() -> re.Pattern[str]:
    lists = zip(*(words.split(":") for words in _RESERVED.values()), strict=True)
    articles, roles, words = ("|".join(map(name_key, " ".join(text).split())) for text in ([_ARTICLES], *lists))
    return re.compile(rf"(?:(?:{articles})?(?:{roles})s?)+|{words}")
