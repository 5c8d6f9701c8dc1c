"""Pages as bitmaps: 1-bit PNG and graphic fields of ZPL.

FreeType draws text without grey levels.
"""

import zlib
from functools import lru_cache
from io import BytesIO
from struct import pack
from typing import TYPE_CHECKING

from haulier.rendering.page import DOTS_PER_INCH, Bar, Page, Symbol, Text
from haulier.rendering.typesetting import font, runs, text_width

if TYPE_CHECKING:
    import freetype

_LOAD_DOTS = 1 << 1 | 1 << 2 | 2 << 16
"""FT_LOAD_NO_HINTING, FT_LOAD_RENDER and FT_LOAD_TARGET_MONO of FreeType, without importing its binding."""
_DOTS_PER_METRE = round(DOTS_PER_INCH / 0.0254)


class Bitmap:
    """Rows of dots, each an integer whose highest bit is the leftmost dot."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.rows = [0] * height

    def fill(self, x: int, y: int, width: int, height: int) -> None:
        """Fill a rectangle with black, clipped to the bitmap."""
        self.draw(x, y, [(1 << width) - 1] * height, width)

    def draw(self, x: int, y: int, rows: list[int], width: int) -> None:
        """Draw a picture with rows of `width` bits, clipped to the bitmap."""
        shift = self.width - x - width
        room = (1 << self.width) - 1
        for row, dots in enumerate(rows, y):
            if dots and 0 <= row < self.height:
                self.rows[row] |= (dots << shift if shift >= 0 else dots >> -shift) & room

    def append(self, below: "Bitmap") -> None:
        """Append a bitmap of the same width below."""
        self.rows += below.rows
        self.height += below.height

    def packed_rows(self) -> list[bytes]:
        """Return each row as whole bytes, 1 for black."""
        count = (self.width + 7) // 8
        return [(row << count * 8 - self.width).to_bytes(count, "big") for row in self.rows]

    def to_png(self) -> bytes:
        """Return a 1-bit PNG with its physical size."""
        white = (1 << (self.width + 7) // 8 * 8) - 1
        count = (self.width + 7) // 8
        lines = (b"\0" + (int.from_bytes(row, "big") ^ white).to_bytes(count, "big") for row in self.packed_rows())
        chunks = (
            (b"IHDR", pack(">IIBBBBB", self.width, self.height, 1, 0, 0, 0, 0)),
            (b"pHYs", pack(">IIB", _DOTS_PER_METRE, _DOTS_PER_METRE, 1)),
            (b"IDAT", zlib.compress(b"".join(lines), 9)),
            (b"IEND", b""),
        )
        body = b"".join(
            pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
        )
        return b"\x89PNG\r\n\x1a\n" + body


def draw_page(page: Page) -> Bitmap:
    """Return a page as a bitmap.

    Photos and drawings are skipped; print such pages as PDF.
    """
    bitmap = Bitmap(page.width, page.height)
    for item in page.items:
        if isinstance(item, Text):
            _draw_text(bitmap, item)
        elif isinstance(item, Bar):
            bitmap.fill(item.x, item.y, item.width, item.height)
        elif isinstance(item, Symbol):
            _draw_symbol(bitmap, item)
    return bitmap


def draw_line(text: str, size: int, bold: bool) -> tuple[Bitmap, int]:
    """Return a line of text as a bitmap, and its baseline's distance from the top."""
    baseline = size + size // 8
    bitmap = Bitmap(int(text_width(text, size, bold)) + size // 4 + 1, baseline + size // 2)
    _draw_text(bitmap, Text(0, baseline, size, text, bold))
    return bitmap, baseline


def _draw_text(bitmap: Bitmap, text: Text) -> None:
    width = text_width(text.text, text.size, text.bold) if text.align != "left" else 0.0
    x = text.x - (width if text.align == "right" else width / 2)
    for name, letters in runs(text.text, text.bold):
        for letter in letters:
            left, top, columns, rows = _glyph_dots(name, letter.glyph, text.size)
            raised = round(text.size * letter.dy)
            bitmap.draw(round(x + text.size * letter.dx) + left, round(text.y) - top - raised, rows, columns)
            x += text.size * letter.advance


def _draw_symbol(bitmap: Bitmap, symbol: Symbol) -> None:
    width = symbol.width
    wide = str.maketrans({"0": "0" * symbol.module, "1": "1" * symbol.module})
    for index, row in enumerate(symbol.rows):
        dots = int(row.translate(wide), 2)
        bitmap.draw(symbol.x, symbol.y + index * symbol.row_height, [dots] * symbol.row_height, width)


@lru_cache(maxsize=4096)
def _glyph_dots(name: str, glyph: int, size: int) -> tuple[int, int, int, list[int]]:
    """Return a glyph's dots.

    The values are the offset from pen and baseline, the number of columns, and the rows.
    """
    face = _face(name)
    face.set_pixel_sizes(0, size)
    face.load_glyph(glyph, _LOAD_DOTS)
    slot = face.glyph
    dots, pitch, columns = bytes(slot.bitmap.buffer), slot.bitmap.pitch, slot.bitmap.width
    rows = [
        int.from_bytes(dots[start : start + pitch], "big") >> pitch * 8 - columns
        for start in range(0, slot.bitmap.rows * pitch, pitch or 1)
    ]
    return slot.bitmap_left, slot.bitmap_top, columns, rows


@lru_cache(maxsize=16)
def _face(name: str) -> "freetype.Face":
    import freetype

    return freetype.Face(BytesIO(font(name).content))
