"""Writes of device returns. The order's row is always locked first."""

from collections import Counter
from typing import Any

from haulier.contexts.billing.public import give_back, lock_left
from haulier.contexts.lockers.device_orders.actions.orders import announce_device_order, move_device_order
from haulier.contexts.lockers.device_orders.actions.sent_devices import hand_out
from haulier.contexts.lockers.device_orders.actions.stock import pieces_of_units, put_back, take_stock
from haulier.contexts.lockers.device_orders.actions.work import DEVICE_LETTER_JOB, DeviceLetter
from haulier.contexts.lockers.device_orders.contract.orders import ShippedDevice
from haulier.contexts.lockers.device_orders.contract.returns import RequestDeviceReturn, SettleDeviceReturn
from haulier.contexts.lockers.device_orders.rules import (
    DEVICE_NOT_RETURNABLE,
    DEVICE_REFUND_TOO_MUCH,
    DeviceOrderStep,
    DeviceReturnStatus,
    DeviceReturnStep,
    next_device_order_status,
    next_return_status,
    require_as_many,
)
from haulier.contexts.lockers.device_orders.store import orders as order_store
from haulier.contexts.lockers.device_orders.store import units as store
from haulier.contexts.lockers.device_orders.store.tables import DeviceOrderRow, DeviceReturnRow
from haulier.contexts.lockers.devices.actions.ordered import take_devices_back
from haulier.contexts.lockers.events import DeviceReturnChanged
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money


async def request_return(call: Call, order: DeviceOrderRow, request: RequestDeviceReturn) -> DeviceReturnRow:
    """Record a return of devices. The order must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`, or `DEVICE_NOT_RETURNABLE` for a device that was not shipped or is already being
    returned.
    """
    next_device_order_status(DeviceOrderStep.REQUEST_RETURN, order.status)
    out = {
        unit.serial: unit
        for unit in await store.list_units(call.work, order.id)
        if unit.returned_at is None and unit.device_return_id is None
    }
    for serial in request.serials:
        if serial not in out:
            raise DEVICE_NOT_RETURNABLE(serial=serial)
    going = [out[serial] for serial in request.serials]
    device_return_id = await DeviceReturnRow.insert(
        call.work,
        **{
            **request.model_dump(include={"reason", "wish", "note", "serials"}),
            "device_order_id": order.id,
            "customer_id": order.customer_id,
            "status": DeviceReturnStatus.REQUESTED.value,
            "worth_minor": sum(unit.unit_price_minor for unit in going),
            "currency": order.currency,
            "created_at": call.now,
        },
    )
    await store.promise_units(call.work, [unit.id for unit in going], device_return_id)
    return await _announce_return(call, device_return_id)


async def cancel_return(call: Call, row: DeviceReturnRow) -> DeviceReturnRow:
    """Cancel a return. Raises `DEVICE_RETURN_STEP_REFUSED`."""
    next_return_status(DeviceReturnStep.CANCEL, row.status)
    await store.release_units(call.work, row.id)
    return await _move(call, row, DeviceReturnStep.CANCEL, ended_at=call.now)


async def receive_return(call: Call, row: DeviceReturnRow, *, restock: bool) -> DeviceReturnRow:
    """Receive devices: revoke their credentials and restock sellable ones.

    Raises `DEVICE_RETURN_STEP_REFUSED`.
    """
    next_return_status(DeviceReturnStep.RECEIVE, row.status)
    units = await store.list_units_of_return(call.work, row.id)
    await take_devices_back(call, [unit.device_id for unit in units], for_good=not restock)
    await store.take_back_units(call.work, row.id, call.now)
    if restock:
        await put_back(call, pieces_of_units(units))
    return await _move(call, row, DeviceReturnStep.RECEIVE, received_at=call.now, restocked=restock)


async def settle_return(
    call: Call, order: DeviceOrderRow, row: DeviceReturnRow, request: SettleDeviceReturn
) -> DeviceReturnRow:
    """Settle a return. The order must be locked.

    Raises `DEVICE_RETURN_STEP_REFUSED`, `DEVICE_REFUND_TOO_MUCH`, and the errors of shipping devices.
    """
    step = DeviceReturnStep(request.outcome)
    next_return_status(step, row.status)
    values: dict[str, Any] = {"ended_at": call.now, "tracking_number": request.tracking_number}
    if step is DeviceReturnStep.REFUSE:
        await store.release_units(call.work, row.id)
    elif step is DeviceReturnStep.REFUND:
        values["refund_minor"] = await _pay_back(call, order, row, request.amount_minor)
    else:
        await _replace(call, order, row, request.devices or [])
    settled = await _move(call, row, step, **values)
    await call.enqueue(DEVICE_LETTER_JOB, DeviceLetter(order.id, settled.status, row.id))
    if step is not DeviceReturnStep.REFUSE and not await store.count_units_out(call.work, order.id):
        now = await DeviceOrderRow.get(call.work, order.id)
        await move_device_order(call, now or order, DeviceOrderStep.RETURN, ended_at=call.now)
    return settled


async def _pay_back(call: Call, order: DeviceOrderRow, row: DeviceReturnRow, amount: int | None) -> int:
    left = await lock_left(call, order.transfer_id) if order.transfer_id is not None else 0
    most = min(row.worth_minor, order.paid_minor - order.refunded_minor, left)
    minor = most if amount is None else amount
    if minor > most:
        raise DEVICE_REFUND_TOO_MUCH()
    if minor and order.transfer_id is not None:
        await give_back(call, order.transfer_id, Money(minor, order.currency), key=f"device_return:{row.id}:refund")
    refunded = {"refunded_minor": order.refunded_minor + minor}
    await order_store.update_device_order(call.work, order.id, refunded)
    await announce_device_order(call, order.id)
    return minor


async def _replace(call: Call, order: DeviceOrderRow, row: DeviceReturnRow, devices: list[ShippedDevice]) -> None:
    back = await store.list_units_of_return(call.work, row.id)
    require_as_many((each.product_code for each in devices), Counter(unit.product_code for unit in back))
    await take_stock(call, pieces_of_units(back))
    lines = await order_store.list_line_rows(call.work, order.id)
    await hand_out(call, order.id, devices, {line.product_code: line for line in lines})


async def _move(call: Call, row: DeviceReturnRow, step: DeviceReturnStep, **values: Any) -> DeviceReturnRow:
    status = next_return_status(step, row.status)
    await store.update_return(call.work, row.id, {**values, "status": status.value})
    return await _announce_return(call, row.id)


async def _announce_return(call: Call, device_return_id: int) -> DeviceReturnRow:
    row = await DeviceReturnRow.get(call.work, device_return_id)
    if row is None:
        raise record_not_found(device_return_id=device_return_id)
    call.add_audit_subjects("device_return", row.id)
    event = DeviceReturnChanged(device_return_id=row.id, device_order_id=row.device_order_id, status=row.status)
    await call.publish(event)
    return row
