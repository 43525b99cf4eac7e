"""Court figures: half-length portraits, mirrored below. Each has a face, dress and attribute of its own."""

# ruff: noqa: E501 - a shape is one line of path data

from __future__ import annotations

from collections.abc import Mapping

from frontend.artwork import portraits as head
from frontend.artwork import regalia as dress
from frontend.artwork.strokes import (
    AUBURN,
    BLACK,
    BLOND,
    BLUE,
    BROWN,
    CHESTNUT,
    DARK,
    FAIR,
    GOLD,
    LEAF,
    PALE,
    SILVER,
    STEEL,
    TAN,
    TEAL,
    WHITE,
    fill,
    flipped,
)

#: Head and shoulders above the middle line of the card (y = 85), by rank and the French suit.
FIGURES: Mapping[str, str] = {
    "KS": fill(WHITE, head.BOB)
    + dress.MANTLES["S"]
    + head.frontal(PALE, STEEL, stern=True)
    + fill(WHITE, head.LONG_BEARD)
    + head.SPIKED_CROWN
    + dress.SWORD
    + dress.hand(PALE),
    "KH": fill(AUBURN, head.LOCKS)
    + dress.MANTLES["H"]
    + head.frontal(FAIR, AUBURN, gaze=0.6)
    + fill(AUBURN, head.ROUND_BEARD)
    + head.ROUND_CROWN
    + flipped(dress.CUP + dress.hand(FAIR)),
    "KD": dress.MANTLES["D"]
    + head.profile(TAN, CHESTNUT)
    + fill(CHESTNUT, "M42 66Q37 58 40 50Q46 42 58 48L58 53Q55 50 51 54Q52 57 48 58L46 67z")
    + head.RAYS
    + dress.COIN
    + dress.hand(TAN),
    "KC": dress.MANTLES["C"]
    + head.frontal(DARK, BLACK, gaze=-0.6)
    + fill(BLACK, head.PARTED)
    + fill(BLACK, head.SHORT_BEARD)
    + head.LEAF_CROWN
    + dress.STAFF
    + dress.hand(DARK),
    "QS": fill(BLACK, head.BOB)
    + dress.gown("S", PALE)
    + head.frontal(PALE, BLACK, man=False, gaze=0.8)
    + fill(BLACK, head.FRINGE)
    + head.CORONET
    + dress.FAN
    + dress.hand(PALE),
    "QH": fill(BLOND, head.LOOSE)
    + dress.gown("H", FAIR)
    + head.frontal(FAIR, CHESTNUT, man=False)
    + fill(BLOND, head.PARTED)
    + head.CORONET
    + flipped(dress.ROSE + dress.hand(FAIR)),
    "QD": fill(BLACK, head.CURLS)
    + dress.gown("D", BROWN)
    + head.frontal(BROWN, BLACK, man=False)
    + head.DIADEM
    + dress.MIRROR
    + dress.hand(BROWN),
    "QC": fill(CHESTNUT, head.LOCKS)
    + dress.gown("C", TAN)
    + head.frontal(TAN, CHESTNUT, man=False, gaze=0.6)
    + fill(CHESTNUT, head.PARTED)
    + head.WREATH
    + dress.SUNFLOWER
    + dress.hand(TAN),
    "JS": dress.tunic(SILVER)
    + head.profile(PALE, BLACK)
    + fill(BLACK, "M41 70Q35 56 41 48Q48 42 58 49Q53 52 52 57Q53 65 50 71Q45 74 41 70z")
    + head.BERET
    + dress.SWORD
    + dress.hand(PALE),
    "JH": fill(BLOND, head.BOB)
    + dress.tunic(BLUE)
    + head.frontal(FAIR, CHESTNUT)
    + fill(BLOND, head.FRINGE)
    + head.FLAT_CAP
    + flipped(dress.CUP + dress.hand(FAIR)),
    "JD": dress.tunic(TEAL) + head.frontal(BROWN, BLACK, gaze=0.6) + head.TURBAN + dress.COIN + dress.hand(BROWN),
    "JC": fill(AUBURN, head.LOCKS)
    + dress.tunic(LEAF)
    + head.frontal(FAIR, AUBURN)
    + fill(AUBURN, head.FRINGE)
    + head.POINTED_HAT
    + dress.STAFF
    + dress.hand(FAIR),
    "NS": dress.ARMOUR
    + head.frontal(TAN, BLACK, stern=True)
    + fill(BLACK, head.SHORT_BEARD)
    + head.VISOR
    + dress.SWORD
    + dress.hand(SILVER),
    "NH": fill(BLOND, head.LOCKS)
    + dress.ARMOUR
    + head.frontal(FAIR, CHESTNUT)
    + head.WINGED_HELMET
    + flipped(dress.CUP + dress.hand(FAIR)),
    "ND": dress.ARMOUR + head.frontal(DARK, BLACK) + head.MAIL + dress.COIN + dress.hand(DARK),
    "NC": dress.ARMOUR
    + head.frontal(FAIR, AUBURN)
    + fill(AUBURN, head.MOUSTACHE)
    + head.PLUMED_HELMET
    + dress.STAFF
    + dress.hand(FAIR),
}
#: The French suits whose figures the tarot suits share.
LIKE = {"W": "C", "C": "H", "S": "S", "P": "D"}
COURTS = "JPNQK"


def figure(rank: str, suit: str, *, tarot: bool) -> str:
    """Return the figure of a court card."""
    return FIGURES[("J" if rank == "P" else rank) + (LIKE[suit] if tarot else suit)]


FRAME = (
    '<rect x="13" y="36" width="74" height="98" rx="4" fill="currentColor" fill-opacity=".06" '
    f'stroke="currentColor" stroke-width="1.1"/><rect x="15.4" y="38.4" width="69.2" height="93.2" rx="2.6" fill="none" stroke="{GOLD}" stroke-width=".8"/>'
)
#: Band between the two halves.
BELT = f'<path fill="{GOLD}" stroke="currentColor" stroke-width=".6" d="M16 84H84V86H16z"/>'
