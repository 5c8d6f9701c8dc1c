"""WooCommerce: an order's status, and its items of the Shipment Tracking extension."""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.naming import digest
from haulier.contexts.tracking.otep.projections.order_views import known, view


class Row(Struct, frozen=True):
    """An order status."""

    status: str


CHART = Chart(read("woocommerce"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The order and its trackings; an order stays in processing until the parcel arrived."""
    order, row = view(timeline, base_url, CHART)
    trackings: list[Document] = []
    if order.shipped_at:
        trackings.append(
            {
                "tracking_id": digest(order.number)[:32],
                "tracking_provider": order.carrier,
                "tracking_link": order.url,
                "tracking_number": order.number,
                "date_shipped": order.shipped_at.date().isoformat(),
            }
        )
    head = known(
        id=order.order_id,
        number=str(order.order_id or order.number),
        status=row.status,
        date_completed=order.delivered_at,
    )
    return {"order": head, "shipment_trackings": trackings}
