"""Generator of the sprite sheets for pictures: ``python -m frontend.artwork.sheets`` (needs Chromium).

A sheet is one row of small cards (games/replays/sheets/*.png) with a palette that pictures adopt. A browser draws it
from the site's deck. Its metadata lists the cards, their size and the digest of the deck. Letters have sheets of their
own, so drawing a picture needs no fonts.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
from pathlib import Path

from PIL import Image, PngImagePlugin
from playwright.sync_api import Browser, sync_playwright

from frontend.artwork.cards import back, french_deck, tarot_deck

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "games" / "replays" / "sheets"
CHROMIUM = "/usr/bin/chromium"

WIDTH, HEIGHT = 44, 62
#: Each deck's sizes: scale and number of colours, for animated pictures and for previews twice as large.
SIZES = {"": (1, 62), "-large": (2, 128)}
#: Colours besides the cards: felt, an empty place, its edge, text, and gold.
FELT, HOLLOW, EDGE, INK, GOLD = "#2c7356", "#266750", "#4b8b72", "#f2f5ee", "#e6b94f"

#: The same colours as in the style sheets.
SUITS = {"H": "#b5172a", "D": "#b5172a", "S": "#1a2130", "C": "#1a2130"}
TAROT_SUITS = {"W": "#1b5b39", "C": "#b5172a", "S": "#1b2b52", "P": "#9c5000", "M": "#56267f"}

#: Decks with their suit colours and the face variants that pictures need.
FACES = {"french": (SUITS, "cd"), "tarot": (TAROT_SUITS, "c")}
DECKS = {"french": french_deck(), "tarot": tarot_deck()}

PAGE = """<!doctype html><style>
body {{ margin: 0; background: {felt}; display: flex; width: {all}px; --gold: #d9a43b }}
div {{ box-sizing: border-box; width: {w}px; height: {h}px; flex: none; overflow: hidden; background: #fffdf6;
  border: 1px solid #a9a08c; border-radius: 4px }}
div svg {{ display: block; margin: -1px; width: {w}px; height: {h}px }}
.slot {{ background: {hollow}; border-color: {edge} }}
.back svg {{ border-radius: 4px }}
</style>{defs}{cards}<div class="back">{back}</div><div class="slot"></div>
<i style="width:8px;background:{ink}"></i><i style="width:8px;background:{gold}"></i>"""

#: Characters that pictures can show, and their fonts.
LETTERS = (
    " !&'(),-./0123456789:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    "ÄÖÜäöüßÀÂÇÈÉÊËÎÏÔÙÛàâçèéêëîïôùûÁÍÓÚÑáíóúñ·–’"
)
FONTS = {"title": ("bold", 58), "text": ("normal", 30)}

LETTERS_PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #000; color: #fff; display: flex; font: {weight} {size}px/2 serif }}
span {{ box-sizing: border-box; width: {cell}px; height: {cell}px; flex: none; padding-left: {indent}px;
  white-space: pre }}
b {{ font-weight: inherit }}
</style>{cells}"""


def sheet(browser: Browser, deck: str, scale: int, colours: int) -> Image.Image:
    """Draw the small faces of a deck, its back and an empty place over the felt."""
    suits, faces = FACES[deck]
    names = re.findall(rf'<symbol id="([^"]+-[{faces}])"', DECKS[deck])
    cards = "".join(
        f'<div style="color:{suits[_suit(name)]}"><svg viewBox="0 0 100 140"><use href="#{name}"/></svg></div>'
        for name in names
    )
    width = WIDTH * (len(names) + 2)
    page_text = PAGE.format(
        all=width + 16, w=WIDTH, h=HEIGHT, felt=FELT, hollow=HOLLOW, edge=EDGE, ink=INK, gold=GOLD,
        defs=DECKS[deck].replace("<svg ", '<svg style="position:absolute;width:0;height:0" '), cards=cards,
        back=back("lattice"),
    )  # fmt: skip
    page = browser.new_page(viewport={"width": width + 16, "height": HEIGHT}, device_scale_factor=scale)
    page.set_content(page_text)
    shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    drawn = shot.quantize(colours, method=Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    drawn.info.clear()
    drawn.info["cards"] = " ".join([*names, "back", "slot"])
    return drawn


def letters(browser: Browser, weight: str, size: int) -> tuple[Image.Image, list[float]]:
    """Draw a row of letters, white on black, each in a cell of twice its size; return it with the advance widths."""
    cells = "".join(f"<span><b>{html.escape(letter)}</b></span>" for letter in LETTERS)
    page = browser.new_page(viewport={"width": 2 * size * len(LETTERS), "height": 2 * size})
    page.set_content(LETTERS_PAGE.format(weight=weight, size=size, cell=2 * size, indent=size // 2, cells=cells))
    advances = page.evaluate("[...document.querySelectorAll('b')].map((one) => one.getBoundingClientRect().width)")
    row = Image.open(io.BytesIO(page.screenshot())).convert("L")
    page.close()
    return row.quantize(16), advances


def _suit(name: str) -> str:
    return "M" if name[0] == "M" else name[1]


def digest(deck: str) -> str:
    """Return the digest of the deck that a sheet is made from."""
    return hashlib.sha256(DECKS[deck].encode()).hexdigest()


def main() -> None:
    """Write all sheets."""
    OUT.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for deck in FACES:
            for suffix, (scale, colours) in SIZES.items():
                drawn = sheet(browser, deck, scale, colours)
                metadata = {"cards": str(drawn.info.pop("cards")), "size": f"{WIDTH * scale} {HEIGHT * scale}"}
                _write(f"{deck}{suffix}", drawn, **metadata, deck=digest(deck))
        for name, (weight, size) in FONTS.items():
            row, advances = letters(browser, weight, size)
            _write(f"letters-{name}", row, letters=LETTERS, advances=" ".join(f"{advance:.2f}" for advance in advances))
        browser.close()


def _write(name: str, drawn: Image.Image, **metadata: str) -> None:
    info = PngImagePlugin.PngInfo()
    for key, text in metadata.items():
        info.add_itxt(key, text)
    drawn.save(OUT / f"{name}.png", pnginfo=info, optimize=True)


if __name__ == "__main__":
    main()
