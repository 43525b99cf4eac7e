"""Shared strokes and shapes of all cards: rank figures, suit emblems, pip layouts."""

# ruff: noqa: E501 - a shape is one line of path data

from __future__ import annotations

from collections.abc import Mapping

#: Figures of one stroke each, in a box 12 wide (unless `WIDTHS` overrides it) and 20 high.
FIGURES: Mapping[str, str] = {
    "A": "M.6 20L6 .6L11.4 20M2.6 13.6H9.4",
    "0": "M6 .9C9.6 .9 10.9 5 10.9 10S9.6 19.1 6 19.1S1.1 15 1.1 10S2.4 .9 6 .9Z",
    "1": "M.8 4.8L5 1.2V20",
    "2": "M1.2 5.8C1.2 2.8 3.2 .9 6 .9S10.8 2.8 10.8 5.6C10.8 9.4 6.4 12 1.4 18.9H11.4",
    "3": "M1.6 1.1H10.4L5.4 8.2C8.9 8 11 10.2 11 13.4C11 17 8.7 19.1 5.8 19.1C3.4 19.1 1.7 17.9 1 15.8",
    "4": "M8.6 20V1.2L1.2 14.4H12",
    "5": "M10.4 1.1H2.9L2.1 9.2C3.2 8.1 4.6 7.5 6 7.5C9 7.5 11 9.8 11 13.2C11 16.8 8.8 19.1 5.8 19.1C3.4 19.1 1.7 17.9 1 15.8",
    "6": "M9.6 1C4.6 3.2 1.1 8.2 1.1 13.4C1.1 17 3.2 19.1 6 19.1S10.9 17 10.9 13.4S8.8 8 6.1 8C4 8 2.2 9.4 1.4 11.6",
    "7": "M1 1.1H10.9L4.6 20",
    "8": "M6 .9C8.6 .9 10.3 2.6 10.3 5.1S8.6 9.4 6 9.4S1.7 7.6 1.7 5.1S3.4 .9 6 .9ZM6 9.4C9 9.4 11 11.4 11 14.2S9 19.1 6 19.1S1 17 1 14.2S3 9.4 6 9.4Z",
    "9": "M2.4 19C7.4 16.8 10.9 11.8 10.9 6.6C10.9 3 8.8 .9 6 .9S1.1 3 1.1 6.6S3.2 12 5.9 12C8 12 9.8 10.6 10.6 8.4",
    "J": "M3.4 1.1H9M8.4 1.1V14.2C8.4 17.4 6.9 19.1 4.7 19.1S1 17.5 .9 14.9",
    "Q": "M6 .9C9.6 .9 11.2 5 11.2 10S9.6 19.1 6 19.1S.8 15 .8 10S2.4 .9 6 .9ZM6.4 14L11.8 20.6",
    "K": "M1.5 0V20M11 .4L1.8 11.6M4.8 8.2L11.4 20",
    "P": "M1.5 20V1.1H6.2C9.4 1.1 11.2 3.1 11.2 6.2S9.4 11.4 6.2 11.4H1.5",
    "N": "M1.4 20V.8L10.8 19.2V0",
}
WIDTHS: Mapping[str, float] = {"1": 6.4, "J": 9.6}
FIGURE_GAP = 2.2

#: Emblems in a box of 20 by 20 around the origin, filled with the current colour.
FRENCH_SUITS: Mapping[str, str] = {
    "S": '<path d="M0-10C2-6 9-3 9 3.2C9 6.4 6.7 8 4.6 8C3 8 1.6 7.2 .9 6C1.1 8 2 9.4 3.6 10H-3.6C-2 9.4-1.1 8-.9 6'
    'C-1.6 7.2-3 8-4.6 8C-6.7 8-9 6.4-9 3.2C-9-3-2-6 0-10Z"/>',
    "H": '<path d="M0 10C-3 5.5-9.5 2-9.5-4C-9.5-7.5-7.2-9.5-4.8-9.5C-2.4-9.5-.8-8 0-6C.8-8 2.4-9.5 4.8-9.5'
    'C7.2-9.5 9.5-7.5 9.5-4C9.5 2 3 5.5 0 10Z"/>',
    "D": '<path d="M0-10.5C2-6.5 5-3 8 0C5 3 2 6.5 0 10.5C-2 6.5-5 3-8 0C-5-3-2-6.5 0-10.5Z"/>',
    "C": '<path d="M0-9.8A4.5 4.5 0 0 1 3.4-2.3A4.6 4.6 0 1 1 1 4.6C1.1 7.6 2 9.3 3.7 10H-3.7C-2 9.3-1.1 7.6-1 4.6'
    'A4.6 4.6 0 1 1-3.4-2.3A4.5 4.5 0 0 1 0-9.8Z"/>',
}
TAROT_SUITS: Mapping[str, str] = {
    "W": '<path d="M-1.5 10L-1.1-4.6C-4.4-4.4-6.4-6-7-9.2C-3.8-9.4-1.8-8.2-.9-6L0-10.4L.9-6C1.8-8.2 3.8-9.4 7-9.2'
    "C6.4-6 4.4-4.4 1.1-4.6L1.2-.6C2.2-2.8 4.2-3.6 6.6-3.2C6.2-.4 4.2 1.2 1.3 1.2L1.5 10Z"
    'M-1.2 4.6C-2.4 2.6-4.2 1.8-6.6 2.2C-6 5-4 6.2-1.3 6.2Z"/>',
    "C": '<path d="M-7.8-9.6H7.8C7.8-2.6 4.9 1 1.5 1.8V5.8C3.9 6.4 5.6 7.8 6 10H-6C-5.6 7.8-3.9 6.4-1.5 5.8V1.8'
    'C-4.9 1-7.8-2.6-7.8-9.6ZM-5.6-7.6C-5.2-4.4-4-2-2.6-.9C-3.4-3-3.8-5.2-3.8-7.6Z"/>',
    "S": '<path d="M0-10.8L2-7.6V2.8H6.8V5.2H1.5V7A2 2 0 1 1-1.5 7V5.2H-6.8V2.8H-2V-7.6ZM-.4-6.6V2.8H.4V-6.6Z"/>',
    "P": '<path fill-rule="evenodd" d="M0-10A10 10 0 1 1 0 10A10 10 0 1 1 0-10ZM0-8A8 8 0 1 0 0 8A8 8 0 1 0 0-8Z"/>'
    '<path d="M0-7.2L1.75-2.3L6.85-2.22L2.8.9L4.25 5.83L0 3L-4.25 5.83L-2.8.9L-6.85-2.22L-1.75-2.3Z"/>',
}

_TOP, _MIDDLE, _BOTTOM = 52.0, 87.0, 122.0
_UPPER, _LOWER = 75.0, 99.0
_LEFT, _CENTRE, _RIGHT = 27.0, 50.0, 73.0
_CORNERS = [(_LEFT, _TOP), (_RIGHT, _TOP), (_LEFT, _BOTTOM), (_RIGHT, _BOTTOM)]
_SIDES = [(_LEFT, _MIDDLE), (_RIGHT, _MIDDLE)]
_FOUR_ROWS = [*_CORNERS, (_LEFT, _UPPER), (_RIGHT, _UPPER), (_LEFT, _LOWER), (_RIGHT, _LOWER)]

#: Emblem positions on number cards, by rank.
PIPS: Mapping[str, list[tuple[float, float]]] = {
    "2": [(_CENTRE, _TOP), (_CENTRE, _BOTTOM)],
    "3": [(_CENTRE, _TOP), (_CENTRE, _MIDDLE), (_CENTRE, _BOTTOM)],
    "4": _CORNERS,
    "5": [*_CORNERS, (_CENTRE, _MIDDLE)],
    "6": [*_CORNERS, *_SIDES],
    "7": [*_CORNERS, *_SIDES, (_CENTRE, 69.5)],
    "8": [*_CORNERS, *_SIDES, (_CENTRE, 69.5), (_CENTRE, 104.5)],
    "9": [*_FOUR_ROWS, (_CENTRE, _MIDDLE)],
    "T": [*_FOUR_ROWS, (_CENTRE, 63.5), (_CENTRE, 110.5)],
}


def figures_width(text: str) -> float:
    """Return the width of a row of figures, in figure units."""
    return sum(WIDTHS.get(sign, 12.0) for sign in text) + FIGURE_GAP * (len(text) - 1)


def figures(text: str, x: float, y: float, scale: float, weight: float = 2.7) -> str:
    """Return a row of figures whose box starts at (x, y)."""
    parts, at = [], 0.0
    for sign in text:
        parts.append(
            f'<path transform="translate({at:g} 0)" d="{FIGURES[sign]}"/>' if at else f'<path d="{FIGURES[sign]}"/>'
        )
        at += WIDTHS.get(sign, 12.0) + FIGURE_GAP
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})" fill="none" stroke="currentColor" '
        f'stroke-width="{weight:g}" stroke-linejoin="round">{"".join(parts)}</g>'
    )
