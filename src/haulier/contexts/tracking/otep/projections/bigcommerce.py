"""BigCommerce: an order with its status, and its shipment once the parcel has left."""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.naming import whole_number
from haulier.contexts.tracking.otep.projections.order_views import known, view

_SHIPPED = 2


class Row(Struct, frozen=True):
    """An order status: its id, 0 to 14, and its text, which must match."""

    id: int
    status: str


CHART = Chart(read("bigcommerce"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The order and its shipments. Our carriers are none of the platform's, so the provider is blank, as it allows."""
    order, row = view(timeline, base_url, CHART)
    if row.id == _SHIPPED and not order.shipped_at:
        row = CHART.pivots["ready"]
    shipments: list[Document] = []
    if order.shipped_at:
        shipments.append(
            known(
                id=whole_number(order.number),
                order_id=order.order_id,
                date_created=order.shipped_at,
                tracking_number=order.number,
                tracking_carrier="",
                tracking_link=order.url,
                shipping_provider="",
                shipping_method=order.carrier,
            )
        )
    return {"order": known(id=order.order_id, status_id=row.id, status=row.status), "shipments": shipments}
