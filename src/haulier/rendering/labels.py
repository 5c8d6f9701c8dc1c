"""Shipping labels of 4 by 6 inches: content, layout, PDF, ZPL and PNG."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache, partial

import msgspec

from haulier.kernel.i18n.languages import Catalogues
from haulier.rendering.barcodes import BarcodeFault, place_barcode
from haulier.rendering.bitmap import Bitmap, draw_page
from haulier.rendering.page import LINEAR, Bar, Item, Page, Symbology, Text
from haulier.rendering.pdf import render_pdf
from haulier.rendering.typesetting import fit_text, text_width, wrap_text
from haulier.rendering.zpl import render_page_zpl

WIDTH, HEIGHT = 812, 1218
MARGIN = 36
RIGHT = WIDTH - MARGIN
ROOM = WIDTH - 2 * MARGIN
SYMBOL_BAND, SYMBOL_SIDE = 588, 232
"""Top of square barcodes, and their maximum size. A MaxiCode is 225 dots wide."""
MOST_SYMBOLS = 2
RECIPIENT_TOP, RECIPIENT_END = 350, 560
"""Top of the lines of a recipient, and the lowest baseline."""
RECIPIENT_SIZES = ((44, 36, 42), (36, 30, 36), (30, 26, 32), (28, 24, 28))
"""Sizes of names, street and place; the first in which all text fits."""
SENDER_LINES = 4
"""Maximum number of lines below the name of a sender."""


class LabelParty(msgspec.Struct, frozen=True, kw_only=True):
    """Sender or recipient, as printed."""

    name: str
    company: str | None = None
    address: Sequence[str] = ()
    """Street and address details, one line each."""
    place: str = ""
    """City, region and postal code in the order of the country."""
    country: str | None = None
    phone: str | None = None


class LabelBarcode(msgspec.Struct, frozen=True, kw_only=True):
    """A barcode required by a service, in addition to that of the tracking number."""

    symbology: Symbology
    data: str
    """Data. For GS1, with application identifiers in parentheses: `(420)90210`."""
    primary: str | None = None
    """Structured message of a MaxiCode: postal code, country and service class."""
    text: str | None = None
    """Text below a linear barcode. Default: its data."""


class LabelContent(msgspec.Struct, frozen=True, kw_only=True):
    """Content of the label of one package."""

    carrier: str
    """Display name of the carrier or business that moves the package."""
    service: str
    tracking_number: str
    """Printed as Code 128, unless `tracking_data` is set."""
    sender: LabelParty
    recipient: LabelParty
    tracking_data: str | None = None
    """Data in the bars of the tracking number, if it differs from the number."""
    tracking_symbology: Symbology = Symbology.CODE_128
    references: Sequence[str] = ()
    """The sender's references, such as order number and department. At most three are printed."""
    weight_g: int | None = None
    piece: int = 1
    pieces: int = 1
    sscc: str | None = None
    """Serial Shipping Container Code with 18 digits, printed as GS1-128 with the identifier (00)."""
    routing: str | None = None
    """Sorting destination in large print: a depot, zone or route."""
    barcodes: Sequence[LabelBarcode] = ()
    """At most two square barcodes (QR, Data Matrix, MaxiCode), and one linear one if there is no SSCC."""
    ship_date: date | None = None
    notes: str | None = None
    cod: str | None = None
    """Cash on delivery as text: `12.50 CAD`."""
    language: str = "en"
    """Language of the label's own text. Names and addresses are not translated."""


def render_label_pdf(labels: Sequence[LabelContent]) -> bytes:
    """Return labels as one PDF with a page of 4 by 6 inches each.

    Raises `BarcodeFault` for a barcode that cannot be encoded or does not fit, and `ValueError` without labels.
    """
    first = labels[0] if labels else None
    title = first.tracking_number if first else ""
    return render_pdf(
        [lay_out_label(label) for label in labels], title=title, language=first.language if first else "en"
    )


def render_label_zpl(label: LabelContent) -> bytes:
    """Return a label in ZPL II for a 203 dpi printer, in UTF-8.

    Missing glyphs are sent as pictures.

    Raises `BarcodeFault`.
    """
    return render_page_zpl(lay_out_label(label)).encode()


def render_label_png(label: LabelContent) -> bytes:
    """Return a label as a 1-bit PNG of 812 by 1218 dots. Raises `BarcodeFault`."""
    return draw_page(lay_out_label(label)).to_png()


def render_labels_png(labels: Sequence[LabelContent]) -> bytes:
    """Return labels as one picture, stacked vertically.

    Raises `BarcodeFault`, `ValueError` without labels.
    """
    if not labels:
        raise ValueError("a picture without labels")
    whole = Bitmap(WIDTH, 0)
    for label in labels:
        whole.append(draw_page(lay_out_label(label)))
    return whole.to_png()


def lay_out_label(label: LabelContent) -> Page:
    """Return the layout of a label."""
    say = partial(_catalogues().translate, label.language)
    items = [
        *_head(label, say),
        *_party(say("label_from"), label.sender, top=140, size=26),
        *_facts(label, say),
        *_recipient(label, say),
        Bar(0, 574, WIDTH, 4),
        *_sorting(label, say),
        Bar(0, 828, WIDTH, 4),
        *_bars(label),
    ]
    return Page(WIDTH, HEIGHT, items)


@lru_cache(maxsize=1)
def _catalogues() -> Catalogues:
    return Catalogues()


def _line(x: int, y: int, size: int, text: str, room: float, *, bold: bool = False) -> list[Item]:
    fitted = fit_text(text, size, room, bold)
    return [Text(x, y, size, fitted, bold)] if fitted else []


def _largest(text: str, sizes: Sequence[int], room: float) -> int:
    """Return the first size in which the line fits, or the last size."""
    return next((size for size in sizes if text_width(text, size, True) <= room), sizes[-1])


def _right(y: int, size: int, text: str, *, bold: bool = False) -> list[Item]:
    return [Text(RIGHT, y, size, text, bold, "right")] if text else []


def _head(label: LabelContent, say: Callable[..., str]) -> list[Item]:
    count = say("label_piece", piece=label.piece, pieces=label.pieces)
    room = ROOM - text_width(count, 40, True) - 20
    return [
        *_line(MARGIN, 60, 44, label.carrier, room, bold=True),
        *_line(MARGIN, 102, 34, label.service, ROOM, bold=True),
        *_right(60, 40, count, bold=True),
        Bar(0, 114, WIDTH, 4),
    ]


def _lines_of(party: LabelParty) -> list[str]:
    """Return at most four lines below a name.

    Longer addresses are joined into one street and one place line.
    """
    lines = [party.company, *party.address, party.place, party.country]
    if len(list(filter(None, lines))) > SENDER_LINES:
        lines = [party.company, ", ".join(party.address), " ".join(filter(None, (party.place, party.country)))]
    return [line for line in lines if line]


def _party(title: str, party: LabelParty, *, top: int, size: int) -> list[Item]:
    lines = [party.name, *_lines_of(party)]
    step = size * 5 // 4
    body = (_line(MARGIN, top + 26 + step * number, size, line, 480) for number, line in enumerate(lines))
    return [*_line(MARGIN, top, 20, title, 480, bold=True), *(item for line in body for item in line)]


def _facts(label: LabelContent, say: Callable[..., str]) -> list[Item]:
    """Return the right column: date, weight and the sender's references."""
    weight = say("label_weight", weight=f"{label.weight_g / 1000:.2f}") if label.weight_g is not None else ""
    lines = [label.ship_date.isoformat() if label.ship_date else "", weight, *label.references[:3]]
    shown = [fit_text(line, 26, 220) for line in lines if line]
    return [item for number, line in enumerate(shown) for item in _right(166 + 33 * number, 26, line)]


def _recipient(label: LabelContent, say: Callable[..., str]) -> list[Item]:
    party = label.recipient
    items: list[Item] = [Bar(0, 318, WIDTH, 4), *_line(MARGIN, 346, 22, say("label_to"), 300, bold=True)]
    phone = fit_text(party.phone or "", 26, 300)
    items += _right(346, 26, phone)
    shown = next((block for sizes in RECIPIENT_SIZES if (block := _recipient_lines(party, sizes))), None)
    for y, size, line, bold in shown or _recipient_lines(party, RECIPIENT_SIZES[-1], cut=True) or ():
        items += _line(MARGIN, y, size, line, ROOM, bold=bold)
    return items


def _recipient_lines(
    party: LabelParty, sizes: tuple[int, int, int], *, cut: bool = False
) -> list[tuple[int, int, str, bool]] | None:
    """Return baseline, size, text and weight of each line, or None if too much.

    With `cut`, text that does not fit is cut.
    """
    name_size, street_size, place_size = sizes
    names, streets = (1, 2 if party.company else 3) if sizes == RECIPIENT_SIZES[0] else (2, 3)
    place = " ".join(filter(None, (party.place, party.country)))
    blocks = [
        *((each, name_size, names, True) for each in (party.name, party.company) if each),
        (", ".join(party.address), street_size, streets, False),
        (place, place_size, 1, True),
    ]
    lines: list[tuple[int, int, str, bool]] = []
    y = RECIPIENT_TOP
    for text, size, most, bold in blocks:
        wrapped = wrap_text(text, size, ROOM, most, bold)
        if not cut and wrapped and wrapped[-1].endswith("…") and not text.endswith("…"):
            return None
        for line in wrapped:
            y += size + 2 + (4 if size == street_size else 0)
            lines.append((y, size, line, bold))
    if place:
        y = max(y, RECIPIENT_END)
        lines[-1] = (y, *lines[-1][1:])
    return lines if cut or y <= RECIPIENT_END else None


def _sorting(label: LabelContent, say: Callable[..., str]) -> list[Item]:
    """Return the band between address and bars.

    It shows the destination, COD, notes and square barcodes.
    """
    square = [barcode for barcode in label.barcodes if barcode.symbology not in LINEAR]
    if len(square) > MOST_SYMBOLS:
        raise BarcodeFault(f"a label has room for {MOST_SYMBOLS} square barcodes, not {len(square)}")
    room = ROOM - len(square) * (SYMBOL_SIDE + 8)
    items: list[Item] = []
    for number, barcode in enumerate(square, 1):
        left = RIGHT - number * SYMBOL_SIDE - (number - 1) * 8
        items.append(
            place_barcode(
                barcode.symbology,
                barcode.data,
                primary=barcode.primary,
                x=left,
                y=SYMBOL_BAND,
                width=SYMBOL_SIDE,
                height=SYMBOL_SIDE,
            )
        )
    y = 588
    cod = say("label_cod", amount=label.cod) if label.cod else ""
    for text, sizes in ((label.routing or "", (68, 56, 44, 34)), (cod, (44, 34, 26))):
        if text:
            size = _largest(text, sizes, room)
            y += size + 4
            items += _line(MARGIN, y, size, text, room, bold=True)
    y += 38
    lines = max(1, (820 - y) // 34 + 1)
    for line in wrap_text(label.notes or "", 28, room, lines):
        items += _line(MARGIN, y, 28, line, room)
        y += 34
    return items


def _bars(label: LabelContent) -> list[Item]:
    """Return the linear barcodes.

    They are the tracking number and, below it, the SSCC or the service's barcode.
    """
    linear = [barcode for barcode in label.barcodes if barcode.symbology in LINEAR]
    if label.sscc:
        linear.insert(0, LabelBarcode(symbology=Symbology.GS1_128, data=f"(00){label.sscc}"))
    if len(linear) > 1:
        raise BarcodeFault("a label has room for one linear barcode beside the tracking number")
    tall = 140 if linear else 280
    tracking = LabelBarcode(
        symbology=label.tracking_symbology,
        data=label.tracking_data or label.tracking_number,
        text=label.tracking_number,
    )
    items = _linear(tracking, 850, tall)
    return items + (_linear(linear[0], 1042, 120) if linear else [])


def _linear(barcode: LabelBarcode, y: int, height: int) -> list[Item]:
    symbol = place_barcode(barcode.symbology, barcode.data, x=0, y=y, width=WIDTH, height=height, most_module=4)
    text = fit_text(barcode.text or barcode.data, 34, ROOM, True)
    return [symbol, Text(WIDTH / 2, y + height + 38, 34, text, True, "center")]
