"""Return options and started returns of recipients."""

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
"""Search radius for sites and the maximum number offered."""


class OpenOffer(Struct, frozen=True):
    """Return options: deadline, methods and sites, nearest first."""

    settings: ReturnSettingsRow
    until: datetime
    ways: list[ReturnWay]
    places: list[NearSite]


async def find_offer(call: Call, order: RecipientFacts, size: str) -> OpenOffer | None:
    """Return the options for a return of an order, or None if returns are closed.

    Parcels delivered to a locker are returned through a locker, since they can't be picked up there.
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
    """Return the latest return of an order that was not cancelled, or None."""
    rows = await store.list_returns_of_order(call.work, order_id)
    return rows[0] if rows and rows[0].outcome != ReturnOutcome.CANCELLED else None


def may_cancel(row: RecipientReturnRow, order: OrderStatus) -> bool:
    """Return True if a return was not handed in yet."""
    status = return_status(row.way, row.outcome, order, handed_in=row.handed_in_at is not None)
    return status in {ReturnStatus.DROP_OFF, ReturnStatus.PICKUP}


async def _delivered_at(call: Call, order: RecipientFacts) -> datetime | None:
    if order.status is not OrderStatus.DELIVERED:
        return None
    steps = await list_order_steps(call, order.id)
    return next((step.at for step in steps if step.status is OrderStatus.DELIVERED), None)


async def _places(call: Call, order: RecipientFacts, size: str) -> list[NearSite]:
    """List the nearest sites to a delivery address; empty without coordinates."""
    there = order.consignee or {}
    lat, lng = there.get("lat"), there.get("lng")
    if lat is None or lng is None:
        return []
    return (await find_sites_near(call, (lat, lng), radius_m=RADIUS_M, size=size))[:PLACES_MAX]


async def brings_return_back(call: Call, order_id: int) -> bool:
    """Return True if an order brings back a recipient's return."""
    return await RecipientReturnRow.find_by(call.work, return_order_id=order_id) is not None
