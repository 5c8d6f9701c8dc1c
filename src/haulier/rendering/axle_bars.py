"""Axle loads as SVG bars, one per axle and part of a journey, with their limits."""

from collections.abc import Sequence
from html import escape

from msgspec import Struct

WIDE_PX, BAR_PX, ROW_PX, HEAD_PX, LABEL_PX = 460, 14, 24, 28, 150
KEPT, BROKEN, INK, FAINT = "#9ecae1", "#fb6a4a", "#222222", "#999999"


class AxleBar(Struct, frozen=True, kw_only=True):
    """A weight on an axle. Bars with the same title are grouped."""

    title: str
    name: str
    weight_g: int
    limit_g: int
    least_g: int


def draw_axle_bars(title: str, bars: Sequence[AxleBar]) -> str:
    """Return bars labelled in kilograms.

    A line marks the limit, a dashed line the minimum.
    """
    most = max((max(bar.weight_g, bar.limit_g) for bar in bars), default=0) or 1
    parts: list[str] = []
    top, before = 0, None
    for bar in bars:
        if bar.title != before:
            top += HEAD_PX
            parts.append(f'<text x="0" y="{top - 8}" font-size="15" fill="{INK}">{escape(bar.title)}</text>')
            before = bar.title
        parts += _bar(bar, top, (WIDE_PX - LABEL_PX) / most)
        top += ROW_PX
    view = f"-8 -8 {WIDE_PX + 96} {top + 16}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" role="img" font-family="sans-serif">'
    ground = '<rect x="-8" y="-8" width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join((head, f"<title>{escape(title)}</title>", ground, *parts, "</svg>\n"))


def _bar(bar: AxleBar, top: int, scale: float) -> list[str]:
    colour = KEPT if bar.least_g <= bar.weight_g <= bar.limit_g else BROKEN
    wide = max(0, bar.weight_g) * scale
    kilograms = f"{bar.weight_g / 1000:.0f} / {bar.limit_g / 1000:.0f} kg"
    parts = [
        f'<text x="0" y="{top + 12}" font-size="13" fill="{INK}">{escape(bar.name)}</text>',
        f'<rect x="{LABEL_PX}" y="{top}" width="{wide:.1f}" height="{BAR_PX}" fill="{colour}" stroke="{INK}"/>',
        _mark(LABEL_PX + bar.limit_g * scale, top, INK, ""),
        f'<text x="{WIDE_PX + 6}" y="{top + 12}" font-size="12" fill="{INK}">{kilograms}</text>',
    ]
    if bar.least_g:
        parts.append(_mark(LABEL_PX + bar.least_g * scale, top, FAINT, ' stroke-dasharray="3 2"'))
    return parts


def _mark(x: float, top: int, colour: str, dashes: str) -> str:
    return f'<line x1="{x:.1f}" y1="{top - 3}" x2="{x:.1f}" y2="{top + BAR_PX + 3}" stroke="{colour}"{dashes}/>'
