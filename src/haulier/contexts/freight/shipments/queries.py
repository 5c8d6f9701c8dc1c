"""Freight shipments that a caller may see, and their price."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.billing.public import ServicePrice
from haulier.contexts.freight.shipments import store
from haulier.contexts.freight.shipments.rules import AppointmentKind, FreightStatus, weights_by_class
from haulier.contexts.freight.shipments.store import FreightShipmentRow as FreightShipmentRow
from haulier.contexts.freight.tariffs.queries import price_goods
from haulier.contexts.freight.tariffs.rules import Accessorial, RatedGoods
from haulier.contexts.identity.public import is_customer
from haulier.contexts.orders.fulfilments.rules import FulfilmentStatus
from haulier.contexts.orders.public import OrderShipment
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def get_visible_shipment(call: Call, freight_shipment_id: int, *, lock: bool = False) -> FreightShipmentRow:
    """Return a freight shipment that the caller may see. Raises `NOT_FOUND`."""
    found = await (FreightShipmentRow.lock if lock else FreightShipmentRow.get)(call.work, freight_shipment_id)
    if found is None or (is_customer(call) and found.customer_id != call.actor):
        raise record_not_found(freight_shipment_id=freight_shipment_id)
    return found


async def price_shipment(
    call: Call,
    units: Sequence[Mapping[str, Any]],
    consignee: Mapping[str, Any],
    accessorials: Collection[str],
    declared_value_minor: int | None,
) -> ServicePrice:
    """Return the price of classified units by the tariff.

    Raises as `price_goods` does.
    """
    goods = RatedGoods(
        weight_g=weights_by_class(units),
        hazardous=any(unit["hazardous"] for unit in units),
        declared_minor=declared_value_minor or 0,
        accessorials=frozenset(map(Accessorial, accessorials)),
        country=consignee["country"],
        postal_code=consignee["postal_code"],
    )
    return await price_goods(call, goods)


STATUS_OF_FREIGHT = {
    FreightStatus.DRAFT: FulfilmentStatus.WAITING,
    FreightStatus.TENDERED: FulfilmentStatus.WAITING,
    FreightStatus.ACCEPTED: FulfilmentStatus.BOOKED,
    FreightStatus.PICKED_UP: FulfilmentStatus.IN_TRANSIT,
    FreightStatus.IN_TRANSIT: FulfilmentStatus.IN_TRANSIT,
    FreightStatus.OUT_FOR_DELIVERY: FulfilmentStatus.OUT_FOR_DELIVERY,
    FreightStatus.DELIVERED: FulfilmentStatus.DELIVERED,
    FreightStatus.DELIVERED_WITH_EXCEPTIONS: FulfilmentStatus.DELIVERED,
    FreightStatus.CANCELLED: FulfilmentStatus.CANCELLED,
}


class FreightOfOrders:
    """Implements the port `OrderFreight` of orders."""

    async def list_of_orders(self, call: Call, order_ids: Collection[int]) -> list[OrderShipment]:
        """Return the freight shipments of orders, newest first. One statement."""
        return [_of_order(row) for row in await store.list_shipments_of_orders(call.work, order_ids)]


def _of_order(row: FreightShipmentRow) -> OrderShipment:
    status = FreightStatus(row.status)
    window_end = (row.appointments.get(AppointmentKind.DELIVERY.value) or {}).get("window_end")
    return OrderShipment(
        id=row.id,
        order_id=row.order_id or 0,
        status=STATUS_OF_FREIGHT[status].value,
        live=status is not FreightStatus.CANCELLED,
        bought=row.accepted_at is not None,
        customer_id=row.customer_id,
        carrier=row.carrier,
        service="LTL",
        numbers=tuple(number for number in (row.tracking_number, row.pro_number) if number),
        promised_by=datetime.fromisoformat(window_end) if window_end else None,
        price_minor=row.price_minor,
        cost_minor=None,
        currency=row.currency,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
