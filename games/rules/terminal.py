"""Text rendering of a view, for playing in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from games.rules.table import View

_ROWS: Final[dict[str, tuple[int, int]]] = {"braid": (12, 4), "labyrinth": (48, 8), "plot": (12, 4)}
"""Games whose tableau is drawn in rows of cells or short piles: the number of places, and the places per row."""
_PIPS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_HIDDEN: Final = "▒▒"
_EMPTY: Final = "··"


def draw(view: View) -> str:
    """Render a view as lines of text: foundations, tableau, reserve, stock and waste, then the figures."""
    piles: dict[str, list[str | None]] = view["piles"]
    french = view["game"] != "tarot"

    def shown(name: str) -> str:
        return _card(piles[name][-1], french=french) if piles[name] else _EMPTY

    foundations = [name for name in piles if name[0] == "f"]
    lines = ["foundations  " + "  ".join(f"{name} {shown(name):<3}" for name in foundations), ""]
    if view["game"] in _ROWS:
        lines += _in_rows(view, shown)
    else:
        lines += _in_columns(piles, french=french)
    lines += _reserve(view, french=french)
    lines += _stock(view, french=french)
    lines.append(_figures(view))
    return "\n".join(lines)


def _card(name: str | None, *, french: bool) -> str:
    if name is None:
        return _HIDDEN
    return name[:-1] + _PIPS[name[-1]] if french else name


def _in_rows(view: View, shown: Callable[[str], str]) -> Iterable[str]:
    places, width = _ROWS[view["game"]]
    if view["game"] == "labyrinth":
        places = width * view["rows"]
    for first in range(0, places, width):
        names = [f"t{place}" for place in range(first, first + width)]
        yield "  ".join(f"{name:>3} {shown(name):<3}{_height(view, name):<3}" for name in names)


def _height(view: View, name: str) -> str:
    size = len(view["piles"][name])
    return f"×{size}" if size > 1 else ""


def _in_columns(piles: dict[str, list[str | None]], *, french: bool) -> Iterable[str]:
    names = [name for name in piles if name[0] == "t"]
    yield "".join(f"{name:<5}" for name in names)
    for height in range(max(1, *(len(piles[name]) for name in names))):
        cards = [_card(piles[name][height], french=french) if height < len(piles[name]) else "" for name in names]
        yield "".join(f"{card or (_EMPTY if not height else ''):<5}" for card in cards).rstrip()


def _reserve(view: View, *, french: bool) -> Iterable[str]:
    piles = view["piles"]
    if "r" in piles:
        cards = " ".join(_card(card, french=french) for card in piles["r"]) or _EMPTY
        below = view["under"].get("r", 0)
        yield f"reserve r    {cards}" + (f"  ({below} below)" if below else "")
    cells = [name for name in piles if name[0] == "r" and len(name) > 1]
    for first in range(0, len(cells), 8):
        yield "  ".join(
            f"{name:>3} {_card(piles[name][0], french=french) if piles[name] else _EMPTY:<3}"
            for name in cells[first : first + 8]
        )


def _stock(view: View, *, french: bool) -> Iterable[str]:
    piles, under = view["piles"], view["under"]
    if "s" not in piles:
        return
    line = f"stock s      {under.get('s', 0)} cards"
    if "w" in piles:
        waste = " ".join(_card(card, french=french) for card in piles["w"]) or _EMPTY
        line += f"   waste w  {waste}" + (f"  ({under['w']} below)" if under.get("w") else "")
        if view["rounds_left"]:
            line += f"   redeals {view['rounds_left']}"
    yield line


def _figures(view: View) -> str:
    facts = [f"cards up {view['cards_up']}/{view['goal']}", f"tokens {view['moves']}"]
    facts += [f"{name} {view[name] or 'open'}" for name in ("base", "direction", "phase") if name in view]
    if "free" in view:
        facts.append("free " + " ".join(view["free"]))
    return "   ".join(facts)
