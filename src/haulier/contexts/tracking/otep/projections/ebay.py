"""eBay: an order's fulfilment status, and its shipping fulfillment once the parcel has left."""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import utc_stamp
from haulier.contexts.tracking.otep.projections.order_views import view


class Row(Struct, frozen=True):
    """A CancelState."""

    cancel: str = "NONE_REQUESTED"


CHART = Chart(read("ebay"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The order with its one line, and the fulfillments as `getShippingFulfillments` lists them."""
    order, row = view(timeline, base_url, CHART)
    status = "FULFILLED" if order.shipped_at else "NOT_STARTED"
    line = {"lineItemId": order.line, "quantity": 1}
    fulfillments: list[Document] = []
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
