"""BigCommerce: an order with its status, and its shipment after departure."""

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

_SHIPPED = 2


class BigcommerceRow(Struct, frozen=True):
    """An order status: its id, 0 to 14, and its text, which must match."""

    id: int
    status: str


MAPPING = MappingTable(read_mapping_table("bigcommerce"), BigcommerceRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the order and its shipments.

    Carriers are unknown to the platform, so the provider is blank, as it allows.
    """
    order, row = build_order_view(timeline, base_url, MAPPING)
    if row.id == _SHIPPED and not order.shipped_at:
        row = MAPPING.pivots["ready"]
    shipments: list[ProjectedDocument] = []
    if order.shipped_at:
        shipments.append(
            known_fields(
                id=stable_integer_id(order.number),
                order_id=order.order_id,
                date_created=order.shipped_at,
                tracking_number=order.number,
                tracking_carrier="",
                tracking_link=order.url,
                shipping_provider="",
                shipping_method=order.carrier,
            )
        )
    return {"order": known_fields(id=order.order_id, status_id=row.id, status=row.status), "shipments": shipments}
