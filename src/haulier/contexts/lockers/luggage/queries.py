"""Visible luggage bookings and claims, and the settings of the relay."""

from collections.abc import Sequence

from haulier.contexts.fleet.public import get_driver_row_by_user
from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.luggage import store
from haulier.contexts.lockers.luggage.rules import LuggageTerms
from haulier.contexts.lockers.luggage.store import LuggageBagRow, LuggageClaimRow, LuggageRow
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record


def is_driver(call: Call) -> bool:
    """Return True if the caller is a driver, who sees only their own bookings."""
    return call.principal.account is Account.DRIVER


async def own_driver_id(call: Call) -> int:
    """Return the id of the calling driver's record, or 0 without one."""
    driver = await get_driver_row_by_user(call, call.actor or 0)
    return driver.id if driver else 0


async def get_luggage(call: Call, booking_id: int) -> LuggageRow:
    """Return a booking.

    Customers see their own, drivers those that they carry. Raises `NOT_FOUND`.
    """
    row = await LuggageRow.get(call.work, booking_id)
    mine = row is not None and (not is_customer(call) or row.customer_id == call.actor)
    if row is None or not mine or (is_driver(call) and row.driver_id != await own_driver_id(call)):
        raise record_not_found(luggage_id=booking_id)
    return row


async def lock_luggage(call: Call, booking_id: int) -> tuple[LuggageRow, Sequence[LuggageBagRow]]:
    """Lock and return a booking and its bags. Raises `NOT_FOUND`.

    Parcels with a compartment are locked first, as for opening doors, to avoid deadlocks.
    """
    row = await get_luggage(call, booking_id)
    found = await store.list_bag_rows(call.work, row.id)
    parcel_ids = {id for bag in found for id in (bag.drop_parcel_id, bag.pick_parcel_id) if id}
    for parcel_id in sorted(parcel_ids):
        await get_parcel(call, parcel_id, lock=True)
    locked = await LuggageRow.lock(call.work, row.id)
    assert locked is not None
    return locked, await store.list_bag_rows(call.work, row.id)


async def get_claim(call: Call, claim_id: int, *, lock: bool = False) -> LuggageClaimRow:
    """Return a claim. Customers see only their own. Raises `NOT_FOUND`."""
    row = await (LuggageClaimRow.lock if lock else LuggageClaimRow.get)(call.work, claim_id)
    if row is None or (is_customer(call) and row.customer_id != call.actor):
        raise record_not_found(luggage_claim_id=claim_id)
    return row


async def get_terms(call: Call) -> LuggageTerms:
    """Return the settings of the luggage relay."""
    row = await store.get_settings_row(call.work)
    return LuggageTerms() if row is None else record(LuggageTerms, row)
