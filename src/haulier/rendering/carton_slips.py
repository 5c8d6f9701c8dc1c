"""Packing slips of a plan, one page per box.

A page shows the box, its layers, and its items in packing order.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import msgspec

from haulier.rendering.barcodes import BarcodeFault, encode_barcode
from haulier.rendering.labels import LabelParty
from haulier.rendering.packing_pictures import PackedPicture, draw_isometric, draw_layers
from haulier.rendering.packing_shapes import isometric_items, layer_heights, layer_items
from haulier.rendering.page import Page, Symbology, Text
from haulier.rendering.papers import party_lines
from haulier.rendering.sheets import BODY, MARGIN, SMALL, Column, PaperHead, Sheets

PICTURE_HEIGHT, LAYER_HEIGHT = 560, 270
LAYERS_BESIDE, LAYERS_IN_A_ROW = 4, 4
BARS_TALL = 40
STYLE = """
body{font-family:sans-serif;margin:1cm;color:#111}section{break-after:page}section:last-of-type{break-after:auto}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #999;padding:.2em .4em;text-align:left}
figure{margin:.5em 0}figure svg{max-height:9cm;max-width:100%}.bars svg{height:1.6cm;width:8cm}.ends{display:flex;gap:3em}
.pictures{display:flex;flex-wrap:wrap;gap:1em}td.number,th.number{text-align:right}
"""


class SlipPiece(msgspec.Struct, frozen=True, kw_only=True):
    """An item and its place in a box."""

    step: int
    name: str
    size_mm: tuple[int, int, int]
    """Extent along the box's length, width and height."""
    place_mm: tuple[int, int, int]
    """The item's corner nearest to the origin of the box."""
    weight_g: int


class SlipFilling(msgspec.Struct, frozen=True):
    """Filling material for the remaining space in a box."""

    code: str
    units: int
    weight_g: int


class CartonSlip(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a box."""

    number: int
    code: str
    inner_mm: tuple[int, int, int]
    weight_g: int
    """Gross weight, including packaging and filling."""
    filled_percent: int
    void_mm3: int
    filling: SlipFilling | None = None
    pieces: Sequence[SlipPiece]
    picture: PackedPicture


class CartonSlips(msgspec.Struct, frozen=True, kw_only=True):
    """The slips of all boxes of a plan, and the shipment they belong to, if known."""

    head: PaperHead
    cartons: Sequence[CartonSlip]
    tracking_number: str | None = None
    reference: str | None = None
    sender: LabelParty | None = None
    recipient: LabelParty | None = None


def lay_out_carton_slips(slips: CartonSlips) -> list[Page]:
    """Return the pages of the slips. Each box starts on a new page."""
    sheets = Sheets(slips.head, "paper_packing_slip")
    for carton in slips.cartons:
        if carton.number > 1:
            sheets.start_page()
        _lay_out_carton(sheets, slips, carton)
    return sheets.to_pages()


def _lay_out_carton(sheets: Sheets, slips: CartonSlips, carton: CartonSlip) -> None:
    say = sheets.say
    sheets.line(say("paper_carton", number=carton.number, cartons=len(slips.cartons)), 40, bold=True)
    if ends := _ends(say, slips):
        sheets.blocks(ends)
    sheets.facts(_facts(say, slips, carton))
    if slips.tracking_number and _bars(slips.tracking_number):
        sheets.barcode(slips.tracking_number)
    _draw(sheets, carton)
    columns = [
        Column("#", 0.08),
        Column(say("paper_piece"), 0.38),
        Column(say("paper_size"), 0.2),
        Column(say("paper_place"), 0.2),
        Column(say("paper_weight"), 0.14, "right"),
    ]
    sheets.table(columns, [_row(say, piece) for piece in carton.pieces])


def _draw(sheets: Sheets, carton: CartonSlip) -> None:
    """Draw the box in isometric view, with its layers beside and below it."""
    half, heights = sheets.room / 2, layer_heights(carton.picture)
    sheets.need(PICTURE_HEIGHT + 40)
    sheets.add(*isometric_items(carton.picture, (MARGIN, sheets.y, half - 40, PICTURE_HEIGHT)))
    for number, height in enumerate(heights[:LAYERS_BESIDE]):
        row, column = divmod(number, 2)
        _draw_layer(sheets, carton, height, MARGIN + half + column * half / 2, sheets.y + row * (LAYER_HEIGHT + 20))
    sheets.y += PICTURE_HEIGHT + 60
    for start in range(LAYERS_BESIDE, len(heights), LAYERS_IN_A_ROW):
        sheets.need(LAYER_HEIGHT + 60)
        for column, height in enumerate(heights[start : start + LAYERS_IN_A_ROW]):
            _draw_layer(sheets, carton, height, MARGIN + column * half / 2, sheets.y)
        sheets.y += LAYER_HEIGHT + 50
    sheets.space(BODY)


def _draw_layer(sheets: Sheets, carton: CartonSlip, height: int, left: float, top: float) -> None:
    into = (left, top + 14, sheets.room / 4 - 30, LAYER_HEIGHT - 34)
    title = Text(left, top, SMALL, sheets.say("paper_layer", height=height), True)
    sheets.add(title, *layer_items(carton.picture, height, into))


def _ends(say: Callable[..., str], slips: CartonSlips) -> list[tuple[str, list[str]]]:
    ends = ((say("label_from"), slips.sender), (say("label_to"), slips.recipient))
    return [(title, party_lines(party)) for title, party in ends if party]


def _facts(say: Callable[..., str], slips: CartonSlips, carton: CartonSlip) -> list[tuple[str, str]]:
    return [
        (say("paper_carton_kind"), f"{carton.code}, {_lengths(carton.inner_mm)}"),
        (say("paper_reference"), slips.reference or ""),
        (say("paper_number"), slips.tracking_number or ""),
        (say("paper_weight"), _weight(say, carton.weight_g)),
        (say("paper_pieces"), str(len(carton.pieces))),
        (say("paper_filled"), f"{carton.filled_percent} %"),
        (say("paper_void"), f"{carton.void_mm3 / 1_000_000:.1f} l"),
        (say("paper_filling"), _filling(say, carton.filling) if carton.filling else ""),
    ]


def _filling(say: Callable[..., str], filling: SlipFilling) -> str:
    return f"{filling.units} × {filling.code}, {_weight(say, filling.weight_g)}"


def _row(say: Callable[..., str], piece: SlipPiece) -> tuple[str, ...]:
    place = ", ".join(map(str, piece.place_mm))
    return (str(piece.step), piece.name, _lengths(piece.size_mm), place, _weight(say, piece.weight_g))


def _lengths(sides: Sequence[int]) -> str:
    return " × ".join(map(str, sides)) + " mm"


def _weight(say: Callable[..., str], weight_g: int) -> str:
    return say("label_weight", weight=f"{weight_g / 1000:.2f}")


def carton_slips_html(slips: CartonSlips) -> str:
    """Return the slips as an HTML page for printing.

    It has no scripts and loads no external resources.
    """
    say = Sheets(slips.head, "paper_packing_slip").say
    title = escape(f"{say('paper_packing_slip')} {slips.head.number}")
    language = escape(slips.head.language.replace("_", "-"))
    sections = "".join(_carton_html(say, slips, carton) for carton in slips.cartons)
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>{sections}</body></html>"
    )


def _carton_html(say: Callable[..., str], slips: CartonSlips, carton: CartonSlip) -> str:
    heading = escape(say("paper_carton", number=carton.number, cartons=len(slips.cartons)))
    moment = escape(f"{slips.head.issuer}: {slips.head.number}, {slips.head.moment}")
    ends = "".join(
        f"<div><b>{escape(name)}</b><br>{'<br>'.join(map(escape, lines))}</div>" for name, lines in _ends(say, slips)
    )
    facts = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in _facts(say, slips, carton)
        if value
    )
    bars = _bars(slips.tracking_number) if slips.tracking_number else ""
    drawn = "".join(f"<figure>{draw(carton.picture)}</figure>" for draw in (draw_isometric, draw_layers))
    heads = ("#", say("paper_piece"), say("paper_size"), say("paper_place"), say("paper_weight"))
    return (
        f"<section><h1>{heading}</h1><p>{moment}</p><div class=ends>{ends}</div><table>{facts}</table>"
        f"<div class=bars>{bars}</div><div class=pictures>{drawn}</div>"
        f"{_table_html(heads, [_row(say, piece) for piece in carton.pieces])}</section>"
    )


def _table_html(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f"<th scope=col>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _bars(number: str) -> str:
    """Return a number as a Code 128 SVG, or an empty text if it cannot be encoded."""
    try:
        (row, *_) = encode_barcode(Symbology.CODE_128, number)
    except BarcodeFault:
        return ""
    dark = "".join(f"M{at + 10} 0h1v{BARS_TALL}h-1z" for at, module in enumerate(row) if module == "1")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(row) + 20} {BARS_TALL}" role="img" '
        f'preserveAspectRatio="none"><title>{escape(number)}</title><path d="{dark}"/></svg><br>{escape(number)}'
    )
