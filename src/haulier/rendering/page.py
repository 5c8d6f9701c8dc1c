"""Pages: items placed in dots at 203 dpi, measured from the top left corner."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

DOTS_PER_INCH = 203
"""Resolution of common thermal printers (8 dots per millimetre). All pages use it, so that every painter can draw
them."""


class Symbology(StrEnum):
    """Barcode symbologies, named as decoders name them."""

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
    """One line of text.

    `y` is its baseline, `size` the font height; `align` says which point of the line `x` is.
    """

    x: float
    y: float
    size: int
    text: str
    bold: bool = False
    align: str = "left"


@dataclass(frozen=True, slots=True)
class Bar:
    """A filled black rectangle. Lines are thin bars."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A barcode.

    `rows` are modules of 0 and 1, each `module` dots wide and `row_height` dots high.
    """

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
    """A photo or drawing (JPEG or PNG), as large as it fits in a box, centred."""

    x: int
    y: int
    width: int
    height: int
    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Polygon:
    """A shape with a thin outline and an optional fill colour such as `#9ecae1`.

    PDF only.
    """

    points: Sequence[tuple[float, float]]
    fill: str | None = None
    faint: bool = False
    """True for a grey outline."""


Item = Text | Bar | Symbol | Picture | Polygon


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its items in painting order."""

    width: int
    height: int
    items: Sequence[Item]


def frame(x: int, y: int, width: int, height: int, thickness: int = 2) -> list[Item]:
    """Return the four bars of a box."""
    right, bottom = x + width - thickness, y + height - thickness
    return [
        Bar(x, y, width, thickness),
        Bar(x, bottom, width, thickness),
        Bar(x, y, thickness, height),
        Bar(right, y, thickness, height),
    ]
