"""Contents of a picture: text lines and barcodes with their positions."""

from msgspec import Struct


class PictureBox(Struct, frozen=True):
    """Area in a picture: upper left corner and size, as fractions between 0 and 1."""

    x: float
    y: float
    width: float
    height: float


class PictureLine(Struct, frozen=True):
    """A line of text. Its edges are in pixels of the upright picture."""

    text: str
    confidence: float
    box: PictureBox
    left: float
    top: float
    right: float
    bottom: float


class PictureBarcode(Struct, frozen=True):
    """A barcode. `text` is its content without GS1 separators."""

    symbology: str
    text: str
    box: PictureBox


class PictureReading(Struct, frozen=True):
    """Contents of a picture, or of the first page of a PDF.

    `text_from` is the source of the lines: `ocr`, `pdf` (the PDF's own text) or None if text recognition is not
    available.
    """

    pages: int
    text_from: str | None
    lines: tuple[PictureLine, ...] = ()
    barcodes: tuple[PictureBarcode, ...] = ()
