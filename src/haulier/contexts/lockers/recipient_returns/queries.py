"""What a recipient may send back, until when and where, and the returns that were begun."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.lockers.deliveries.queries import was_put_in_locker
from haulier.contexts.lockers.recipient_returns import store
from haulier.contexts.lockers.recipient_returns.rules import (
    RETURNABLE_TYPES,
    TRIES_MAX,
    ReturnOutcome,
    ReturnStatus,
    ReturnWay,
    return_status,
    returnable_until,
)
from haulier.contexts.lockers.recipient_returns.store import RecipientReturnRow, ReturnSettingsRow
from haulier.contexts.lockers.sites.queries import NearSite, find_sites_near
from haulier.contexts.orders.public import OrderStatus, RecipientFacts, list_order_steps
from haulier.kernel.call import Call

RADIUS_M, PLACES_MAX = 20_000, 5
"""How far away sites are offered, and how many of them."""


class OpenOffer(Struct, frozen=True):
    """What a recipient may choose from: until when, how, and at which sites, the nearest first."""

    settings: ReturnSettingsRow
    until: datetime
    ways: list[ReturnWay]
    places: list[NearSite]


async def find_offer(call: Call, order: RecipientFacts, size: str) -> OpenOffer | None:
    """What the recipient of an order may send back now; None where the business takes nothing back, or no more.

    Of what was put into a locker, nobody could fetch the return there; it comes back through a locker, too.
    """
    settings = await store.get_settings_row(call.work)
    if settings is None or not settings.active or order.type not in RETURNABLE_TYPES or order.consignee is None:
        return None
    delivered_at = await _delivered_at(call, order)
    tries = await store.list_returns_of_order(call.work, order.id)
    if delivered_at is None or len(tries) >= TRIES_MAX or any(each.outcome is None for each in tries):
        return None
    until = returnable_until(delivered_at, settings.days)
    if call.now >= until:
        return None
    by_locker = await was_put_in_locker(call, order.id)
    places = await _places(call, order, size) if ReturnWay.LOCKER in settings.ways else []
    possible = {ReturnWay.LOCKER: bool(places), ReturnWay.PICKUP: not by_locker}
    ways = [ReturnWay(way) for way in settings.ways if possible[ReturnWay(way)]]
    return OpenOffer(settings, until, ways, places) if ways else None


async def find_newest_return(call: Call, order_id: int) -> RecipientReturnRow | None:
    """The return of a delivered order that was begun last; None where there is none, or it was given up."""
    rows = await store.list_returns_of_order(call.work, order_id)
    return rows[0] if rows and rows[0].outcome != ReturnOutcome.CANCELLED else None


def may_cancel(row: RecipientReturnRow, order: OrderStatus) -> bool:
    """Whether nobody has the goods of a return yet."""
    status = return_status(row.way, row.outcome, order, handed_in=row.handed_in_at is not None)
    return status in {ReturnStatus.DROP_OFF, ReturnStatus.PICKUP}


async def _delivered_at(call: Call, order: RecipientFacts) -> datetime | None:
    if order.status is not OrderStatus.DELIVERED:
        return None
    steps = await list_order_steps(call, order.id)
    return next((step.at for step in steps if step.status is OrderStatus.DELIVERED), None)


async def _places(call: Call, order: RecipientFacts, size: str) -> list[NearSite]:
    """The nearest sites to where an order was delivered; none where nobody knows where that is on a map."""
    there = order.consignee or {}
    lat, lng = there.get("lat"), there.get("lng")
    if lat is None or lng is None:
        return []
    return (await find_sites_near(call, (lat, lng), radius_m=RADIUS_M, size=size))[:PLACES_MAX]


async def brings_return_back(call: Call, order_id: int) -> bool:
    """Whether an order brings back what a recipient returns."""
    return await store.find_return_of_order(call.work, order_id) is not None
