"""Pages as ZPL II, and sanitizing of foreign ZPL.

Commands follow the ZPL II programming guide: ^XA/^XZ frame the label, ^CI28 selects UTF-8, ^FO and ^FT place, ^A0
sets the font, ^BY the width of bars, ^BC draws Code 128 (mode D: GS1), ^GB boxes, ^GF pictures, and ^FH allows
escaped bytes in ^FD.
"""

import re
from collections.abc import Callable, Iterator

from haulier.rendering.bitmap import Bitmap, draw_line
from haulier.rendering.page import Bar, Item, Page, Picture, Polygon, Symbol, Symbology, Text
from haulier.rendering.typesetting import printable, text_width

_PRINTER_HAS_UP_TO = "\u00ff"
_FONT_PERCENT = 82
"""Width of the printer's font 0 relative to its height, so that no line is wider than its layout."""
_NATIVE = {Symbology.CODE_128: "A", Symbology.GS1_128: "D"}
"""Modes of ^BC. Other symbols are sent as pictures, which look the same on every printer."""


def render_page_zpl(page: Page) -> str:
    """Return a page as one ZPL label. Photos are skipped."""
    body = [f"^XA^CI28^PW{page.width}^LL{page.height}^LH0,0^PON"]
    body.extend(filter(None, (_ZPL[type(item)](item) for item in page.items)))
    return "\n".join([*body, "^XZ"])


def escape_zpl(text: str) -> str:
    """Escape characters that could end a field or start a command as _xx."""
    return "".join(f"_{ord(c):02x}" if c in "^~_\\" or ord(c) < 32 else c for c in text)


def _text(item: Text) -> str:
    text = printable(item.text)
    if not text.strip():
        return ""
    width = text_width(text, item.size, item.bold) if item.align != "left" else 0.0
    x = max(0, round(item.x - (width if item.align == "right" else width / 2)))
    if max(text) > _PRINTER_HAS_UP_TO:
        bitmap, baseline = draw_line(text, item.size, item.bold)
        return f"^FO{x},{max(0, round(item.y) - baseline)}{_graphic(bitmap)}^FS"
    broad = item.size * _FONT_PERCENT // 100
    return f"^FT{x},{round(item.y)}^A0N,{item.size},{broad}^FH^FD{escape_zpl(text)}^FS"


def _bar(bar: Bar) -> str:
    return f"^FO{bar.x},{bar.y}^GB{bar.width},{bar.height},{min(bar.width, bar.height)}^FS"


def _symbol(symbol: Symbol) -> str:
    mode = _NATIVE.get(symbol.symbology)
    if mode:
        command = f"^BY{symbol.module}^BCN,{symbol.row_height},N,N,N,{mode}"
        return f"^FO{symbol.x},{symbol.y}{command}^FH^FD{escape_zpl(symbol.data)}^FS"
    bitmap = Bitmap(symbol.width, symbol.height)
    wide = str.maketrans({"0": "0" * symbol.module, "1": "1" * symbol.module})
    rows = [int(row.translate(wide), 2) for row in symbol.rows for _ in range(symbol.row_height)]
    bitmap.draw(0, 0, rows, symbol.width)
    return f"^FO{symbol.x},{symbol.y}{_graphic(bitmap)}^FS"


def _left_out(_item: Picture | Polygon) -> str:
    return ""


_ZPL: dict[type[Item], Callable[..., str]] = {
    Text: _text,
    Bar: _bar,
    Symbol: _symbol,
    Picture: _left_out,
    Polygon: _left_out,
}


def _graphic(bitmap: Bitmap) -> str:
    """Return a picture as ^GFA in hexadecimal.

    A comma fills a row with white, and a colon repeats the row above.
    """
    rows = bitmap.packed_rows()
    size = len(rows) * len(rows[0])
    lines: list[str] = []
    before = ""
    for row in rows:
        line = row.hex().upper()
        short = line.rstrip("0")
        lines.append(":" if line == before else short + "," if len(short) < len(line) else line)
        before = line
    return f"^GFA,{size},{size},{len(rows[0])},{''.join(lines)}"


_PRINTER_COMMANDS = re.compile(
    r"H[FGHTVWYZ]|I[D]|J[IJMSTUWZ]|K[DLNP]|L[F]|M[DFLMNPT]|N[BCDINPRSTW]|P[HPR]|S[DEILOPQRSTXZ]|T[O]|W[DEILPRSX]"
)
"""Caret commands that change the printer instead of the label: mode, speed, darkness, stock, clock, network, memory."""
_KEPT_TILDES = frozenset(("DG", "DY", "DB", "DE", "DS", "DT", "DU"))
"""Tilde commands for pictures and fonts that the label itself contains. All others control the printer."""
_CONTROL_CHARACTERS = frozenset(("CC", "CD", "CT"))
_BINARY_GRAPHIC = re.compile(rb"GF[BC],(\d+),\d+,\d+,")


def normalise_zpl(zpl: bytes) -> bytes:
    """Remove commands that would change the printer for later labels.

    The printed label stays the same.

    USPS switches off peel-off mode (^MMT), and UPS ends pictures with ^DN, which parsers do not know. Tilde commands
    act immediately, even during printing. Raises `ValueError` for ZPL that redefines its control characters.
    """
    kept: list[bytes] = []
    for command in _commands(zpl):
        name = command[1:3].decode("latin-1").upper()
        if name in _CONTROL_CHARACTERS and command[:1] in b"^~":
            raise ValueError("this ZPL redefines its control characters")
        if command[:1] == b"^" and name == "DN":
            kept.append(b"^FS" + command[3:])
        elif _is_kept(command[:1], name):
            kept.append(command)
        elif command[-1:] == b"\n":
            kept.append(b"\n")
    return b"".join(kept)


def _is_kept(prefix: bytes, name: str) -> bool:
    if prefix == b"~":
        return name in _KEPT_TILDES
    return prefix != b"^" or not _PRINTER_COMMANDS.fullmatch(name)


def _commands(zpl: bytes) -> Iterator[bytes]:
    """Yield the text cut before each caret and tilde, but not inside binary pictures."""
    start = 0
    while start < len(zpl):
        graphic = _BINARY_GRAPHIC.match(zpl, start + 1)
        after = graphic.end() + int(graphic[1]) if graphic else start + 1
        ends = [end for end in (zpl.find(b"^", after), zpl.find(b"~", after)) if end >= 0]
        end = min(ends, default=len(zpl))
        yield zpl[start:end]
        start = end
