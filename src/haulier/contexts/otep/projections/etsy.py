"""Etsy: a shop receipt with its shipment."""

from msgspec import Struct

from haulier.contexts.otep.projections.contract import ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    MappingTable,
    build_order_view,
    epoch_s,
    known_fields,
    read_mapping_table,
    stable_integer_id,
)
from haulier.contexts.otep.timeline.contract import Timeline

EARLIEST_S = 946_684_800
"""The platform takes no time before the year 2000."""


class EtsyRow(Struct, frozen=True):
    """A receipt status; None if the journey does not decide it."""

    status: str | None = None


MAPPING = MappingTable(read_mapping_table("etsy"), EtsyRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the receipt. It is shipped once the parcel has left the sender."""
    order, row = build_order_view(timeline, base_url, MAPPING)
    shipments: list[ProjectedDocument] = []
    if order.shipped_at:
        shipments.append(
            {
                "receipt_shipping_id": stable_integer_id(order.number),
                "shipment_notification_timestamp": max(EARLIEST_S, epoch_s(order.shipped_at)),
                "carrier_name": order.carrier,
                "tracking_code": order.number,
            }
        )
    head = known_fields(receipt_id=order.order_id, status=row.status)
    return {**head, "is_shipped": bool(order.shipped_at), "shipments": shipments}
