"""Writes of device orders, within the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

from haulier.contexts.billing.public import MoneySubject, charge, give_back
from haulier.contexts.identity.public import customer_meant
from haulier.contexts.lockers.device_orders.actions.stock import pieces_of_lines, put_back, take_stock
from haulier.contexts.lockers.device_orders.actions.work import CANCEL_UNPAID_JOB, CancelUnpaidDevices
from haulier.contexts.lockers.device_orders.contract.orders import CreateDeviceOrder, DeviceOrderItem, UpdateDeviceOrder
from haulier.contexts.lockers.device_orders.contract.products import DEVICES
from haulier.contexts.lockers.device_orders.queries import PricedItem, price_items
from haulier.contexts.lockers.device_orders.rules import (
    DEVICE_PRICES_EXPIRED,
    PRICES_LIFE,
    RESERVED_FOR,
    DeviceOrderStatus,
    DeviceOrderStep,
    next_device_order_status,
)
from haulier.contexts.lockers.device_orders.store import orders as store
from haulier.contexts.lockers.device_orders.store.tables import DeviceOrderRow
from haulier.contexts.lockers.events import DeviceOrderChanged
from haulier.contexts.orders.delivery_orders.contract.addresses import OrderAddress
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

MONEY_KIND = "device_order"


async def create_device_order(call: Call, request: CreateDeviceOrder) -> DeviceOrderRow:
    """Create a draft at current prices.

    Raises `NOT_FOUND`, or `INVALID_REQUEST` for an unsuitable customer.
    """
    customer_id = await customer_meant(call, request.customer_id)
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
    return await announce_device_order(call, device_order_id)


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
    return await announce_device_order(call, row.id)


async def confirm_device_order(call: Call, row: DeviceOrderRow) -> DeviceOrderRow:
    """Confirm a draft and reserve its stock until it is paid. The row must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`, `DEVICE_PRICES_EXPIRED`, `DEVICE_OUT_OF_STOCK`.
    """
    next_device_order_status(DeviceOrderStep.CONFIRM, row.status)
    if row.prices_until <= call.now:
        raise DEVICE_PRICES_EXPIRED()
    await take_stock(call, pieces_of_lines(await store.list_line_rows(call.work, row.id)))
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
        )
        values["transfer_id"] = posted.transfer_id
    return await move_device_order(call, row, DeviceOrderStep.PAY, **values)


async def cancel_device_order(call: Call, row: DeviceOrderRow) -> DeviceOrderRow:
    """Cancel an order, restock its pieces and refund payments. The row must be locked.

    Raises `DEVICE_ORDER_STEP_REFUSED`.
    """
    next_device_order_status(DeviceOrderStep.CANCEL, row.status)
    if row.status != DeviceOrderStatus.DRAFT:
        await put_back(call, pieces_of_lines(await store.list_line_rows(call.work, row.id)))
    if row.transfer_id is not None:
        await give_back(call, row.transfer_id, key=f"device_order:{row.id}:refund")
    return await move_device_order(call, row, DeviceOrderStep.CANCEL, refunded_minor=row.paid_minor, ended_at=call.now)


async def move_device_order(call: Call, row: DeviceOrderRow, step: DeviceOrderStep, **values: Any) -> DeviceOrderRow:
    """Take a step and update further columns. Raises `DEVICE_ORDER_STEP_REFUSED`."""
    status = next_device_order_status(step, row.status)
    await store.update_device_order(call.work, row.id, {**values, "status": status.value})
    return await announce_device_order(call, row.id)


async def announce_device_order(call: Call, device_order_id: int) -> DeviceOrderRow:
    """Publish a change of an order. Returns the current row."""
    row = await DeviceOrderRow.get(call.work, device_order_id)
    if row is None:
        raise record_not_found(device_order_id=device_order_id)
    call.add_audit_subjects("device_order", row.id)
    event = DeviceOrderChanged(device_order_id=row.id, customer_id=row.customer_id, status=row.status)
    await call.publish(event)
    return row
