"""Ship-outs are ordered, paid, and take their steps. Each call happens within the caller's transaction."""

from typing import Any

from msgspec import to_builtins

from haulier.contexts.billing.public import Fulfilment, MoneySubject, charge, get_service, give_back, mark_service_used
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, Package
from haulier.contexts.orders.public import BoughtDelivery, cancel_bought_delivery, create_bought_delivery
from haulier.contexts.shipping.public import withdraw_label
from haulier.contexts.storage.events import ShipoutChanged
from haulier.contexts.storage.shipouts.actions.contents import (
    list_leaving_parcels,
    promise_contents,
    release_contents,
    require_free_contents,
    ship_contents,
)
from haulier.contexts.storage.shipouts.actions.estimates import take_price
from haulier.contexts.storage.shipouts.actions.labels import wants_label
from haulier.contexts.storage.shipouts.actions.work import BUY_SHIPOUT_LABEL_JOB, BuyShipoutLabel
from haulier.contexts.storage.shipouts.contract import ConfirmShipout, CreateShipout
from haulier.contexts.storage.shipouts.rules import (
    SHIPOUT_STEP_REFUSED,
    LeavingParcel,
    ShipoutFulfilment,
    ShipoutStatus,
    ShipoutStep,
    next_shipout_status,
)
from haulier.contexts.storage.shipouts.store import ShipoutRow
from haulier.contexts.storage.storage_orders.contract.tariffs import STORAGE
from haulier.contexts.storage.storage_orders.rules.lifecycle import NOTHING_OWED
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money


async def create_shipout(call: Call, request: CreateShipout) -> ShipoutRow:
    """Order a ship-out: what it takes is promised to it, and to nothing else.

    Raises as `require_free_contents` and `take_price` do.
    """
    customer_id = call.actor or 0
    contents = await require_free_contents(call, request, customer_id=customer_id, lock=True)
    priced = await take_price(call, request, contents)
    address = request.consignee
    shipout_id = await ShipoutRow.insert(
        call.work,
        customer_id=customer_id,
        status=ShipoutStatus.PENDING.value,
        service_id=priced.service.id,
        service_code=priced.service.code,
        service_name=priced.service.name,
        shipout_ref=request.shipout_ref,
        consignee=address.model_dump(mode="json"),
        consignee_name=address.name,
        consignee_email=address.email,
        consignee_phone=address.phone,
        parcels=[parcel.package_ids for parcel in request.parcels],
        inbound_parcels=[parcel.inbound_parcel_ids for parcel in request.parcels] if contents.inbound else None,
        form_values=priced.values,
        note=request.note,
        scheduled_date=request.scheduled_date,
        price=to_builtins(priced.price),
        price_minor=priced.price.total_minor,
        paid_minor=0,
        currency=priced.price.currency,
        created_at=call.now,
    )
    await promise_contents(call, request, customer_id=customer_id, shipout_id=shipout_id)
    await mark_service_used(call, priced.service.id)
    return await _announced(call, shipout_id)


async def pay_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Take the price from the wallet, all of it, once. The row must be locked. Raises `NOTHING_OWED`, `CREDIT_INSUFFICIENT`."""
    due = row.price_minor - row.paid_minor
    if due <= 0 or row.status == ShipoutStatus.CANCELLED:
        raise NOTHING_OWED()
    posted = await charge(
        call,
        row.customer_id,
        Money(due, row.currency),
        key=f"shipout:{row.id}:payment",
        subject=MoneySubject("shipout", row.id, STORAGE),
    )
    await ShipoutRow.update(call.work, row.id, {"paid_minor": row.price_minor, "transfer_id": posted.transfer_id})
    call.add_audit_subjects("shipout", row.id)
    return await require_shipout(call, row.id)


async def cancel_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Call off a ship-out: its delivery is cancelled, its packages are free, and what was paid is given back.

    The row must be locked. Raises `SHIPOUT_STEP_REFUSED`, also where its delivery is under way.
    """
    status = next_shipout_status(ShipoutStep.CANCEL, row.status)
    if row.order_id is not None and not await cancel_bought_delivery(call, row.order_id, "The ship-out was cancelled."):
        raise SHIPOUT_STEP_REFUSED(step=ShipoutStep.CANCEL.value, status=row.status)
    if row.shipment_id is not None and not await withdraw_label(call, row.shipment_id):
        raise SHIPOUT_STEP_REFUSED(step=ShipoutStep.CANCEL.value, status=row.status)
    await release_contents(call, row)
    if row.transfer_id is not None:
        await give_back(call, row.transfer_id, key=f"shipout:{row.id}:refund")
    return await _move(call, row, status, paid_minor=0, ended_at=call.now)


async def confirm_shipout(call: Call, row: ShipoutRow, request: ConfirmShipout) -> ShipoutRow:
    """Agree to a ship-out: it becomes a local delivery, or leaves with a carrier's label. The row must be locked.

    Of one that is confirmed and whose label could not be bought, try again, or take the number of a label.
    """
    if wants_label(row) and request.fulfilment is not ShipoutFulfilment.LOCAL_DELIVERY:
        return await _confirm_label(call, row, request.tracking_number)
    status = next_shipout_status(ShipoutStep.CONFIRM, row.status)
    fulfilment = request.fulfilment or await _fulfilment_of_service(call, row)
    values: dict[str, Any] = {"fulfilment": fulfilment.value, "tracking_number": request.tracking_number}
    if fulfilment is ShipoutFulfilment.LOCAL_DELIVERY:
        delivery = await _deliver(call, row)
        values |= {"order_id": delivery.order_id, "tracking_number": delivery.tracking_number}
    row = await _move(call, row, status, confirmed_at=call.now, **values)
    if wants_label(row):
        await call.enqueue(BUY_SHIPOUT_LABEL_JOB, BuyShipoutLabel(row.id))
    return row


async def _confirm_label(call: Call, row: ShipoutRow, number: str | None) -> ShipoutRow:
    await ShipoutRow.update(call.work, row.id, {"label_fault": None, "tracking_number": number})
    if number is None:
        await call.enqueue(BUY_SHIPOUT_LABEL_JOB, BuyShipoutLabel(row.id))
    return await _announced(call, row.id)


async def _fulfilment_of_service(call: Call, row: ShipoutRow) -> ShipoutFulfilment:
    service = await get_service(call, row.service_id)
    return ShipoutFulfilment.LABEL if Fulfilment.LABEL in service.fulfilment else ShipoutFulfilment.LOCAL_DELIVERY


async def ship_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Note that a ship-out has left: its packages leave stock with it. The row must be locked."""
    status = next_shipout_status(ShipoutStep.SHIP, row.status)
    await ship_contents(call, row)
    return await _move(call, row, status, ended_at=call.now)


async def deliver_shipout(call: Call, row: ShipoutRow) -> ShipoutRow:
    """Note that a ship-out came to its recipient; where nobody noted that it left, it did. The row must be locked."""
    if row.status == ShipoutStatus.CONFIRMED:
        row = await ship_shipout(call, row)
    return await _move(call, row, next_shipout_status(ShipoutStep.DELIVER, row.status))


async def _deliver(call: Call, row: ShipoutRow) -> BoughtDelivery:
    """Create the delivery of a ship-out, a piece for each parcel. What it costs, the ship-out says."""
    parcels = await list_leaving_parcels(call, row)
    return await create_bought_delivery(
        call,
        CreateOrder.model_validate(
            {
                "consignee": row.consignee,
                "customer_id": row.customer_id,
                "packages": [_piece(parcel) for parcel in parcels],
                "references": {"shipout": str(row.id)},
                "scheduled_date": row.scheduled_date,
            }
        ),
    )


def _piece(parcel: LeavingParcel) -> Package:
    size = {}
    if parcel.package is not None:
        size = {name: getattr(parcel.package, name) for name in ("length_mm", "width_mm", "height_mm")}
    return Package(weight_g=min(parcel.weight_g, 50_000_000), **size)


async def _move(call: Call, row: ShipoutRow, status: ShipoutStatus, **values: Any) -> ShipoutRow:
    await ShipoutRow.update(call.work, row.id, {**values, "status": status.value})
    return await _announced(call, row.id)


async def _announced(call: Call, shipout_id: int) -> ShipoutRow:
    row = await require_shipout(call, shipout_id)
    call.add_audit_subjects("shipout", row.id)
    await call.publish(ShipoutChanged(shipout_id=row.id, customer_id=row.customer_id, status=row.status))
    return row


async def require_shipout(call: Call, shipout_id: int) -> ShipoutRow:
    """A ship-out as it is now. Raises `NOT_FOUND`."""
    row = await ShipoutRow.get(call.work, shipout_id)
    if row is None:
        raise record_not_found(shipout_id=shipout_id)
    return row
