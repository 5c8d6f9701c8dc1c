"""Local labels: what a label says, and the same as ZPL II for 4 by 6 inches at 203 dots per inch.

Commands are those of the ZPL II programming guide: ^XA/^XZ frame the label, ^CI28 selects UTF-8, ^FO places, ^A0 sets the
font, ^FB wraps, ^BC draws Code 128, ^FH lets ^FD carry escaped bytes. The bars take three dots a module: the longest number
of an order (18 characters, with the piece) needs 699 of the 812 dots, quiet zones not counted.
"""

from unicodedata import east_asian_width

from haulier.contexts.orders.delivery_orders.contract.labels import OrderLabelData
from haulier.contexts.orders.delivery_orders.store import orders as store

WIDTH = 812
HEIGHT = 1218
MARGIN = 40
GLYPH_PERCENT = 60
"""How wide a letter of font 0 is at most on average, as a share of its height; East Asian ones are twice as wide."""
LINE = "\n"


def build_label_data(
    order: store.OrderRow, package: store.PackageRow, number: int, count: int, cod: str | None
) -> OrderLabelData:
    """The content of the label of one piece. `cod` is the cash to collect, as text."""
    ends = (order.consignee, order.shipper) if order.type == "P" else (order.shipper, order.consignee)
    away, door = ends[0] or {}, ends[1] or {}
    return OrderLabelData(
        tracking_number=package.tracking_number,
        type=order.type,
        name=order.stop_name,
        address=order.stop_address,
        place=" ".join(
            filter(None, (order.stop_city, door.get("region"), order.stop_postal_code, door.get("country")))
        ),
        other_end=", ".join(filter(None, (away.get("name"), away.get("city")))) or None,
        phone=door.get("phone"),
        instruction=order.delivery_instruction,
        order_ref=order.order_ref,
        scheduled_date=order.scheduled_date,
        piece=number,
        pieces=count,
        weight_g=package.weight_g,
        cod=cod if number == 1 else None,
    )


def render_zpl(label: OrderLabelData) -> str:
    """The label of one piece, for a thermal printer."""
    day = label.scheduled_date.isoformat() if label.scheduled_date else ""
    body = [
        "^XA^CI28",
        f"^PW{WIDTH}^LL{HEIGHT}",
        _text_field(40, 30, label.other_end or ""),
        _text_field(90, 44, f"{label.type}  {day}"),
        _text_field(150, 56, label.name or ""),
        _text_field(230, 44, label.address or "", lines=2),
        _text_field(340, 44, label.place),
        _text_field(395, 30, label.phone or ""),
        _text_field(440, 34, label.instruction or "", lines=3),
        f"^FO{MARGIN},570^BY3^BCN,220,Y,N,N^FH^FD{_escape_zpl(label.tracking_number)}^FS",
        _text_field(880, 40, f"{label.piece} / {label.pieces}   {label.weight_g / 1000:.1f} kg"),
        _text_field(950, 34, label.order_ref or ""),
        _text_field(1010, 56, f"COD {label.cod}" if label.cod else ""),
        "^XZ",
    ]
    return LINE.join(filter(None, body))


def _text_field(y: int, height: int, text: str, *, lines: int = 1) -> str:
    printed = _truncate_to_width(text.strip(), lines * (WIDTH - 2 * MARGIN) * 100 // (height * GLYPH_PERCENT))
    field = f"^FO{MARGIN},{y}^A0N,{height},{height}^FB{WIDTH - 2 * MARGIN},{lines},4,L^FH^FD{_escape_zpl(printed)}^FS"
    return field if printed else ""


def _truncate_to_width(text: str, room: int) -> str:
    """Text cut to the width: a printer writes what is too long on top of the last line, and both become unreadable."""
    used = 0
    for index, character in enumerate(text):
        used += 2 if east_asian_width(character) in "WF" else 1
        if used > room:
            return text[: max(0, index - 1)] + "…"
    return text


def _escape_zpl(text: str) -> str:
    """Text that cannot end its field or start a command: carets, tildes, underscores and controls become _xx."""
    return "".join(f"_{ord(c):02x}" if c in "^~_\\" or ord(c) < 32 else c for c in text)
