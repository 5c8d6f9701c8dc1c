"""Writes of rental offers, within the caller's transaction."""

from typing import Any

from haulier.contexts.lockers.events import LockerOfferChanged
from haulier.contexts.lockers.resale.contract.offers import CreateLockerOffer, UpdateLockerOffer
from haulier.contexts.lockers.resale.rules import LOCKER_OFFER_CLOSED, LOCKER_OFFER_TERMS_REFUSED, LockerOfferStatus
from haulier.contexts.lockers.resale.store import offers as store
from haulier.contexts.lockers.resale.store.tables import LockerOfferRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def create_offer(call: Call, request: CreateLockerOffer) -> LockerOfferRow:
    """Create an offer for compartments of a site. Raises `NOT_FOUND`."""
    await get_site(call, request.site_id)
    values = {
        **request.model_dump(),
        "status": LockerOfferStatus.OFFERED.value,
        "currency": call.business.currency,
        "created_at": call.now,
    }
    return await _announce(call, await LockerOfferRow.insert(call.work, **values))


async def update_offer(call: Call, row: LockerOfferRow, request: UpdateLockerOffer) -> LockerOfferRow:
    """Update or suspend an offer. The row must be locked.

    Raises `LOCKER_OFFER_CLOSED` once ended, and `LOCKER_OFFER_TERMS_REFUSED` if a minimum would exceed its maximum.
    """
    if row.status == LockerOfferStatus.ENDED:
        raise LOCKER_OFFER_CLOSED(status=row.status)
    values: dict[str, Any] = request.model_dump(exclude={"locker_offer_id", "suspended"}, exclude_none=True)
    if request.suspended is not None:
        values["status"] = (LockerOfferStatus.SUSPENDED if request.suspended else LockerOfferStatus.OFFERED).value
    for least, most in (("min_days", "max_days"), ("min_boxes", "boxes")):
        if values.get(least, getattr(row, least)) > values.get(most, getattr(row, most)):
            raise LOCKER_OFFER_TERMS_REFUSED(least=least, most=most)
    await store.update_offer(call.work, row.id, values)
    return await _announce(call, row.id)


async def end_offer(call: Call, row: LockerOfferRow) -> LockerOfferRow:
    """End an offer.

    Existing rentals continue. The row must be locked. Raises `LOCKER_OFFER_CLOSED`.
    """
    if row.status == LockerOfferStatus.ENDED:
        raise LOCKER_OFFER_CLOSED(status=row.status)
    await store.update_offer(call.work, row.id, {"status": LockerOfferStatus.ENDED.value, "ended_at": call.now})
    return await _announce(call, row.id)


async def _announce(call: Call, offer_id: int) -> LockerOfferRow:
    row = await LockerOfferRow.get(call.work, offer_id)
    if row is None:
        raise record_not_found(locker_offer_id=offer_id)
    call.add_audit_subjects("locker_offer", row.id)
    await call.publish(LockerOfferChanged(locker_offer_id=row.id, site_id=row.site_id, status=row.status))
    return row
