"""Barcodes, encoded by Zint.

Standards: ISO/IEC 15417, 16022, 16023, 18004, 15438 and 24778, GS1 General Specifications.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from math import hypot, sqrt
from typing import TYPE_CHECKING, Any

from haulier.rendering.page import DOTS_PER_INCH, LINEAR, Symbol, Symbology

if TYPE_CHECKING:
    import zint

_NAMES = {
    Symbology.CODE_128: "CODE128",
    Symbology.GS1_128: "GS1_128",
    Symbology.QR: "QRCODE",
    Symbology.DATA_MATRIX: "DATAMATRIX",
    Symbology.GS1_DATA_MATRIX: "DATAMATRIX",
    Symbology.PDF417: "PDF417",
    Symbology.AZTEC: "AZTEC",
    Symbology.MAXICODE: "MAXICODE",
}
_GS1 = frozenset((Symbology.GS1_128, Symbology.GS1_DATA_MATRIX))
_SQUARE_DATA_MATRIX = 100
_MAXICODE_WIDTH = round(28.14 / 25.4 * DOTS_PER_INCH)
"""The only size in ISO/IEC 16023: 28.14 mm by 26.91 mm."""
_MAXICODE_PRIMARY_MODE, _MAXICODE_FREE_MODE = 2, 4
_EDGE = 64
"""Margin beside a MaxiCode in dots, for hexagons that would extend over its edge."""
PDF417_ROW_HEIGHT = 3
"""Height in modules (ISO/IEC 15438: at least three)."""


class BarcodeFault(ValueError):
    """Raised for data that a symbology cannot encode or that does not fit."""


def encode_barcode(symbology: Symbology, data: str, primary: str | None = None) -> tuple[str, ...]:
    """Return the modules of a barcode as rows of 0 and 1.

    A linear barcode has one row.

    Data of a GS1 symbology has application identifiers in parentheses: `(00)376104250021234569`. `primary` is the
    structured message of a MaxiCode: postal code, country and service class. MaxiCode is returned in dots, others in
    modules. Raises `BarcodeFault`.
    """
    symbol = _encode(symbology, data, primary)
    if symbology is Symbology.MAXICODE:
        return _maxicode_dots(symbol)
    encoded = symbol.encoded_data
    stride, modules = encoded.nbytes // len(encoded), encoded.tobytes()
    return tuple(_bits(modules[row * stride : (row + 1) * stride], symbol.width) for row in range(symbol.rows))


def place_barcode(
    symbology: Symbology,
    data: str,
    *,
    x: int,
    y: int,
    width: int,
    height: int,
    primary: str | None = None,
    most_module: int = 8,
) -> Symbol:
    """Place a barcode in a box, as large as it fits and horizontally centred.

    The quiet zone is inside the box.

    Raises `BarcodeFault` if modules would be smaller than two dots, which scanners cannot read from paper.
    """
    rows = encode_barcode(symbology, data, primary)
    if symbology is Symbology.MAXICODE:
        module, row_height = 1, 1
    else:
        quiet = 10 if symbology in LINEAR else 2
        module = min(most_module, width // (len(rows[0]) + 2 * quiet))
        if symbology not in LINEAR:
            tall = PDF417_ROW_HEIGHT if symbology is Symbology.PDF417 else 1
            module = min(module, height // (len(rows) * tall + 2 * quiet))
            row_height = module * tall
        else:
            row_height = height
    if symbology is not Symbology.MAXICODE and module < 2:
        raise BarcodeFault(f"{symbology} of {len(data)} characters does not fit into {width} by {height} dots")
    left = x + (width - len(rows[0]) * module) // 2
    return Symbol(left, y, symbology, data, rows, module, row_height)


def _encode(symbology: Symbology, data: str, primary: str | None) -> "zint.Symbol":
    import zint

    symbol = zint.Symbol()
    symbol.symbology = getattr(zint.Symbology, _NAMES[symbology])
    gs1 = zint.InputMode.GS1 | zint.InputMode.GS1PARENS
    symbol.input_mode = gs1 if symbology in _GS1 else zint.InputMode.UNICODE
    if symbology in (Symbology.DATA_MATRIX, Symbology.GS1_DATA_MATRIX):
        symbol.option_3 = _SQUARE_DATA_MATRIX
    if symbology is Symbology.MAXICODE:
        symbol.option_1 = _MAXICODE_PRIMARY_MODE if primary else _MAXICODE_FREE_MODE
        symbol.primary = primary or ""
    try:
        symbol.encode(data)
    except Exception as fault:
        # The binding raises a bare `RuntimeError` or `ValueError` for anything that cannot be encoded.
        raise BarcodeFault(str(fault)) from fault
    return symbol


def _bits(row: bytes, width: int) -> str:
    return f"{int.from_bytes(row, 'little'):0{len(row) * 8}b}"[::-1][:width]


def _maxicode_dots(symbol: "zint.Symbol") -> tuple[str, ...]:
    """Return a MaxiCode as printer dots, because it consists of hexagons and rings."""
    import zint

    symbol.output_options = zint.OutputOptions.BARCODE_NO_QUIET_ZONES
    symbol.buffer_vector()
    vector = symbol.vector
    scale = _MAXICODE_WIDTH / vector.width
    width, height = _MAXICODE_WIDTH, round(vector.height * scale)
    rows = [0] * height
    for stencil, top, places in _rows_of_hexagons(vector.hexagons, scale, width):
        for row, dots in enumerate(stencil, top):
            if 0 <= row < height:
                rows[row] |= _repeated(dots, places) >> _EDGE
    for ring in vector.circles:
        dots = _ring(width, height, ring.x * scale, ring.y * scale, ring.diameter * scale / 2, ring.width * scale / 2)
        rows = [row | more for row, more in zip(rows, dots, strict=True)]
    edge = (1 << width) - 1
    return tuple(f"{row & edge:0{width}b}" for row in rows)


def _rows_of_hexagons(hexagons: Iterable[Any], scale: float, width: int) -> Iterator[tuple[list[int], int, int]]:
    """Yield rows of hexagons.

    Each has a stencil, its top, and a bit for the start of each hexagon.
    """
    rows: dict[tuple[float, int], int] = {}
    for hexagon in hexagons:
        radius = hexagon.diameter * scale / 2
        reach = _hexagon(radius)[1]
        left, top = round(hexagon.x * scale) - reach, round(hexagon.y * scale) - reach
        rows[radius, top] = rows.get((radius, top), 0) | 1 << (_EDGE + width - left - 2 * reach)
    for (radius, top), places in rows.items():
        yield _hexagon(radius)[0], top, places


def _repeated(dots: int, places: int) -> int:
    """Repeat a row of dots at each place by doubling.

    Drawing 800 hexagons one by one took a third of a label.
    """
    if not dots:
        return 0
    first = (dots & -dots).bit_length() - 1
    done, wanted, row = 1, dots.bit_length() - first, places << first
    while done < wanted:
        step = min(done, wanted - done)
        row |= row << step
        done += step
    return row


@cache
def _hexagon(radius: float) -> tuple[list[int], int]:
    """Return the dots of a hexagon, in rows of twice as many bits as it extends.

    `radius` is half its width.
    """
    reach = int(radius * 2 / sqrt(3)) + 1
    away = [abs(place + 0.5 - reach) for place in range(2 * reach)]
    inside = ([across <= radius and across / 2 + down * sqrt(3) / 2 <= radius for across in away] for down in away)
    return [_number(row) for row in inside], reach


@cache
def _ring(width: int, height: int, x: float, y: float, radius: float, half_width: float) -> list[int]:
    def dark(column: int, row: int) -> bool:
        return abs(hypot(column + 0.5 - x, row + 0.5 - y) - radius) <= half_width

    return [_number([dark(column, row) for column in range(width)]) for row in range(height)]


def _number(dots: list[bool]) -> int:
    return int("".join("1" if dot else "0" for dot in dots), 2)
