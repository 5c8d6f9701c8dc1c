"""Shipping, delivery and activation of ordered devices."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.device_orders.actions.orders import announce_device_order, move_device_order
from haulier.contexts.lockers.device_orders.actions.work import DEVICE_LETTER_JOB, DeviceLetter
from haulier.contexts.lockers.device_orders.contract.orders import ShipDeviceOrder, ShippedDevice
from haulier.contexts.lockers.device_orders.rules import (
    DeviceOrderStatus,
    DeviceOrderStep,
    device_order_can,
    next_device_order_status,
    require_as_many,
)
from haulier.contexts.lockers.device_orders.store import orders as store
from haulier.contexts.lockers.device_orders.store import units as unit_store
from haulier.contexts.lockers.device_orders.store.tables import DeviceLineRow, DeviceOrderRow, OrderedUnitRow
from haulier.contexts.lockers.devices.actions.credentials import issue_code
from haulier.contexts.lockers.devices.actions.ordered import SoldDevice, know_sold_devices
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DEVICE_SERIAL_TAKEN, DeviceState
from haulier.contexts.orders.delivery_orders.contract.addresses import Package
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.public import BoughtDelivery, create_bought_delivery
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def ship_device_order(call: Call, row: DeviceOrderRow, request: ShipDeviceOrder) -> DeviceOrderRow:
    """Ship the devices of a paid order by serial number. The row must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`, `DEVICE_SERIALS_MISMATCH`, `DEVICE_SERIAL_TAKEN`.
    """
    next_device_order_status(DeviceOrderStep.SHIP, row.status)
    lines = await store.list_line_rows(call.work, row.id)
    require_as_many((d.product_code for d in request.devices), {line.product_code: line.quantity for line in lines})
    await hand_out(call, row.id, request.devices, {line.product_code: line for line in lines})
    values: dict[str, Any] = {"carrier": request.carrier, "tracking_number": request.tracking_number}
    if request.fulfilment == "local_delivery":
        delivery = await _deliver(call, row, lines)
        values |= {"order_id": delivery.order_id, "tracking_number": delivery.tracking_number}
    await call.enqueue(DEVICE_LETTER_JOB, DeviceLetter(row.id, "sent"))
    return await move_device_order(call, row, DeviceOrderStep.SHIP, shipped_at=call.now, **values)


async def hand_out(
    call: Call, device_order_id: int, devices: Sequence[ShippedDevice], lines: Mapping[str, DeviceLineRow]
) -> None:
    """Record the devices shipped with an order.

    Raises `DEVICE_SERIAL_TAKEN` for a device already shipped or in use.
    """
    sold = [SoldDevice(each.serial, (line := lines[each.product_code]).name, line.kind) for each in devices]
    ids = await know_sold_devices(call, sold)
    rows = [
        {
            "device_order_id": device_order_id,
            "product_id": lines[each.product_code].product_id,
            "product_code": each.product_code,
            "unit_price_minor": lines[each.product_code].unit_price_minor,
            "serial": each.serial,
            "device_id": ids[each.serial],
        }
        # Sort the serial numbers: concurrent calls then lock them in the same order.
        for each in sorted(devices, key=lambda each: each.serial)
    ]
    free = await unit_store.insert_units(call.work, rows)
    for each in devices:
        if each.serial not in free:
            raise DEVICE_SERIAL_TAKEN(serial=each.serial)


async def _deliver(call: Call, row: DeviceOrderRow, lines: Sequence[DeviceLineRow]) -> BoughtDelivery:
    """Create the local delivery of an order. Its price comes from the device order."""
    return await create_bought_delivery(
        call,
        CreateOrder.model_validate(
            {
                "consignee": row.consignee,
                "customer_id": row.customer_id,
                "packages": [Package(description=line.name, quantity=line.quantity) for line in lines],
                "references": {"device_order": str(row.id)},
            }
        ),
    )


async def deliver_device_order(call: Call, row: DeviceOrderRow) -> DeviceOrderRow:
    """Mark an order as delivered.

    The row must be locked. Raises `DEVICE_ORDER_STEP_REFUSED`.
    """
    return await move_device_order(call, row, DeviceOrderStep.DELIVER, delivered_at=call.now)


async def note_delivered(call: Call, order_id: int) -> None:
    """Mark an order as delivered after its local delivery.

    Orders in use are already active.
    """
    row = await store.lock_order_of_delivery(call.work, order_id)
    if row is not None and device_order_can(DeviceOrderStep.DELIVER, row.status):
        await deliver_device_order(call, row)


class HandedOver(Struct, frozen=True):
    """A device and its registration code."""

    unit: OrderedUnitRow
    code: str
    expires_at: datetime


async def activate_device(call: Call, row: DeviceOrderRow, serial: str) -> HandedOver:
    """Issue a registration code for a device and revoke its earlier one.

    The row must be locked. Raises `NOT_FOUND` for a device of another order, `DEVICE_ORDER_STEP_REFUSED`, and
    `DEVICE_NOT_USABLE` for a device that has registered.
    """
    next_device_order_status(DeviceOrderStep.ACTIVATE, row.status)
    unit = await _unit_out(call, row.id, serial)
    device = await get_device(call, unit.device_id, lock=True)
    if device.status == DeviceState.ACTIVE:
        raise DEVICE_NOT_USABLE(status=device.status)
    code, expires_at = await issue_code(call, device)
    await unit_store.note_activated(call.work, unit.id, call.now)
    if row.status == DeviceOrderStatus.ACTIVE:
        await announce_device_order(call, row.id)
    else:
        await move_device_order(call, row, DeviceOrderStep.ACTIVATE, delivered_at=row.delivered_at or call.now)
    return HandedOver(await _unit_out(call, row.id, serial), code, expires_at)


async def _unit_out(call: Call, device_order_id: int, serial: str) -> OrderedUnitRow:
    """Return a shipped device of an order that was not returned. Raises `NOT_FOUND`."""
    for unit in await unit_store.list_units(call.work, device_order_id):
        if unit.serial == serial and unit.returned_at is None:
            return unit
    raise record_not_found(serial=serial)
