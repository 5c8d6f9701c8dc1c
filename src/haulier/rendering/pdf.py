"""Pages as PDF 1.7 (ISO 32000-1).

Fonts are embedded as subsets, barcodes as vectors.

Equal pages give equal files. JPEG photos are embedded unchanged, which preserves them as evidence.
"""

import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from haulier.rendering.page import DOTS_PER_INCH, Bar, Item, Page, Picture, Polygon, Symbol, Text
from haulier.rendering.pictures import Image, read_picture
from haulier.rendering.shaping import PlacedGlyph, needs_shaping
from haulier.rendering.truetype import TrueType
from haulier.rendering.typesetting import font, runs, text_width

_SCALE = 72 / DOTS_PER_INCH
_DARK = re.compile("1+")
_BINARY = b"%\xe2\xe3\xcf\xd3\n"
_SYMBOLIC = 4


@dataclass(slots=True)
class _UsedFont:
    """A font of this document with its used glyphs.

    Each glyph has a new number and its text. Glyph 0 is the missing one.
    """

    name: str
    glyphs: dict[int, tuple[int, str]] = field(default_factory=lambda: {0: (0, "\ufffd")})

    def number(self, glyph: int, character: str) -> int:
        return self.glyphs.setdefault(glyph, (len(self.glyphs), character))[0]


class _Document:
    """The objects of a file, numbered from 1."""

    def __init__(self) -> None:
        self.objects: list[bytes] = []
        self.fonts: dict[str, _UsedFont] = {}
        self.images: dict[bytes, tuple[int, Image | None]] = {}

    def reserve(self) -> int:
        self.objects.append(b"")
        return len(self.objects)

    def add(self, body: str) -> int:
        self.objects.append(body.encode("latin-1"))
        return len(self.objects)

    def add_stream(self, entries: str, content: bytes, *, packed: bool = False) -> int:
        if not packed:
            content, entries = zlib.compress(content), f"{entries} /Filter /FlateDecode"
        head = f"<< {entries} /Length {len(content)} >>\nstream\n".encode("latin-1")
        self.objects.append(head + content + b"\nendstream")
        return len(self.objects)

    def image(self, picture: Picture) -> tuple[int, Image | None]:
        if picture.content not in self.images:
            image = read_picture(picture.content, picture.media_type)
            self.images[picture.content] = (self._add_image(image) if image else 0, image)
        return self.images[picture.content]

    def _add_image(self, image: Image) -> int:
        size = f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height}"
        return self.add_stream(f"{size} {image.entries}", image.content, packed=True)

    def to_bytes(self, root: int, info: int) -> bytes:
        parts = [b"%PDF-1.7\n", _BINARY]
        offsets, at = [], sum(map(len, parts))
        for number, body in enumerate(self.objects, 1):
            offsets.append(at)
            parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
            at += len(parts[-1])
        identity = hashlib.sha256(b"".join(self.objects)).hexdigest()[:32]
        table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
        parts.append(
            f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n{table}"
            f"trailer\n<< /Size {len(offsets) + 1} /Root {root} 0 R /Info {info} 0 R /ID [<{identity}> <{identity}>] >>\n"
            f"startxref\n{at}\n%%EOF\n".encode()
        )
        return b"".join(parts)


def render_pdf(pages: Sequence[Page], *, title: str, language: str = "en", number: str | None = None) -> bytes:
    """Return pages as one PDF.

    `language` is a BCP 47 tag for screen readers; `number` is stored as plain text.

    Raises `ValueError` without pages.
    """
    if not pages:
        raise ValueError("a document without pages")
    document = _Document()
    root, tree = document.reserve(), document.reserve()
    resources = document.reserve()
    numbers: list[int] = []
    for page in pages:
        content = document.add_stream("", _content(document, page).encode("latin-1"))
        box = f"/MediaBox [0 0 {page.width * _SCALE:.2f} {page.height * _SCALE:.2f}]"
        numbers.append(
            document.add(
                f"<< /Type /Page /Parent {tree} 0 R {box} /Resources {resources} 0 R /Contents {content} 0 R >>"
            )
        )
    kids = " ".join(f"{number} 0 R" for number in numbers)
    document.objects[tree - 1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(numbers)} >>".encode()
    fonts = " ".join(f"/{name} {_add_font(document, used)} 0 R" for name, used in document.fonts.items())
    images = " ".join(f"/I{number} {number} 0 R" for number, _ in document.images.values() if number)
    document.objects[resources - 1] = f"<< /Font << {fonts} >> /XObject << {images} >> >>".encode()
    catalog = f"<< /Type /Catalog /Pages {tree} 0 R /Lang {_text(language)} >>"
    document.objects[root - 1] = catalog.encode("latin-1")
    mark = f" /DocumentNumber ({number})" if number else ""
    return document.to_bytes(root, document.add(f"<< /Title {_text(title)} /Producer (Haulier){mark} >>"))


def _content(document: _Document, page: Page) -> str:
    """Return the operators of a page, in dots.

    Only the y axis is flipped, because PDF counts from the bottom.
    """
    lines = [f"{_SCALE:.6f} 0 0 {_SCALE:.6f} 0 0 cm"]
    for item in page.items:
        lines.extend(_PAINT[type(item)](document, item, page.height))
    return "\n".join(lines)


def _paint_text(document: _Document, text: Text, height: int) -> list[str]:
    width = text_width(text.text, text.size, text.bold) if text.align != "left" else 0.0
    x = text.x - (width if text.align == "right" else width / 2)
    lines = ["BT"]
    for name, letters in runs(text.text, text.bold):
        used = document.fonts.setdefault(name, _UsedFont(name))
        lines.append(f"/{name} {text.size} Tf")
        lines.extend(_paint_shaped(used, letters, text, x, height) if needs_shaping(text.text) else ())
        if not needs_shaping(text.text):
            codes = "".join(f"{used.number(letter.glyph, letter.shown):04x}" for letter in letters)
            lines.append(f"1 0 0 1 {x:.2f} {height - text.y:.2f} Tm <{codes}> Tj")
        x += text.size * sum(letter.advance for letter in letters)
    return [*lines, "ET"]


def _paint_shaped(used: _UsedFont, letters: Sequence[PlacedGlyph], text: Text, x: float, height: int) -> Iterator[str]:
    """Place each glyph separately, because shaping changes the advances."""
    for letter in letters:
        left, baseline = x + text.size * letter.dx, height - text.y + text.size * letter.dy
        yield f"1 0 0 1 {left:.2f} {baseline:.2f} Tm <{used.number(letter.glyph, letter.shown):04x}> Tj"
        x += text.size * letter.advance


def _paint_bar(_document: _Document, bar: Bar, height: int) -> list[str]:
    return [f"{bar.x} {height - bar.y - bar.height} {bar.width} {bar.height} re f"]


def _paint_symbol(_document: _Document, symbol: Symbol, height: int) -> list[str]:
    if symbol.module == symbol.row_height == 1:
        return _paint_dots(symbol, height)
    lines: list[str] = []
    for index, row in enumerate(symbol.rows):
        y = height - symbol.y - (index + 1) * symbol.row_height
        for run in _DARK.finditer(row):
            x, width = symbol.x + run.start() * symbol.module, len(run[0]) * symbol.module
            lines.append(f"{x} {y} {width} {symbol.row_height} re")
    return [*lines, "f"]


def _paint_dots(symbol: Symbol, height: int) -> list[str]:
    """Paint a symbol of single dots as a stencil, which is faster than boxes.

    See ISO 32000-1, 8.9.6.2.
    """
    width, tall = len(symbol.rows[0]), len(symbol.rows)
    digits = (width + 7) // 8 * 2
    dots = "".join(f"{int(row.ljust(digits * 4, '0'), 2):0{digits}x}" for row in symbol.rows)
    stencil = f"BI /W {width} /H {tall} /IM true /D [1 0] /F /AHx ID {dots}> EI"
    return [f"q {width} 0 0 {tall} {symbol.x} {height - symbol.y - tall} cm", stencil, "Q"]


def _paint_picture(document: _Document, picture: Picture, height: int) -> list[str]:
    number, image = document.image(picture)
    if image is None:
        return []
    across, down = image.shown_size
    scale = min(picture.width / across, picture.height / down)
    width, tall = across * scale, down * scale
    left, bottom = picture.x + (picture.width - width) / 2, height - picture.y - (picture.height + tall) / 2
    turn = " ".join(f"{part:g}" for part in image.turn)
    return [f"q {width:.2f} 0 0 {tall:.2f} {left:.2f} {bottom:.2f} cm {turn} cm /I{number} Do Q"]


def _paint_polygon(_document: _Document, polygon: Polygon, height: int) -> list[str]:
    (x, y), *others = polygon.points
    path = [f"{x:.1f} {height - y:.1f} m", *(f"{a:.1f} {height - b:.1f} l" for a, b in others)]
    colour = f"{_colour(polygon.fill)} rg" if polygon.fill else ""
    line = "0.6 G" if polygon.faint else "0 G"
    return [f"q 2 w {line} {colour}", *path, "b" if polygon.fill else "s", "Q"]


def _colour(colour: str) -> str:
    return " ".join(f"{int(colour[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5))


_PAINT: dict[type[Item], Callable[..., list[str]]] = {
    Text: _paint_text,
    Bar: _paint_bar,
    Symbol: _paint_symbol,
    Picture: _paint_picture,
    Polygon: _paint_polygon,
}


def _add_font(document: _Document, used: _UsedFont) -> int:
    source = font(used.name)
    glyphs = list(used.glyphs)
    program = source.subset(glyphs)
    # Subset fonts need a unique tag (ISO 32000-1, 9.6.4); viewers would otherwise confuse different subsets.
    tag = "".join(chr(65 + byte % 26) for byte in hashlib.sha256(program).digest()[:6])
    name = f"{tag}+{used.name}"
    stream = document.add_stream(f"/Length1 {len(program)}", program)
    descriptor = document.add(_descriptor(source, name, stream))
    widths = " ".join(str(round(source.advance(glyph) * 1000 / source.units)) for glyph in glyphs)
    descendant = document.add(
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /FontDescriptor {descriptor} 0 R /CIDToGIDMap /Identity "
        f"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000 /W [0 [{widths}]] >>"
    )
    unicode = document.add_stream("", _unicode_map(used).encode("ascii"))
    return document.add(
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H "
        f"/DescendantFonts [{descendant} 0 R] /ToUnicode {unicode} 0 R >>"
    )


def _descriptor(source: TrueType, name: str, stream: int) -> str:
    def share(units: int) -> int:
        return round(units * 1000 / source.units)

    box = " ".join(str(share(side)) for side in source.box)
    return (
        f"<< /Type /FontDescriptor /FontName /{name} /Flags {_SYMBOLIC} /FontBBox [{box}] /ItalicAngle 0 "
        f"/Ascent {share(source.ascent)} /Descent {share(source.descent)} /CapHeight {share(source.ascent)} "
        f"/StemV 80 /FontFile2 {stream} 0 R >>"
    )


def _unicode_map(used: _UsedFont) -> str:
    """Return the map to Unicode, so that text can be searched, copied and read aloud."""
    pairs = [
        f"<{number:04x}> <{character.encode('utf-16-be').hex()}>"
        for number, character in used.glyphs.values()
        if character
    ]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    mapped = "\n".join(f"{len(block)} beginbfchar\n{chr(10).join(block)}\nendbfchar" for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def /CMapName /Adobe-Identity-UCS def "
        "/CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{mapped}\nendcmap CMapName currentdict /CMap defineresource pop end end"
    )


def _text(value: str) -> str:
    """Return a text of the document information in UTF-16."""
    return f"<feff{value.encode('utf-16-be', 'replace').hex()}>"
