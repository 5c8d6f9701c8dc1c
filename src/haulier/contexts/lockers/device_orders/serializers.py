"""Serializers of products, device orders and returns."""

from collections.abc import Sequence
from typing import Any

import msgspec

from haulier.contexts.lockers.device_orders.actions import HandedOver
from haulier.contexts.lockers.device_orders.contract import (
    DEVICES,
    DeviceOrderDetail,
    DeviceOrderSummary,
    DeviceProductRecord,
    DeviceQuote,
    DeviceQuoteLine,
    DeviceReturnRecord,
    OrderedDeviceCode,
    OrderedDeviceRecord,
    QuotedDeviceLine,
)
from haulier.contexts.lockers.device_orders.queries import PricedItem
from haulier.contexts.lockers.device_orders.rules import DeviceOrderStatus, DeviceOrderStep, device_order_can
from haulier.contexts.lockers.device_orders.store import (
    DeviceLineRow,
    DeviceOrderRow,
    DeviceProductRow,
    DeviceReturnRow,
    OrderedUnitRow,
)
from haulier.contexts.orders.delivery_orders.contract.orders import OrderAddressRecord
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def product_record(call: Call, row: DeviceProductRow) -> DeviceProductRecord:
    """Serialize a product."""
    return record(
        DeviceProductRecord, row, unit_price_minor=row.price_minor, updated_at=call.local_time(row.updated_at)
    )


def quote_record(priced: Sequence[PricedItem]) -> DeviceQuote:
    """Serialize a quote."""
    return DeviceQuote(
        lines=[
            QuotedDeviceLine(
                product_code=item.product.product_code,
                name=item.product.name,
                quantity=item.quantity,
                unit_price_minor=item.product.price_minor,
                amount=item.amount_minor,
                in_stock=item.product.stock >= item.quantity,
            )
            for item in priced
        ],
        total_price=sum(item.amount_minor for item in priced),
        currency=priced[0].product.currency,
        lead_days=max(item.product.lead_days for item in priced),
    )


def device_order_summary(call: Call, row: DeviceOrderRow) -> DeviceOrderSummary:
    """Serialize an order for a list."""
    return record(DeviceOrderSummary, row, **_summary(call, row))


def device_order_detail(
    call: Call, row: DeviceOrderRow, lines: Sequence[DeviceLineRow], units: Sequence[OrderedUnitRow]
) -> DeviceOrderDetail:
    """Serialize an order with its lines and shipped devices."""
    return record(
        DeviceOrderDetail,
        row,
        **_summary(call, row),
        confirmed_at=call.local_time(row.confirmed_at),
        paid_at=call.local_time(row.paid_at),
        shipped_at=call.local_time(row.shipped_at),
        delivered_at=call.local_time(row.delivered_at),
        ended_at=call.local_time(row.ended_at),
        consignee=msgspec.convert(row.consignee, OrderAddressRecord),
        lines=[
            record(
                DeviceQuoteLine,
                line,
                unit_price_minor=line.unit_price_minor,
                amount=line.unit_price_minor * line.quantity,
            )
            for line in lines
        ],
        devices=[unit_record(call, unit) for unit in units],
    )


def _summary(call: Call, row: DeviceOrderRow) -> dict[str, Any]:
    due = row.price_minor if row.status in (DeviceOrderStatus.DRAFT, DeviceOrderStatus.CONFIRMED) else 0
    payable = device_order_can(DeviceOrderStep.PAY, row.status)
    return {
        "total_price": row.price_minor,
        "paid_amount": row.paid_minor,
        "refunded_minor": row.refunded_minor,
        "balance_due_minor": due,
        "can_be_paid": payable and not call.principal.hides(DEVICES),
        "can_be_cancelled": device_order_can(DeviceOrderStep.CANCEL, row.status),
        "prices_until": call.local_time(row.prices_until),
        "created_at": call.local_time(row.created_at),
    }


def unit_record(call: Call, unit: OrderedUnitRow) -> OrderedDeviceRecord:
    """Serialize a shipped device."""
    return record(OrderedDeviceRecord, unit, state=_unit_state(unit), activated_at=call.local_time(unit.activated_at))


def _unit_state(unit: OrderedUnitRow) -> str:
    if unit.returned_at is not None:
        return "returned"
    if unit.device_return_id is not None:
        return "returning"
    return "active" if unit.activated_at else "shipped"


def code_record(call: Call, handed: HandedOver) -> OrderedDeviceCode:
    """Serialize a device with its registration code."""
    return OrderedDeviceCode(
        device=unit_record(call, handed.unit), code=handed.code, code_expires_at=call.local_time(handed.expires_at)
    )


def return_record(call: Call, row: DeviceReturnRow) -> DeviceReturnRecord:
    """Serialize a return."""
    return record(
        DeviceReturnRecord,
        row,
        worth_minor=row.worth_minor,
        refund_minor=row.refund_minor,
        created_at=call.local_time(row.created_at),
        received_at=call.local_time(row.received_at),
        ended_at=call.local_time(row.ended_at),
    )
