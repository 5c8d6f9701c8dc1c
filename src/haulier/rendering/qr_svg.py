"""QR codes as SVG pictures for screens."""

from haulier.rendering.barcodes import encode_barcode
from haulier.rendering.page import Symbology

QUIET = 4
"""The quiet zone around a QR code, in modules (ISO/IEC 18004)."""


def qr_svg(data: str) -> str:
    """Return a scalable black QR code on a white background. Raises `BarcodeFault`."""
    rows = encode_barcode(Symbology.QR, data)
    side = len(rows) + 2 * QUIET
    dark = "".join(
        f"M{column + QUIET} {row + QUIET}h1v1h-1z"
        for row, modules in enumerate(rows)
        for column, module in enumerate(modules)
        if module == "1"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{side}v{side}H0z"/><path d="{dark}"/></svg>'
    )
