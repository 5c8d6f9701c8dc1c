"""Walmart: an order with one line, its status and its tracking."""

from msgspec import Struct

from haulier.contexts.otep.projections.contract import ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    MappingTable,
    OrderView,
    build_order_view,
    epoch_ms,
    read_mapping_table,
)
from haulier.contexts.otep.timeline.contract import Timeline

_QUANTITY_ONE = {"unitOfMeasurement": "EACH", "amount": "1"}
_STATUS_BEFORE_SHIPPING = "Acknowledged"


class WalmartRow(Struct, frozen=True):
    """An orderLineStatus."""

    status: str


MAPPING = MappingTable(read_mapping_table("walmart"), WalmartRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the order.

    Tracking is included once the parcel has left, since the platform requires the shipping time with it.
    """
    order, row = build_order_view(timeline, base_url, MAPPING)
    shipped_early = row.status == "Shipped" and not order.shipped_at
    status: ProjectedDocument = {
        "status": _STATUS_BEFORE_SHIPPING if shipped_early else row.status,
        "statusQuantity": _QUANTITY_ONE,
    }
    if order.shipped_at:
        status["trackingInfo"] = _tracking_info(order, epoch_ms(order.shipped_at))
    line: ProjectedDocument = {
        "lineNumber": "1",
        "orderLineQuantity": _QUANTITY_ONE,
        "orderLineStatuses": {"orderLineStatus": [status]},
    }
    if order.changed_at:
        line["statusDate"] = epoch_ms(order.changed_at)
    name = str(order.order_id or order.number)
    return {"order": {"purchaseOrderId": name, "customerOrderId": name, "orderLines": {"orderLine": [line]}}}


def _tracking_info(order: OrderView, shipped_at_ms: int) -> ProjectedDocument:
    return {
        "shipDateTime": shipped_at_ms,
        "carrierName": {"otherCarrier": order.carrier},
        "methodCode": "Standard",
        "trackingNumber": order.number,
        "trackingURL": order.url,
    }
