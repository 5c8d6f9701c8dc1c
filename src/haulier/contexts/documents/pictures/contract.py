"""What stands on a picture: lines of text and barcodes, each with its place."""

from msgspec import Struct


class PictureBox(Struct, frozen=True):
    """A place in a picture: its upper left corner and its size, as parts of the whole picture between 0 and 1."""

    x: float
    y: float
    width: float
    height: float


class PictureLine(Struct, frozen=True):
    """A line of text. Its edges are in dots of the picture once it stands upright, whichever way it was held."""

    text: str
    confidence: float
    box: PictureBox
    left: float
    top: float
    right: float
    bottom: float


class PictureBarcode(Struct, frozen=True):
    """A barcode. `text` is what it says, with GS1 separators left out."""

    symbology: str
    text: str
    box: PictureBox


class PictureReading(Struct, frozen=True):
    """What stands on a picture, or on the first page of a PDF.

    `text_from` says where the lines come from: `ocr`, `pdf` (the text that a PDF has of itself) or None, where none were
    looked for because nothing here can.
    """

    pages: int
    text_from: str | None
    lines: tuple[PictureLine, ...] = ()
    barcodes: tuple[PictureBarcode, ...] = ()
