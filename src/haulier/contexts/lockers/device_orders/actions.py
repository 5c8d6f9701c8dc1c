"""Writes of device orders for other families.

Rows are always locked in the same order, and stock never becomes negative.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, time
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import (
    ChargeDetails,
    MoneySubject,
    ProductClass,
    charge,
    lock_refundable_part,
    refund_remaining,
)
from haulier.contexts.identity.public import resolve_customer
from haulier.contexts.lockers.device_orders import store
from haulier.contexts.lockers.device_orders.contract import (
    DEVICES,
    CreateDeviceOrder,
    DeviceOrderItem,
    RequestDeviceReturn,
    SettleDeviceReturn,
    ShipDeviceOrder,
    ShippedDevice,
    UpdateDeviceOrder,
)
from haulier.contexts.lockers.device_orders.queries import PricedItem, price_items
from haulier.contexts.lockers.device_orders.rules import (
    DEVICE_NOT_RETURNABLE,
    DEVICE_OUT_OF_STOCK,
    DEVICE_PRICES_EXPIRED,
    DEVICE_REFUND_TOO_MUCH,
    PRICES_LIFE,
    RESERVED_FOR,
    DeviceOrderStatus,
    DeviceOrderStep,
    DeviceReturnStatus,
    DeviceReturnStep,
    device_order_can,
    next_device_order_status,
    next_return_status,
    require_as_many,
)
from haulier.contexts.lockers.device_orders.store import DeviceLineRow, DeviceOrderRow, DeviceReturnRow, OrderedUnitRow
from haulier.contexts.lockers.devices.actions.commands import SoldDevice, reclaim_devices, register_sold_devices
from haulier.contexts.lockers.devices.actions.credentials import issue_code
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DEVICE_SERIAL_TAKEN, DeviceState
from haulier.contexts.lockers.events import DeviceOrderChanged, DeviceReturnChanged
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress, Package
from haulier.contexts.orders.public import BoughtDelivery, create_bought_delivery
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money


async def deduct_stock(call: Call, wanted: Mapping[int, int]) -> None:
    """Deduct quantities by product id, all or nothing.

    Raises `DEVICE_OUT_OF_STOCK` for the first that is short.
    """
    for row in await store.lock_products(call.work, wanted):
        if row.stock < wanted[row.id]:
            raise DEVICE_OUT_OF_STOCK(product_code=row.product_code, wanted=wanted[row.id], stock=row.stock)
    await store.move_stock(call.work, {id: -pieces for id, pieces in wanted.items()})


async def return_to_stock(call: Call, pieces: Mapping[int, int]) -> None:
    """Add quantities to the stock of products."""
    await store.lock_products(call.work, pieces)
    await store.move_stock(call.work, pieces)


def pieces_of_lines(lines: Sequence[DeviceLineRow]) -> dict[int, int]:
    """Return the ordered quantity of each product."""
    return {line.product_id: line.quantity for line in lines}


def pieces_of_units(units: Sequence[OrderedUnitRow]) -> dict[int, int]:
    """Return the number of devices of each product."""
    return dict(Counter(unit.product_id for unit in units))


CANCEL_UNPAID_JOB = "lockers.cancel_unpaid_device_order"
FOLLOW_DEVICES_JOB = "lockers.follow_delivery_of_devices"
DEVICE_LETTER_JOB = "lockers.device_letter"


class CancelUnpaidDevices(Struct, frozen=True):
    """Job that cancels an unpaid confirmed order."""

    device_order_id: int


class FollowDevices(Struct, frozen=True):
    """Job that follows a finished local delivery."""

    order_id: int


class DeviceEmail(Struct, frozen=True):
    """Email about an order: `sent`, `not_paid`, `refunded`, `replaced` or `refused`."""

    device_order_id: int
    occasion: str
    device_return_id: int | None = None


MONEY_KIND = "device_order"


async def create_device_order(call: Call, request: CreateDeviceOrder) -> DeviceOrderRow:
    """Create a draft at current prices.

    Raises `NOT_FOUND`, or `INVALID_REQUEST` for an unsuitable customer.
    """
    customer_id = await resolve_customer(call, request.customer_id)
    priced = await price_items(call, request.items)
    device_order_id = await DeviceOrderRow.insert(
        call.work,
        **{
            "customer_id": customer_id,
            "status": DeviceOrderStatus.DRAFT.value,
            "order_ref": request.order_ref,
            "note": request.note,
            "paid_minor": 0,
            "refunded_minor": 0,
            "created_at": call.now,
            **_address_values(request.consignee),
            **_price_values(call, priced),
        },
    )
    await store.write_lines(call.work, device_order_id, _line_values(priced))
    return await publish_device_order(call, device_order_id)


def _address_values(address: OrderAddress) -> dict[str, Any]:
    return {
        "consignee": address.model_dump(mode="json"),
        "consignee_name": address.name,
        "consignee_email": address.email,
        "consignee_phone": address.phone,
    }


def _price_values(call: Call, priced: Sequence[PricedItem]) -> dict[str, Any]:
    return {
        "pieces": sum(item.quantity for item in priced),
        "price_minor": sum(item.amount_minor for item in priced),
        "currency": priced[0].product.currency,
        # End on midnight: users see a day, and changes within that day do not move it.
        "prices_until": datetime.combine(call.today + PRICES_LIFE, time(), call.time_zone),
    }


def _line_values(priced: Sequence[PricedItem]) -> list[dict[str, Any]]:
    return [
        {
            "product_id": item.product.id,
            "product_code": item.product.product_code,
            "name": item.product.name,
            "kind": item.product.kind,
            "quantity": item.quantity,
            "unit_price_minor": item.product.price_minor,
        }
        for item in priced
    ]


async def update_device_order(call: Call, row: DeviceOrderRow, request: UpdateDeviceOrder) -> DeviceOrderRow:
    """Update and reprice a draft.

    The row must be locked. Raises `DEVICE_ORDER_STEP_REFUSED`.
    """
    next_device_order_status(DeviceOrderStep.UPDATE, row.status)
    values: dict[str, Any] = request.model_dump(include={"order_ref", "note"}, exclude_none=True)
    if request.consignee is not None:
        values |= _address_values(request.consignee)
    items = request.items
    if items is None:
        lines = await store.list_line_rows(call.work, row.id)
        items = [DeviceOrderItem(product_code=line.product_code, quantity=line.quantity) for line in lines]
    priced = await price_items(call, items)
    await store.update_device_order(call.work, row.id, values | _price_values(call, priced))
    await store.write_lines(call.work, row.id, _line_values(priced))
    return await publish_device_order(call, row.id)


async def confirm_device_order(call: Call, row: DeviceOrderRow) -> DeviceOrderRow:
    """Confirm a draft and reserve its stock until it is paid. The row must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`, `DEVICE_PRICES_EXPIRED`, `DEVICE_OUT_OF_STOCK`.
    """
    next_device_order_status(DeviceOrderStep.CONFIRM, row.status)
    if row.prices_until <= call.now:
        raise DEVICE_PRICES_EXPIRED()
    await deduct_stock(call, pieces_of_lines(await store.list_line_rows(call.work, row.id)))
    await call.enqueue(CANCEL_UNPAID_JOB, CancelUnpaidDevices(row.id), run_at=call.now + RESERVED_FOR)
    return await move_device_order(call, row, DeviceOrderStep.CONFIRM, confirmed_at=call.now)


async def pay_device_order(call: Call, row: DeviceOrderRow) -> DeviceOrderRow:
    """Charge the full price to the customer's wallet, once. The row must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`, `CREDIT_INSUFFICIENT`.
    """
    next_device_order_status(DeviceOrderStep.PAY, row.status)
    values: dict[str, Any] = {"paid_minor": row.price_minor, "paid_at": call.now}
    if row.price_minor:
        posted = await charge(
            call,
            row.customer_id,
            Money(row.price_minor, row.currency),
            key=f"device_order:{row.id}:payment",
            subject=MoneySubject(MONEY_KIND, row.id, DEVICES),
            line=ChargeDetails(
                item=", ".join(
                    f"{each.quantity} × {each.name}" for each in await store.list_line_rows(call.work, row.id)
                ),
                reference=row.order_ref,
                recipient=row.consignee_name,
                serviced_on=call.today,
                product_class=ProductClass.GOODS,
            ),
        )
        values["transfer_id"] = posted.transfer_id
    return await move_device_order(call, row, DeviceOrderStep.PAY, **values)


async def cancel_device_order(call: Call, row: DeviceOrderRow) -> DeviceOrderRow:
    """Cancel an order, restock its items and refund payments. The row must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`.
    """
    next_device_order_status(DeviceOrderStep.CANCEL, row.status)
    if row.status != DeviceOrderStatus.DRAFT:
        await return_to_stock(call, pieces_of_lines(await store.list_line_rows(call.work, row.id)))
    if row.transfer_id is not None:
        await refund_remaining(call, row.transfer_id, key=f"device_order:{row.id}:refund")
    return await move_device_order(call, row, DeviceOrderStep.CANCEL, refunded_minor=row.paid_minor, ended_at=call.now)


async def move_device_order(call: Call, row: DeviceOrderRow, step: DeviceOrderStep, **values: Any) -> DeviceOrderRow:
    """Take a step and update further columns. Raises `DEVICE_ORDER_STEP_REFUSED`."""
    status = next_device_order_status(step, row.status)
    await store.update_device_order(call.work, row.id, {**values, "status": status.value})
    return await publish_device_order(call, row.id)


async def publish_device_order(call: Call, device_order_id: int) -> DeviceOrderRow:
    """Publish a change of an order. Returns the current row."""
    row = await DeviceOrderRow.get(call.work, device_order_id)
    if row is None:
        raise record_not_found(device_order_id=device_order_id)
    call.add_audit_subjects("device_order", row.id)
    event = DeviceOrderChanged(device_order_id=row.id, customer_id=row.customer_id, status=row.status)
    await call.publish(event)
    return row


async def ship_device_order(call: Call, row: DeviceOrderRow, request: ShipDeviceOrder) -> DeviceOrderRow:
    """Ship the devices of a paid order by serial number. The row must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`, `DEVICE_SERIALS_MISMATCH`, `DEVICE_SERIAL_TAKEN`.
    """
    next_device_order_status(DeviceOrderStep.SHIP, row.status)
    lines = await store.list_line_rows(call.work, row.id)
    require_as_many((d.product_code for d in request.devices), {line.product_code: line.quantity for line in lines})
    await record_shipped_devices(call, row.id, request.devices, {line.product_code: line for line in lines})
    values: dict[str, Any] = {"carrier": request.carrier, "tracking_number": request.tracking_number}
    if request.fulfilment == "local_delivery":
        delivery = await _deliver(call, row, lines)
        values |= {"order_id": delivery.order_id, "tracking_number": delivery.tracking_number}
    await call.enqueue(DEVICE_LETTER_JOB, DeviceEmail(row.id, "sent"))
    return await move_device_order(call, row, DeviceOrderStep.SHIP, shipped_at=call.now, **values)


async def record_shipped_devices(
    call: Call, device_order_id: int, devices: Sequence[ShippedDevice], lines: Mapping[str, DeviceLineRow]
) -> None:
    """Record the devices shipped with an order.

    Raises `DEVICE_SERIAL_TAKEN` for a device already shipped or in use.
    """
    sold = [SoldDevice(each.serial, (line := lines[each.product_code]).name, line.kind) for each in devices]
    ids = await register_sold_devices(call, sold)
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
    free = await store.insert_units(call.work, rows)
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


async def record_delivered(call: Call, order_id: int) -> None:
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
    await store.set_activated(call.work, unit.id, call.now)
    if row.status == DeviceOrderStatus.ACTIVE:
        await publish_device_order(call, row.id)
    else:
        await move_device_order(call, row, DeviceOrderStep.ACTIVATE, delivered_at=row.delivered_at or call.now)
    return HandedOver(await _unit_out(call, row.id, serial), code, expires_at)


async def _unit_out(call: Call, device_order_id: int, serial: str) -> OrderedUnitRow:
    """Return a shipped device of an order that was not returned. Raises `NOT_FOUND`."""
    for unit in await store.list_units(call.work, device_order_id):
        if unit.serial == serial and unit.returned_at is None:
            return unit
    raise record_not_found(serial=serial)


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
    return await _publish_return(call, device_return_id)


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
    await reclaim_devices(call, [unit.device_id for unit in units], for_good=not restock)
    await store.return_units(call.work, row.id, call.now)
    if restock:
        await return_to_stock(call, pieces_of_units(units))
    return await _move(call, row, DeviceReturnStep.RECEIVE, received_at=call.now, restocked=restock)


async def complete_return(
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
    await call.enqueue(DEVICE_LETTER_JOB, DeviceEmail(order.id, settled.status, row.id))
    if step is not DeviceReturnStep.REFUSE and not await store.count_units_out(call.work, order.id):
        now = await DeviceOrderRow.get(call.work, order.id)
        await move_device_order(call, now or order, DeviceOrderStep.RETURN, ended_at=call.now)
    return settled


async def _pay_back(call: Call, order: DeviceOrderRow, row: DeviceReturnRow, amount: int | None) -> int:
    most = min(row.worth_minor, order.paid_minor - order.refunded_minor) if order.transfer_id is not None else 0
    minor = most if amount is None else min(amount, most)
    charged = 0
    if order.transfer_id is not None and minor:
        minor, charged = await lock_refundable_part(
            call, order.transfer_id, minor, before_minor=order.refunded_minor, whole_minor=order.paid_minor
        )
    if amount is not None and minor < amount:
        raise DEVICE_REFUND_TOO_MUCH()
    if charged and order.transfer_id is not None:
        key = f"device_return:{row.id}:refund"
        await refund_remaining(call, order.transfer_id, Money(charged, order.currency), key=key)
    refunded = {"refunded_minor": order.refunded_minor + minor}
    await store.update_device_order(call.work, order.id, refunded)
    await publish_device_order(call, order.id)
    return minor


async def _replace(call: Call, order: DeviceOrderRow, row: DeviceReturnRow, devices: list[ShippedDevice]) -> None:
    back = await store.list_units_of_return(call.work, row.id)
    require_as_many((each.product_code for each in devices), Counter(unit.product_code for unit in back))
    await deduct_stock(call, pieces_of_units(back))
    lines = await store.list_line_rows(call.work, order.id)
    await record_shipped_devices(call, order.id, devices, {line.product_code: line for line in lines})


async def _move(call: Call, row: DeviceReturnRow, step: DeviceReturnStep, **values: Any) -> DeviceReturnRow:
    status = next_return_status(step, row.status)
    await store.update_return(call.work, row.id, {**values, "status": status.value})
    return await _publish_return(call, row.id)


async def _publish_return(call: Call, device_return_id: int) -> DeviceReturnRow:
    row = await DeviceReturnRow.get(call.work, device_return_id)
    if row is None:
        raise record_not_found(device_return_id=device_return_id)
    call.add_audit_subjects("device_return", row.id)
    event = DeviceReturnChanged(device_return_id=row.id, device_order_id=row.device_order_id, status=row.status)
    await call.publish(event)
    return row
