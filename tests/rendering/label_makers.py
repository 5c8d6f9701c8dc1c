"""Sample labels, and decoders of their pictures."""

from io import BytesIO

import msgspec
import pypdfium2
import zxingcpp
from PIL import Image

from haulier.rendering.labels import LabelContent, LabelParty
from haulier.rendering.page import DOTS_PER_INCH

SENDER = LabelParty(
    name="Zoë Müller-O’Brien",
    company="Łódź & Söhne",
    address=("10 King St W", "Unit 5"),
    place="Toronto ON M5H 1A1",
    country="CA",
)
RECIPIENT = LabelParty(name="Ana Núñez", address=("1 Front St",), place="Toronto ON M5J 2X7", country="CA")
LABEL = LabelContent(
    carrier="Haulier Express",
    service="Two days",
    tracking_number="HLTR16KD5632GCM",
    sender=SENDER,
    recipient=RECIPIENT,
    weight_g=1250,
)


def label(**changes: object) -> LabelContent:
    """Return a label with some changes."""
    return msgspec.structs.replace(LABEL, **changes)


def pictures_of(pdf: bytes) -> list[Image.Image]:
    """Return the pages of a PDF as a 203 dpi printer shows them, by PDFium."""
    return [page.render(scale=DOTS_PER_INCH / 72).to_pil().convert("L") for page in pypdfium2.PdfDocument(pdf)]


def picture_of(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("L")


def text_of(pdf: bytes) -> list[str]:
    """Return the text of each page as a reader would copy it."""
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document]


def codes_in(picture: Image.Image) -> set[tuple[str, str]]:
    """Return the kind and data of every barcode that ZXing finds.

    GS1 data has identifiers in parentheses.
    """
    return {(code.format.name, code.text) for code in zxingcpp.read_barcodes(picture)}
