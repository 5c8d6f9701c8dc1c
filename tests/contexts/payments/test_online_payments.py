"""Online payments of credit and orders: 3-D Secure, declines, refunds, disputes."""

import asyncio
from typing import Any

from tests.contexts.billing.ledger.makers import credit, faults, some_credit
from tests.contexts.lockers.device_makers import confirmed, drafted, make_catalogue
from tests.contexts.payments.examples import ACCOUNT
from tests.contexts.payments.makers import account_balances, make_payment, make_stripe, shown
from tests.contexts.shipping.shipping_orders.makers import make_order as make_shipping_order
from tests.contexts.storage.makers import make_order, make_tariff, refusal
from tests.support.app import App

from haulier.adapters.payments.stripe_objects import read_event
from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions import apply_provider_events
from haulier.contexts.payments.ports import ProviderEvent
from haulier.kernel.call import call_as_system
from haulier.simulation.carriers.faults import FaultKind


async def test_credit_can_be_bought_after_a_declined_card_with_3d_secure(app: App) -> None:
    stripe = await make_stripe(app)
    payment = await make_payment(app)
    assert (payment.status, payment.payment_minor, payment.currency) == ("requires_payment_method", 5000, "CAD")
    secret = await app.answer("customer", "get_payment_secret", {"payment_id": payment.payment_id})
    assert secret.client_secret == stripe.account.intents[stripe.intents[0]]["client_secret"]
    assert secret.publishable_key == "pk_test_1"
    stripe.play("decline")
    await stripe.deliver()
    declined = await shown(app, payment.payment_id)
    assert (declined.status, declined.failure_code) == ("requires_payment_method", "insufficient_funds")
    stripe.play("ask_3ds")
    await stripe.deliver()
    assert (await shown(app, payment.payment_id)).status == "requires_action"
    assert (await credit(app))[0] == 0
    stripe.play("pay")
    await stripe.deliver()
    paid = await shown(app, payment.payment_id)
    assert (paid.status, paid.failure_code, paid.settled_at) == ("succeeded", None, app.clock())
    assert await credit(app) == (5000, 0, 5000)
    assert await account_balances(app) == {"wallet": 5000, "online": 5000}
    assert await refusal(app, "customer", "get_payment_secret", {"payment_id": payment.payment_id}) == (
        409,
        "PAYMENT_STEP_REFUSED",
    )
    assert await faults(app) == []


async def test_devices_can_be_paid_online(app: App) -> None:
    stripe = await make_stripe(app)
    await make_catalogue(app)
    draft, order = await drafted(app), await confirmed(app)
    assert await refusal(app, "customer", "create_payment", {"purpose": "device_order", "subject_id": draft.id}) == (
        409,
        "PAYMENT_NOT_DUE",
    )
    wanted = {"purpose": "device_order", "subject_id": order.id}
    payment = (await app.answer("customer", "create_payment", wanted)).payment
    assert payment.payment_minor == order.total_price
    stripe.play("pay")
    await stripe.deliver()
    assert (await shown(app, payment.payment_id)).order_paid is True
    paid = (await app.answer("customer", "get_device_order", {"device_order_id": order.id})).device_order
    assert (paid.status, await credit(app)) == ("paid", (0, 0, 0))


async def test_orders_can_be_paid_online_and_an_excess_stays_as_credit(app: App) -> None:
    stripe = await make_stripe(app)
    await make_tariff(app)
    first, second = await make_order(app), await make_order(app)
    wanted = {"purpose": "storage_order", "subject_id": first.id}
    payment = await app.answer("customer", "create_payment", wanted)
    again = await app.answer("customer", "create_payment", wanted)
    assert (payment.existing, again.existing) == (False, True)
    assert again.payment.payment_id == payment.payment.payment_id
    assert payment.payment.payment_minor == first.balance_due_minor
    stripe.play("pay")
    await stripe.deliver()
    assert (await shown(app, payment.payment.payment_id)).order_paid is True
    order = (await app.answer("customer", "get_storage_order", {"storage_order_id": first.id})).storage_order
    assert (order.balance_due_minor, await credit(app)) == (0, (0, 0, 0))
    assert await refusal(app, "customer", "create_payment", wanted) == (409, "PAYMENT_NOT_DUE")
    late = await app.answer("customer", "create_payment", {"purpose": "storage_order", "subject_id": second.id})
    await app.answer("customer", "cancel_storage_order", {"storage_order_id": second.id}, confirmed=True)
    stripe.play("pay")
    await stripe.deliver()
    assert (await shown(app, late.payment.payment_id)).order_paid is False
    assert (await credit(app))[0] == second.balance_due_minor
    parcel = await make_shipping_order(app)
    await app.answer("customer", "create_payment", {"purpose": "shipping_order", "subject_id": parcel.id})
    stripe.play("pay")
    await stripe.deliver()
    order = (await app.answer("customer", "get_shipping_order", {"shipping_order_id": parcel.id})).shipping_order
    assert order.amount_due_minor == 0
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["storage_services"]}
    await app.answer("admin", "set_price_visibility", hidden)
    unseen = {"purpose": "storage_order", "subject_id": (await make_order(app, "customer2")).id}
    assert await refusal(app, "customer2", "create_payment", unseen) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")
    theirs = {"purpose": "storage_order", "subject_id": first.id}
    assert await refusal(app, "customer2", "create_payment", theirs) == (404, "NOT_FOUND")


async def test_a_lost_response_is_recovered_by_the_job_without_a_second_payment(app: App) -> None:
    stripe = await make_stripe(app)
    stripe.fail(FaultKind.CUT_AFTER, "payment_intents", times=3)
    payment = await make_payment(app)
    assert (payment.status, len(stripe.intents)) == ("creating", 1)
    asked = {"payment_id": payment.payment_id}
    assert await refusal(app, "customer", "get_payment_secret", asked) == (409, "PAYMENT_NOT_READY")
    app.clock.forward(minutes=3)
    await app.work_off()
    assert (await shown(app, payment.payment_id)).status == "requires_payment_method"
    stripe.play("pay")
    app.clock.forward(hours=1)
    await app.work_off()
    assert (await shown(app, payment.payment_id)).status == "succeeded"
    assert (len(stripe.intents), (await credit(app))[0]) == (1, 5000)
    stripe.fail(FaultKind.CUT_AFTER, "refunds", times=3)
    back = {"payment_id": payment.payment_id, "amount_minor": 2000, "reference": "C-1", "reason": "Late"}
    refunded = (await app.answer("admin", "refund_payment", back)).payment
    assert ([each.status for each in refunded.refunds], (await credit(app))[0]) == (["pending"], 3000)
    app.clock.forward(hours=1)
    await app.work_off()
    now = await shown(app, payment.payment_id)
    assert ([each.status for each in now.refunds], len(stripe.account.refunds)) == (["succeeded"], 1)
    assert await account_balances(app) == {"wallet": 3000, "online": 3000}


async def test_concurrent_notifications_before_the_response_all_count(app: App) -> None:
    stripe = await make_stripe(app)
    client_id = app.clients["demo"]

    async def told(fact: ProviderEvent) -> None:
        async with app.database.write(client_id) as work:
            await apply_provider_events(await call_as_system(app.application, client_id, work), [fact])

    for _ in range(4):
        stripe.fail(FaultKind.CUT_AFTER, "payment_intents", times=3)
        payment = await make_payment(app)
        stripe.play("pay")
        facts = [fact for event in stripe.account.events[-2:] if (fact := read_event(event).fact)]
        assert len(facts) == 2
        await asyncio.gather(*map(told, facts))
        assert (await shown(app, payment.payment_id)).status == "succeeded"


async def test_a_notification_can_precede_the_response_and_a_rejected_card_ends_the_payment(
    app: App,
) -> None:
    stripe = await make_stripe(app)
    stripe.fail(FaultKind.CUT_AFTER, "payment_intents", times=3)
    payment = await make_payment(app)
    stripe.play("pay")
    await stripe.deliver()
    assert (await shown(app, payment.payment_id)).status == "succeeded"
    tiny = await make_payment(app, amount_minor=10)
    assert (tiny.status, tiny.failure_code) == ("refused", "amount_too_small")
    open_one = await make_payment(app)
    cancelled = (await app.answer("customer", "cancel_payment", {"payment_id": open_one.payment_id})).payment
    assert cancelled.status == "cancelled"
    asked = {"payment_id": open_one.payment_id}
    assert await refusal(app, "customer", "cancel_payment", asked) == (409, "PAYMENT_STEP_REFUSED")
    forgotten = await make_payment(app)
    raced = await make_payment(app)
    stripe.play("pay")
    assert (
        await app.answer("customer", "cancel_payment", {"payment_id": raced.payment_id})
    ).payment.status == "succeeded"
    app.clock.forward(hours=25)
    await app.work_off()
    async with app.database.read(app.clients["demo"]) as work:
        row = await store.get_payment_row(work, forgotten.payment_id)
    assert row is not None
    assert row.status == "cancelled"


async def test_refunds_are_made_once_are_reversed_on_failure_and_never_exceed_the_payment(app: App) -> None:
    stripe = await make_stripe(app)
    payment = await make_payment(app)
    stripe.play("pay")
    await stripe.deliver()
    back = {"payment_id": payment.payment_id, "amount_minor": 2000, "reference": "C-1", "reason": "Late"}
    await app.answer("admin", "refund_payment", back)
    answer = (await app.answer("admin", "refund_payment", back)).payment
    assert ([each.status for each in answer.refunds], answer.refunded_minor) == (["succeeded"], 2000)
    assert await account_balances(app) == {"wallet": 3000, "online": 3000}
    much = {**back, "reference": "C-2", "amount_minor": 3001}
    assert await refusal(app, "admin", "refund_payment", much) == (409, "PAYMENT_REFUND_TOO_MUCH")
    other = {**back, "amount_minor": 1}
    assert await refusal(app, "admin", "refund_payment", other) == (409, "LEDGER_KEY_REUSED")
    stripe.play("fail_refund")
    await stripe.deliver()
    now = await shown(app, payment.payment_id)
    assert ([each.status for each in now.refunds], now.refunded_minor) == (["failed"], 0)
    assert await account_balances(app) == {"wallet": 5000, "online": 5000}
    await some_credit(app, 0)
    async_taken = {"customer_id": app.ids["customer"], "amount_minor": -4000, "reference": "spent", "reason": "spent"}
    await app.answer("admin", "adjust_credit", async_taken)
    assert await refusal(app, "admin", "refund_payment", {**back, "reference": "C-3"}) == (409, "CREDIT_INSUFFICIENT")
    stripe.play("refund", amount=1500)
    await stripe.deliver()
    assert await account_balances(app) == {"wallet": 1000, "online": 3500, "payment_claims": 1500, "adjustments": 4000}
    assert await faults(app) == []


async def test_a_dispute_withdraws_the_money_and_the_customer_owes_it_until_it_is_won(app: App) -> None:
    stripe = await make_stripe(app)
    payment = await make_payment(app)
    stripe.play("pay", "dispute")
    await stripe.deliver()
    now = await shown(app, payment.payment_id)
    assert (now.disputed_minor, [each.dispute_status for each in now.disputes]) == (5000, ["open"])
    assert await account_balances(app) == {"wallet": 5000, "payment_claims": 5000}
    stripe.play("win")
    await stripe.deliver(reversed(stripe.account.events))
    now = await shown(app, payment.payment_id)
    assert (now.disputed_minor, [each.dispute_status for each in now.disputes]) == (0, ["won"])
    assert await account_balances(app) == {"wallet": 5000, "online": 5000}


async def test_an_unsigned_notification_changes_nothing_and_reveals_no_account(
    app: App,
) -> None:
    stripe = await make_stripe(app)
    payment = await make_payment(app)
    stripe.play("pay")
    event = stripe.account.events[-1]
    assert (await stripe.send(event, "whsec_other")).json()["code"] == "PAYMENT_SIGNATURE_WRONG"
    unsigned = await app.http.post(stripe.path, content=b"{}", headers={"content-type": "application/json"})
    assert unsigned.status_code == 401
    await app.work_off()
    assert (await shown(app, payment.payment_id)).status == "requires_payment_method"
    assert (await app.http.post("/api/v1/payment-events/nobody", json=event)).status_code == 404
    assert (await stripe.send({"id": "evt_1"})).json()["code"] == "PAYMENT_EVENT_UNREADABLE"
    foreign = {**event, "id": "evt_foreign"}
    foreign["data"] = {"object": {**event["data"]["object"], "id": "pi_foreign", "metadata": {}}}
    first, second = [(await stripe.send(foreign)).json() for _ in range(2)]
    assert (first["repeated"], second["repeated"]) == (False, True)
    await app.work_off()
    assert (await credit(app))[0] == 0
    said = str(
        [await app.answer("admin", "get_payment_account"), await app.answer("admin", "set_payment_account", ACCOUNT)]
    )
    assert "sk_test_1" not in said
    assert "whsec_1" not in said
    assert (await app.answer("admin", "test_payment_account")).accepted
    wrong = {**ACCOUNT, "credentials": {**ACCOUNT["credentials"], "secret_key": "wrong"}}
    await app.answer("admin", "set_payment_account", wrong)
    assert not (await app.answer("admin", "test_payment_account")).accepted
    await app.answer("admin", "set_payment_account", {"test_mode": True, "active": False})
    assert await refusal(app, "customer", "create_payment", {"amount_minor": 100}) == (409, "ONLINE_PAYMENT_OFF")


async def test_concurrent_confirmations_count_once(app: App) -> None:
    stripe = await make_stripe(app)
    payment = await make_payment(app)
    stripe.play("pay")
    event: dict[str, Any] = stripe.account.events[-1]
    copies = [{**event, "id": f"evt_copy_{number}"} for number in range(8)]
    answers = await asyncio.gather(*(stripe.send(each) for each in [event, event, *copies]))
    assert {answer.status_code for answer in answers} == {200}
    await asyncio.gather(*(app.work_off() for _ in range(3)))
    back = {"payment_id": payment.payment_id, "amount_minor": 500, "reference": "C-1", "reason": "Late"}
    await asyncio.gather(*(app.call("admin", "refund_payment", back) for _ in range(6)))
    assert len(stripe.account.refunds) == 1
    assert await account_balances(app) == {"wallet": 4500, "online": 4500}
    assert await faults(app) == []
