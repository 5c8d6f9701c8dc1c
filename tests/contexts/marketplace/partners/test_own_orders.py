"""Orders of a partner who accepts one: both orders follow each other."""

import msgspec
from tests.contexts.marketplace.partners.makers import (
    at_stop,
    call_about_offer,
    drive_out,
    make_partnership,
    offer_orders,
    own_order,
    taken_order,
)
from tests.support.app import App
from tests.support.transport import make_contact, make_depot, make_order, make_route, order_row, status_and_code

from haulier.contexts.orders.public import OrderStatus

EMAIL = "ada@recipient.example"


async def giver_events(app: App, order_id: int) -> list[tuple[str, str | None]]:
    (timeline,) = (await app.answer("admin", "otep_client_tracking", {"order_id": order_id})).trackings
    events = msgspec.to_builtins(timeline.data)["events"]
    return [(each["status_code"], each["source"].get("name")) for each in events]


async def test_accepting_an_order_creates_the_partners_own_order_to_plan_label_and_deliver(app: App) -> None:
    consignee = make_contact(email=EMAIL, phone="+1 416 555 0100")
    words = {"consignee": consignee, "note": "a good customer", "order_ref": "G-1", "references": {"shop": "S-1"}}
    _, order_id, own_id = await taken_order(app, packages=[{"weight_g": 700, "quantity": 2}], **words)
    own = await own_order(app, own_id)
    assert (own.order_ref, own.fulfilment, own.customer_id, own.note) == (f"R-{order_id}", "self_delivery", None, None)
    assert (own.package_count, own.weight_g, own.consignee.phone) == (2, 1400, "+1 416 555 0100")
    assert own.consignee.email is None
    theirs = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert own.references == {"partner": "demo", "partner_tracking_number": theirs.tracking_number}
    assert own.tracking_number != theirs.tracking_number
    assert own_id in {each.order_id for each in (await app.answer("rival", "planning_pool", {})).orders}
    label = await app.rest("rival", "GET", f"/v1/orders/{own_id}/label")
    assert (label.status_code, own.tracking_number in label.text) == (200, True)


async def test_the_price_is_the_agreed_one_and_never_the_customers(app: App) -> None:
    _, order_id, own_id = await taken_order(app)
    own = await own_order(app, own_id)
    customers = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (own.shipping_price, own.currency) == (900, "CAD")
    assert [(line.code, line.amount) for line in own.price_details] == [("partner_fee", 900)]
    assert customers.shipping_price != 900
    assert customers.price_details[0].code != "partner_fee"


async def test_the_partners_progress_is_reported_to_the_sender_once_and_in_order(app: App) -> None:
    offer_id, order_id, own_id = await taken_order(app)
    visit = await drive_out(app, own_id)
    await at_stop(app, visit, "deliver_stop", recipient="Ada")
    row = await order_row(app, order_id)
    assert row.status == OrderStatus.DELIVERED
    said = await giver_events(app, order_id)
    assert said[-2:] == [("out_for_delivery", "rival"), ("delivered", "rival")]
    taken = (await app.answer("rival", "get_partner_order", {"offer_id": offer_id})).partner_order
    assert (taken.status, taken.last_report) == ("delivered", "delivered")
    async with app.database.write(app.clients["rival"]) as work:
        from haulier.contexts.marketplace.partners.actions import mirror_steps
        from haulier.kernel.call import call_as_system

        call = await call_as_system(app.application, app.clients["rival"], work)
        await mirror_steps(call, offer_id)
    assert await giver_events(app, order_id) == said


async def test_a_failed_attempt_and_the_next_one_are_reported_with_their_reason(app: App) -> None:
    _, order_id, own_id = await taken_order(app)
    visit = await drive_out(app, own_id)
    await at_stop(app, visit, "fail_stop", reason="recipient_absent", outcome="retry")
    assert (await order_row(app, order_id)).status == OrderStatus.FAILED
    (timeline,) = (await app.answer("admin", "otep_client_tracking", {"order_id": order_id})).trackings
    failed = msgspec.to_builtins(timeline.data)["events"][-1]
    assert (failed["status_code"], failed["incident_reason"]["code"]) == ("delivery_failed", "recipient_absent")
    pool = (await app.answer("admin", "planning_pool", {})).orders
    assert order_id not in {each.order_id for each in pool}, "it is still the partner's"


async def test_an_order_cancelled_by_the_sender_is_cancelled_at_the_partner_and_leaves_its_route(app: App) -> None:
    _, order_id, own_id = await taken_order(app)
    depot_id = await make_depot(app, "rival")
    await make_route(app, "rival", [own_id], depot_id=depot_id)
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    await app.work_off()
    own = await own_order(app, own_id)
    assert (own.status, own.route_id) == ("CANCELLED", None)


async def test_an_order_cancelled_by_the_partner_is_pending_at_the_sender_again(app: App) -> None:
    for step, status in (("planned", OrderStatus.NEW_ORDER), ("out", OrderStatus.FAILED)):
        order_id = await make_order(app)
        partnership = (await app.answer("admin", "list_partnerships", {})).partnerships
        partnership_id = partnership[0].id if partnership else await make_partnership(app)
        (offer_id,) = await offer_orders(app, partnership_id, [order_id])
        accepted = await call_about_offer(app, "rival", "accept_partner_order", offer_id)
        own_id = accepted.answer.partner_order.own_order_id
        if step == "out":
            await drive_out(app, own_id)
            await app.work_off()
            assert (await order_row(app, order_id)).status == OrderStatus.OUT_FOR_DELIVERY
        await app.answer("rival", "cancel_order", {"order_id": own_id, "reason": "the van broke down"})
        await app.work_off()
        row = await order_row(app, order_id)
        assert (row.status, bool(row.third_party_held), row.fulfilment) == (status, False, "self_delivery"), step
        (offer,) = (await app.answer("admin", "list_partner_offers", {"order_id": order_id})).offers
        assert (offer.status, offer.reason) == ("handed_back", "the van broke down")


async def test_returning_an_order_cancels_the_partners_own_order(app: App) -> None:
    offer_id, order_id, own_id = await taken_order(app)
    await call_about_offer(app, "rival", "return_partner_order", offer_id, reason="no van")
    await app.work_off()
    assert (await own_order(app, own_id)).status == "CANCELLED"
    assert (await order_row(app, order_id)).status == OrderStatus.NEW_ORDER


async def test_the_sender_can_recall_an_order_before_it_is_in_transit(app: App) -> None:
    offer_id, order_id, own_id = await taken_order(app)
    back = await app.rest("admin", "POST", f"/v1/partner-offers/{offer_id}/recall", {"reason": "we have a van"})
    assert (back.status_code, back.json()["offer"]["status"]) == (200, "withdrawn")
    await app.work_off()
    row = await order_row(app, order_id)
    assert (row.status, bool(row.third_party_held), row.fulfilment) == (OrderStatus.NEW_ORDER, False, "self_delivery")
    assert (await own_order(app, own_id)).status == "CANCELLED"
    again = await call_about_offer(app, "admin", "recall_partner_order", offer_id)
    assert status_and_code(again) == (409, "PARTNER_ORDER_NOT_HELD")
    other_id, _, own_id = await taken_order_again(app)
    await drive_out(app, own_id)
    await app.work_off()
    late = await call_about_offer(app, "admin", "recall_partner_order", other_id)
    assert status_and_code(late) == (409, "PARTNER_ORDER_NOT_HELD"), "the goods are in their van"


async def taken_order_again(app: App) -> tuple[int, int, int]:
    order_id = await make_order(app)
    (partnership,) = (await app.answer("admin", "list_partnerships", {})).partnerships
    (offer_id,) = await offer_orders(app, partnership.id, [order_id])
    accepted = await call_about_offer(app, "rival", "accept_partner_order", offer_id)
    return offer_id, order_id, accepted.answer.partner_order.own_order_id


async def test_changes_by_the_sender_are_applied_at_the_partner(app: App) -> None:
    _, order_id, own_id = await taken_order(app, order_ref="G-1")
    window = {"window_start": "2026-06-10T18:00:00Z", "window_end": "2026-06-10T20:00:00Z"}
    await app.answer("admin", "update_time_window_by_refs", {"order_refs": ["G-1"], **window})
    instruction = {"order_id": order_id, "delivery_instruction": "Side door."}
    await app.answer("admin", "update_delivery_instruction", instruction)
    await app.work_off()
    own = await own_order(app, own_id)
    assert (own.window_start.hour, own.delivery_instruction) == (20, "Side door.")  # in Paris


async def test_a_manual_report_updates_the_own_order_unless_it_is_on_a_route(app: App) -> None:
    offer_id, _, own_id = await taken_order(app)
    for report in ("out_for_delivery", "delivered"):
        told = await call_about_offer(app, "rival", "report_partner_order", offer_id, report=report)
        assert told.error is None, told.error
    await app.work_off()
    assert (await own_order(app, own_id)).status == "DELIVERED"
    offer_id, _, own_id = await taken_order_again(app)
    await drive_out(app, own_id)
    told = await call_about_offer(app, "rival", "report_partner_order", offer_id, report="delivered")
    assert status_and_code(told) == (409, "PARTNER_ORDER_ON_ROUTE")


async def test_neither_side_can_access_the_others_order(app: App) -> None:
    _, order_id, own_id = await taken_order(app)
    assert status_and_code(await app.call("rival", "get_order_detail", {"order_id": order_id})) == (404, "NOT_FOUND")
    assert status_and_code(await app.call("admin", "get_order_detail", {"order_id": own_id})) == (404, "NOT_FOUND")


async def test_cash_on_delivery_requires_a_partner_with_the_same_currency(app: App) -> None:
    partnership_id, order_id = await make_partnership(app), await make_order(app, cod_minor=2500)
    asked = {"partnership_id": partnership_id, "order_ids": [order_id]}
    made = await app.answer("admin", "offer_orders_to_partner", asked)
    assert [(each.order_id, each.code) for each in made.errors] == [(order_id, "ORDER_COD_CURRENCY")]
