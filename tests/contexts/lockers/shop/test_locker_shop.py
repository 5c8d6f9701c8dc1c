"""Selling from compartments: filled, reserved, paid, opened, or refunded."""

import asyncio
import re
from typing import Any

import pytest
from tests.contexts.billing.ledger.makers import credit, faults, make_call, some_credit
from tests.contexts.lockers.makers import refusal
from tests.contexts.lockers.shop.makers import Shop, make_shop
from tests.contexts.payments.makers import account_balances, make_stripe
from tests.support.app import App

from haulier.contexts.billing.public import MoneySubject, charge
from haulier.contexts.identity.ports import Mailer
from haulier.contexts.lockers.shop import actions, store
from haulier.contexts.lockers.shop.jobs import end_time_of_purchase, release_paid_purchase
from haulier.contexts.lockers.shop.rules import ShopTerms
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.money import Money


def letters(app: App) -> list[Any]:
    mailer: Any = app.application.adapter(Mailer)
    return mailer.mails


async def status_of(app: App, link: str) -> str:
    return (await app.answer(None, "get_linked_shop_purchase", {"link": link})).purchase.status


async def test_a_customer_buys_from_a_compartment_with_credit_and_collects_with_the_code(app: App) -> None:
    await some_credit(app, 1000)
    shop = await make_shop(app, pieces=2)
    assert await shop.offered() == 2
    purchase = await shop.buy()
    assert (purchase.status, purchase.paid_by, purchase.tax_minor) == ("ready", "credit", 98)
    assert (await credit(app))[0] == 150
    code = re.search(r"\b\d{8}\b", letters(app)[-1].text)
    assert code
    assert letters(app)[-1].to == "customer@demo.example"
    assert [each.name for each in letters(app)[-1].attachments] == ["code.png"]
    await shop.open_with(code[0])
    assert (await shop.now(purchase.id)).status == "collected"
    assert [each.status for each in await shop.items()] == ["sold", "available"]
    assert await account_balances(app) == {"wallet": 150, "revenue": 850, "bank": 1000}
    too_dear = await shop.reserve()
    asked = {"shop_purchase_id": too_dear.id}
    assert await refusal(app, "customer", "buy_reserved_shop_item", asked) == (409, "CREDIT_INSUFFICIENT")
    app.clock.forward(minutes=16)
    assert await refusal(app, "customer", "buy_reserved_shop_item", asked) == (409, "SHOP_STEP_REFUSED")
    await app.work_off()
    assert (await shop.now(too_dear.id)).end_reason == "lapsed"
    assert await shop.offered() == 1
    assert await faults(app) == []


async def test_of_two_hundred_concurrent_buyers_of_one_compartment_one_succeeds(app: App) -> None:
    await some_credit(app, 10_000)
    shop = await make_shop(app)
    tries = await asyncio.gather(*(app.call("customer", "reserve_shop_item", shop.wanted) for _ in range(200)))
    bought: list[Any] = [each.answer for each in tries if each.error is None]
    got = [each.purchase.id for each in bought]
    assert len(got) == 1
    assert {each.error["code"] for each in tries if each.error} == {"SHOP_SOLD_OUT"}
    asked = {"shop_purchase_id": got[0]}
    paid = await asyncio.gather(*(app.call("customer", "buy_reserved_shop_item", asked) for _ in range(8)))
    assert sum(each.error is None for each in paid) == 1
    assert (await credit(app))[0] == 10_000 - 850
    given_up = [app.call("customer", "cancel_shop_purchase", asked) for _ in range(8)]
    assert sum(each.error is None for each in await asyncio.gather(*given_up)) == 1
    assert (await credit(app))[0] == 10_000
    assert await shop.offered() == 1
    assert await faults(app) == []


async def test_a_door_that_fails_to_open_is_refunded_immediately_and_flagged_for_inspection(app: App) -> None:
    await some_credit(app, 1000)
    shop = await make_shop(app)
    purchase = await shop.buy()
    code = await shop.code(purchase.id)
    await shop.open_with(code, "failed")
    ended = await shop.now(purchase.id)
    assert (ended.status, ended.end_reason) == ("refunded", "door_stuck")
    assert (await credit(app))[0] == 1000
    assert not (await shop.cabinet.says("present_locker_code", code=code)).accepted
    (item,) = await shop.items()
    assert (item.status, await shop.offered()) == ("blocked", 0)
    again = {"shop_item_id": item.id}
    assert await refusal(app, "admin", "put_shop_item_on_sale", again) == (409, "SHOP_ITEM_IN_USE")
    (box,) = (
        await app.answer("admin", "list_locker_boxes", {"site_id": shop.cabinet.site_id, "state": "faulty"})
    ).boxes
    await app.answer("admin", "update_locker_box", {"box_id": box.id, "state": "ready"})
    await app.answer("admin", "put_shop_item_on_sale", again)
    assert await shop.offered() == 1


async def test_a_silent_locker_is_refunded_after_a_while_and_late_reports_are_flagged(app: App) -> None:
    await some_credit(app, 1000)
    shop = await make_shop(app)
    purchase = await shop.buy()
    verdict = await shop.cabinet.says("present_locker_code", code=await shop.code(purchase.id))
    asked = {"shop_purchase_id": purchase.id}
    assert await refusal(app, "customer", "cancel_shop_purchase", asked) == (409, "SHOP_STEP_REFUSED")
    app.clock.forward(seconds=40)
    await app.work_off()
    assert (await shop.now(purchase.id)).status == "ready"
    app.clock.forward(minutes=3)
    await app.work_off()
    assert (await shop.now(purchase.id)).end_reason == "door_silent"
    assert (await credit(app))[0] == 1000
    await shop.cabinet.says("report_device_command", command_id=verdict.command.id, outcome="done")
    late = await shop.now(purchase.id)
    assert (late.status, late.taken_after_refund) == ("refunded", True)
    assert [each.status for each in await shop.items()] == ["sold"]
    marked = await app.answer("admin", "list_shop_purchases", {"taken_after_refund": True})
    assert [each.id for each in marked.purchases] == [purchase.id]


async def test_a_card_pays_a_purchase_of_an_account_beyond_its_credit_limit(app: App) -> None:
    stripe = await make_stripe(app)
    made = await (await make_shop(app, pieces=1)).reserve_as_guest()
    buyer = (await app.answer("admin", "list_shop_purchases")).purchases[0].customer_id
    async with make_call(app) as call:
        owed, subject = Money(90_000, made.purchase.shelf_currency), MoneySubject("order", 1)
        await charge(call, buyer, owed, key="order:1", subject=subject, beyond_limit=True)
    await app.answer(None, "start_linked_shop_payment", {"link": made.link})
    stripe.play("pay")
    await stripe.deliver()
    assert await status_of(app, made.link) == "ready"


async def test_a_guest_pays_a_link_by_card_and_is_refunded_to_the_card(app: App) -> None:
    stripe = await make_stripe(app)
    shop = await make_shop(app, pieces=2)
    made = await shop.reserve_as_guest()
    link = {"link": made.link}
    begun = await app.answer(None, "start_linked_shop_payment", link)
    again = await app.answer(None, "start_linked_shop_payment", link)
    assert (begun.status, begun.publishable_key) == ("requires_payment_method", "pk_test_1")
    assert (again.payment_id, bool(again.client_secret)) == (begun.payment_id, True)
    stripe.play("pay")
    await stripe.deliver()
    assert await status_of(app, made.link) == "ready"
    assert letters(app)[-1].to == "guest@example.com"
    code = (await app.answer(None, "renew_linked_shop_code", link)).code
    await shop.open_with(code, "failed")
    await app.work_off()
    assert await status_of(app, made.link) == "refunded"
    assert [each["amount"] for each in stripe.account.refunds.values()] == [850]
    assert await account_balances(app) == {}
    late = await shop.reserve_as_guest()
    await app.answer(None, "start_linked_shop_payment", {"link": late.link})
    app.clock.forward(minutes=16)
    await app.work_off()
    stripe.play("pay")
    await stripe.deliver()
    await app.work_off()
    assert await status_of(app, late.link) == "expired"
    assert await refusal(app, None, "start_linked_shop_payment", {"link": late.link}) == (409, "PAYMENT_NOT_DUE")
    assert [each["amount"] for each in stripe.account.refunds.values()] == [850, 850]
    assert (await account_balances(app), await faults(app)) == ({}, [])
    app.clock.forward(days=31)
    await app.work_off()
    async with app.database.read(app.clients["demo"]) as work:
        row = await store.get_purchase_row(work, made.purchase.id)
    assert row is not None
    assert row.buyer_email is None
    assert await refusal(app, None, "get_linked_shop_purchase", link) == (404, "SHOP_LINK_INVALID")


async def test_the_door_opens_automatically_once_the_link_is_paid_at_the_locker(app: App) -> None:
    stripe = await make_stripe(app)
    shop = await make_shop(app)
    frame = shop.cabinet.frame(shop_product_id=shop.product_id)
    made, again = [await app.answer(None, "reserve_shop_item_at_cabinet", frame) for _ in range(2)]
    assert (made.purchase.id, made.link != again.link) == (again.purchase.id, True)
    mug = {"code": "MUG", "name": "Mug", "shelf_price_minor": 1}
    other = (await app.answer("admin", "create_shop_product", mug)).product.id
    refused = await app.call(None, "reserve_shop_item_at_cabinet", {**frame, "shop_product_id": other})
    assert refused.error
    assert (refused.status, [each["field"] for each in refused.error["errors"]]) == (409, ["shop_product_id"])
    await app.answer(None, "start_linked_shop_payment", {"link": again.link})
    stripe.play("pay")
    await stripe.deliver()
    (command,) = await shop.cabinet.does()
    assert (command.command, command.box) == ("open", 1)
    assert await status_of(app, made.link) == "collected"
    assert await account_balances(app) == {"online": 850, "revenue": 850}


async def test_a_customer_pays_by_card_and_is_refunded_as_credit(app: App) -> None:
    stripe = await make_stripe(app)
    shop = await make_shop(app)
    purchase = await shop.reserve()
    asked = {"purpose": "shop_purchase", "subject_id": purchase.id}
    await app.answer("customer", "create_payment", asked)
    assert await refusal(app, "customer2", "create_payment", asked) == (404, "NOT_FOUND")
    stripe.play("pay")
    await stripe.deliver()
    assert (await shop.now(purchase.id)).paid_by == "card"
    dented = {"shop_purchase_id": purchase.id, "reason": "The tin was dented"}
    await app.answer("admin", "refund_shop_purchase", dented, confirmed=True)
    assert await refusal(app, "admin", "refund_shop_purchase", dented) == (409, "SHOP_STEP_REFUSED")
    assert ((await credit(app))[0], len(stripe.account.refunds)) == (850, 0)


async def test_a_paid_purchase_that_cannot_be_opened_or_is_not_collected_is_refunded(app: App) -> None:
    await some_credit(app, 3000)
    shop = await make_shop(app, pieces=3)
    left = await shop.buy()
    gone = await shop.buy()
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": gone.locker_parcel_id}, confirmed=True)
    await shop.cabinet.does()
    assert (await shop.now(gone.id)).end_reason == "box_empty"
    app.clock.forward(hours=25)
    await app.work_off()
    assert (await shop.now(left.id)).end_reason == "not_collected"
    stuck = await shop.reserve()
    await app.answer("customer", "buy_reserved_shop_item", {"shop_purchase_id": stuck.id}, confirmed=True)
    await app.answer("admin", "revoke_device", {"device_id": shop.cabinet.device_id})
    await app.work_off()
    assert (await shop.now(stuck.id)).end_reason == "not_released"
    assert ((await credit(app))[0], await faults(app)) == (3000, [])


async def test_a_killed_job_releases_once_when_repeated_and_refunds_if_it_never_can(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    await some_credit(app, 2000)
    shop = await make_shop(app, pieces=2)
    asked = [{"shop_purchase_id": (await shop.reserve()).id} for _ in range(2)]
    await app.answer("customer", "buy_reserved_shop_item", asked[0], confirmed=True)
    whole = actions.get_settings

    async def dies(call: Call) -> ShopTerms:
        raise ConnectionError("the process was killed here")

    monkeypatch.setattr(actions, "get_settings", dies)
    await app.work_off()
    assert (await shop.now(asked[0]["shop_purchase_id"])).status == "paid"
    monkeypatch.setattr(actions, "get_settings", whole)
    app.clock.forward(minutes=5)
    await app.work_off()
    args = actions.DuePurchase(asked[0]["shop_purchase_id"])
    run = JobRun(app.application, app.clients["demo"], 1, 1)
    await asyncio.gather(*(release_paid_purchase.handler(run, args) for _ in range(5)))
    assert (await shop.now(asked[0]["shop_purchase_id"])).status == "ready"
    assert len([mail for mail in letters(app) if "Earl Grey" in mail.subject]) == 1
    monkeypatch.setattr(actions, "get_settings", dies)
    await app.answer("customer", "buy_reserved_shop_item", asked[1], confirmed=True)
    app.clock.forward(minutes=16)
    await app.work_off()
    assert (await shop.now(asked[1]["shop_purchase_id"])).end_reason == "not_released"
    await asyncio.gather(*(end_time_of_purchase.handler(run, actions.DuePurchase(args.purchase_id)) for _ in range(5)))
    assert ((await credit(app))[0], await faults(app)) == (1150, [])


async def test_compartments_are_restocked_by_tasks_and_the_earliest_expiry_is_sold_first(app: App) -> None:
    await some_credit(app, 5000)
    shop = await make_shop(app, pieces=0, boxes=4, shelf_days=5)
    await shop.fill(1)
    await shop.fill(1, expires_on="2026-06-11")
    await shop.fill(1, expires_on="2030-01-01")
    task = (await app.answer("admin", "list_restock_tasks", {"status": "done"})).tasks[0]
    assert (task.filled, task.product_name) == (1, "Earl Grey, tin")
    assert await refusal(app, "admin", "restock_shop_box", {"restock_task_id": task.id}) == (409, "RESTOCK_TASK_CLOSED")
    near = await shop.items(expiring_days=5)
    assert [str(each.expires_on) for each in near] == ["2026-06-11", "2026-06-15"]
    first = await shop.reserve()
    assert first.box == near[0].box
    await app.answer("customer", "cancel_shop_purchase", {"shop_purchase_id": first.id})
    app.clock.forward(days=2)
    assert await shop.offered() == 2
    (old,) = [each for each in await shop.items(expiring_days=0) if each.expired]
    await app.answer("admin", "withdraw_shop_item", {"shop_item_id": old.id})
    await shop.cabinet.does()
    assert [each.id for each in await shop.items(status="removed")] == [old.id]
    open_task = (await app.answer("admin", "create_restock_task", {**shop.wanted, "quantity": 2})).task
    closed = await app.answer("admin", "cancel_restock_task", {"restock_task_id": open_task.id})
    assert closed.task.status == "cancelled"


async def test_a_compartment_out_of_service_is_not_sold_from(app: App) -> None:
    shop = await make_shop(app)
    (box, *_) = (await app.answer("admin", "list_locker_boxes", {"site_id": shop.cabinet.site_id})).boxes
    await app.answer("admin", "update_locker_box", {"box_id": box.id, "state": "disabled"})
    assert await shop.offered() == 0
    assert await refusal(app, "customer", "reserve_shop_item", shop.wanted) == (409, "SHOP_SOLD_OUT")


async def test_sales_are_aggregated_in_a_constant_number_of_statements(app: App) -> None:
    await some_credit(app, 20_000)
    shop = await make_shop(app, pieces=3)
    counts: list[int] = []
    asked = {"date_from": "2026-06-10", "date_to": "2026-06-10", "by": "product"}
    sales: Any = None
    for piece in range(3):
        purchase = await shop.buy()
        await shop.open_with(await shop.code(purchase.id), "failed" if piece == 2 else "done")
        before = app.statements
        (sales,) = (await app.answer("admin", "get_shop_sales", asked)).sales
        counts.append(app.statements - before)
    assert counts[0] == counts[-1]
    assert (sales.sold, sales.gross_minor, sales.tax_minor, sales.refunded, sales.refunded_minor) == (
        *(3, 2550, 294),
        *(1, 850),
    )
    for by, name in (("site", "Union Station, hall B"), ("day", "2026-06-10")):
        assert [each.name for each in (await app.answer("admin", "get_shop_sales", {**asked, "by": by})).sales] == [
            name
        ]
    long = {"date_from": "2026-01-01", "date_to": "2027-06-10"}
    assert await refusal(app, "admin", "get_shop_sales", long) == (422, "INVALID_REQUEST")


async def test_other_businesses_and_customers_cannot_see_a_shop(app: App) -> None:
    await some_credit(app, 1000)
    shop: Shop = await make_shop(app)
    purchase = await shop.buy()
    mine = {"shop_purchase_id": purchase.id}
    for who in ("customer2", "rival", "rival_customer"):
        assert await refusal(app, who, "get_shop_purchase", mine) == (404, "NOT_FOUND")
        assert (await app.answer(who, "list_shop_purchases", {})).purchases == []
    for operation in ("buy_reserved_shop_item", "cancel_shop_purchase", "renew_shop_code"):
        assert await refusal(app, "customer2", operation, mine) == (404, "NOT_FOUND")
    assert (await app.answer("rival", "list_shop_items", {})).items == []
    there = {"clientCode": "rival", "site_id": shop.cabinet.site_id}
    assert await refusal(app, None, "list_shop_offers", there) == (404, "NOT_FOUND")
    assert await refusal(app, None, "get_linked_shop_purchase", {"link": "hlshop_nothing"}) == (
        404,
        "SHOP_LINK_INVALID",
    )
