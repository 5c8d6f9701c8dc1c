"""Small valid documents: labels as ZPL, PDF and PNG, and sheets of text."""

import re
import struct
import zlib
from collections.abc import Sequence

INCH = 72
DOTS_PER_INCH = 203


def label_bytes(label_format: str, number: str, lines: Sequence[str], *, ups_end: bool = False) -> bytes:
    """A label of 4 x 6 inches: `zpl`, `pdf` or `png`.

    `ups_end`: the ZPL ends its picture as that of UPS does, with `^DN`, which readers of ZPL stumble over.
    """
    if label_format == "zpl":
        return _zpl(number, lines, ups_end=ups_end)
    if label_format == "png":
        return _png(number)
    return sheet([number, *lines], size=(4 * INCH, 6 * INCH))


def _zpl(number: str, lines: Sequence[str], *, ups_end: bool) -> bytes:
    texts = "".join(f"^FO40,{60 + 50 * place}^A0N,36,36^FD{_plain(line)}^FS\n" for place, line in enumerate(lines))
    picture = "^FO40,900^GFA,8,8,1,FF818181818181FF^" + ("DN" if ups_end else "FS")
    return f"^XA\n^PW812\n^LL1218\n{texts}^FO40,600^BY3^BCN,200,Y,N,N^FD{number}^FS\n{picture}\n^XZ\n".encode()


def _plain(text: str) -> str:
    return re.sub(r"[\^~_\\]", " ", text)


def sheet(lines: Sequence[str], size: tuple[int, int] = (612, 792)) -> bytes:
    """A PDF of one page with these lines, in a font that every reader has; other letters become question marks."""
    width, height = size
    text = "".join(f"({_escaped(line)}) Tj 0 -16 Td " for line in lines)
    stream = b"BT /F1 11 Tf 24 " + f"{height - 36} Td ".encode() + text.encode("latin-1", "replace") + b"ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    document, places = b"%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(document))
        document += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    tail = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(document))
    return document + head + tail


def _escaped(text: str) -> str:
    return re.sub(r"([\\()])", r"\\\1", text)


def _png(number: str) -> bytes:
    """Black and white, with a bar for each bit of the number: a picture, not a barcode."""
    width, height = 4 * DOTS_PER_INCH, 6 * DOTS_PER_INCH
    bits = "".join(f"{byte:08b}" for byte in number.encode())
    row = bytearray(b"\xff" * ((width + 7) // 8))
    for place, bit in enumerate(bits[: width // 4 - 20]):
        if bit == "1":
            row[10 + place // 2] &= 0x0F if place % 2 == 0 else 0xF0
    blank = b"\xff" * len(row)
    rows = b"".join(b"\0" + (bytes(row) if 400 <= y < 600 else blank) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
