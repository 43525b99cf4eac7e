"""Court figures: a half-length portrait, mirrored below and distinguished by its headgear."""

# ruff: noqa: E501 - a shape is one line of path data

from __future__ import annotations

from collections.abc import Mapping

SKIN, HAIR, GOLD = "#f2d6b3", "#6b4a2b", "var(--gold,#d9a43b)"

_FACE = (
    f'<path fill="{SKIN}" d="M41 55C41 49 45 46.5 50 46.5S59 49 59 55C59 62.5 55 68 50 68S41 62.5 41 55Z"/>'
    '<g fill="#3b2a1c"><circle cx="46.4" cy="56" r="1"/><circle cx="53.6" cy="56" r="1"/></g>'
    '<path d="M50 56.5V60.6H51.4M47.2 63.6Q50 65.4 52.8 63.6" fill="none" stroke="#8a5a3a" stroke-width=".9"/>'
)
_ROBE = (
    '<path d="M20 86C21 76 29 71 41 69.5L50 76L59 69.5C71 71 79 76 80 86Z"/>'
    f'<path fill="{GOLD}" d="M41 69.5L50 76L59 69.5L62 71L52 86H48L38 71Z"/>'
    '<path fill="#fff" fill-opacity=".85" d="M44.5 69.8L50 74L55.5 69.8L50 86Z"/>'
    f'<path fill="none" stroke="{GOLD}" stroke-width="1.6" d="M25.5 86C26.4 80 29 76.6 33.4 74.4M74.5 86C73.6 80 71 76.6 66.6 74.4"/>'
)
_LONG_HAIR = (
    f'<path fill="{HAIR}" d="M38.6 56C38 47 43 43.5 50 43.5S62 47 61.4 56C61.6 63 63.4 67 65.4 69.8C62 71.6 58.6 71 57.6 69'
    'C60 64 59.6 58 58 52.6C52 53.6 46 52.6 43 50.6C40.6 57 40 64 42.4 69C41.4 71 38 71.6 34.6 69.8C36.6 67 38.4 63 38.6 56Z"/>'
)
_SHORT_HAIR = f'<path fill="{HAIR}" d="M39.6 60C38 49 43 44.4 50 44.4S62 49 60.4 60L58.6 60C59 56 58.4 53 57 51C52 52.4 47 51.6 44.4 50C42 53 41 56 41.4 60Z"/>'
_BEARD = (
    f'<path fill="{HAIR}" d="M40.8 55C41.4 60 43.6 61.6 46 61.4C48 60.4 52 60.4 54 61.4C56.4 61.6 58.6 60 59.2 55'
    'C61 64 58 72.6 50 75C42 72.6 39 64 40.8 55ZM47 64.4Q50 66 53 64.4Q50 63 47 64.4Z"/>'
)
_CROWN = (
    f'<path fill="{GOLD}" d="M38.6 49.6L36.6 38.6L43 43L50 36L57 43L63.4 38.6L61.4 49.6Q50 46.8 38.6 49.6Z"/>'
    f'<g fill="{GOLD}"><circle cx="36.6" cy="38" r="1.6"/><circle cx="50" cy="35.4" r="1.8"/><circle cx="63.4" cy="38" r="1.6"/></g>'
    '<circle cx="50" cy="44.6" r="1.7"/><circle cx="44" cy="46" r="1.1"/><circle cx="56" cy="46" r="1.1"/>'
)
_CORONET = (
    f'<path fill="{GOLD}" d="M41.4 47.6L40 41L45 44L50 38.6L55 44L60 41L58.6 47.6Q50 45.4 41.4 47.6Z"/>'
    f'<circle cx="50" cy="38" r="1.5" fill="{GOLD}"/><circle cx="50" cy="44.4" r="1.2"/>'
)
_CAP = (
    '<path d="M37 49C38 42 44 39.4 51 39.8C58 40.2 62.6 43.6 62.8 48.6C55 45.8 46 46 37 49Z"/>'
    f'<path fill="{GOLD}" d="M37 50.4C46 46.8 55 46.8 62.8 49.8V47.4C55 44.8 46 44.8 36.8 48Z"/>'
    f'<path fill="{GOLD}" d="M58 43C63 37 69 36 73 38C70 40 69 43.6 63 46Z"/>'
)
_HELMET = (
    '<path fill="#b9c0c9" d="M38.6 60C36.4 48 41 41.4 50 41.4S63.6 48 61.4 60L58 63V53.4H42V63Z"/>'
    '<path fill="#8b94a0" d="M42 53.4H58V55.6H42ZM49 41.4H51V53.4H49Z"/>'
    '<path d="M50 41.6C48 37 53 34.6 59 36C64 37.2 68.6 41.6 68.4 48C64.6 42.4 58 41 50 41.6Z"/>'
)

#: Head and shoulders above the middle line of the card (y = 86), in card units.
COURTS: Mapping[str, str] = {
    "J": _ROBE + _FACE + _SHORT_HAIR + _CAP,
    "P": _ROBE + _FACE + _SHORT_HAIR + _CAP,
    "N": _ROBE + _FACE + _HELMET,
    "Q": _LONG_HAIR
    + _ROBE
    + _FACE
    + f'<path fill="{HAIR}" d="M41 54C43 48 47 46.4 50 46.2C53 46.4 57 48 59 54C55 51 53 49.6 50 49.6S45 51 41 54Z"/>'
    + _CORONET,
    "K": _ROBE + _FACE + _BEARD + _CROWN,
}
FRAME = (
    '<rect x="13" y="36" width="74" height="98" rx="4" fill="currentColor" fill-opacity=".06" '
    f'stroke="currentColor" stroke-width="1.1"/><rect x="15.4" y="38.4" width="69.2" height="93.2" rx="2.6" fill="none" stroke="{GOLD}" stroke-width=".8"/>'
)
