"""The twenty-two trumps: a name, and an emblem in a box of 60 by 60 around the origin."""

# ruff: noqa: E501 - a shape is one line of path data

from __future__ import annotations

from math import cos, pi, sin

_G = "var(--gold,#d9a43b)"


def _line(d: str, width: float = 2.6, colour: str = "currentColor") -> str:
    return f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round" stroke-linejoin="round"/>'


def _fill(d: str, colour: str = "currentColor") -> str:
    return f'<path d="{d}" fill="{colour}"/>'


def _disc(x: float, y: float, r: float, colour: str = "currentColor") -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{colour}"/>'


def _ring(x: float, y: float, r: float, width: float = 2.6, colour: str = "currentColor") -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="none" stroke="{colour}" stroke-width="{width:g}"/>'


def star(points: int, outer: float, inner: float, x: float = 0, y: float = 0, *, turn: float = 0) -> str:
    """Return the path of a star standing on its foot, turned by `turn` radians."""
    corners = []
    for k in range(points * 2):
        r, angle = (outer if k % 2 == 0 else inner), pi * k / points - pi / 2 + turn
        corners.append(f"{x + r * cos(angle):.1f} {y + r * sin(angle):.1f}")
    return "M" + "L".join(corners) + "Z"


def _rays(count: int, start: float, end: float, width: float, colour: str) -> str:
    d = ""
    for k in range(count):
        c, s = cos(2 * pi * k / count), sin(2 * pi * k / count)
        d += f"M{start * c:.1f} {start * s:.1f}L{end * c:.1f} {end * s:.1f}"
    return _line(d, width, colour)


_CUP = "M{0} {1}h16c0 8-3 12-6.4 13v6l5 4h-13l5-4v-6c-3.6-1-6.6-5-6.6-13z"
_WREATH = "".join(
    f'<ellipse cx="{22 * cos(a):.1f}" cy="{26 * sin(a):.1f}" rx="5.4" ry="2.2" transform="rotate({a * 180 / pi + 62:.0f} {22 * cos(a):.1f} {26 * sin(a):.1f})"/>'
    for a in (2 * pi * k / 18 for k in range(18))
)

#: number -> (name, emblem)
TRUMPS: dict[int, tuple[str, str]] = {
    0: (
        "The Fool",
        _fill(
            "M-23 20C-23 2-31-6-30-19C-18-18-11-8-9 2C-9-12-5-22 0-27C5-22 9-12 9 2C11-8 18-18 30-19C31-6 23 2 23 20Z"
        )
        + _fill("M0-27C5-22 9-12 9 2L5 20H-5L-9 2C-9-12-5-22 0-27Z", _G)
        + _line("M-24 20H24", 6)
        + _line("M-22 20H22", 2, _G)
        + "".join(_disc(x, y, 4.4, _G) + _ring(x, y, 4.4, 1.4) for x, y in ((-30, -19), (0, -28), (30, -19))),
    ),
    1: (
        "The Magician",
        _line("M0-17C-6-27-22-27-22-17S-6-7 0-17C6-27 22-27 22-17S6-7 0-17Z", 3.2, _G)
        + _line("M0-2V28M-14 28H14", 3.2)
        + _disc(0, -2, 4),
    ),
    2: (
        "The High Priestess",
        _fill("M-28-28h9v54h-9z")
        + _fill("M19-28h9v54h-9z")
        + _line("M-30-28H-17M17-28H30M-30 27H-17M17 27H30", 3)
        + _fill("M5-17A18 18 0 1 0 5 17A17.5 17.5 0 0 1 5-17Z", _G),
    ),
    3: (
        "The Empress",
        _fill("M0 4C-6-6-20-10-20-22C-20-32-6-32 0-22C6-32 20-32 20-22C20-10 6-6 0 4Z", _G)
        + _line("M0 6V30M-10 19H10", 3.4),
    ),
    4: (
        "The Emperor",
        _ring(0, 8, 18, 3)
        + _line("M-18 8H18M0-10C-8-2-8 18 0 26M0-10C8-2 8 18 0 26", 2)
        + _line("M0-10V-28M-7-21H7", 3.4, _G),
    ),
    5: (
        "The Hierophant",
        _ring(-14, -18, 8, 3.2, _G)
        + _ring(14, -18, 8, 3.2, _G)
        + _line("M-10-11L16 28M16 28L22 24M12 21L18 17M10-11L-16 28M-16 28L-22 24M-12 21L-18 17", 3.2),
    ),
    6: (
        "The Lovers",
        _ring(-9, 6, 17, 3.6, _G)
        + _ring(9, 6, 17, 3.6)
        + _fill("M0-12C-3-17-10-19-10-25C-10-30-3-30 0-25C3-30 10-30 10-25C10-19 3-17 0-12Z"),
    ),
    7: (
        "The Chariot",
        _ring(0, 2, 26, 3.4)
        + _ring(0, 2, 20, 1.2, _G)
        + f'<g transform="translate(0 2)">{_rays(8, 6, 20, 2.4, "currentColor")}</g>'
        + _disc(0, 2, 6, _G),
    ),
    8: (
        "Strength",
        _fill("M0-26C14-26 26-14 26 2C26 16 16 28 0 28S-26 16-26 2C-26-14-14-26 0-26Z", _G)
        + _fill("M0-16C9-16 15-9 15 1C15 12 9 20 0 20S-15 12-15 1C-15-9-9-16 0-16Z")
        + '<g fill="#fff"><circle cx="-6" cy="-2" r="2.2"/><circle cx="6" cy="-2" r="2.2"/><path d="M-4 5H4L0 9.6Z"/></g>'
        + _line("M0 9V13M-6 15Q0 11 0 13Q0 11 6 15", 1.4, "#fff"),
    ),
    9: (
        "The Hermit",
        _line("M0-30V-22M-8-22H8", 3)
        + _fill("M-13-18H13L16 18H-16Z")
        + _fill("M-8-13H8L10 13H-10Z", "#fff6dc")
        + _fill("M0-10C6-2 7 3 4 8C2 11-2 11-4 8C-7 3-3 0 0-10Z", _G)
        + _line("M-18 22H18", 3.6),
    ),
    10: (
        "Wheel of Fortune",
        _ring(0, 0, 27, 3)
        + _ring(0, 0, 18, 1.6, _G)
        + _rays(12, 18, 27, 1.8, "currentColor")
        + _fill(star(4, 16, 5), _G)
        + _disc(0, 0, 3.4),
    ),
    11: (
        "Justice",
        _line("M0-28V26M-14 28H14M-24-18H24", 3)
        + _disc(0, -27, 3.6, _G)
        + _line("M-24-18L-32 4H-16ZM24-18L16 4H32Z", 1.8)
        + _fill("M-33 4H-15C-15 11-20 13-24 13S-33 11-33 4Z", _G)
        + _fill("M15 4H33C33 11 28 13 24 13S15 11 15 4Z", _G),
    ),
    12: (
        "The Hanged Man",
        _line("M-26-28H26M-22-28V28M22-28V28", 3)
        + _line("M0-28V-14L-8-4M0-14V4L-10 14M0 4L10 14", 3)
        + _disc(0, 22, 6, _G),
    ),
    13: (
        "Death",
        _line("M-16 30L12-26", 3.2)
        + _fill("M12-30C-6-34-24-24-30-8C-18-18-4-20 10-18Z", _G)
        + _line("M-6 22L6 28", 2.2),
    ),
    14: (
        "Temperance",
        _fill(_CUP.format(-28, -28))
        + _fill(_CUP.format(12, 2))
        + _line("M-10-18C6-22 14-14 17-2M-12-12C2-16 8-10 11 2", 2.2, _G),
    ),
    15: (
        "The Devil",
        _fill(
            "M-22-28C-22-14-16-10-10-10H10C16-10 22-14 22-28C28-14 24-4 18 0C18 16 10 28 0 30C-10 28-18 16-18 0C-24-4-28-14-22-28Z"
        )
        + f'<g fill="{_G}"><path d="M-11 0L-3 4L-10 7ZM11 0L3 4L10 7Z"/><path d="M-6 17Q0 21 6 17L4 15Q0 17-4 15Z"/></g>',
    ),
    16: (
        "The Tower",
        _fill("M-14-8H14V30H-14Z")
        + _fill("M-17-18H-11V-13H-3V-18H3V-13H11V-18H17V-6H-17Z")
        + '<g fill="#fff6dc"><path d="M-4 30V21A4 4 0 0 1 4 21V30Z"/><path d="M-3 2H3V10H-3Z"/></g>'
        + _fill("M24-32L8-14L15-13L4 0L26-16L18-18Z", _G),
    ),
    17: (
        "The Star",
        _fill(star(8, 27, 10, 0, 0), _G)
        + _fill(star(8, 15, 6, turn=pi / 8))
        + "".join(_disc(x, y, 2) for x, y in ((-26, -24), (26, -24), (-26, 24), (26, 24))),
    ),
    18: (
        "The Moon",
        _fill("M8-26A27 27 0 1 0 8 26A27 27 0 0 1 8-26Z", _G)
        + _disc(-17, -4, 1.8)
        + _line("M-21 7Q-17 10-13 7", 1.6)
        + _fill(star(5, 7, 3, 19, -8))
        + _fill(star(5, 5, 2, 24, 12)),
    ),
    19: (
        "The Sun",
        _rays(16, 18, 29, 3, _G)
        + _disc(0, 0, 16, _G)
        + _disc(-5, -3, 1.8)
        + _disc(5, -3, 1.8)
        + _line("M-6 5Q0 10 6 5", 1.8),
    ),
    20: (
        "Judgement",
        _fill(
            "M-30 20L8-14C12-24 22-28 30-26C26-20 28-12 22-4L-24 26Z".replace("22-4L-24 26", "18-2C10 2-8 14-24 26"), _G
        )
        + _line("M-2-4L8 6M-27 23L14-12", 2)
        + _line("M20 6L28 12M10 14L14 24", 2.4),
    ),
    21: (
        "The World",
        f'<g fill="currentColor">{_WREATH}</g>'
        + _disc(0, 0, 12, _G)
        + _line("M-12 0H12M0-12C-6-5-6 5 0 12M0-12C6-5 6 5 0 12", 1.5),
    ),
}


def roman(number: int) -> str:
    """Return a number up to 39 in Roman numerals; the Fool's 0 stays 0."""
    if number == 0:
        return "0"
    tens, ones = divmod(number, 10)
    return "X" * tens + ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"][ones]


def played_value(number: int) -> int | None:
    """Return the value that a trump above ten plays as, or None if it equals the number."""
    return sum(divmod(number, 10)) if number > 10 else None
