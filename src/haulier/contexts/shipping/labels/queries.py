"""Shipments that a caller may see."""

from typing import Any

from sqlalchemy import ColumnElement, and_, exists

from haulier.contexts.shipping.labels.contract.shipments import FindShipment, ListShipments
from haulier.contexts.shipping.labels.rules.lifecycle import ShipmentState
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.contexts.shipping.labels.store.shipments import labels, shipments
from haulier.kernel.call import Call, call_as
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.request_context import RequestContext


def call_of(context: RequestContext, work: UnitOfWork) -> Call:
    """A call of the one who asks, before or after their own unit of work."""
    return call_as(context.app, context.principal, work, language=context.language)


async def get_visible_shipment(call: Call, shipment_id: int, *, lock: bool = False) -> store.ShipmentRow:
    """A shipment. Raises `NOT_FOUND`, for those of other customers, too."""
    row = await store.get_shipment_row(call.work, shipment_id, lock=lock)
    if row is None or not can_see_shipment(call, row):
        raise record_not_found(shipment_id=shipment_id)
    return row


async def find_visible_shipment(call: Call, request: FindShipment, *, lock: bool = False) -> store.ShipmentRow:
    """A shipment by any of its names. Raises `NOT_FOUND`."""
    row = await store.find_shipment_row(
        call.work, id=request.shipment_id, number=request.tracking_number, order_ref=request.order_ref
    )
    if row is None or not can_see_shipment(call, row):
        raise record_not_found(**_names(request))
    return await get_visible_shipment(call, row.id, lock=True) if lock else row


def _names(request: FindShipment) -> dict[str, Any]:
    named = {
        "shipment_id": request.shipment_id,
        "tracking_number": request.tracking_number,
        "order_ref": request.order_ref,
    }
    return {name: value for name, value in named.items() if value is not None}


def can_see_shipment(call: Call, row: store.ShipmentRow) -> bool:
    """Whether a shipment is the caller's to see: customers see their own."""
    return call.principal.account is not Account.CUSTOMER or row.customer_id == call.actor


def list_conditions(call: Call, request: ListShipments) -> list[ColumnElement[bool]]:
    """What a list asks for, among what the caller may see."""
    customer = call.actor if call.principal.account is Account.CUSTOMER else request.customer_id
    equal = {
        "state": request.state,
        "order_ref": request.order_ref,
        "carrier": request.carrier,
        "account_id": request.account_id,
        "customer_id": customer,
    }
    found = [shipments.c[name] == value for name, value in equal.items() if value is not None]
    if request.ship_from:
        found.append(shipments.c.ship_date >= request.ship_from)
    if request.ship_to:
        found.append(shipments.c.ship_date <= request.ship_to)
    if request.tracking_number:
        of_parcel = labels.c.tracking_number == request.tracking_number
        same = and_(labels.c.client_id == shipments.c.client_id, labels.c.shipment_id == shipments.c.id)
        found.append(exists().where(same, of_parcel))
    if request.open_manifest is not None:
        is_open = (shipments.c.state == ShipmentState.PURCHASED) & shipments.c.manifest_id.is_(None)
        found.append(is_open if request.open_manifest else ~is_open)
    return found
