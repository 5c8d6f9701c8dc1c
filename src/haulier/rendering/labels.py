"""Shipping labels of 4 by 6 inches: what a label says, where it stands, and the same as PDF, ZPL and PNG."""

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
"""Where square barcodes stand, and how large they are at most: a MaxiCode is 225 dots wide."""
MOST_SYMBOLS = 2
SENDER_LINES = 4
"""Lines below the name of a sender."""


class LabelParty(msgspec.Struct, frozen=True, kw_only=True):
    """Who sends or receives, as it is printed."""

    name: str
    company: str | None = None
    address: Sequence[str] = ()
    """Street and what belongs to it, a line each."""
    place: str = ""
    """City, region and postal code in the order of their country."""
    country: str | None = None
    phone: str | None = None


class LabelBarcode(msgspec.Struct, frozen=True, kw_only=True):
    """A barcode that a service wants beside the one of the tracking number."""

    symbology: Symbology
    data: str
    """For GS1 with application identifiers in parentheses: `(420)90210`."""
    primary: str | None = None
    """The structured message of a MaxiCode: postal code, country and class of service."""
    text: str | None = None
    """What stands below a linear one; its data when nothing is said."""


class LabelContent(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a label says about one piece."""

    carrier: str
    """The business or carrier that moves it, as people know it."""
    service: str
    tracking_number: str
    """Printed as Code 128, unless `tracking_data` says what to print."""
    sender: LabelParty
    recipient: LabelParty
    tracking_data: str | None = None
    """What the bars of the tracking number say where it is not the number itself."""
    tracking_symbology: Symbology = Symbology.CODE_128
    references: Sequence[str] = ()
    """The sender's own: order number, department. At most three are shown."""
    weight_g: int | None = None
    piece: int = 1
    pieces: int = 1
    sscc: str | None = None
    """Serial Shipping Container Code: 18 digits, printed as GS1-128 with the identifier (00)."""
    routing: str | None = None
    """Where it is sorted to, printed large: a depot, a zone, a route."""
    barcodes: Sequence[LabelBarcode] = ()
    """At most two square ones (QR, Data Matrix, MaxiCode, …), and one linear one where there is no SSCC."""
    ship_date: date | None = None
    notes: str | None = None
    cod: str | None = None
    """Cash to collect, as text: `12.50 CAD`."""
    language: str = "en"
    """Of the words that are the label's own; names and addresses stay as they are."""


def render_label_pdf(labels: Sequence[LabelContent]) -> bytes:
    """The labels as one PDF of 4 by 6 inches, a page each, in this order.

    Raises `BarcodeFault` for a barcode that cannot be said or does not fit, `ValueError` without labels.
    """
    first = labels[0] if labels else None
    title = first.tracking_number if first else ""
    return render_pdf(
        [lay_out_label(label) for label in labels], title=title, language=first.language if first else "en"
    )


def render_label_zpl(label: LabelContent) -> bytes:
    """The label in ZPL II for a printer of 203 dots per inch, in UTF-8. What its fonts lack is sent as a picture.

    Raises `BarcodeFault`.
    """
    return render_page_zpl(lay_out_label(label)).encode()


def render_label_png(label: LabelContent) -> bytes:
    """The label as a PNG of 812 by 1218 black or white dots. Raises `BarcodeFault`."""
    return draw_page(lay_out_label(label)).to_png()


def render_labels_png(labels: Sequence[LabelContent]) -> bytes:
    """The labels as one picture, one below the other. Raises `BarcodeFault`, `ValueError` without labels."""
    if not labels:
        raise ValueError("a picture without labels")
    whole = Bitmap(WIDTH, 0)
    for label in labels:
        whole.append(draw_page(lay_out_label(label)))
    return whole.to_png()


def lay_out_label(label: LabelContent) -> Page:
    """Where everything stands on the label."""
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
    """The first of the sizes in which the line fits; the last one where none does."""
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
    """The lines below a name, four at most: where there are more, the street stands in one line, and the place in one."""
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
    """The right column beside the sender: day, weight and the sender's own references."""
    weight = say("label_weight", weight=f"{label.weight_g / 1000:.2f}") if label.weight_g is not None else ""
    lines = [label.ship_date.isoformat() if label.ship_date else "", weight, *label.references[:3]]
    shown = [fit_text(line, 26, 220) for line in lines if line]
    return [item for number, line in enumerate(shown) for item in _right(166 + 33 * number, 26, line)]


def _recipient(label: LabelContent, say: Callable[..., str]) -> list[Item]:
    party = label.recipient
    items: list[Item] = [Bar(0, 318, WIDTH, 4), *_line(MARGIN, 346, 22, say("label_to"), 300, bold=True)]
    phone = fit_text(party.phone or "", 26, 300)
    items += _right(346, 26, phone)
    y = 396
    for line in filter(None, (party.name, party.company)):
        items += _line(MARGIN, y, 44, line, ROOM, bold=True)
        y += 46
    address = wrap_text(", ".join(party.address), 36, ROOM, 2 if party.company else 3)
    for line in address:
        items += _line(MARGIN, y, 36, line, ROOM)
        y += 42
    place = " ".join(filter(None, (party.place, party.country)))
    return [*items, *_line(MARGIN, max(y + 4, 560), 42, place, ROOM, bold=True)]


def _sorting(label: LabelContent, say: Callable[..., str]) -> list[Item]:
    """The band between address and bars: where it is sorted to, what to mind, and the square barcodes at the right."""
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
    """The linear barcodes: the tracking number, and below it the SSCC or the one that the service wants."""
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
