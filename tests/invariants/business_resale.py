"""Locker rentals in each status and their offer, under a unique name."""

from typing import Any

from tests.contexts.lockers.resale_makers import make_payment_link, make_resale
from tests.support.app import App


async def locker_resale(app: App, mark: str) -> dict[str, Any]:
    """Create an offer, a rental in each status, and a parcel in a rented compartment.

    Returns the ids by field name.
    """
    resale = await make_resale(app, boxes=20, name=mark, terms=mark)
    largest = {"locker_offer_id": resale.offer.id, "boxes": 20}
    await app.answer("admin", "update_locker_offer", largest)
    await app.answer("admin", "update_locker_site", {"site_id": resale.cabinet.site_id, "name": mark, "address": mark})
    active, waiting = await resale.lease(5, lease_ref=mark), await resale.reserve(lease_ref=mark)
    await make_payment_link(app, waiting.id)
    halted = await resale.lease(1, lease_ref=mark)
    await resale.step("suspend_locker_lease", halted.id, "admin", reason=mark)
    recipient = {"name": mark, "email": "ada@leased.example", "phone": mark}
    parcel = await resale.parcel(active.id, recipient=recipient, reference=mark)
    await resale.top_up(10**6, key="for more leases")
    return {
        "locker_offer_id": resale.offer.id,
        "locker_lease_id": active.id,
        "reserved_lease_id": waiting.id,
        "suspended_lease_id": halted.id,
        "leased_parcel_id": parcel.id,
    }
