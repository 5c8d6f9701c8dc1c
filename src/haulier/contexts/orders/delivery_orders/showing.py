"""Rows of orders as the records that callers read, and which orders a caller may see."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.cargo import AddressRecord
from haulier.contexts.orders.delivery_orders.contract import (
    OrderDetail,
    OrderRecord,
    PackageRecord,
    PriceLine,
    StepRecord,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, allowed
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account
from haulier.kernel.errors import NOT_FOUND

_OWN = {Account.CUSTOMER: "customer_id", Account.CONTRACTOR: "contractor_id", Account.DRIVER: "driver_id"}


def visible(call: Call) -> dict[str, Any]:
    """The filter that leaves what the caller may see: the office all, others what is theirs."""
    account = call.principal.account
    return {} if account in OFFICE else {_OWN[account]: call.actor}


async def one(call: Call, order_id: int, *, lock: bool = False) -> Any:
    """The row of an order that the caller may see. Raises `NOT_FOUND`."""
    rows = await store.some(call.work, [order_id], lock=lock)
    if not rows or any(getattr(rows[0], name) != value for name, value in visible(call).items()):
        raise NOT_FOUND()
    return rows[0]


def actions(row: Any) -> list[str]:
    """The steps that can be taken with an order now."""
    return [step.value for step in allowed(OrderStatus(row.status))]


def _facts(row: Any) -> dict[str, Any]:
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
        "allowed_actions": actions(row),
        "shipping_price": price.get("total", UNSET),
        "currency": price.get("currency", UNSET),
    }


def record(row: Any) -> OrderRecord:
    """An order in a list."""
    return OrderRecord(**_facts(row))


def step_record(row: Any) -> StepRecord:
    """A step that an order took."""
    return StepRecord(
        step=row.step,
        status=OrderStatus(row.status).name,
        at=row.at,
        recorded_at=row.recorded_at,
        by_user_id=row.by_user_id,
        reason=row.reason,
    )


def package_record(row: Any) -> PackageRecord:
    """One piece."""
    return PackageRecord(**{name: getattr(row, name) for name in PackageRecord.__struct_fields__})


def detail(row: Any, packages: Sequence[Any], steps: Sequence[Any]) -> OrderDetail:
    """An order with everything that is known about it."""
    price = row.price or {}
    return OrderDetail(
        **_facts(row),
        shipper=msgspec.convert(row.shipper, AddressRecord | None),
        consignee=msgspec.convert(row.consignee, AddressRecord | None),
        packages=[package_record(each) for each in packages],
        service_time_s=row.service_time_s,
        skills=row.skills,
        note=row.note,
        delivery_instruction=row.delivery_instruction,
        references=row.references,
        cod_minor=row.cod_minor,
        third_party_held=bool(row.third_party_held),
        replaces_order_id=row.replaces_order_id,
        replaced_by_order_id=row.replaced_by_order_id,
        steps=[step_record(each) for each in steps],
        tax=price.get("tax", UNSET),
        price_details=[PriceLine(code=line["code"], amount=line["amount"]) for line in price.get("lines", ())] or UNSET,
    )
