"""Freight claims: deadlines, decisions and credit."""

from typing import Any

from tests.contexts.billing.ledger.makers import faults
from tests.contexts.freight.makers import make_delivered, make_shipment, set_tariff, take_steps
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App

SHORT = {"unit": 1, "kind": "shortage"}


async def file(app: App, id: int, kind: str = "shortage", who: str = "admin", **values: Any) -> Any:
    """File a claim and return the outcome of the call."""
    asked = {"freight_shipment_id": id, "kind": kind, "claimed_minor": 48_000, "note": "One pallet is missing"}
    return await app.call(who, "file_freight_claim", {**asked, **values})


async def decide(app: App, id: int, **values: Any) -> Any:
    """Decide a claim and return the outcome of the call."""
    asked = {"freight_claim_id": id, "decision": "approve", "reason": "The receipt notes it", **values}
    return await app.call("admin", "decide_freight_claim", asked, confirmed=True)


async def test_noted_shortage_has_the_long_deadline_and_concealed_shortage_the_short_one(app: App) -> None:
    await set_tariff(app, claim_days=30, concealed_damage_days=5)
    noted, clear = [(await make_delivered(app, *exceptions)).id for exceptions in ((SHORT,), ())]
    app.clock.forward(days=6)
    filed = (await file(app, noted)).answer.freight_claim
    assert (filed.concealed, filed.state.value) == (False, "open")
    late = await file(app, clear)
    assert late.error["code"] == "FREIGHT_CLAIM_TOO_LATE"
    assert (await file(app, clear, "delay")).error is None


async def test_loss_can_be_claimed_before_a_delivery_and_damage_cannot(app: App) -> None:
    made = await make_shipment(app)
    assert (await file(app, made.id, "lost")).error["code"] == "FREIGHT_CLAIM_TOO_EARLY"
    await take_steps(app, made.id, "tender", "accept", "pick_up")
    assert (await file(app, made.id, "damaged")).error["code"] == "FREIGHT_CLAIM_TOO_EARLY"
    assert (await file(app, made.id, "lost")).error is None


async def test_the_customer_opens_the_document_of_their_claim_and_others_do_not(app: App) -> None:
    made = await make_delivered(app, SHORT, customer_id=app.ids["customer"])
    filed = (await file(app, made.id, who="customer", document=PHOTO)).answer.freight_claim
    document = {"file_id": filed.document_id}
    assert (await app.call("customer", "get_file", document)).error is None
    for who in ("customer2", "rival"):
        assert (await app.call(who, "get_file", document)).error["code"] == "NOT_FOUND"


async def test_a_part_is_credited_once_and_never_more_than_claimed(app: App) -> None:
    made = await make_delivered(app, SHORT, customer_id=app.ids["customer"])
    filed = (await file(app, made.id)).answer.freight_claim
    much = await decide(app, filed.id, amount_minor=48_001)
    assert [each["field"] for each in much.error["errors"]] == ["amount_minor"]
    for _ in range(2):
        decided = (await decide(app, filed.id, amount_minor=30_000)).answer.freight_claim
        assert (decided.state.value, decided.approved_minor) == ("approved", 30_000)
    assert (await decide(app, filed.id, decision="reject")).error["code"] == "FREIGHT_CLAIM_DECIDED"
    (credit,) = (await app.answer("customer", "get_account_credits")).credits
    assert credit.balance_minor == 30_000
    assert await faults(app) == []


async def test_an_overcharge_is_refunded_from_the_charge(app: App) -> None:
    await set_tariff(app)
    made = await make_delivered(app, customer_id=app.ids["customer"])
    filed = (await file(app, made.id, "overcharge", claimed_minor=1_000)).answer.freight_claim
    decided = (await decide(app, filed.id)).answer.freight_claim
    (credit,) = (await app.answer("customer", "get_account_credits")).credits
    assert (decided.transfer_id is not None, credit.balance_minor) == (True, 1_000 - made.charged_minor)
    assert await faults(app) == []


async def test_a_rejected_claim_credits_nothing(app: App) -> None:
    made = await make_delivered(app, SHORT, customer_id=app.ids["customer"])
    filed = (await file(app, made.id)).answer.freight_claim
    decided = (await decide(app, filed.id, decision="reject")).answer.freight_claim
    assert (decided.state.value, decided.approved_minor, decided.transfer_id) == ("denied", None, None)
