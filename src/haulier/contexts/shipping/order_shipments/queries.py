"""Shipments of orders for other families and contexts."""

from collections.abc import Collection

from haulier.contexts.orders.public import OrderShipment
from haulier.contexts.shipping.labels.queries import ShipmentWithNumbers, get_shipments_of_orders
from haulier.contexts.shipping.labels.rules import BOUGHT_STATES, ShipmentState, offer_from_document
from haulier.contexts.shipping.order_shipments.rules import LIVE_STATES, STATUS_OF_SHIPMENT, promised_by
from haulier.kernel.call import Call


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
