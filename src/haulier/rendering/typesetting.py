"""Text: which font has a letter, how wide a line is, and where it breaks.

The fonts are in `fonts/`: Noto Sans (regular and bold: Latin, Greek, Cyrillic), Droid Sans Fallback (Chinese and Japanese:
all of GBK and Big5), and one of each other script that is supported. Lines that need shaping go through HarfBuzz.
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
"""Stands for a letter that no font here has."""


@cache
def font(name: str) -> TrueType:
    """A font by the name of its file, which is compressed: an installation is 2 MB smaller for it."""
    return TrueType(gzip.decompress((_FOLDER / f"{name}.ttf.gz").read_bytes()))


def font_content(name: str) -> bytes:
    """The font as a file."""
    return font(name).content


@cache
def _place(character: str, bold: bool) -> PlacedGlyph | None:
    """The letter of a character by itself, or None where no font has it."""
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
    """Text in one line, composed (NFC): blanks for control characters and line breaks, without invisible characters."""
    text = unicodedata.normalize("NFC", text)
    kept = JOINERS if needs_shaping(text) else ""
    return "".join(
        " " if sign.isspace() else sign
        for sign in text
        if sign.isspace() or sign in kept or unicodedata.category(sign)[0] != "C"
    )


def unprintable_characters(text: str) -> str:
    """The characters of a text that no font here has, each once, in their order."""
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
    """The letters of a line in the order of drawing. A combining mark that no font has is left out."""
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
    """The line cut where the font changes: the font's name, and its letters."""
    for name, letters in groupby(_line(text, bold), key=lambda letter: letter.font):
        yield name, list(letters)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a line is, in the unit of its size."""
    return size * sum(letter.advance for letter in _line(text, bold))


def fit_text(text: str, size: float, width: float, bold: bool = False) -> str:
    """The line, cut with an ellipsis where it is wider than its room."""
    text = printable(text).strip()
    if text_width(text, size, bold) <= width:
        return text
    room = width - text_width("…", size, bold)
    for index in _cuts(text):
        if text_width(text[: index + 1], size, bold) > room:
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
    good, fits = 0, 1
    for index in _cuts(text):
        if index and (text[index] == " " or _is_wide(text[index]) or _is_wide(text[index - 1])):
            good = index
        if text_width(text[: index + 1], size, bold) > width:
            return good or max(1, fits)
        fits = index + 1
    return len(text)


def _cuts(text: str) -> Iterator[int]:
    """The places before which a line may be cut: never between a letter and its marks."""
    for index, sign in enumerate(text):
        if not index or (sign not in JOINERS and unicodedata.category(sign)[0] != "M"):
            yield index


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
