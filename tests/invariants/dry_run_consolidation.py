"""Steps of the dry-run day about inbound parcels of customers."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import PHOTO, Step, step


def consolidation_steps() -> Iterator[Step]:
    """Yield steps in which customers announce parcels, and staff receive them."""
    yield step("admin", "set_consolidation_policy", queue_unannounced=True)
    yield step("admin", "assign_suite", customer_id="$customer", code="DRY-1")
    yield step("customer", "create_pre_alert", {"hats": "parcel.id"}, tracking_number="IN-1", contents="Hats")
    yield step("customer", "update_pre_alert", parcel_id="$hats", note="Unpack")
    yield step("customer", "create_pre_alert", {"mistyped": "parcel.id"}, tracking_number="IN-X", contents="Shoes")
    yield step("customer", "create_pre_alert", {"off": "parcel.id"}, tracking_number="IN-9")
    yield step("customer", "cancel_pre_alert", parcel_id="$off")
    yield step("admin", "receive_inbound_parcel", tracking_number="IN-1", weight_g=900, photo=PHOTO)
    yield step("admin", "receive_inbound_parcel", tracking_number="IN-2", label_text="Ada, DRY-1")
    yield step("admin", "receive_inbound_parcel", {"shoes": "parcel.id"}, tracking_number="IN-3")
    yield step("admin", "match_inbound_parcel", parcel_id="$shoes", pre_alert_id="$mistyped")
    yield step("admin", "unmatch_inbound_parcel", parcel_id="$shoes")
    for number, decide in (("IN-5", "approve_inbound_claim"), ("IN-6", "refuse_inbound_claim")):
        yield step("admin", "receive_inbound_parcel", tracking_number=number)
        yield step("customer", "create_pre_alert", {number: "claim.id"}, tracking_number=number, contents="Gloves")
        yield step("admin", decide, claim_id=f"${number}")
    yield step("admin", "release_suite", customer_id="$customer")
    yield step("admin", "assign_suite", customer_id="$customer", code="DRY-2")
