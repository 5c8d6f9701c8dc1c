"""A page: what stands where, in dots of 203 to the inch, counted from the top left corner."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

DOTS_PER_INCH = 203
"""Of the usual thermal printer (8 dots a millimetre). Papers are laid out in its dots, so one page serves all painters."""


class Symbology(StrEnum):
    """The kinds of barcodes, by the names that decoders give them."""

    CODE_128 = "code128"
    GS1_128 = "gs1_128"
    QR = "qr"
    DATA_MATRIX = "datamatrix"
    GS1_DATA_MATRIX = "gs1_datamatrix"
    PDF417 = "pdf417"
    AZTEC = "aztec"
    MAXICODE = "maxicode"


LINEAR = frozenset((Symbology.CODE_128, Symbology.GS1_128))


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text. `y` is its baseline, `size` the height of the font; `align` says which point of the line `x` is."""

    x: float
    y: float
    size: int
    text: str
    bold: bool = False
    align: str = "left"


@dataclass(frozen=True, slots=True)
class Bar:
    """A filled black rectangle: lines are bars of a few dots."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A barcode, drawn from its modules: `rows` of 0 and 1, each `module` dots wide and `row_height` dots high."""

    x: int
    y: int
    symbology: Symbology
    data: str
    rows: Sequence[str]
    module: int
    row_height: int

    @property
    def width(self) -> int:
        return len(self.rows[0]) * self.module

    @property
    def height(self) -> int:
        return len(self.rows) * self.row_height


@dataclass(frozen=True, slots=True)
class Picture:
    """A photo or a drawing (JPEG or PNG) within a box, as large as it fits there, in the middle."""

    x: int
    y: int
    width: int
    height: int
    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Polygon:
    """A shape with a thin line around it, filled with a colour such as `#9ecae1` or not. Only PDFs show it."""

    points: Sequence[tuple[float, float]]
    fill: str | None = None
    faint: bool = False
    """Whether its line is grey."""


Item = Text | Bar | Symbol | Picture | Polygon


@dataclass(frozen=True, slots=True)
class Page:
    """A page and its items, in the order in which they are painted."""

    width: int
    height: int
    items: Sequence[Item]


def frame(x: int, y: int, width: int, height: int, thickness: int = 2) -> list[Item]:
    """The four bars of a box."""
    right, bottom = x + width - thickness, y + height - thickness
    return [
        Bar(x, y, width, thickness),
        Bar(x, bottom, width, thickness),
        Bar(x, y, thickness, height),
        Bar(right, y, thickness, height),
    ]
