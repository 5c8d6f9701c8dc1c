"""Magento: an order's state and status, and its shipment with one track."""

from msgspec import Struct

from haulier.contexts.otep.projections.contract import ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    MappingTable,
    build_order_view,
    known_fields,
    read_mapping_table,
    stable_integer_id,
)
from haulier.contexts.otep.timeline.contract import Timeline

_CUSTOM_CARRIER = "custom"


class MagentoRow(Struct, frozen=True):
    """An order state; its default status has the same name."""

    state: str


MAPPING = MappingTable(read_mapping_table("magento"), MagentoRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the order and its shipments.

    An order is `complete` only when its parcel has left the sender.
    """
    order, row = build_order_view(timeline, base_url, MAPPING)
    state = "processing" if row.state == "complete" and not order.shipped_at else row.state
    shipments: list[ProjectedDocument] = []
    if order.shipped_at:
        shipment_id = stable_integer_id(order.number)
        track = known_fields(
            entity_id=stable_integer_id(f"{order.number}/track"),
            parent_id=shipment_id,
            order_id=order.order_id,
            track_number=order.number,
            carrier_code=_CUSTOM_CARRIER,
            title=order.carrier,
            qty=1,
        )
        shipments.append(
            known_fields(entity_id=shipment_id, order_id=order.order_id, created_at=order.shipped_at, tracks=[track])
        )
    head = known_fields(
        entity_id=order.order_id, increment_id=str(order.order_id or order.number), state=state, status=state
    )
    return {"order": head, "shipments": shipments}
