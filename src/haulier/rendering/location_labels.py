"""Labels of 4 by 2 inches for places in a warehouse: the code, large enough to read from an aisle, and a barcode."""

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
"""Where the bars begin, and how tall they are."""


class LocationLabel(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on the label of a place."""

    code: str
    """What people read."""
    barcode: str
    """What scanners read: Code 128, or a Data Matrix where that is too long for the label."""
    caption: str = ""
    """More about the place, in small letters: its warehouse and zone."""


def render_location_labels_pdf(labels: Sequence[LocationLabel]) -> bytes:
    """The labels as one PDF, a page each, in this order. Raises `ValueError` without labels."""
    if not labels:
        raise ValueError("a document without labels")
    return render_pdf([lay_out_location_label(label) for label in labels], title=labels[0].caption or labels[0].code)


def render_location_labels_zpl(labels: Sequence[LocationLabel]) -> bytes:
    """The labels in ZPL II for a printer of 203 dots per inch, one after another."""
    return "\n".join(render_page_zpl(lay_out_location_label(label)) for label in labels).encode()


def lay_out_location_label(label: LocationLabel) -> Page:
    """Where everything stands on the label."""
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
