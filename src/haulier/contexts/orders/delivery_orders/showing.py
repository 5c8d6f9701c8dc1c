"""Rows of orders as the records that callers read, and which orders a caller may see."""

from collections.abc import Collection, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.cargo import AddressRecord
from haulier.contexts.orders.delivery_orders.contract import (
    OrderDetail,
    OrderRecord,
    PackageRecord,
    PriceLine,
    StepRecord,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, Step, was_picked_up
from haulier.contexts.orders.delivery_orders.rules.rights import Standing, steps_for
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
    if not rows or not sees(call, rows[0]):
        raise NOT_FOUND()
    return rows[0]


async def whole(call: Call, order_id: int) -> Any:
    """The row of an order that the caller may see, with its `packages` and `steps`. Raises `NOT_FOUND`."""
    row = await store.whole(call.work, order_id)
    if row is None or not sees(call, row):
        raise NOT_FOUND()
    return row


def sees(call: Call, row: Any) -> bool:
    """Whether the caller may see an order of the client."""
    return all(getattr(row, name) == value for name, value in visible(call).items())


async def collected(call: Call, rows: Collection[Any]) -> set[int]:
    """Those among some orders whose goods were picked up once, whatever happened since; one statement."""
    steps = await store.steps_of(call.work, [row.id for row in rows])
    return {row.id for row in rows if was_picked_up(row.type, steps.get(row.id, ()))}


def standing(row: Any, *, collected: bool) -> Standing:
    """What the caller's rights depend on."""
    return Standing(
        status=OrderStatus(row.status),
        self_delivery=row.fulfilment == "self_delivery",
        third_party_held=bool(row.third_party_held),
        contractor_id=row.contractor_id,
        collected=collected,
    )


def _facts(row: Any, steps: Sequence[Step]) -> dict[str, Any]:
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


async def records(call: Call, rows: Sequence[Any]) -> list[OrderRecord]:
    """Orders in a list, each with the steps that the caller may take."""
    return [OrderRecord(**facts) for facts in await _shown(call, rows)]


async def record(call: Call, row: Any) -> OrderRecord:
    """An order in an answer of its own."""
    return (await records(call, [row]))[0]


async def _shown(call: Call, rows: Sequence[Any]) -> list[dict[str, Any]]:
    account = call.principal.account
    gone = await collected(call, rows) if account is Account.CUSTOMER and rows else set[int]()
    return [_facts(row, steps_for(standing(row, collected=row.id in gone), account, call.actor)) for row in rows]


class StepTaken(Struct, frozen=True):
    """A step as the table of changes keeps it."""

    step: str
    status: int
    at: datetime
    recorded_at: datetime
    by_user_id: int | None
    reason: str | None


def step_record(call: Call, row: Any) -> StepRecord:
    """A step that an order took. Why somebody else took it is between the people who work on the order."""
    return StepRecord(
        step=row.step,
        status=OrderStatus(row.status).name,
        at=row.at,
        recorded_at=row.recorded_at,
        by_user_id=row.by_user_id,
        reason=row.reason if _works_on_it(call) or row.by_user_id == call.actor else None,
    )


def _works_on_it(call: Call) -> bool:
    return call.principal.account is not Account.CUSTOMER


async def detail(call: Call, row: Any) -> OrderDetail:
    """A whole order with everything that is known about it; the note is not for customers."""
    price = row.price or {}
    steps = msgspec.convert(sorted(row.steps, key=itemgetter("id")), list[StepTaken])
    (facts,) = await _shown(call, [row])
    return OrderDetail(
        **facts,
        shipper=msgspec.convert(row.shipper, AddressRecord | None),
        consignee=msgspec.convert(row.consignee, AddressRecord | None),
        packages=msgspec.convert(sorted(row.packages, key=itemgetter("id")), list[PackageRecord]),
        service_time_s=row.service_time_s,
        skills=row.skills,
        note=row.note if _works_on_it(call) else None,
        delivery_instruction=row.delivery_instruction,
        references=row.references,
        cod_minor=row.cod_minor,
        signature_required=bool(price.get("signature_required")),
        third_party_held=bool(row.third_party_held),
        replaces_order_id=row.replaces_order_id,
        replaced_by_order_id=row.replaced_by_order_id,
        steps=[step_record(call, each) for each in steps],
        tax=price.get("tax", UNSET),
        price_details=[PriceLine(code=line["code"], amount=line["amount"]) for line in price.get("lines", ())] or UNSET,
    )
