"""Errors of consolidation: suites of other customers, and parcels in late states."""

from typing import Any

from tests.contexts.consolidation.makers import announced, make_suite, received
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create suites of two customers, an announced parcel and a matched one."""
    await make_suite(app, "TOR-1")
    await make_suite(app, "TOR-2", "customer2")
    expected = await announced(app, "EXPECTED")
    here = await received(app, "HERE", suite="TOR-1")
    await received(app, "NOBODYS")
    claim = (await app.answer("customer", "create_pre_alert", {"tracking_number": "NOBODYS"})).claim
    await app.answer("admin", "refuse_inbound_claim", {"claim_id": claim.id})
    return {
        "claim": claim.id,
        "expected": expected.id,
        "here": here.id,
        **{name: app.ids[name] for name in ("customer", "customer2")},
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    nobody = 999_999_999
    here, other = {"parcel_id": ids["here"]}, {"customer_id": ids["customer2"]}
    return {
        ("assign_suite", "SUITE_TAKEN"): ("admin", {**other, "code": "tor1"}),
        ("create_pre_alert", "PRE_ALERT_NUMBER_TAKEN"): ("customer2", {"tracking_number": "EXPECTED"}),
        ("create_pre_alert", "NOT_FOUND"): ("admin", {"tracking_number": "NEW", "customer_id": nobody}),
        ("receive_inbound_parcel", "NOT_FOUND"): ("admin", {"tracking_number": "NEW", "suite": "NOBODY-1"}),
        ("match_inbound_parcel", "NOT_FOUND"): ("admin", {"parcel_id": nobody, **other}),
        ("approve_inbound_claim", "NOT_FOUND"): ("admin", {"claim_id": nobody}),
        ("approve_inbound_claim", "INBOUND_CLAIM_DECIDED"): ("admin", {"claim_id": ids["claim"]}),
        ("refuse_inbound_claim", "NOT_FOUND"): ("admin", {"claim_id": nobody}),
        ("refuse_inbound_claim", "INBOUND_CLAIM_DECIDED"): ("admin", {"claim_id": ids["claim"]}),
        ("update_pre_alert", "INBOUND_STEP_REFUSED"): ("customer", {**here, "note": "x"}),
        ("cancel_pre_alert", "INBOUND_STEP_REFUSED"): ("customer", here),
        ("match_inbound_parcel", "INBOUND_PARCEL_MATCHED"): ("admin", {**here, **other}),
        ("unmatch_inbound_parcel", "INBOUND_STEP_REFUSED"): ("admin", {"parcel_id": ids["expected"]}),
    }
