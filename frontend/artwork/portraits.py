"""Parts of the court figures' heads: faces, hair, beards and headgear, around (50, 60) in card units."""

# ruff: noqa: E501 - a shape is one line of path data

from __future__ import annotations

from frontend.artwork.strokes import GOLD, LEAF, LINE, RED, SILVER, STEEL, TEAL, fill, line


def _shade(path: str) -> str:
    return f'<path fill="#401" fill-opacity=".13" d="{path}"/>'


def frontal(skin: str, brow: str, *, man: bool = True, stern: bool = False, gaze: float = 0) -> str:
    """Return a face seen from the front; `gaze` moves the pupils."""
    brows = "M42 56q3 0 6 2M52 58q3-2 6-2" if stern else "M42 57q3-2 6-1M52 56q3-1 6 1"
    if man:
        jaw, mouth = "L59 65C58 70 54 72 50 72S42 70 41 65L40", line(RED, 1, "M47 68q3 1 6 0")
    else:
        jaw = "C60 66 54 72 50 72S40 66 40"
        mouth = fill(RED, "M47 68q2-2 3-1q1-1 3 1q-3 3-6 0z")
    return (
        fill(skin, "M45 67h10v9l-5 4l-5-4z")
        + _shade("M45 70q5 4 10 0v4q-5 3-10 0z")
        + fill(skin, f"M40 57C40 50 44 47 50 47S60 50 60 57{jaw} 57z")
        + _shade("M53 47q7 2 7 10c0 9-6 15-10 15q7-5 7-13z")
        + fill("#fff", "M43 60.2q2.5-2.6 5 0q-2.5 1.8-5 0zM52 60.2q2.5-2.6 5 0q-2.5 1.8-5 0z")
        + line(LINE, 2, f"M{45.5 + gaze:g} 60h0M{54.5 + gaze:g} 60h0")
        + line(LINE, 0.7, "M42.7 60q2.7-3 5.3-.2M52 59.8q2.7-2.8 5.3.2M50 61l-.8 3.8q1 .7 2 .2")
        + line(brow, 1, brows)
        + mouth
    )


def profile(skin: str, brow: str) -> str:
    """Return a face that looks to the right."""
    return (
        fill(
            skin,
            "M43 48C50 45 58 48 58 53V57L62 62Q62 64 60 64V66L59 67L60 68Q60 72 56 72H53V79H44z",
        )
        + _shade("M53 72Q47 71 45 66L44 79L53 77z")
        + fill("#fff", "M53.5 59.6q1.5-2.2 4.3-1l-.6 1.6q-2 .6-3.7-.6z")
        + line(LINE, 2, "M56.6 59.4h0")
        + line(LINE, 0.7, "M53.2 59.6q1.7-2.5 4.7-1.2M58.7 64.2q-.7-.7-.2-1.5M47.5 59q3-.5 2.5 3q-.5 2-2 2")
        + line(brow, 1, "M53 56q2.5-1.5 5-.5")
        + line(RED, 1, "M60 67h-3")
    )


#: Hair behind the head, in the colour of its group.
LOOSE = "M50 43C37 43 38 55 38 62Q37 70 31 75Q38 80 44 74H56Q62 80 69 75Q63 70 62 62C62 55 63 43 50 43z"
LOCKS = "M50 44C39 44 38 52 38 57q-3 3-1 6q-2 4 2 7q2 3 6 2H55q4 1 6-2q4-3 2-7q2-3-1-6C62 52 61 44 50 44z"
BOB = "M50 44C38 44 38 53 38 70q3 3 7 1H55q4 2 7-1C62 53 62 44 50 44z"
CURLS = (
    "M50 41q-6-1-8 3q-6 0-6 6q-4 3-2 7q-3 4 0 8q-1 6 5 7q3 4 7 1H54q4 3 7-1q6-1 5-7q3-4 0-8q2-4-2-7q0-6-6-6q-2-4-8-3z"
)

#: Hair over the forehead.
PARTED = "M40 60C38 47 44 45 50 45S62 47 60 60Q60 53 50 49Q40 53 40 60z"
FRINGE = "M40 62C37 46 44 44 50 44S63 46 60 62L60 55Q50 52 40 55z"

#: Beards and moustaches, around a mouth at (50, 68).
LONG_BEARD = "M40 58L42 63Q45 66 50 65T58 63L60 58Q62 70 57 76L53 81L50 77L47 81L43 76Q38 70 40 58zM47 68Q50 70 53 68Q50 66 47 68z"
ROUND_BEARD = "M40 59L42 64Q46 66 50 65T58 64L60 59q3 5 0 9q-1 5-5 6q-2 3-5 2q-3 1-5-2q-4-1-5-6Q37 64 40 59zM47 68Q50 70 53 68Q50 66 47 68z"
SHORT_BEARD = "M40 58L42 64Q46 67 50 66T58 64L60 58V65Q58 72 50 74Q42 72 40 65zM46 68Q50 70 54 68Q50 67 46 68z"
MOUSTACHE = "M50 66Q46 65 43 70Q47 70 50 67Q53 70 57 70Q54 65 50 66z"

SPIKED_CROWN = (
    fill(GOLD, "M38 52L36 40L43 45L46 38L50 44L54 38L57 45L64 40L62 52Q50 48 38 52z")
    + '<path d="M50 44l2 3-2 3-2-3zM43 46l1 2-1 2-1-2zM57 46l1 2-1 2-1-2z"/>'
)
ROUND_CROWN = (
    '<path d="M40 49C38 41 45 40 50 40S62 41 60 49z"/>'
    + fill(GOLD, "M38 52L37 44Q42 45 42 40Q47 45 50 38Q53 45 58 40Q58 45 63 44L62 52Q50 48 38 52z")
    + line("#fff", 2, "M42 48h0M46 47h0M50 47h0M54 47h0M58 48h0")
)
LEAF_CROWN = fill(
    GOLD,
    "M38 52L37 47Q34 43 38 40Q42 42 42 45Q41 41 45 38Q48 41 47 44Q46 40 50 37Q54 40 53 44Q52 41 55 38Q59 41 58 45Q58 42 62 40Q66 43 63 47L62 52Q50 48 38 52z",
) + line("currentColor", 1, "M40 50Q50 46 60 50")
WREATH = (
    line(LINE, 1, "M39 52Q50 46 61 52")
    + fill(
        LEAF,
        "M39 53Q35 50 38 45Q42 48 39 53zM43 50Q38 46 42 42Q46 46 43 50zM50 49Q45 44 50 38Q55 44 50 49zM57 50Q62 46 58 42Q54 46 57 50zM61 53Q65 50 62 45Q58 48 61 53z",
    )
    + line(GOLD, 2, "M42 50h0M46 48h0M54 48h0M58 50h0")
)
RAYS = fill(GOLD, "M40 54L35 48L41 49L37 42L44 46L43 38L49 44L51 38L54 44L60 40L58 46L61 48L59 52Q50 47 40 54z") + line(
    "currentColor", 1, "M41 52Q50 46 58 50"
)
CORONET = fill(GOLD, "M40 50L39 42L45 46L50 38L55 46L61 42L60 50Q50 46 40 50z") + '<path d="M50 43l1 2-1 2-1-2z"/>'
DIADEM = fill(GOLD, "M40 51Q50 46 60 51L60 48Q54 46 54 43Q50 43 50 39Q50 43 46 43Q46 46 40 48z") + line(
    "currentColor", 3, "M50 46h0"
)

BERET = (
    '<path d="M36 51C34 43 43 40 51 40C60 40 65 44 62 50Q50 46 36 51z"/>'
    + line(GOLD, 2, "M38 51Q50 47 61 50")
    + fill(SILVER, "M56 46Q60 38 70 38Q71 42 67 43Q68 46 60 48z")
)
FLAT_CAP = (
    '<path d="M38 50Q37 41 50 41T62 50z"/>'
    + fill(GOLD, "M36 52Q50 45 64 52L63 48Q50 42 37 48z")
    + fill(GOLD, "M44 46Q36 44 33 38Q37 38 38 40Q41 37 44 46z")
)
POINTED_HAT = (
    '<path d="M38 50Q41 41 50 40Q56 40 66 46L62 51Q50 46 38 50z"/>'
    + fill(GOLD, "M36 52Q43 47 50 48Q57 48 66 46Q64 52 58 51Q46 49 36 52z")
    + line(RED, 2, "M43 46Q40 41 34 40")
)
TURBAN = (
    fill(TEAL, "M39 54Q32 48 37 43Q43 37 50 39Q57 37 63 43Q68 48 61 54Q50 46 39 54z")
    + line("#fff", 1, "M36 46Q45 48 52 40M39 51Q54 48 61 41M60 52Q56 49 50 49")
    + fill(GOLD, "M50 42l2 3-2 3-2-3z")
    + line(GOLD, 2, "M40 66h0M60 66h0")
)

_HELMET = fill(SILVER, "M38 63C36 48 41 41 50 41S64 48 62 63L59 66V55Q50 50 41 55V66z") + line(
    STEEL, 1, "M40 54Q50 49 60 54M50 41v10"
)
PLUMED_HELMET = '<path d="M49 42Q50 36 59 38Q69 40 70 52Q64 44 52 43z"/>' + _HELMET
WINGED_HELMET = _HELMET + fill(
    GOLD,
    "M40 51Q33 50 29 41Q35 43 36 42Q34 40 34 38Q41 41 42 50zM60 51Q67 50 71 41Q65 43 64 42Q66 40 66 38Q59 41 58 50z",
)
VISOR = (
    _HELMET
    + fill(SILVER, "M37 52Q36 42 50 38Q64 42 63 52Q50 46 37 52z")
    + line(STEEL, 1, "M41 48Q50 42 59 48M43 44Q50 40 57 44")
)
MAIL = _HELMET + fill(SILVER, "M38 76V54H42V72zM62 76V54H58V72z") + fill(GOLD, "M38 53Q50 46 62 53V50Q50 44 38 50z")
