"""Card sprites and card backs, as SVG files (`frontend.generated_files`).

A card is 100 by 140 units. Each card has three symbols: ``5H`` is its picture, ``5H-i`` its index for the upper left
corner, and ``5H-c`` a whole face with one emblem and a larger index for small cards. The French deck adds ``5H-j`` and
``5H-d``, the index and small face for a card whose upper right corner shows (the braid). Ink is the current colour and
gold the property ``--gold``, so the page's style sheet chooses between two and four colours.
"""

# ruff: noqa: E501 - a shape is one line of path data

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from frontend.artwork.figures import BELT, COURTS, FRAME, figure
from frontend.artwork.glyphs import FRENCH_SUITS, PIPS, TAROT_SUITS, figures, figures_width
from frontend.artwork.trumps import TRUMPS, played_value, roman

SERIF = "Georgia,'Palatino Linotype','Liberation Serif',serif"
FRENCH_RANKS, TAROT_RANKS = "A23456789TJQK", "A23456789TPNQK"


def emblem(suit: str, x: float, y: float, size: float, *, turned: bool = False) -> str:
    """Return a suit emblem of the given size centred on (x, y)."""
    turn = " rotate(180)" if turned else ""
    return f'<use href="#{suit}" transform="translate({x:g} {y:g}) scale({size / 20:g}){turn}"/>'


def index(rank: str, suit: str, *, right: bool = False) -> str:
    """Return rank and suit side by side, so that the visible strip of a covered card still identifies it."""
    text, scale = ("10" if rank == "T" else rank), 1.12
    width = figures_width(text) * scale
    if right:
        return figures(text, 92 - width, 7.5, scale) + emblem(suit, 92 - width - 14.5, 18.6, 20)
    return figures(text, 8, 7.5, scale) + emblem(suit, 8 + width + 14.5, 18.6, 20)


def small_face(rank: str, suit: str, *, right: bool = False) -> str:
    """Return a face that is legible at forty pixels: one emblem and a large index, narrow enough for the braid."""
    text, scale = ("10" if rank == "T" else rank), 1.85
    width = figures_width(text) * scale
    x, at = (94 - width, 94 - width - 18) if right else (6.0, 6 + width + 18)
    return figures(text, x, 6, scale, 2.9) + emblem(suit, at, 24.5, 30) + emblem(suit, 50, 95, 62)


def picture(rank: str, suit: str, *, turned_pips: bool) -> str:
    """Return the artwork below a card's index."""
    if rank == "A":
        return emblem(suit, 50, 86, 56)
    if rank in PIPS:
        return "".join(emblem(suit, x, y, 19, turned=turned_pips and y > 88) for x, y in PIPS[rank])
    half = f'<use href="#{rank}{suit}-h"/>' + emblem(suit, 24.5, 48, 13)
    both = f'<g stroke-linecap="round">{half}<g transform="rotate(180 50 85)">{half}</g></g>'
    return FRAME + both + BELT


def symbol(name: str, body: str) -> str:
    return f'<symbol id="{name}" viewBox="0 0 100 140">{body}</symbol>\n'


def definitions(suits: dict[str, str], ranks: str, *, tarot: bool = False) -> str:
    """Return the emblems of a deck, and the halves of its court figures."""
    parts = [f'<g id="{suit}" fill="currentColor">{shape}</g>' for suit, shape in suits.items()]
    parts += [
        f'<g id="{rank}{suit}-h" fill="currentColor">{figure(rank, suit, tarot=tarot)}</g>'
        for rank in ranks
        if rank in COURTS
        for suit in suits
        if suit != "M"
    ]
    return "<defs>" + "\n".join(parts) + "</defs>\n"


def badge(value: int, x: float, y: float, r: float) -> str:
    """Return a gold disc with the value that a trump plays as."""
    text, scale = str(value), r / 17
    width = figures_width(text) * scale
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="var(--gold,#d9a43b)" stroke="currentColor" stroke-width="1.2"/>'
        + figures(text, x - width / 2, y - 10 * scale, scale, 3)
    )


def measure(name: str) -> str:
    """Return the size attributes of a trump's name. A long name is fitted to the width of the frame in any font."""
    if len(name) < 14:
        return 'font-size="8.6"'
    return f'font-size="{120 / len(name):.1f}" textLength="63" lengthAdjust="spacingAndGlyphs"'


def trump_symbols(number: int, names: Mapping[str, str]) -> str:
    """Return the three symbols of a trump."""
    english, art = TRUMPS[number]
    name = names.get(english, english)
    text, value = str(number), played_value(number)
    picture_ = (
        FRAME
        + f'<g transform="translate(50 82) scale(.94)">{art}</g>'
        + f'<text x="50" y="128.4" text-anchor="middle" font-family="{SERIF}" {measure(name)} fill="currentColor">{name}</text>'
        + f'<text x="50" y="49" text-anchor="middle" font-family="{SERIF}" font-size="9" letter-spacing="1" fill="currentColor">{roman(number)}</text>'
    )
    star_x = 8 + figures_width(text) * 1.12 + 14.5
    index_ = figures(text, 8, 7.5, 1.12) + emblem("M", star_x, 18.6, 17)
    small = (
        figures(text, 6, 6, 1.6 if number > 9 else 1.85, 2.9) + f'<g transform="translate(50 97) scale(1.18)">{art}</g>'
    )
    if value is not None:
        index_ += badge(value, 84, 18.6, 11.4)
        small += badge(value, 80, 23.5, 17)
    else:
        small += emblem("M", 6 + figures_width(text) * (1.6 if number > 9 else 1.85) + 18, 24.5, 28)
    return symbol(f"M{number}", picture_) + symbol(f"M{number}-i", index_) + symbol(f"M{number}-c", small)


def file_of(parts: list[str]) -> str:
    """Return an SVG file with these parts."""
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{"".join(parts)}</svg>\n'


def french_deck() -> str:
    """Return the sprites of the French deck."""
    parts = [definitions(dict(FRENCH_SUITS), FRENCH_RANKS)]
    for suit in FRENCH_SUITS:
        for rank in FRENCH_RANKS:
            card = rank + suit
            parts += [
                symbol(card, picture(rank, suit, turned_pips=True)),
                symbol(f"{card}-i", index(rank, suit)),
                symbol(f"{card}-j", index(rank, suit, right=True)),
                symbol(f"{card}-c", small_face(rank, suit)),
                symbol(f"{card}-d", small_face(rank, suit, right=True)),
            ]
    return file_of(parts)


def tarot_deck(names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the sprites of the tarot deck; `names` has translated names of trumps, by the English ones."""
    star = '<path d="M0-10L2.6-2.6L10 0L2.6 2.6L0 10L-2.6 2.6L-10 0L-2.6-2.6Z"/>'
    parts = [definitions({**TAROT_SUITS, "M": star}, TAROT_RANKS, tarot=True)]
    for suit in TAROT_SUITS:
        for rank in TAROT_RANKS:
            card = rank + suit
            parts += [
                symbol(card, picture(rank, suit, turned_pips=False)),
                symbol(f"{card}-i", index(rank, suit)),
                symbol(f"{card}-c", small_face(rank, suit)),
            ]
    parts += [trump_symbols(number, names) for number in TRUMPS]
    return file_of(parts)


BACKS = {
    "lattice": '<pattern id="p" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path d="M0 0H10V10" fill="none" stroke="#7fa3d8" stroke-opacity=".5" stroke-width=".9"/>'
    '<circle cx="5" cy="5" r="1.1" fill="#d9b25f" fill-opacity=".75"/></pattern>',
    "waves": '<pattern id="p" width="14" height="7" patternUnits="userSpaceOnUse"><path d="M0 7A7 7 0 0 1 14 7M2.6 7A4.4 4.4 0 0 1 11.4 7'
    'M5 7A2 2 0 0 1 9 7M-7 3.5A7 7 0 0 1 7 3.5M7 3.5A7 7 0 0 1 21 3.5" fill="none" stroke="#8fd0c0" stroke-opacity=".5" stroke-width=".8"/></pattern>',
    "plain": '<pattern id="p" width="1" height="1"/>',
}
GROUNDS = {"lattice": ("#1d3f73", "#16335f"), "waves": ("#14595a", "#0f4546"), "plain": ("#7a1f2b", "#661823")}


def back(name: str) -> str:
    """Return a card back: a pattern in a gold rule, and a medallion with the three claws and the spur of a talon."""
    ground, dark = GROUNDS[name]
    claw = '<path id="k" d="M0-3C4-8 5-14 2-20C-1-15-4-10 0-3Z" fill="#e6c477"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140"><defs>{BACKS[name]}{claw}</defs>'
        f'<rect width="100" height="140" fill="#fdfaf2"/><rect x="4.5" y="4.5" width="91" height="131" rx="5" fill="{ground}"/>'
        '<rect x="4.5" y="4.5" width="91" height="131" rx="5" fill="url(#p)"/>'
        '<rect x="8.5" y="8.5" width="83" height="123" rx="3" fill="none" stroke="#e6c477" stroke-width="1.3"/>'
        f'<ellipse cx="50" cy="70" rx="27" ry="33" fill="{dark}" stroke="#e6c477" stroke-width="1.6"/>'
        '<ellipse cx="50" cy="70" rx="23.4" ry="29.4" fill="none" stroke="#fff" stroke-opacity=".4" stroke-width=".8"/>'
        '<g transform="translate(50 76)"><use href="#k"/><use href="#k" transform="rotate(52)"/><use href="#k" transform="rotate(-52)"/>'
        '<use href="#k" transform="rotate(180) scale(.8)"/><circle r="3.4" fill="#fdfaf2"/></g></svg>\n'
    )
