"""Rows of orders as the records that callers read, and which orders a caller may see."""

from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from haulier.contexts.orders.delivery_orders.contract.addresses import OrderAddressRecord
from haulier.contexts.orders.delivery_orders.contract.orders import (
    OrderDetail,
    OrderPackageRecord,
    OrderPriceLine,
    OrderRecord,
    OrderStepRecord,
)
from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, OrderStep
from haulier.contexts.orders.delivery_orders.rules.permissions import OrderState, permitted_order_steps
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account


def order_state(row: Any, *, collected: bool) -> OrderState:
    """What the caller's rights depend on."""
    return OrderState(
        status=OrderStatus(row.status),
        self_delivery=row.fulfilment == "self_delivery",
        third_party_held=bool(row.third_party_held),
        contractor_id=row.contractor_id,
        collected=collected,
    )


def _order_fields(row: Any, steps: Sequence[OrderStep]) -> dict[str, Any]:
    price = row.price or {}
    return {
        "id": row.id,
        "order_ref": row.order_ref,
        "tracking_number": row.tracking_number,
        "type": row.type,
        "status": OrderStatus(row.status).name,
        "order_status_id": row.status,
        "fulfilment": row.fulfilment,
        "scheduled_date": row.scheduled_date,
        "window_start": row.window_start,
        "window_end": row.window_end,
        "customer_id": row.customer_id,
        "contractor_id": row.contractor_id,
        "driver_id": row.driver_id,
        "name": row.stop_name,
        "address": row.stop_address,
        "city": row.stop_city,
        "postal_code": row.stop_postal_code,
        "lat": row.lat,
        "lng": row.lng,
        "package_count": row.package_count,
        "weight_g": row.weight_g,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "allowed_actions": [step.value for step in steps],
        "shipping_price": price.get("total", UNSET),
        "currency": price.get("currency", UNSET),
    }


async def order_records(call: Call, rows: Sequence[Any]) -> list[OrderRecord]:
    """Orders in a list, each with the steps that the caller may take."""
    return [OrderRecord(**facts) for facts in await _order_fields_for_caller(call, rows)]


async def order_record(call: Call, row: Any) -> OrderRecord:
    """An order in an answer of its own."""
    return (await order_records(call, [row]))[0]


async def _order_fields_for_caller(call: Call, rows: Sequence[Any]) -> list[dict[str, Any]]:
    account = call.principal.account
    gone = await find_picked_up_order_ids(call, rows) if account is Account.CUSTOMER and rows else set[int]()
    return [
        _order_fields(row, permitted_order_steps(order_state(row, collected=row.id in gone), account, call.actor))
        for row in rows
    ]


class OrderStepRow(Struct, frozen=True):
    """A step as the table of changes keeps it."""

    step: str
    status: int
    at: datetime
    recorded_at: datetime
    by_user_id: int | None
    reason: str | None


def order_step_record(call: Call, row: Any) -> OrderStepRecord:
    """A step that an order took. Why somebody else took it is between the people who work on the order."""
    return OrderStepRecord(
        step=row.step,
        status=OrderStatus(row.status).name,
        at=row.at,
        recorded_at=row.recorded_at,
        by_user_id=row.by_user_id,
        reason=row.reason if _is_not_customer(call) or row.by_user_id == call.actor else None,
    )


def _is_not_customer(call: Call) -> bool:
    return call.principal.account is not Account.CUSTOMER


async def order_detail(call: Call, row: Any) -> OrderDetail:
    """A whole order with everything that is known about it; the note is not for customers."""
    price = row.price or {}
    steps = msgspec.convert(sorted(row.steps, key=itemgetter("id")), list[OrderStepRow])
    (facts,) = await _order_fields_for_caller(call, [row])
    return OrderDetail(
        **facts,
        shipper=msgspec.convert(row.shipper, OrderAddressRecord | None),
        consignee=msgspec.convert(row.consignee, OrderAddressRecord | None),
        packages=msgspec.convert(sorted(row.packages, key=itemgetter("id")), list[OrderPackageRecord]),
        service_time_s=row.service_time_s,
        skills=row.skills,
        note=row.note if _is_not_customer(call) else None,
        delivery_instruction=row.delivery_instruction,
        references=row.references,
        cod_minor=row.cod_minor,
        signature_required=bool(price.get("signature_required")),
        third_party_held=bool(row.third_party_held),
        replaces_order_id=row.replaces_order_id,
        replaced_by_order_id=row.replaced_by_order_id,
        steps=[order_step_record(call, each) for each in steps],
        tax=price.get("tax", UNSET),
        price_details=[OrderPriceLine(code=line["code"], amount=line["amount"]) for line in price.get("lines", ())]
        or UNSET,
    )
