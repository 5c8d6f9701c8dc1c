"""Text: which font has a letter, how wide a line is, and where it breaks.

The fonts are in `fonts/`: Noto Sans (regular and bold: Latin, Greek, Cyrillic) and Droid Sans Fallback (Chinese and Japanese:
all of GBK and Big5).
"""

import gzip
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from haulier.rendering.truetype import TrueType

_FOLDER = Path(__file__).resolve().parent / "fonts"
REGULAR, BOLD, WIDE = "NotoSans-Regular", "NotoSans-Bold", "DroidSansFallback"
REPLACEMENT = "\ufffd"
"""Stands for a letter that no font here has."""


@cache
def font(name: str) -> TrueType:
    """A font by the name of its file, which is compressed: an installation is 2 MB smaller for it."""
    return TrueType(gzip.decompress((_FOLDER / f"{name}.ttf.gz").read_bytes()))


@cache
def _place(character: str, bold: bool) -> tuple[str, str, int, float]:
    """The font of a character, what is shown for it, its glyph, and its advance as a share of the size."""
    for name in (BOLD if bold else REGULAR, WIDE):
        glyph = font(name).glyph(character)
        if glyph:
            return name, character, glyph, font(name).advance(glyph) / font(name).units
    return _place(REPLACEMENT, bold)


def printable(text: str) -> str:
    """Text in one line: blanks for control characters and line breaks; what is invisible or turns the direction is left out."""
    return "".join(
        " " if sign.isspace() else sign for sign in text if sign.isspace() or unicodedata.category(sign)[0] != "C"
    )


def runs(text: str, bold: bool) -> Iterator[tuple[str, list[tuple[str, int, float]]]]:
    """The line cut where the font changes: the font's name, and of each letter itself, its glyph and its advance."""
    placed = [_place(character, bold) for character in printable(text)]
    for name, letters in groupby(placed, key=lambda letter: letter[0]):
        yield name, [(shown, glyph, advance) for _, shown, glyph, advance in letters]


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a line is, in the unit of its size."""
    return size * sum(_place(character, bold)[3] for character in printable(text))


def fit_text(text: str, size: float, width: float, bold: bool = False) -> str:
    """The line, cut with an ellipsis where it is wider than its room."""
    text = printable(text).strip()
    if text_width(text, size, bold) <= width:
        return text
    room = width / size - _place("…", bold)[3]
    used = 0.0
    for index, character in enumerate(text):
        used += _place(character, bold)[3]
        if used > room:
            return text[:index].rstrip() + "…"
    return text


def wrap_text(text: str, size: float, width: float, lines: int, bold: bool = False) -> list[str]:
    """The text in at most so many lines; the last one ends in an ellipsis where there is more.

    Lines break at blanks and between Chinese or Japanese letters; a word that is wider than a line is cut.
    """
    wrapped: list[str] = []
    rest = " ".join(printable(text).split())
    while rest and len(wrapped) < lines - 1 and text_width(rest, size, bold) > width:
        end = _line_end(rest, size, width, bold)
        wrapped.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*wrapped, fit_text(rest, size, width, bold)] if rest else wrapped


def _line_end(text: str, size: float, width: float, bold: bool) -> int:
    used, good = 0.0, 0
    for index, character in enumerate(text):
        if index and (character == " " or _is_wide(character) or _is_wide(text[index - 1])):
            good = index
        used += size * _place(character, bold)[3]
        if used > width:
            return good or max(1, index)
    return len(text)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
