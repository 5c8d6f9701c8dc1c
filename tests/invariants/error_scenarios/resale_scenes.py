"""Errors of locker rentals: size, duration, time, state, credit, offline lockers."""

from typing import Any

from tests.contexts.lockers.examples import SITE
from tests.contexts.lockers.resale_makers import OFFER, Resale, make_resale
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create a nearly sold-out offer, an ended one, and rentals in each state.

    Some rentals have a locker without a device.
    """
    resale = await make_resale(app, boxes=8)
    await app.answer("admin", "update_locker_offer", {"locker_offer_id": resale.offer.id, "boxes": 8})
    used, over = await resale.lease(1), await resale.reserve(1)
    full = await resale.parcel(used.id)
    await resale.open(full.id)
    await resale.step("cancel_locker_lease", over.id)
    halted = await resale.lease(1)
    waiting = await resale.parcel(halted.id)
    await resale.step("suspend_locker_lease", halted.id, "admin", reason="Something leaks")
    closed = await make_resale(app)
    of_closed = await closed.lease(1)
    await app.answer("admin", "end_locker_offer", {"locker_offer_id": closed.offer.id})
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    unseen, poor = await resale.reserve(1, who="customer2"), await resale.reserve(1)
    gone = await _silent(app, resale)
    return {
        **gone,
        "lease_offer": resale.offer.id,
        "ended_offer": closed.offer.id,
        "lease_of_ended_offer": of_closed.id,
        "used_lease": used.id,
        "over_lease": over.id,
        "halted_lease": halted.id,
        "unseen_lease": unseen.id,
        "poor_lease": poor.id,
        "full_parcel": full.id,
        "halted_parcel": waiting.id,
        "employee_id": app.ids["employee"],
        "leasing_customer": app.ids["customer"],
    }


async def _silent(app: App, resale: Resale) -> dict[str, Any]:
    """Create rental parcels at sites without a device, or whose device is gone."""
    await app.answer("admin", "decommission_device", {"device_id": resale.cabinet.device_id})
    last = await resale.lease(1)
    gone = await resale.parcel(last.id)
    ghost = (await app.answer("admin", "create_locker_site", SITE)).site
    dumb = {"site_id": ghost.id, "code": "A", "layout": [{"size": "s", "count": 4}]}
    await app.answer("admin", "add_locker_cabinet", dumb)
    offered = await app.call("admin", "create_locker_offer", {"site_id": ghost.id, **OFFER}, confirmed=True)
    there: Any = offered.answer
    other = Resale(app, resale.cabinet, there.offer)
    without = await other.parcel((await other.lease(1)).id)
    return {"gone_parcel": gone.id, "ghost_parcel": without.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    offer, ended = {"locker_offer_id": ids["lease_offer"]}, {"locker_offer_id": ids["ended_offer"]}
    wanted = {**offer, "boxes": 1, "days": 10}
    used, over = {"locker_lease_id": ids["used_lease"]}, {"locker_lease_id": ids["over_lease"]}
    halted, why = {"locker_lease_id": ids["halted_lease"]}, {"reason": "Something leaks"}
    unseen, poor = {"locker_lease_id": ids["unseen_lease"]}, {"locker_lease_id": ids["poor_lease"]}
    full, refused = {"locker_parcel_id": ids["full_parcel"]}, "LEASE_STEP_REFUSED"
    by_office = {"customer_id": ids["leasing_customer"]}
    return {
        ("update_locker_offer", "LOCKER_OFFER_CLOSED"): ("admin", {**ended, "name": "Boxes"}),
        ("update_locker_offer", "LOCKER_OFFER_TERMS_REFUSED"): ("admin", {**offer, "min_boxes": 9}),
        ("end_locker_offer", "LOCKER_OFFER_CLOSED"): ("admin", ended),
        ("reserve_locker_lease", "NOT_A_CUSTOMER"): ("admin", {**wanted, "customer_id": ids["employee_id"]}),
        ("reserve_locker_lease", "LOCKER_OFFER_CLOSED"): ("admin", {**wanted, **ended, **by_office}),
        ("reserve_locker_lease", "LEASE_TERMS_REFUSED"): ("customer", {**wanted, "days": 1}),
        ("reserve_locker_lease", "LOCKER_OFFER_SOLD_OUT"): ("customer", {**wanted, "boxes": 8}),
        ("pay_locker_lease", refused): ("customer", over),
        ("pay_locker_lease", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", unseen),
        ("pay_locker_lease", "CREDIT_INSUFFICIENT"): ("customer", poor),
        ("extend_locker_lease", refused): ("customer", {**halted, "days": 2}),
        ("extend_locker_lease", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {**unseen, "days": 2}),
        ("extend_locker_lease", "LEASE_TERMS_REFUSED"): ("customer", {**used, "days": 91}),
        ("extend_locker_lease", "CREDIT_INSUFFICIENT"): ("customer", {**used, "days": 90}),
        ("extend_locker_lease", "LOCKER_OFFER_CLOSED"): (
            "customer",
            {"locker_lease_id": ids["lease_of_ended_offer"], "days": 2},
        ),
        ("cancel_locker_lease", refused): ("customer", over),
        ("cancel_locker_lease", "LEASE_WITHDRAWAL_OVER"): ("customer", used),
        ("suspend_locker_lease", refused): ("admin", {**halted, **why}),
        ("resume_locker_lease", refused): ("admin", used),
        ("revoke_locker_lease", refused): ("admin", {**over, **why}),
        ("reserve_leased_box", refused): ("customer", halted),
        ("reserve_leased_box", "NO_FREE_BOX"): ("customer", used),
        ("open_leased_box", refused): ("customer", {"locker_parcel_id": ids["halted_parcel"]}),
        ("open_leased_box", "LOCKER_STEP_REFUSED"): ("customer", full),
        ("open_leased_box", "LOCKER_WITHOUT_DEVICE"): ("customer", {"locker_parcel_id": ids["ghost_parcel"]}),
        ("open_leased_box", "DEVICE_NOT_USABLE"): ("customer", {"locker_parcel_id": ids["gone_parcel"]}),
        ("cancel_leased_parcel", "LOCKER_STEP_REFUSED"): ("customer", full),
    }
