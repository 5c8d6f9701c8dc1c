"""Walmart: an order with one line, its status and its tracking."""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import epoch_ms
from haulier.contexts.tracking.otep.projections.order_views import OrderView, view

_ONE = {"unitOfMeasurement": "EACH", "amount": "1"}
_BEFORE = "Acknowledged"


class Row(Struct, frozen=True):
    """An orderLineStatus."""

    status: str


CHART = Chart(read("walmart"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The order. Tracking is told once the parcel has left, since the platform wants the time of shipping with it."""
    order, row = view(timeline, base_url, CHART)
    shipped_early = row.status == "Shipped" and not order.shipped_at
    status: Document = {"status": _BEFORE if shipped_early else row.status, "statusQuantity": _ONE}
    if order.shipped_at:
        status["trackingInfo"] = _tracking(order, epoch_ms(order.shipped_at))
    line: Document = {
        "lineNumber": "1",
        "orderLineQuantity": _ONE,
        "orderLineStatuses": {"orderLineStatus": [status]},
    }
    if order.changed_at:
        line["statusDate"] = epoch_ms(order.changed_at)
    name = str(order.order_id or order.number)
    return {"order": {"purchaseOrderId": name, "customerOrderId": name, "orderLines": {"orderLine": [line]}}}


def _tracking(order: OrderView, shipped_at_ms: int) -> Document:
    return {
        "shipDateTime": shipped_at_ms,
        "carrierName": {"otherCarrier": order.carrier},
        "methodCode": "Standard",
        "trackingNumber": order.number,
        "trackingURL": order.url,
    }
