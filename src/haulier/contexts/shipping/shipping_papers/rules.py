"""Goods on commercial invoices, and labels of carriers as pictures of pages."""

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING

from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.labels.rules import ShipmentState
from haulier.kernel.file_reading import ReadingLimits, UnreadableFile, reading_job
from haulier.kernel.values.money import Money
from haulier.rendering.papers import InvoiceLine

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

DECLARED_STATES = frozenset((ShipmentState.PURCHASED, ShipmentState.IN_TRANSIT, ShipmentState.DELIVERED))
"""States of shipments that invoices declare."""

LABEL_DPI = 300
LABEL_PAGES_MAX = 20
_LIBRARIES = ("PIL", "pypdfium2")


def can_draw_labels() -> bool:
    """Return True if this server can draw carriers' labels.

    It needs the extras `barcodes` and `ocr`.
    """
    return all(find_spec(name) for name in _LIBRARIES)


@reading_job(question=str, answer=list[bytes], limits=ReadingLimits(memory_mb=512, seconds=20))
def draw_label_pages(content: bytes, media_type: str, limits: ReadingLimits) -> list[bytes]:
    """Return each page of a label in PDF as a PNG of 300 dots to the inch."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as fault:
        raise UnreadableFile from fault
    return [_page_picture(page) for page in list(document)[:LABEL_PAGES_MAX]]


def _page_picture(page: "PdfPage") -> bytes:
    picture = BytesIO()
    drawn = page.render(scale=LABEL_DPI / 72, grayscale=True)  # pyright: ignore[reportArgumentType] - parts of a dot are fine
    drawn.to_pil().save(picture, "PNG", optimize=True)
    return picture.getvalue()


def invoice_lines(terms: ShipmentTerms, currency: str) -> list[InvoiceLine]:
    """Return the goods, a line each; the weight is that of all pieces of a line."""
    return [
        InvoiceLine(
            description=item.description,
            quantity=item.quantity,
            unit_value=str(Money(item.unit_value, currency).major),
            value=str((Money(item.unit_value, currency) * item.quantity).major),
            hs_code=item.hs_code,
            origin=item.origin_country,
            weight_g=item.unit_weight_g * item.quantity or None,
        )
        for item in terms.customs_items
    ]


def add_up(terms: ShipmentTerms, currency: str) -> Money:
    """Return the total value of goods."""
    return Money(sum(item.unit_value * item.quantity for item in terms.customs_items), currency)
