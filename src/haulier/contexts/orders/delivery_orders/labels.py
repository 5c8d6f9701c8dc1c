"""Local labels in ZPL II: 4 by 6 inches at 203 dots per inch, with the tracking number as Code 128.

Commands are those of the ZPL II programming guide: ^XA/^XZ frame the label, ^CI28 selects UTF-8, ^FO places, ^A0 sets the
font, ^FB wraps, ^BC draws Code 128, ^FH lets ^FD carry escaped bytes.
"""

from typing import Any

WIDTH = 812
HEIGHT = 1218
MARGIN = 40
LINE = "\n"


def zpl(order: Any, package: Any, number: int, count: int) -> str:
    """The label of one piece."""
    to, sender = order.consignee or {}, order.shipper or {}
    body = [
        "^XA^CI28",
        f"^PW{WIDTH}^LL{HEIGHT}",
        _text(MARGIN, 40, 30, f"{sender.get('name', '')}  {sender.get('city', '')}"),
        _text(MARGIN, 150, 56, to.get("name") or order.stop_name or ""),
        _text(MARGIN, 230, 44, order.stop_address or "", lines=2),
        _text(MARGIN, 340, 44, f"{order.stop_city or ''} {to.get('region') or ''} {order.stop_postal_code or ''}"),
        _text(MARGIN, 420, 34, order.delivery_instruction or "", lines=3),
        f"^FO{MARGIN},560^BY3^BCN,220,Y,N,N^FH^FD{_escaped(package.tracking_number)}^FS",
        _text(MARGIN, 880, 40, f"{number} / {count}   {package.weight_g / 1000:.1f} kg   {order.type}"),
        _text(MARGIN, 950, 34, order.order_ref or ""),
        "^XZ",
    ]
    return LINE.join(body)


def _text(x: int, y: int, height: int, words: str, *, lines: int = 1) -> str:
    return f"^FO{x},{y}^A0N,{height},{height}^FB{WIDTH - 2 * MARGIN},{lines},4,L^FH^FD{_escaped(words.strip())}^FS"


def _escaped(words: str) -> str:
    """Text that cannot end its field or start a command: carets, tildes, underscores and controls become _xx."""
    return "".join(f"_{ord(c):02x}" if c in "^~_\\" or ord(c) < 32 else c for c in words)
