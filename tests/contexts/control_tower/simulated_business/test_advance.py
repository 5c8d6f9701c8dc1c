"""Progress of records in test mode, with the events of live mode."""

import pytest
from tests.contexts.control_tower.simulated_business.steps import client_id_of_tests, open_test_mode
from tests.contexts.payments.examples import ACCOUNT
from tests.support.app import App
from tests.support.transport import make_order, make_route

from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.kernel.secrets import SecretVault


async def status_of(app: App, who: str, order_id: int) -> str:
    return (await app.answer(who, "get_order_detail", {"order_id": order_id})).order.status


@pytest.mark.parametrize("kind", ["D", "P", "P2P"])
async def test_an_order_advances_to_delivered_step_by_step(app: App, kind: str) -> None:
    who = await open_test_mode(app)
    order = await make_order(app, who, type=kind)
    for reached in ("out_for_delivery", "delivered"):
        moved = await app.answer(who, "advance_test_record", {"order_id": order})
        assert moved.status == reached
    assert await status_of(app, who, order) == "DELIVERED"
    refused = await app.call(who, "advance_test_record", {"order_id": order})
    assert refused.error
    assert refused.error["code"] == "TEST_STEP_REFUSED"


@pytest.mark.parametrize("to", ["picked_up", "out_for_delivery", "delivered", "failed", "returned", "rejected"])
async def test_an_order_reaches_a_named_status_at_once(app: App, to: str) -> None:
    who = await open_test_mode(app)
    order = await make_order(app, who)
    assert (await app.answer(who, "advance_test_record", {"order_id": order, "to": to})).status == to
    assert await status_of(app, who, order) == to.upper()


async def test_a_held_or_failed_order_goes_out_again(app: App) -> None:
    who = await open_test_mode(app)
    order = await make_order(app, who)
    await app.answer(who, "hold_orders", {"order_ids": [order]}, confirmed=True)
    assert (await app.answer(who, "advance_test_record", {"order_id": order})).status == "out_for_delivery"
    await app.answer(who, "advance_test_record", {"order_id": order, "to": "failed"})
    assert (await app.answer(who, "advance_test_record", {"order_id": order})).status == "out_for_delivery"


async def test_an_order_on_a_route_names_the_route(app: App) -> None:
    who = await open_test_mode(app)
    order = await make_order(app, who)
    app.tokens["admin"] = app.tokens[who]
    await make_route(app, order_ids=[order])
    refused = await app.call(who, "advance_test_record", {"order_id": order})
    assert refused.error
    assert refused.error["code"] == "TEST_ORDER_ON_ROUTE"


async def test_a_parcel_is_scanned_until_its_order_is_delivered(app: App) -> None:
    who = await open_test_mode(app)
    order = await make_order(app, who)
    number = (await app.answer(who, "get_order_detail", {"order_id": order})).order.tracking_number
    seen = [(await app.answer(who, "advance_test_record", {"tracking_number": number})).status for _ in range(4)]
    assert seen == ["picked_up", "in_transit", "out_for_delivery", "delivered"]
    await app.work_off()
    assert await status_of(app, who, order) == "DELIVERED"
    other = (await app.answer(who, "get_order_detail", {"order_id": await make_order(app, who)})).order.tracking_number
    jumped = await app.answer(who, "advance_test_record", {"tracking_number": other, "to": "out_for_delivery"})
    assert jumped.status == "out_for_delivery"
    failed = await app.answer(who, "advance_test_record", {"tracking_number": other, "to": "failed"})
    assert failed.status == "delivery_failed"


async def test_live_tokens_and_foreign_records_are_refused(app: App) -> None:
    who = await open_test_mode(app)
    live = await make_order(app)
    refused = await app.call("admin", "advance_test_record", {"order_id": live})
    assert refused.error
    assert refused.error["code"] == "TEST_MODE_ONLY"
    assert (await app.call(who, "advance_test_record", {"order_id": live})).status == 404
    assert (await app.call(who, "advance_test_record", {"tracking_number": "NONE"})).status == 404
    assert (await app.call(who, "advance_test_record", {"payment_id": 999})).status == 404


@pytest.mark.parametrize("named", [{}, {"order_id": 1, "payment_id": 1}])
async def test_exactly_one_record_is_named(app: App, named: dict[str, int]) -> None:
    who = await open_test_mode(app)
    assert (await app.call(who, "advance_test_record", named)).status == 422


async def test_a_payment_is_declined_and_then_paid(app: App) -> None:
    adapters = app.application.adapters
    adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)  # type: ignore[index]
    await open_test_mode(app)
    await open_test_mode(app, "customer", "buyer")
    await app.answer("test", "set_payment_account", ACCOUNT)
    asked = {"amount_minor": 2000}
    payment = (await app.answer("buyer", "create_payment", asked)).payment
    advance = {"payment_id": payment.payment_id}
    await app.answer("test", "advance_test_record", {**advance, "to": "declined"})
    shown = (await app.answer("test", "get_payment", advance)).payment
    assert (shown.status, shown.failure_code) == ("requires_payment_method", "card_declined")
    assert (await app.answer("test", "advance_test_record", advance)).status == "succeeded"
    refused = await app.call("test", "advance_test_record", advance)
    assert refused.error
    assert refused.error["code"] == "PAYMENT_STEP_REFUSED"
    refund = {**advance, "amount_minor": 500, "reference": "R-1", "reason": "Returned"}
    assert (await app.answer("test", "refund_payment", refund)).payment.refunded_minor == 500


async def test_a_reset_deletes_test_data_and_nothing_else(app: App) -> None:
    who = await open_test_mode(app)
    live = await make_order(app)
    await make_order(app, who)
    await app.answer(who, "create_user", {"name": "Dan", "email": "dan@example.com", "account": "driver"})
    await app.work_off()
    done = await app.answer(who, "reset_test_data", confirmed=True)
    assert done.deleted > 0
    assert (await app.answer(who, "get_orders")).total == 0
    assert [user.name for user in (await app.answer(who, "list_users")).users] == ["Admin"]
    assert (await app.answer("admin", "get_order_detail", {"order_id": live})).order.id == live
    assert await client_id_of_tests(app)
    await make_order(app, who)
    assert (await app.answer(who, "get_orders")).total == 1
    refused = await app.call("admin", "reset_test_data", confirmed=True)
    assert refused.error
    assert refused.error["code"] == "TEST_MODE_ONLY"
