"""QR codes as PNG pictures, for letters."""

from haulier.rendering.barcodes import encode_barcode
from haulier.rendering.bitmap import Bitmap
from haulier.rendering.page import Symbology
from haulier.rendering.qr_svg import QUIET

MODULE = 10
"""A module has so many dots each way, so that a phone shows the picture large enough to be read."""


def qr_png(data: str) -> bytes:
    """A QR code, black on white, with its quiet zone. Raises `BarcodeFault`."""
    rows = encode_barcode(Symbology.QR, data)
    side = (len(rows) + 2 * QUIET) * MODULE
    picture = Bitmap(side, side)
    for row, modules in enumerate(rows):
        for column, module in enumerate(modules):
            if module == "1":
                picture.fill((column + QUIET) * MODULE, (row + QUIET) * MODULE, MODULE, MODULE)
    return picture.to_png()
