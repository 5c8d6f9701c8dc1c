"""WooCommerce: an order's status, and items of the Shipment Tracking extension."""

from msgspec import Struct

from haulier.contexts.otep.projections.contract import ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    MappingTable,
    build_order_view,
    known_fields,
    read_mapping_table,
    sha256_hex,
)
from haulier.contexts.otep.timeline.contract import Timeline


class WoocommerceRow(Struct, frozen=True):
    """An order status."""

    status: str


MAPPING = MappingTable(read_mapping_table("woocommerce"), WoocommerceRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the order and its trackings.

    An order stays in processing until the parcel has arrived.
    """
    order, row = build_order_view(timeline, base_url, MAPPING)
    trackings: list[ProjectedDocument] = []
    if order.shipped_at:
        trackings.append(
            {
                "tracking_id": sha256_hex(order.number)[:32],
                "tracking_provider": order.carrier,
                "tracking_link": order.url,
                "tracking_number": order.number,
                "date_shipped": order.shipped_at.date().isoformat(),
            }
        )
    head = known_fields(
        id=order.order_id,
        number=str(order.order_id or order.number),
        status=row.status,
        date_completed=order.delivered_at,
    )
    return {"order": head, "shipment_trackings": trackings}
