"""Reservations of compartments, one parcel at a time."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.steps import announce, watch
from haulier.contexts.lockers.parcels.contract import ReserveLockerBox
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX, LockerStatus
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.actions import lock_free_box
from haulier.contexts.lockers.sites.queries import get_box, get_site
from haulier.contexts.orders.public import get_recipient_facts, get_visible_order
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found

ATTEMPTS = 20
"""Retries for compartments that another call took before the lock."""


class WantedBox(Struct, frozen=True, kw_only=True):
    """Compartment, duration and reference of a reservation."""

    site_id: int
    size: str
    low: bool = False
    hold_hours: int
    keep_days: int
    reference: str | None = None
    lease_id: int | None = None
    """Rental of the compartment, or None for unrented ones."""


async def reserve_box(call: Call, request: ReserveLockerBox) -> LockerParcelRow:
    """Reserve the smallest suitable free compartment.

    Raises `NOT_FOUND`, `NO_FREE_BOX`.
    """
    site = await get_site(call, request.site_id)
    whose = await _recipient(call, request)
    wanted = request.model_dump(include={"size", "low", "hold_hours", "keep_days", "reference"})
    row = await take_box(call, WantedBox(site_id=site.id, **wanted), whose)
    if row is None:
        raise NO_FREE_BOX(size=request.size.upper())
    return row


async def take_box(call: Call, wanted: WantedBox, whose: Mapping[str, Any]) -> LockerParcelRow | None:
    """Reserve the smallest suitable free compartment of a site, or return None.

    `whose` is as returned by `recipient_of_order`.
    """
    for _ in range(ATTEMPTS):
        box = await lock_free_box(call, wanted.site_id, wanted.size, low=wanted.low, lease_id=wanted.lease_id)
        if box is None:
            return None
        parcel_id = await store.insert_parcel(
            call.work,
            {
                **whose,
                "site_id": wanted.site_id,
                "box_id": box.id,
                "lease_id": wanted.lease_id,
                "status": LockerStatus.RESERVED.value,
                "reference": wanted.reference,
                "until": call.now + timedelta(hours=wanted.hold_hours),
                "keep_days": wanted.keep_days,
                "reserved_at": call.now,
            },
        )
        if parcel_id is not None:
            row = await get_parcel(call, parcel_id)
            await announce(call, row)
            await watch(call, row)
            return row
    return None


async def move_to_low_box(call: Call, row: LockerParcelRow) -> LockerParcelRow:
    """Move an undeposited parcel to a free wheelchair accessible compartment."""
    box = await get_box(call, row.box_id)
    other = None if box.low else await lock_free_box(call, row.site_id, box.size, low=True, lease_id=row.lease_id)
    if other is not None:
        with suppress(UniqueConflict):
            async with call.work.savepoint():
                await store.update_parcel(call.work, row.id, {"box_id": other.id})
    return await get_parcel(call, row.id)


async def recipient_of_order(call: Call, order_id: int) -> dict[str, Any]:
    """Return the recipient of an order as columns of the parcel."""
    facts = (await get_recipient_facts(call, [order_id]))[order_id]
    address = facts.consignee or {}
    return {
        "order_id": facts.id,
        "customer_id": facts.customer_id,
        "recipient_name": address.get("name"),
        "recipient_email": address.get("email"),
        "recipient_phone": address.get("phone"),
        "language": facts.language,
    }


async def _recipient(call: Call, request: ReserveLockerBox) -> dict[str, Any]:
    if request.order_id is not None:
        await get_visible_order(call, request.order_id)
        return await recipient_of_order(call, request.order_id)
    recipient = request.recipient
    assert recipient is not None
    customer_id = recipient.customer_id
    if customer_id is not None and await get_user_of_account(call, customer_id, Account.CUSTOMER) is None:
        raise record_not_found(customer_id=customer_id)
    return {
        "order_id": None,
        "customer_id": recipient.customer_id,
        "recipient_name": recipient.name,
        "recipient_email": recipient.email,
        "recipient_phone": recipient.phone,
        "language": None,
    }
