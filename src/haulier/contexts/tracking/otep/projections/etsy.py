"""Etsy: a shop receipt with its shipment."""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import epoch_s
from haulier.contexts.tracking.otep.projections.naming import whole_number
from haulier.contexts.tracking.otep.projections.order_views import known, view

EARLIEST_S = 946_684_800
"""The platform takes no time before the year 2000."""


class Row(Struct, frozen=True):
    """A receipt status; None where the journey does not decide it."""

    status: str | None = None


CHART = Chart(read("etsy"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The receipt. It is shipped from the moment the parcel left the sender, whatever went wrong later."""
    order, row = view(timeline, base_url, CHART)
    shipments: list[Document] = []
    if order.shipped_at:
        shipments.append(
            {
                "receipt_shipping_id": whole_number(order.number),
                "shipment_notification_timestamp": max(EARLIEST_S, epoch_s(order.shipped_at)),
                "carrier_name": order.carrier,
                "tracking_code": order.number,
            }
        )
    head = known(receipt_id=order.order_id, status=row.status)
    return {**head, "is_shipped": bool(order.shipped_at), "shipments": shipments}
