"""Steps of the dry-run day about luggage bookings between hotels."""

from collections.abc import Iterator
from typing import Any

from tests.contexts.lockers.luggage.examples import HOTEL, SERVICE, TIMES, TRAVELLER
from tests.invariants.dry_run_steps import PHOTO, Step, step


def luggage_steps() -> Iterator[Step]:
    """Yield steps of a tariff, a cancelled booking, and one with a damage claim."""
    yield step("admin", "create_service", **SERVICE | {"code": "day-bags"})
    yield step("admin", "set_luggage_settings", liability_minor=5000)
    yield step("admin", "top_up_credit", customer_id="$customer", amount_minor=5000, reference="For luggage")
    asked: dict[str, Any] = {"service_code": "day-bags", "bags": [{"tag": "DRY-BAG"}], "traveller": TRAVELLER, **TIMES}
    between = {"origin": {**HOTEL, "name": "Hotel King"}, "destination": HOTEL}
    for name in ("bags off", "bags"):
        yield step("customer", "book_luggage", {name: "luggage.id"}, **asked, **between)
        yield step("customer", "update_luggage_booking", luggage_id=f"${name}", note="Ring twice")
        yield step("admin", "pay_luggage_booking", luggage_id=f"${name}")
        if name == "bags off":
            yield step("customer", "cancel_luggage_booking", luggage_id="$bags off")
    named: dict[str, Any] = {"luggage_id": "$bags"}
    tagged: dict[str, Any] = {**named, "tag": "DRY-BAG"}
    yield step("admin", "assign_luggage_driver", **named, driver_id=None)
    yield step("customer", "renew_luggage_codes", {"tells": "pin"}, **named)
    handed: dict[str, Any] = {**named, "tags": ["DRY-BAG"]}
    yield step("admin", "hand_over_luggage", **handed, step="receive", pin="$tells")
    yield step("admin", "add_luggage_photo", **tagged, photo=PHOTO)
    yield step("admin", "report_luggage_bag", **tagged, fault="damaged", note="A wheel is broken")
    for name in ("stays claimed", "claimed"):
        claim: dict[str, Any] = {**tagged, "kind": "damaged", "note": "A wheel is broken"}
        yield step("customer", "file_luggage_claim", {name: "claim.id"}, **claim)
        if name == "stays claimed":
            yield step("customer", "withdraw_luggage_claim", luggage_claim_id="$stays claimed")
    settled: dict[str, Any] = {"outcome": "accept", "amount_minor": 500, "reason": "Photo shows it"}
    yield step("admin", "settle_luggage_claim", luggage_claim_id="$claimed", **settled)
    yield step("admin", "hand_over_luggage", **handed, step="load")
    yield step("admin", "hand_over_luggage", **handed, step="unload")
    yield step("admin", "extend_luggage_pickup", **named, until="2090-06-20T12:00:00Z")
    yield step("admin", "hand_over_luggage", **handed, step="hand_out", identity_checked="Passport shown")
