"""Local labels: what the label of a piece says."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.orders.delivery_orders.contract.labels import OrderLabelData
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.rendering.labels import LabelContent, LabelParty


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


def build_label_content(
    order: store.OrderRow, label: OrderLabelData, *, carrier: str, service: str, language: str
) -> LabelContent:
    """The label of one piece as it is drawn: it goes from the shipper to the consignee, whichever door the driver stops at."""
    day = label.scheduled_date.isoformat() if label.scheduled_date else ""
    return LabelContent(
        carrier=carrier,
        service=f"{service}  {day}".strip(),
        tracking_number=label.tracking_number,
        sender=to_label_party(order.shipper, carrier),
        recipient=to_label_party(order.consignee, carrier),
        references=[label.order_ref] if label.order_ref else [],
        weight_g=label.weight_g,
        piece=label.piece,
        pieces=label.pieces,
        notes=label.instruction,
        cod=label.cod,
        language=language,
    )


def to_label_party(address: Mapping[str, Any] | None, otherwise: str) -> LabelParty:
    """An order's address as papers show it; where there is none, the business itself stands there."""
    if not address:
        return LabelParty(name=otherwise)
    street = ", ".join(filter(None, (address.get("address"), address.get("unit"))))
    place = " ".join(filter(None, map(address.get, ("city", "region", "postal_code"))))
    return LabelParty(
        name=address.get("name") or "",
        address=[street] if street else [],
        place=place,
        country=address.get("country"),
        phone=address.get("phone"),
    )
