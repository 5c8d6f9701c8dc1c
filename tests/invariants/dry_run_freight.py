"""Steps of the dry-run day about freight, from the tariff to a decided claim."""

from collections.abc import Iterator

from tests.contexts.freight.examples import SHIPMENT, TARIFF
from tests.invariants.dry_run_steps import Step, step


def freight_steps() -> Iterator[Step]:
    """Yield steps of two freight shipments: one is cancelled, one arrives short."""
    yield step("admin", "set_freight_tariff", None, **TARIFF)
    brings = {"freight": "freight_shipment.id"}
    yield step("admin", "create_freight_shipment", brings, **SHIPMENT)
    one = {"freight_shipment_id": "$freight"}
    yield step("admin", "cancel_freight_shipment", None, **one)
    yield step("customer", "create_freight_shipment", brings, **SHIPMENT)
    yield step("admin", "update_freight_shipment", None, **one, instructions="Dock 4")
    day = {"window_start": "2031-01-20T13:00:00Z", "window_end": "2031-01-20T15:00:00Z"}
    yield step("admin", "set_freight_appointment", None, **one, kind="delivery", action="request", **day)
    for each in ("accept", "pick_up"):
        yield step("admin", "record_freight_step", None, **one, step=each)
    short = [{"unit": 1, "kind": "shortage", "quantity": 1}]
    yield step("admin", "deliver_freight_shipment", None, **one, received_by="Grace", exceptions=short)
    claim = {"kind": "shortage", "claimed_minor": 48_000, "note": "One pallet is missing"}
    yield step("admin", "file_freight_claim", {"freight_claim": "freight_claim.id"}, **one, **claim)
    decided = {"decision": "approve", "reason": "The receipt notes it"}
    yield step("admin", "decide_freight_claim", None, freight_claim_id="$freight_claim", **decided)
