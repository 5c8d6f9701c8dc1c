"""Writes of delivery orders: orders follow the scans of their carrier's shipment."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.actions.order_sums import move_orders
from haulier.contexts.orders.delivery_orders.actions.transitions import load_tracked_packages
from haulier.contexts.orders.delivery_orders.rules.carrier_scans import slowest, status_of_event
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.otep.public import Source, TrackingEvent
from haulier.contexts.tracking.public import NewEvent, record_events
from haulier.kernel.call import Call

SHIPPED_BY_CARRIER = "carrier"


class ParcelScans(Struct, frozen=True):
    """Scans of a parcel, earliest first."""

    events: Sequence[TrackingEvent]


async def sync_order_with_shipment(call: Call, order_id: int, carrier: str, parcels: Sequence[ParcelScans]) -> None:
    """Copy a shipment's scans to its order's timelines, and move the order.

    Each package follows its parcel. If the carrier has another number of parcels, all packages follow the slowest. The
    order has the status of its slowest parcel. Safe to repeat.
    """
    await call.adapter(OrderRoutes).lock(call, [order_id])
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    if not rows or rows[0].fulfilment != SHIPPED_BY_CARRIER or rows[0].status == OrderStatus.CANCELLED:
        return
    (row,) = rows
    packages = await load_tracked_packages(call, rows)
    last = slowest([parcel.events for parcel in parcels])
    followed = [parcel.events for parcel in parcels] if len(parcels) == len(packages) else [last] * len(packages)
    await record_events(
        call,
        [
            _copy(event, package.tracking_number, row.id, package.id, row.order_ref, carrier)
            for package, events in zip(packages, followed, strict=True)
            for event in events
        ],
    )
    told = [
        (status, event.occurred_at) for event in last if (status := status_of_event(event.status_code, event.phase))
    ]
    if told and told[-1][0] is not OrderStatus(row.status):
        await _move(call, row, *told[-1], carrier)


def _copy(
    event: TrackingEvent, number: str, order_id: int, package_id: int | None, order_ref: str | None, carrier: str
) -> NewEvent:
    return NewEvent(
        tracking_number=number,
        status_code=event.status_code,
        occurred_at=event.occurred_at,
        order_id=order_id,
        package_id=package_id,
        order_ref=order_ref,
        location=event.location or None,
        incident_reason=event.incident_reason or None,
        pod=event.pod or None,
        outcome=event.outcome or None,
        raw_status=event.raw_status or None,
        source=Source(type="carrier", name=carrier),
        reference=event.event_id,
    )


async def _move(call: Call, row: orders_store.OrderRow, status: OrderStatus, at: datetime, carrier: str) -> None:
    await move_orders(call, [row], {row.id: status}, {row.id: at}, {row.id: carrier})
