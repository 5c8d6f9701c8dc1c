"""Visible rental offers, rentals and parcels."""

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel
from haulier.contexts.lockers.resale.rules import LockerOfferStatus
from haulier.contexts.lockers.resale.store import leases as leases_store
from haulier.contexts.lockers.resale.store.tables import LockerLeaseRow, LockerOfferRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def get_visible_offer(call: Call, offer_id: int, *, lock: bool = False) -> LockerOfferRow:
    """Return an offer. Customers see only open offers. Raises `NOT_FOUND`."""
    row = await (LockerOfferRow.lock if lock else LockerOfferRow.get)(call.work, offer_id)
    if row is None or (is_customer(call) and row.status != LockerOfferStatus.OFFERED):
        raise record_not_found(locker_offer_id=offer_id)
    return row


async def get_lease(call: Call, lease_id: int, *, lock: bool = False) -> LockerLeaseRow:
    """Return a rental of this client. Raises `NOT_FOUND`."""
    row = await leases_store.get_lease_row(call.work, lease_id, lock=lock)
    if row is None:
        raise record_not_found(locker_lease_id=lease_id)
    return row


async def get_visible_lease(call: Call, lease_id: int, *, lock: bool = False) -> LockerLeaseRow:
    """Return a rental. Customers see only their own. Raises `NOT_FOUND`."""
    row = await get_lease(call, lease_id, lock=lock)
    if is_customer(call) and row.customer_id != call.actor:
        raise record_not_found(locker_lease_id=lease_id)
    return row


async def get_leased_parcel(call: Call, parcel_id: int) -> LockerParcelRow:
    """Lock and return a parcel in a rented compartment.

    Customers see only their own. Raises `NOT_FOUND`.
    """
    row = await get_parcel(call, parcel_id, lock=True)
    mine = not is_customer(call) or row.customer_id == call.actor
    if row.lease_id is None or not mine:
        raise record_not_found(locker_parcel_id=parcel_id)
    return row
