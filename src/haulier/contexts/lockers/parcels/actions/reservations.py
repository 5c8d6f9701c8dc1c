"""A box is reserved for a parcel: the smallest that is free, for one parcel at a time."""

from datetime import timedelta
from typing import Any

from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.lockers.parcels import store
from haulier.contexts.lockers.parcels.actions.steps import announce, watch
from haulier.contexts.lockers.parcels.contract import ReserveLockerBox
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX, LockerStatus
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.actions import lock_free_box
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.orders.public import get_recipient_facts, get_visible_order
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found

ATTEMPTS = 20
"""A box that another call took in the moment before it was locked is passed over so often."""


async def reserve_box(call: Call, request: ReserveLockerBox) -> LockerParcelRow:
    """Give a parcel the smallest free box that is large enough. Raises `NOT_FOUND`, `NO_FREE_BOX`."""
    site = await get_site(call, request.site_id)
    whose = await _recipient(call, request)
    for _ in range(ATTEMPTS):
        box = await lock_free_box(call, site.id, request.size, low=request.low)
        if box is None:
            break
        parcel_id = await store.insert_parcel(
            call.work,
            {
                **whose,
                "site_id": site.id,
                "box_id": box.id,
                "status": LockerStatus.RESERVED.value,
                "reference": request.reference,
                "until": call.now + timedelta(hours=request.hold_hours),
                "keep_days": request.keep_days,
                "reserved_at": call.now,
            },
        )
        if parcel_id is not None:
            row = await get_parcel(call, parcel_id)
            await announce(call, row)
            await watch(call, row)
            return row
    raise NO_FREE_BOX(size=request.size.upper())


async def _recipient(call: Call, request: ReserveLockerBox) -> dict[str, Any]:
    if request.order_id is not None:
        await get_visible_order(call, request.order_id)
        facts = (await get_recipient_facts(call, [request.order_id]))[request.order_id]
        address = facts.consignee or {}
        return {
            "order_id": facts.id,
            "customer_id": facts.customer_id,
            "recipient_name": address.get("name"),
            "recipient_email": address.get("email"),
            "recipient_phone": address.get("phone"),
            "language": facts.language,
        }
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
