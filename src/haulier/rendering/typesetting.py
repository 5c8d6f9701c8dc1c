"""Fonts, line widths and line breaks of text.

The fonts are in `fonts/`: Noto Sans (regular and bold: Latin, Greek, Cyrillic), Droid Sans Fallback (Chinese and
Japanese: all of GBK and Big5), and one for each other supported script. Lines that need shaping use HarfBuzz.
"""

import gzip
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from haulier.rendering.shaping import JOINERS, PlacedGlyph, needs_shaping, shape_line
from haulier.rendering.truetype import TrueType

_FOLDER = Path(__file__).resolve().parent / "fonts"
REGULAR, BOLD, WIDE = "NotoSans-Regular", "NotoSans-Bold", "DroidSansFallback"
_OTHER_SCRIPTS = (
    "HangulGothic-Regular",
    "NotoSansArabic-Regular",
    "NotoSansHebrew-Regular",
    "NotoSansThai-Regular",
    "NotoSansDevanagari-Regular",
    "NotoSansTamil-Regular",
    "NotoSansGeorgian-Regular",
    "NotoSansArmenian-Regular",
)
REPLACEMENT = "\ufffd"
"""Replaces characters that no font has."""


@cache
def font(name: str) -> TrueType:
    """Return a font by file name.

    Files are compressed, which saves 2 MB per installation.
    """
    return TrueType(gzip.decompress((_FOLDER / f"{name}.ttf.gz").read_bytes()))


def font_content(name: str) -> bytes:
    """Return the content of a font file."""
    return font(name).content


@cache
def _place(character: str, bold: bool) -> PlacedGlyph | None:
    """Return the glyph of a single character, or None if no font has it."""
    for name in (BOLD if bold else REGULAR, WIDE, *_OTHER_SCRIPTS):
        glyph = font(name).glyph(character)
        if glyph:
            return PlacedGlyph(name, character, glyph, font(name).advance(glyph) / font(name).units)
    return None


def _placed(character: str, bold: bool) -> PlacedGlyph:
    letter = _place(character, bold) or _place(REPLACEMENT, bold)
    assert letter is not None
    return letter


def printable(text: str) -> str:
    """Return text as one printable line, composed (NFC).

    Control characters and line breaks become blanks; invisible characters are removed.
    """
    text = unicodedata.normalize("NFC", text)
    kept = JOINERS if needs_shaping(text) else ""
    return "".join(
        " " if sign.isspace() else sign
        for sign in text
        if sign.isspace() or sign in kept or unicodedata.category(sign)[0] != "C"
    )


def unprintable_characters(text: str) -> str:
    """Return the characters of a text that no font has, each once, in order."""
    if text.isascii():
        return ""
    return "".join(
        dict.fromkeys(
            sign
            for sign in printable(text)
            if sign not in JOINERS and not sign.isspace() and _place(sign, bold=False) is None
        )
    )


@lru_cache(maxsize=2048)
def _line(text: str, bold: bool) -> tuple[PlacedGlyph, ...]:
    """Return the glyphs of a line in drawing order.

    Combining marks that no font has are omitted.
    """
    text = printable(text)
    if not needs_shaping(text):
        return tuple(_placed(character, bold) for character in text)

    def font_of(character: str) -> str:
        return _placed(character, bold).font

    shaped = shape_line(text, font_of, font_content)
    return tuple(_or_replacement(letter, bold) for letter in shaped if letter.glyph or not _is_mark(letter.shown))


def _or_replacement(letter: PlacedGlyph, bold: bool) -> PlacedGlyph:
    return letter if letter.glyph else _placed(REPLACEMENT, bold)


def _is_mark(text: str) -> bool:
    return all(unicodedata.category(sign)[0] == "M" or sign in JOINERS for sign in text)


def runs(text: str, bold: bool) -> Iterator[tuple[str, list[PlacedGlyph]]]:
    """Yield the parts of a line with the same font: the font's name and the glyphs."""
    for name, letters in groupby(_line(text, bold), key=lambda letter: letter.font):
        yield name, list(letters)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return the width of a line in the unit of its size."""
    return size * sum(letter.advance for letter in _line(text, bold))


def fit_text(text: str, size: float, width: float, bold: bool = False) -> str:
    """Return the line, truncated with an ellipsis if it is too wide."""
    text = printable(text).strip()
    if text_width(text, size, bold) <= width:
        return text
    room = width - text_width("…", size, bold)
    for index in _cuts(text):
        if text_width(text[: index + 1], size, bold) > room:
            return text[:index].rstrip() + "…"
    return text


def wrap_text(text: str, size: float, width: float, lines: int, bold: bool = False) -> list[str]:
    """Wrap a text into at most `lines` lines.

    The last one ends with an ellipsis if text is left.

    Lines break at blanks and between Chinese or Japanese characters. A word that is too wide is split.
    """
    wrapped: list[str] = []
    rest = " ".join(printable(text).split())
    while rest and len(wrapped) < lines - 1 and text_width(rest, size, bold) > width:
        end = _line_end(rest, size, width, bold)
        wrapped.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*wrapped, fit_text(rest, size, width, bold)] if rest else wrapped


def _line_end(text: str, size: float, width: float, bold: bool) -> int:
    good, fits = 0, 1
    for index in _cuts(text):
        if index and (text[index] == " " or _is_wide(text[index]) or _is_wide(text[index - 1])):
            good = index
        if text_width(text[: index + 1], size, bold) > width:
            return good or max(1, fits)
        fits = index + 1
    return len(text)


def _cuts(text: str) -> Iterator[int]:
    """Yield the places where a line may be cut, never between a letter and its marks."""
    for index, sign in enumerate(text):
        if not index or (sign not in JOINERS and unicodedata.category(sign)[0] != "M"):
            yield index


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
