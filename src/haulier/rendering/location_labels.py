"""Labels of 4 by 2 inches for warehouse locations.

They show the code in large print and as a barcode.
"""

from collections.abc import Sequence
from functools import partial

import msgspec

from haulier.rendering.barcodes import BarcodeFault, place_barcode
from haulier.rendering.page import Item, Page, Symbol, Symbology, Text
from haulier.rendering.pdf import render_pdf
from haulier.rendering.typesetting import fit_text
from haulier.rendering.zpl import render_page_zpl

WIDTH, HEIGHT = 812, 406
MARGIN = 30
ROOM = WIDTH - 2 * MARGIN
BAND, BAND_HEIGHT = 170, 170
"""Top and height of the bars."""


class LocationLabel(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a location label."""

    code: str
    """Code in large print."""
    barcode: str
    """Barcode data: Code 128, or a Data Matrix if that is too long for the label."""
    caption: str = ""
    """Further text in small print, such as warehouse and zone."""


def render_location_labels_pdf(labels: Sequence[LocationLabel]) -> bytes:
    """Return labels as one PDF with a page each. Raises `ValueError` without labels."""
    if not labels:
        raise ValueError("a document without labels")
    return render_pdf([lay_out_location_label(label) for label in labels], title=labels[0].caption or labels[0].code)


def render_location_labels_zpl(labels: Sequence[LocationLabel]) -> bytes:
    """Return labels in ZPL II for a 203 dpi printer."""
    return "\n".join(render_page_zpl(lay_out_location_label(label)) for label in labels).encode()


def lay_out_location_label(label: LocationLabel) -> Page:
    """Return the layout of a label."""
    items: list[Item] = [
        Text(WIDTH / 2, 110, 96, fit_text(label.code, 96, ROOM, True), True, "center"),
        Text(WIDTH / 2, 148, 26, fit_text(label.caption, 26, ROOM), False, "center"),
        _bars(label.barcode),
        Text(WIDTH / 2, 384, 28, fit_text(label.barcode, 28, ROOM), False, "center"),
    ]
    return Page(WIDTH, HEIGHT, [item for item in items if not isinstance(item, Text) or item.text])


def _bars(barcode: str) -> Symbol:
    place = partial(place_barcode, data=barcode, x=0, y=BAND, width=WIDTH, height=BAND_HEIGHT)
    try:
        return place(Symbology.CODE_128, most_module=4)
    except BarcodeFault:
        return place(Symbology.DATA_MATRIX)
