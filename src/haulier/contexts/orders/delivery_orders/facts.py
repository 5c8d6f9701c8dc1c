"""The facts about orders that planners need, and who holds them."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.rules.lifecycle import DISPATCHABLE, OrderStatus
from haulier.contexts.tracking.public import set_viewers
from haulier.kernel.call import Call


class OrderFacts(Struct, frozen=True, kw_only=True):
    """An order, as dispatch sees it. The stop is where a driver has to go: the shipper's door for P, else the consignee's."""

    id: int
    order_ref: str | None
    tracking_number: str
    type: str
    status: OrderStatus
    scheduled_date: date | None
    fulfilment: str
    third_party_held: bool
    contractor_id: int | None
    driver_id: int | None
    customer_id: int | None
    name: str | None
    address: str | None
    city: str | None
    postal_code: str | None
    lat: float | None
    lng: float | None
    window_start: datetime | None
    window_end: datetime | None
    service_time_s: int
    weight_g: int
    skills: tuple[str, ...]


def of_row(row: Any) -> OrderFacts:
    """The facts in a row of the order table."""
    return OrderFacts(
        id=row.id,
        order_ref=row.order_ref,
        tracking_number=row.tracking_number,
        type=row.type,
        status=OrderStatus(row.status),
        scheduled_date=row.scheduled_date,
        fulfilment=row.fulfilment,
        third_party_held=bool(row.third_party_held),
        contractor_id=row.contractor_id,
        driver_id=row.driver_id,
        customer_id=row.customer_id,
        name=row.stop_name,
        address=row.stop_address,
        city=row.stop_city,
        postal_code=row.stop_postal_code,
        lat=row.lat,
        lng=row.lng,
        window_start=row.window_start,
        window_end=row.window_end,
        service_time_s=row.service_time_s,
        weight_g=row.weight_g,
        skills=tuple(row.skills),
    )


async def any_order(call: Call) -> bool:
    """Whether the client has any order."""
    return await store.any_order(call.work)


async def facts(call: Call, order_ids: Collection[int], *, lock: bool = False) -> dict[int, OrderFacts]:
    """The client's orders among some ids, in one statement; locked until the end of the transaction when asked."""
    return {row.id: of_row(row) for row in await store.some(call.work, order_ids, lock=lock)}


async def waiting(call: Call, *, limit: int = 5000) -> list[OrderFacts]:
    """Orders that could be planned: self-delivery, dispatchable, held by no third party. Oldest first."""
    rows = await store.waiting(call.work, [status.value for status in DISPATCHABLE], limit)
    return [of_row(row) for row in rows]


async def give_to_contractor(call: Call, order_ids: Collection[int], contractor_id: int | None) -> None:
    """Say which contractor holds the orders; None takes them back."""
    if order_ids:
        await store.change(call.work, order_ids, contractor_id=contractor_id, updated_at=call.now)
        await set_viewers(call, order_ids=order_ids, contractor_id=contractor_id)


async def give_to_driver(call: Call, order_ids: Collection[int], driver_id: int | None) -> None:
    """Say which driver (a user) carries the orders; None takes them off."""
    if order_ids:
        await store.change(call.work, order_ids, driver_id=driver_id, updated_at=call.now)
        await set_viewers(call, order_ids=order_ids, driver_id=driver_id)
