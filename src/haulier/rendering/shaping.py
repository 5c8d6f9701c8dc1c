"""Text shaping with HarfBuzz and the Unicode bidirectional algorithm."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from haulier.late_import import LateModule

uharfbuzz: Any = LateModule("uharfbuzz")
JOINERS = "\u200c\u200d"
"""Zero-width joiner and non-joiner: invisible characters that change the shape of neighbouring letters."""
_FIRST_COMPLEX = "\u0300"
_COMPLEX = (
    (0x0300, 0x036F),  # combining marks that normalisation left apart
    (0x0590, 0x08FF),  # Hebrew, Arabic and their neighbours
    (0x0900, 0x0EFF),  # Indic scripts, Thai and Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0xFB1D, 0xFDFF),  # presentation forms
    (0xFE70, 0xFEFC),
)
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


class PlacedGlyph(NamedTuple):
    """A glyph of a line: font, displayed text, advance and offset.

    Advance and offset are relative to the font size.
    """

    font: str
    shown: str
    glyph: int
    advance: float
    dx: float = 0.0
    dy: float = 0.0


def needs_shaping(text: str) -> bool:
    """Return True if neighbouring letters affect the shape or order of the text."""
    return max(text, default="") >= _FIRST_COMPLEX and any(
        first <= ord(sign) <= last for sign in text if sign >= _FIRST_COMPLEX for first, last in _COMPLEX
    )


def shape_line(text: str, font_of: Callable[[str], str], content_of: Callable[[str], bytes]) -> list[PlacedGlyph]:
    """Return the glyphs of a line in drawing order, from left to right.

    `font_of` returns the font of a character, `content_of` a font file. Missing glyphs have the number 0.
    """
    levels = _bidi_levels(text)
    runs = [(levels[start], font, text[start:end]) for start, end, font in _font_runs(text, levels, font_of)]
    ordered = _in_visual_order(runs)
    return [letter for level, font, part in ordered for letter in _shape_run(part, font, level, content_of)]


def _font_runs(text: str, levels: Sequence[int], font_of: Callable[[str], str]) -> Iterator[tuple[int, int, str]]:
    """Split the text where font or direction change.

    Marks and joiners stay with the preceding letter.
    """
    fonts: list[str] = []
    for sign in text:
        stays = fonts and (sign in JOINERS or unicodedata.category(sign)[0] == "M")
        fonts.append(fonts[-1] if stays else font_of(sign))
    for (font, _), places in groupby(range(len(text)), key=lambda place: (fonts[place], levels[place])):
        found = list(places)
        yield found[0], found[-1] + 1, font


def _bidi_levels(text: str) -> list[int]:
    """Return the embedding level of each character (UAX 9).

    Odd levels run from right to left.
    """
    if not any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in text):
        return [0] * len(text)
    from bidi import algorithm

    storage: Any = algorithm.get_empty_storage()
    storage["base_level"] = algorithm.get_base_level(text)
    storage["base_dir"] = ("L", "R")[storage["base_level"]]
    algorithm.get_embedding_levels(text, storage)
    algorithm.explicit_embed_and_overrides(storage)
    algorithm.resolve_weak_types(storage)
    algorithm.resolve_neutral_types(storage, False)
    algorithm.resolve_implicit_levels(storage, False)
    return [sign["level"] for sign in storage["chars"]]


def _in_visual_order(runs: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Reverse the runs of every level, from the highest to the lowest odd one.

    This is rule L2 of UAX 9.
    """
    ordered = list(runs)
    for level in range(max((run[0] for run in runs), default=0), 0, -1):
        result: list[tuple[int, str, str]] = []
        for is_inside, group in groupby(ordered, key=lambda run: run[0] >= level):
            part = list(group)
            result.extend(reversed(part) if is_inside else part)
        ordered = result
    return ordered


def _shape_run(text: str, font: str, level: int, content_of: Callable[[str], bytes]) -> Iterator[PlacedGlyph]:
    buffer: Any = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "rtl" if level % 2 else "ltr"
    shaper, units = _shaper(font, content_of)
    uharfbuzz.shape(shaper, buffer)
    starts = sorted({info.cluster for info in buffer.glyph_infos})
    ends = dict(zip(starts, [*starts[1:], len(text)], strict=True))
    shown: set[int] = set()
    for info, position in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
        said = "" if info.cluster in shown else text[info.cluster : ends[info.cluster]]
        shown.add(info.cluster)
        yield PlacedGlyph(
            font, said, info.codepoint, position.x_advance / units, position.x_offset / units, position.y_offset / units
        )


@cache
def _shaper(font: str, content_of: Callable[[str], bytes]) -> tuple[Any, int]:
    face = uharfbuzz.Face(content_of(font))
    return uharfbuzz.Font(face), face.upem
