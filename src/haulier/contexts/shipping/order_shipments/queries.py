"""Shipments of orders for other families and contexts."""

from collections.abc import Collection, Mapping
from functools import partial

from sqlalchemy import ColumnElement

from haulier.contexts.orders.public import (
    OrderShelf,
    OrderShipment,
    ShelvesOfOrders,
    WaitingOrder,
    list_orders_for_carriers,
)
from haulier.contexts.shipping.labels.queries import (
    ShipmentWithNumbers,
    get_shipments_of_orders,
    has_shipment_in,
)
from haulier.contexts.shipping.labels.rules import BOUGHT_STATES, ShipmentState, offer_from_document
from haulier.contexts.shipping.order_shipments.contract import ListShipQueue
from haulier.contexts.shipping.order_shipments.rules import LIVE_STATES, STATUS_OF_SHIPMENT, promised_by
from haulier.kernel.call import Call
from haulier.kernel.values.pagination import MAX_COUNT


class ShipmentsOfOrders:
    """Implements the port `OrderShipments` of orders."""

    async def list_of_orders(self, call: Call, order_ids: Collection[int]) -> list[OrderShipment]:
        """Return the shipments attached to orders, newest first. Two statements."""
        return [_of_order(call, each) for each in await get_shipments_of_orders(call.work, order_ids)]


def _of_order(call: Call, shipment: ShipmentWithNumbers) -> OrderShipment:
    row, state = shipment.row, ShipmentState(shipment.row.state)
    offer = offer_from_document(row.offer) if row.offer else None
    return OrderShipment(
        id=row.id,
        order_id=row.order_id or 0,
        status=STATUS_OF_SHIPMENT[state].value,
        live=state in LIVE_STATES,
        bought=state in BOUGHT_STATES,
        customer_id=row.customer_id,
        carrier=row.carrier,
        service=row.service_name,
        numbers=shipment.numbers,
        promised_by=promised_by(offer, row.ship_date, call.time_zone) if offer else None,
        price_minor=row.price_minor,
        cost_minor=row.cost_minor,
        currency=row.currency,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


async def list_queued_orders(call: Call, request: ListShipQueue) -> tuple[list[WaitingOrder], int]:
    """Return a page of orders without a live label, and their total. Two statements."""
    conditions = [_is_unshipped]
    if request.failed:
        conditions.append(partial(has_shipment_in, [ShipmentState.FAILED]))
    return await list_orders_for_carriers(
        call,
        conditions,
        search=request.search,
        customer_id=request.customer_id,
        due_by=request.due_by,
        country=request.country,
        offset=request.offset,
        limit=request.per_page,
        most=MAX_COUNT + 1,
    )


def _is_unshipped(order_id: ColumnElement[int]) -> ColumnElement[bool]:
    return ~has_shipment_in(LIVE_STATES, order_id)


async def get_shelves(call: Call, order_ids: Collection[int]) -> Mapping[int, OrderShelf]:
    """Return the first shelf of the goods of each order.

    None without the warehouse module.
    """
    shelves = call.app.find_adapter(ShelvesOfOrders)
    return await shelves.get_shelves(call, order_ids) if shelves else {}


async def get_failed_shipments(call: Call, order_ids: Collection[int]) -> dict[int, ShipmentWithNumbers]:
    """Return the newest shipment of each order, if its label was not bought.

    Two statements.
    """
    newest: dict[int, ShipmentWithNumbers] = {}
    for each in await get_shipments_of_orders(call.work, order_ids):
        newest.setdefault(each.row.order_id or 0, each)
    return {id: each for id, each in newest.items() if each.row.state == ShipmentState.FAILED}
