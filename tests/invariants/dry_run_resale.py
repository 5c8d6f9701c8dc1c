"""Steps of the dry-run day about locker rentals: payment, use and cancellation."""

from collections.abc import Iterator
from typing import Any

from tests.contexts.lockers.examples import SITE
from tests.invariants.dry_run_steps import Step, step


def resale_steps() -> Iterator[Step]:
    """Yield steps about rentals that are cancelled, used, suspended and revoked."""
    yield step("admin", "create_locker_site", {"let site": "site.id"}, **SITE)
    yield step("admin", "create_device", {"let code": "code", "let device": "device.id"}, name="Left", serial="LET-1")
    yield step(None, "register_device", {"let credential": "credential"}, code="$let code", serial="LET-1")
    boxes: dict[str, Any] = {"device_id": "$let device", "layout": [{"size": "s", "count": 6}]}
    yield step("admin", "add_locker_cabinet", site_id="$let site", code="L", **boxes)
    terms: dict[str, Any] = {"name": "Small boxes", "boxes": 6, "day_minor": 100}
    yield step("admin", "create_locker_offer", {"offer": "offer.id"}, site_id="$let site", **terms)
    yield step("admin", "update_locker_offer", locker_offer_id="$offer", terms="No food")
    yield step("admin", "top_up_credit", customer_id="$customer", amount_minor=3000, reference="For boxes")
    for name in ("not wanted", "let"):
        wanted: dict[str, Any] = {"locker_offer_id": "$offer", "boxes": 1, "days": 5}
        yield step("customer", "reserve_locker_lease", {name: "lease.id"}, **wanted)
        yield step("customer", "pay_locker_lease", locker_lease_id=f"${name}")
    yield step("customer", "cancel_locker_lease", locker_lease_id="$not wanted")
    named: dict[str, Any] = {"locker_lease_id": "$let"}
    yield step("customer", "extend_locker_lease", **named, days=2)
    yield step("customer", "reserve_leased_box", {"given up": "parcel.id"}, **named)
    yield step("customer", "cancel_leased_parcel", locker_parcel_id="$given up")
    yield step("customer", "reserve_leased_box", {"put in": "parcel.id"}, **named)
    yield step("customer", "open_leased_box", locker_parcel_id="$put in")
    yield step("admin", "suspend_locker_lease", **named, reason="Something leaks")
    yield step("admin", "resume_locker_lease", **named)
    yield step("admin", "revoke_locker_lease", **named, reason="The hall is being rebuilt")
    yield step("admin", "end_locker_offer", locker_offer_id="$offer")
