"""Magento: an order's state and status, and its shipment with one track."""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.naming import whole_number
from haulier.contexts.tracking.otep.projections.order_views import known, view

_CUSTOM_CARRIER = "custom"


class Row(Struct, frozen=True):
    """An order state; its default status has the same name."""

    state: str


CHART = Chart(read("magento"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The order and its shipments. An order is `complete` only when its parcel has left the sender."""
    order, row = view(timeline, base_url, CHART)
    state = "processing" if row.state == "complete" and not order.shipped_at else row.state
    shipments: list[Document] = []
    if order.shipped_at:
        shipment_id = whole_number(order.number)
        track = known(
            entity_id=whole_number(f"{order.number}/track"),
            parent_id=shipment_id,
            order_id=order.order_id,
            track_number=order.number,
            carrier_code=_CUSTOM_CARRIER,
            title=order.carrier,
            qty=1,
        )
        shipments.append(
            known(entity_id=shipment_id, order_id=order.order_id, created_at=order.shipped_at, tracks=[track])
        )
    head = known(entity_id=order.order_id, increment_id=str(order.order_id or order.number), state=state, status=state)
    return {"order": head, "shipments": shipments}
