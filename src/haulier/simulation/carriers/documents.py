"""Documents of the simulated carriers: labels and text sheets."""

import re
from collections.abc import Sequence
from io import BytesIO

from haulier.rendering.labels import LabelContent, LabelParty, render_label_pdf, render_label_png, render_label_zpl
from haulier.simulation.carriers.book import SimulatedLabel

UPS_PICTURE = b"^FO40,1150^GFA,8,8,1,FF818181818181FF^DN\n"


def labels_pdf(label: SimulatedLabel) -> bytes:
    """Return the labels of all parcels as one PDF."""
    return render_label_pdf([_content(label, number) for number in label.numbers])


def label_bytes(label: SimulatedLabel, number: str) -> bytes:
    """Return the label of a parcel, 4 x 6 inches.

    The formats are `zpl`, `pdf`, `png` and `gif`.

    UPS labels end pictures with `^DN`, as UPS does, which many ZPL parsers do not know.
    """
    content = _content(label, number)
    if label.label_format == "png":
        return render_label_png(content)
    if label.label_format == "pdf":
        return render_label_pdf([content])
    if label.label_format == "gif":
        return _as_ups_picture(render_label_png(content))
    zpl = render_label_zpl(content)
    return zpl.replace(b"^XZ", UPS_PICTURE + b"^XZ") if label.carrier == "ups" else zpl


def _content(label: SimulatedLabel, number: str) -> LabelContent:
    return LabelContent(
        carrier=label.carrier.upper(),
        service=label.service,
        tracking_number=number,
        sender=LabelParty(name="Simulated sender"),
        recipient=LabelParty(name=label.recipient, place=f"{label.city} {label.region}", country=label.country),
        references=(label.reference,) if label.reference else (),
        piece=label.numbers.index(number) + 1,
        pieces=len(label.numbers),
    )


def _as_ups_picture(png: bytes) -> bytes:
    """Return a GIF as UPS provides it.

    It is 4 by 7 inches, rotated left, with a blank strip at the end.
    """
    from PIL import Image

    label = Image.open(BytesIO(png)).convert("L").transpose(Image.Transpose.ROTATE_90)
    page = Image.new("L", (label.height * 7 // 4, label.height), 255)
    page.paste(label, (0, 0))
    content = BytesIO()
    page.save(content, "GIF")
    return content.getvalue()


def sheet(lines: Sequence[str], size: tuple[int, int] = (612, 792)) -> bytes:
    """Return a one-page PDF with these lines in a standard font.

    Unsupported characters become question marks.
    """
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
