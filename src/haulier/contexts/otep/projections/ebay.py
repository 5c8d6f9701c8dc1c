"""eBay: an order's fulfilment status, and its fulfillment after departure."""

from msgspec import Struct

from haulier.contexts.otep.projections.contract import ProjectedDocument
from haulier.contexts.otep.projections.rules import MappingTable, build_order_view, read_mapping_table, utc_stamp
from haulier.contexts.otep.timeline.contract import Timeline


class EbayRow(Struct, frozen=True):
    """A CancelState."""

    cancel: str = "NONE_REQUESTED"


MAPPING = MappingTable(read_mapping_table("ebay"), EbayRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the order with one line, and its fulfillments.

    As `getShippingFulfillments` lists them.
    """
    order, row = build_order_view(timeline, base_url, MAPPING)
    status = "FULFILLED" if order.shipped_at else "NOT_STARTED"
    line = {"lineItemId": order.line, "quantity": 1}
    fulfillments: list[ProjectedDocument] = []
    if order.shipped_at:
        fulfillments.append(
            {
                "fulfillmentId": order.number,
                "shipmentTrackingNumber": order.number,
                "shippingCarrierCode": order.carrier,
                "shippedDate": utc_stamp(order.shipped_at),
                "lineItems": [line],
            }
        )
    return {
        "order": {
            "orderId": str(order.order_id or order.number),
            "orderFulfillmentStatus": status,
            "cancelStatus": {"cancelState": row.cancel},
            "lineItems": [line | {"lineItemFulfillmentStatus": status}],
        },
        "fulfillments": fulfillments,
        "total": len(fulfillments),
    }
