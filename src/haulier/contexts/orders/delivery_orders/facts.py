"""The facts about orders that planners need, and who holds them."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.rules.lifecycle import DISPATCHABLE, OrderStatus
from haulier.contexts.orders.events import OrderChanged
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
    pickup: tuple[float, float] | None = None
    """Latitude and longitude of the shipper's door, where the goods are collected there and its place is known."""
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
        pickup=_pickup(row),
        window_start=row.window_start,
        window_end=row.window_end,
        service_time_s=row.service_time_s,
        weight_g=row.weight_g,
        skills=tuple(row.skills),
    )


def _pickup(row: Any) -> tuple[float, float] | None:
    door = (row.shipper or {}) if row.type != "D" else {}
    lat, lng = door.get("lat"), door.get("lng")
    return None if lat is None or lng is None else (lat, lng)


async def called(call: Call, word: str) -> list[OrderFacts]:
    """The client's orders that go by a reference, or by the tracking number of the order or of one of its packages."""
    return [of_row(row) for row in await store.called(call.work, word)]


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


async def give_to_third_party(call: Call, order_ids: Collection[int], *, held: bool, fulfilment: str) -> None:
    """Say that another business has the orders, or has them no more, and who is to deliver them from now on."""
    if order_ids:
        await store.change(call.work, order_ids, third_party_held=held, fulfilment=fulfilment, updated_at=call.now)


async def set_window(
    call: Call, order_ids: Collection[int], start: datetime | None, end: datetime | None, day: date | None
) -> None:
    """Promise the orders for a time and the day it is on, or take the promise back; whoever follows them hears of it."""
    if order_ids:
        await store.change(
            call.work, order_ids, window_start=start, window_end=end, scheduled_date=day, updated_at=call.now
        )
        call.concerns("order", *order_ids)
        for order_id in order_ids:
            await call.announce(OrderChanged(order_id=order_id))


class Doors(Struct, frozen=True, kw_only=True):
    """Who gives the goods and who gets them, and what is said about both: what one who carries an order has to know."""

    shipper: Mapping[str, Any] | None
    consignee: Mapping[str, Any] | None
    delivery_instruction: str | None
    package_count: int


async def doors(call: Call, order_ids: Collection[int]) -> dict[int, Doors]:
    """The doors of the client's orders among some ids."""
    return {
        row.id: Doors(
            shipper=row.shipper,
            consignee=row.consignee,
            delivery_instruction=row.delivery_instruction,
            package_count=row.package_count,
        )
        for row in await store.some(call.work, order_ids)
    }
