"""Colours and elementary shapes of the court figures."""

from __future__ import annotations

PALE, FAIR, TAN, BROWN, DARK = "#f8dfc6", "#f2cfa8", "#dfab7c", "#ab744c", "#82543a"
BLACK, CHESTNUT, AUBURN, BLOND, WHITE = "#27222b", "#5f3b22", "#a8491f", "#dba545", "#dcdad6"
GOLD, SILVER, LINE, RED = "var(--gold,#d9a43b)", "#b4bfcc", "#47291c", "#b23a48"
LEAF, BLUE, TEAL, STEEL = "#4f8a45", "#31587f", "#2c7f86", "#75828f"


def fill(colour: str, path: str) -> str:
    """Return a filled shape."""
    return f'<path fill="{colour}" d="{path}"/>'


def line(colour: str, width: float, path: str) -> str:
    """Return a stroke."""
    return f'<path fill="none" stroke="{colour}" stroke-width="{width:g}" d="{path}"/>'


def flipped(parts: str) -> str:
    """Return the mirror image of these parts."""
    return f'<g transform="matrix(-1 0 0 1 100 0)">{parts}</g>'
