"""Clothes and attributes of the court figures, in card units. A right hand is at (74, 79)."""

from __future__ import annotations

from frontend.artwork.strokes import CHESTNUT, GOLD, LEAF, LINE, RED, SILVER, STEEL, TEAL, fill, line

_ROBE = '<path d="M16 85C16 77 25 75 41 73L50 78L59 73C75 75 84 77 84 85z"/>'
#: Robes of kings, by suit.
MANTLES = {
    "S": _ROBE + line(SILVER, 2, "M20 84L26 77L32 84L38 75L44 84L50 78L56 84L62 75L68 84L74 77L80 84"),
    "H": _ROBE
    + fill("#fff", "M41 73L45 77Q36 79 34 86H22Q22 76 41 73zM59 73L55 77Q64 79 66 86H78Q78 76 59 73z")
    + line(LINE, 1, "M36 76v1M30 79v1M28 84v1M64 76v1M70 79v1M72 84v1"),
    "D": _ROBE
    + fill("#fff", "M59 73L66 74Q49 78 45 86H30Q38 76 59 73z")
    + line(GOLD, 1, "M59 73Q38 76 30 86M66 74Q49 78 45 86M52 78L40 86"),
    "C": _ROBE
    + line(GOLD, 1, "M41 73Q43 81 50 81Q57 81 59 73")
    + line(GOLD, 2, "M22 81h0M28 78h0M30 82h0M36 80h0M63 80h0M66 76h0")
    + line(LEAF, 5, "M50 80h0"),
}
#: Sleeves of queens, by suit.
_SLEEVES = {
    "S": line(SILVER, 1, "M20 86L27 76M30 86L36 75M64 75L70 86M73 76L80 86"),
    "H": line(GOLD, 1, "M27 86Q27 80 31 76M73 86Q73 80 69 76"),
    "D": fill(TEAL, "M16 85C16 77 25 75 41 73L32 85zM84 85C84 77 75 75 59 73L68 85z"),
    "C": line(LEAF, 2, "M41 74Q32 84 16 83M59 74Q68 84 84 83"),
}


def gown(suit: str, skin: str) -> str:
    """Return a queen's robe."""
    neck = fill(skin, "M44 73Q43 80 50 82Q57 80 56 73z") + line(GOLD, 1, "M43 73Q42 81 50 82Q58 81 57 73")
    return _ROBE + neck + _SLEEVES[suit]


def tunic(colour: str) -> str:
    """Return a tunic with one half in another colour."""
    return (
        _ROBE
        + fill(colour, "M50 78L59 73C75 75 84 77 84 86H50z")
        + line(GOLD, 2, "M42 74L50 78L58 74")
        + line(GOLD, 2, "M50 81h0M50 84h0")
    )


ARMOUR = (
    _ROBE
    + fill(SILVER, "M16 86C16 77 25 75 36 74Q30 79 31 86zM84 86C84 77 75 75 64 74Q70 79 69 86z")
    + line(STEEL, 1, "M20 80Q26 78 32 80M18 84H31M80 80Q74 78 68 80M82 84H69")
    + line(GOLD, 1, "M40 74L50 79L60 74")
)


def hand(skin: str) -> str:
    """Return a hand that comes out of its cuff."""
    return fill(GOLD, "M68 86L70 80H77L79 86z") + line(skin, 7, "M74 79h0")


SWORD = fill("#dfe5ea", "M72 73V44L74 40L75 44V73z") + line(SILVER, 1, "M74 42V73") + line(GOLD, 2, "M68 74H79")
CUP = (
    fill(GOLD, "M66 58H82Q81 68 75 70V75H72V70Q66 68 66 58z")
    + line("#fff", 1, "M68 60Q68 65 71 67")
    + '<path d="M74 61l2 3-2 3-2-3z"/>'
    + line(LINE, 1, "M66 58H81")
)
COIN = (
    line(LINE, 18, "M74 69h0")
    + line(GOLD, 17, "M74 69h0")
    + line("#fff", 1, "M68 69Q68 63 74 63")
    + '<path d="M74 64l2 3 3 2-3 2-2 3-2-3-3-2 3-2z"/>'
)
STAFF = line("#8a5a2e", 3, "M74 86L73 45") + fill(
    LEAF, "M73 48Q65 48 66 40Q73 41 73 48zM73 51Q81 50 80 42Q74 44 73 51zM74 60Q67 60 66 54Q73 54 74 60z"
)
FAN = (
    fill("#fff", "M74 78L62 66Q65 57 74 56T85 66z")
    + '<path d="M66 71Q69 67 74 67T80 71L85 66Q82 57 74 56T62 66z" fill-opacity=".8"/>'
    + line(GOLD, 1, "M74 78L68 58M74 78V56M74 78L80 58")
)
ROSE = (
    line(LEAF, 2, "M74 78V66")
    + fill(LEAF, "M74 75Q80 75 81 69Q75 69 74 75z")
    + line(RED, 11, "M74 62h0")
    + line("#f7b9b4", 1, "M71 60q3-3 5 0q1 4-2 4q-3 0-2-3")
)
MIRROR = (
    line(GOLD, 2, "M74 79V69")
    + f'<ellipse cx="74" cy="60" rx="7" ry="8.6" fill="#cfe3ea" stroke="{GOLD}" stroke-width="2"/>'
    + line("#fff", 1, "M70 60L75 55M72 64L77 58")
)
SUNFLOWER = (
    line(LEAF, 2, "M74 79Q72 70 74 62")
    + fill(LEAF, "M73 73Q66 73 65 67Q72 67 73 73z")
    + line(GOLD, 5, "M74 53h0M79 56h0M79 61h0M74 63h0M69 61h0M69 56h0")
    + line(CHESTNUT, 8, "M74 58h0")
)
