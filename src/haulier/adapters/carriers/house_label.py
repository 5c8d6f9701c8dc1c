"""The label of the house carrier as ZPL II, for 4 by 6 inches at 203 dots per inch.

^XA/^XZ frame it, ^CI28 selects UTF-8, ^FO places, ^A0 sets the font, ^FB wraps, ^GB draws a line, ^BC Code 128; ^FH lets ^FD
carry escaped bytes.
"""

from collections.abc import Iterator

from haulier.contexts.shipping.ports import Party, Rate, Shipment

WIDTH, HEIGHT, MARGIN = 812, 1218, 40
MAX_TEXT = 60


def render_house_label(shipment: Shipment, rate: Rate, number: str, place: int) -> bytes:
    """The label of one parcel; `place` counts from 0."""
    return "\n".join(_lines(shipment, rate, number, place)).encode()


def _lines(shipment: Shipment, rate: Rate, number: str, place: int) -> Iterator[str]:
    parcel = shipment.parcels[place]
    yield "^XA^CI28"
    yield f"^PW{WIDTH}^LL{HEIGHT}"
    yield _text(40, 56, rate.name)
    yield from _party(110, 26, shipment.sender)
    yield f"^FO{MARGIN},250^GB{WIDTH - 2 * MARGIN},3,3^FS"
    yield from _party(270, 44, shipment.recipient)
    yield f"^FO{MARGIN},560^GB{WIDTH - 2 * MARGIN},3,3^FS"
    yield f"^FO{MARGIN},590^BY2^BCN,220,Y,N,N^FH^FD{_escaped(number)}^FS"
    yield _text(880, 40, f"{place + 1} / {len(shipment.parcels)}   {parcel.weight_g / 1000:.2f} kg")
    yield _text(935, 34, shipment.ship_at.date().isoformat())
    yield _text(985, 34, "  ".join(filter(None, (parcel.reference, *shipment.customer_references)))[:MAX_TEXT])
    yield _text(1035, 44, "SIGNATURE" if shipment.signature else "")
    yield "^XZ"


def _party(top: int, height: int, party: Party) -> Iterator[str]:
    place = " ".join(filter(None, (party.city, party.region, party.postal_code, party.country)))
    street = ", ".join(filter(None, (party.street, party.street2)))
    lines = filter(None, (party.company, party.name, street, place, party.phone))
    for count, line in enumerate(lines):
        yield _text(top + count * (height + 6), height, line)


def _text(top: int, height: int, text: str) -> str:
    if not text:
        return "^FX^FS"
    block = f"^FB{WIDTH - 2 * MARGIN},1,0,L"
    return f"^FO{MARGIN},{top}^A0N,{height},{height}{block}^FH^FD{_escaped(text[:MAX_TEXT])}^FS"


def _escaped(text: str) -> str:
    """Text that cannot end its field or start a command: carets, tildes, underscores and controls become _xx."""
    return "".join(f"_{ord(c):02x}" if c in "^~_\\" or ord(c) < 32 else c for c in text)
