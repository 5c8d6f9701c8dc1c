"""Straight bills of lading and delivery receipts of freight: content and layout.

The bill of lading has the fields of the standard form of the Voluntary Interindustry Commerce Standards (VICS).
"""

from collections.abc import Sequence

import msgspec

from haulier.rendering.barcodes import place_barcode
from haulier.rendering.labels import LabelParty
from haulier.rendering.page import Bar, Item, Page, Symbology, Text, frame
from haulier.rendering.papers import party_lines
from haulier.rendering.sheets import MARGIN, SMALL, Column, PaperHead, Sheets
from haulier.rendering.typesetting import fit_text, wrap_text

BOX_GAP, PAD = 16, 18
LINE = 36
PARTY_LINES = 6


class FreightPaperUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A line of handling units."""

    type: str
    quantity: int
    pieces: int | None
    weight_g: int
    size_mm: tuple[int, int, int]
    description: str
    nmfc_item: str | None
    freight_class: str
    hazardous: bool
    hazard: str


class FreightPaper(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a bill of lading or delivery receipt. Texts are localized."""

    head: PaperHead
    title: str
    """Message id of the title."""
    shipper: LabelParty
    consignee: LabelParty
    bill_to: LabelParty | None
    carrier: str
    pro_number: str | None
    terms: str
    references: Sequence[str]
    units: Sequence[FreightPaperUnit]
    accessorials: Sequence[str]
    declared_value: str | None
    instructions: str | None
    emergency_phone: str | None
    appointments: Sequence[tuple[str, str]]
    received_by: str | None
    delivered_at: str | None
    exceptions: Sequence[tuple[str, str, str, str]]
    """Line, kind, quantity and note."""


def lay_out_freight_paper(paper: FreightPaper) -> list[Page]:
    """Return the pages of a bill of lading, or of a delivery receipt."""
    sheets = Sheets(paper.head, paper.title)
    _draw_parties(sheets, paper)
    _draw_facts(sheets, paper)
    _draw_units(sheets, paper)
    if paper.instructions and paper.received_by is None:
        sheets.space(20)
        _draw_boxes(sheets, [(sheets.say("paper_freight_instructions"), _wrapped(sheets, paper.instructions, 1))])
    if paper.received_by is None:
        _draw_terms(sheets, paper)
    else:
        _draw_receipt(sheets, paper)
    return sheets.to_pages()


def _draw_parties(sheets: Sheets, paper: FreightPaper) -> None:
    say = sheets.say
    sheets.y -= 40
    _draw_boxes(
        sheets,
        [
            (say("paper_freight_ship_from"), _party(paper.shipper)),
            (say("paper_freight_ship_to"), _party(paper.consignee)),
        ],
        bold=True,
    )
    payer = paper.bill_to or (paper.consignee if paper.terms == "collect" else paper.shipper)
    terms = [
        _ticked(say(f"paper_freight_{each}"), paper.terms == each) for each in ("prepaid", "collect", "third_party")
    ]
    top = sheets.y
    _draw_boxes(
        sheets,
        [
            (say("paper_freight_bill_to"), [*_party(payer)[:4], "   ".join(terms)]),
            (say("paper_carrier"), [paper.carrier, f"{say('paper_freight_pro')}: {paper.pro_number or '—'}", "", ""]),
        ],
        bold=True,
    )
    left = MARGIN + (sheets.room + BOX_GAP) // 2 + PAD
    width = (sheets.room - BOX_GAP) // 2 - 2 * PAD
    symbol = place_barcode(
        Symbology.CODE_128, paper.head.number, x=left - 20, y=top + 134, width=width, height=64, most_module=3
    )
    sheets.add(symbol)


def _ticked(text: str, ticked: bool) -> str:
    return f"{'[X]' if ticked else '[  ]'} {text}"


def _party(party: LabelParty) -> list[str]:
    return party_lines(party)[:PARTY_LINES]


def _draw_boxes(sheets: Sheets, boxes: Sequence[tuple[str, Sequence[str]]], *, bold: bool = False) -> None:
    """Draw framed boxes of equal height side by side.

    `bold` emphasizes the first line of each.
    """
    width = (sheets.room - BOX_GAP * (len(boxes) - 1)) // len(boxes)
    height = 64 + LINE * max(len(lines) for _, lines in boxes) + 10
    sheets.need(height + BOX_GAP)
    for number, (title, lines) in enumerate(boxes):
        left = MARGIN + (width + BOX_GAP) * number
        items: list[Item] = [
            *frame(left, sheets.y, width, height),
            Text(left + PAD, sheets.y + 32, SMALL, fit_text(title, SMALL, width - 2 * PAD, True), True),
            Bar(left, sheets.y + 44, width, 2),
        ]
        for row, line in enumerate(lines):
            size, strong = SMALL + 2, bold and row == 0
            at = sheets.y + 78 + LINE * row
            items.append(Text(left + PAD, at, size, fit_text(line, size, width - 2 * PAD, strong), strong))
        sheets.add(*items)
    sheets.y += height + BOX_GAP


def _wrapped(sheets: Sheets, text: str, boxes: int, lines: int = 6) -> list[str]:
    room = sheets.room // boxes - 2 * PAD
    return [part for line in text.splitlines() for part in wrap_text(line, SMALL + 2, room, lines)][:lines]


def _draw_facts(sheets: Sheets, paper: FreightPaper) -> None:
    say = sheets.say
    sheets.space(30)
    sheets.facts(
        [
            (say("paper_reference"), ", ".join(paper.references)),
            (say("paper_freight_emergency"), paper.emergency_phone or ""),
            *paper.appointments,
            (say("paper_delivered_at"), paper.delivered_at if paper.received_by and paper.delivered_at else ""),
            (say("paper_taken_by"), paper.received_by or ""),
        ]
    )
    if paper.accessorials:
        text = ", ".join(paper.accessorials)
        sheets.line(f"{say('paper_freight_accessorials')}: {text}", SMALL + 2, lines=3)
        sheets.space(14)


def _draw_units(sheets: Sheets, paper: FreightPaper) -> None:
    say = sheets.say
    columns = [
        Column("#", 0.05),
        Column(say("paper_quantity"), 0.11, "right"),
        Column(say("paper_freight_unit"), 0.11),
        Column(say("paper_weight"), 0.13, "right"),
        Column(say("paper_freight_hazardous"), 0.06),
        Column(say("paper_description"), 0.34),
        Column("NMFC", 0.11),
        Column(say("paper_freight_class"), 0.09, "right"),
    ]
    rows = [_unit_row(sheets, number, unit) for number, unit in enumerate(paper.units, 1)]
    total = say("paper_freight_total")
    weight = _weight(sheets, sum(unit.weight_g for unit in paper.units))
    rows.append(("", str(sum(unit.quantity for unit in paper.units)), total, weight, "", "", "", ""))
    sheets.table(columns, rows)


def _unit_row(sheets: Sheets, number: int, unit: FreightPaperUnit) -> tuple[str, ...]:
    size = " × ".join(str(round(side / 10)) for side in unit.size_mm) + " cm"
    pieces = sheets.say("paper_freight_pieces", pieces=unit.pieces) if unit.pieces else ""
    return (
        str(number),
        str(unit.quantity),
        sheets.say(f"choice.{unit.type}"),
        _weight(sheets, unit.weight_g),
        "X" if unit.hazardous else "",
        " · ".join(filter(None, (unit.hazard, unit.description, pieces, size))),
        unit.nmfc_item or "",
        unit.freight_class,
    )


def _weight(sheets: Sheets, weight_g: int) -> str:
    return sheets.say("label_weight", weight=f"{weight_g / 1000:.1f}")


def _draw_terms(sheets: Sheets, paper: FreightPaper) -> None:
    """Draw the declared value, the liability clause, and the boxes to sign."""
    say = sheets.say
    sheets.space(16)
    declared = say("paper_freight_declared", value=paper.declared_value or "____________________")
    for text in (declared, say("paper_freight_liability"), say("paper_freight_received")):
        sheets.line(text, SMALL - 2, lines=4)
    sheets.space(16)
    lines = [say("paper_freight_trailer_loaded"), "", _signature(say("paper_signature"), say("paper_day"))]
    counted = [say("paper_freight_counted"), *lines[1:]]
    _draw_boxes(
        sheets,
        [
            (say("paper_freight_shipper_signs"), [*_wrapped(sheets, say("paper_freight_certified"), 2, 4), *lines]),
            (say("paper_freight_carrier_signs"), [*_wrapped(sheets, say("paper_freight_carrier"), 2, 4), *counted]),
        ],
    )


def _signature(*names: str) -> str:
    return "     ".join(f"{name} ______________" for name in names)


def _draw_receipt(sheets: Sheets, paper: FreightPaper) -> None:
    """Draw the noted exceptions, and the box of the recipient."""
    say = sheets.say
    sheets.space(30)
    if paper.exceptions:
        sheets.line(say("paper_freight_exceptions"), 30, bold=True)
        sheets.space(10)
        columns = [
            Column("#", 0.06),
            Column(say("paper_freight_exception"), 0.2),
            Column(say("paper_quantity"), 0.12, "right"),
            Column(say("paper_freight_note"), 0.62),
        ]
        sheets.table(columns, paper.exceptions)
    else:
        sheets.line(say("paper_freight_good_order"), 30, bold=True)
    sheets.space(40)
    signing = ["", "", _signature(say("paper_signature"), say("paper_day"))]
    _draw_boxes(sheets, [(say("paper_freight_consignee_signs"), [paper.received_by or "", *signing])])
