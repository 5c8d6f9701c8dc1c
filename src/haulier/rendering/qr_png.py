"""QR codes as PNG pictures for emails."""

from haulier.rendering.barcodes import encode_barcode
from haulier.rendering.bitmap import Bitmap
from haulier.rendering.page import Symbology
from haulier.rendering.qr_svg import QUIET

MODULE = 10
"""Dots per module, large enough for a phone to display it readably."""


def qr_png(data: str) -> bytes:
    """Return a black and white QR code with its quiet zone. Raises `BarcodeFault`."""
    rows = encode_barcode(Symbology.QR, data)
    side = (len(rows) + 2 * QUIET) * MODULE
    picture = Bitmap(side, side)
    for row, modules in enumerate(rows):
        for column, module in enumerate(modules):
            if module == "1":
                picture.fill((column + QUIET) * MODULE, (row + QUIET) * MODULE, MODULE, MODULE)
    return picture.to_png()
