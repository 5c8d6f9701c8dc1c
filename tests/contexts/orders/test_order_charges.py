"""Delivered orders are charged to their customers, with the tax of their price."""

import asyncio
from typing import Any

import pytest
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.ledger.makers import cad, credit, faults, make_call
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.orders.makers import make_delivered_order
from tests.support.app import App
from tests.support.transport import make_order, make_started_route

from haulier.contexts.billing import public as billing
from haulier.contexts.orders.order_charges.actions import reconcile_order_charge
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.taxes import Tax

PRICE = 903
"""The default rate card charges 7.99 and 13 % of tax for a standard delivery across town."""
TAX = 104


async def delivered(app: App, **values: Any) -> int:
    """Create and deliver an order of the customer, and run the jobs that follow."""
    order_id, _ = await make_delivered_order(app, consignee=ADDRESS, customer_id=app.ids["customer"], **values)
    await app.work_off()
    return order_id


async def delivered_on_one_route(app: App) -> list[int]:
    """Create and deliver two orders of the customer."""
    ids = [await make_order(app, consignee=ADDRESS, customer_id=app.ids["customer"]) for _ in range(2)]
    route = await make_started_route(app, ids)
    for stop in route.stops:
        await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": stop.id})
    await app.work_off()
    return ids


async def invoice(app: App) -> Any:
    """Issue an invoice to the customer."""
    return (await app.answer("admin", "issue_invoice", {"customer_id": app.ids["customer"]})).invoice


async def test_a_delivery_is_charged_once_even_above_the_credit_limit(app: App) -> None:
    order_id = await delivered(app)
    assert await credit(app) == (-PRICE, 0, 0)
    await asyncio.gather(*(_reconcile(app, order_id) for _ in range(4)))
    assert await credit(app) == (-PRICE, 0, 0)
    assert await faults(app) == []


async def _reconcile(app: App, order_id: int) -> None:
    async with make_call(app) as call:
        await reconcile_order_charge(call, order_id)


async def test_a_customer_above_the_limit_cannot_order_until_the_debt_is_paid(app: App) -> None:
    await delivered(app)
    with pytest.raises(OperationError) as refused:
        await _buy_a_label(app)
    assert refused.value.error_type is billing.CREDIT_INSUFFICIENT
    await app.answer("admin", "set_credit_limit", {"customer_id": app.ids["customer"], "limit_minor": PRICE + 1})
    await _buy_a_label(app)
    assert await credit(app) == (-PRICE - 1, 0, 0)


async def _buy_a_label(app: App) -> None:
    label = billing.MoneySubject("label", 1)
    async with make_call(app) as call:
        await billing.charge(call, app.ids["customer"], cad(1), key="label", subject=label)


async def test_an_undone_delivery_is_refunded_and_the_next_one_charged(app: App) -> None:
    order_id, route = await make_delivered_order(app, consignee=ADDRESS, customer_id=app.ids["customer"])
    await app.work_off()
    await app.answer("admin", "undo_delivery", {"order_id": order_id, "reason": "The wrong stop."})
    await app.work_off()
    assert await credit(app) == (0, 0, 0)
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[-1].id})
    await app.work_off()
    assert await credit(app) == (-PRICE, 0, 0)
    assert await faults(app) == []


async def test_an_order_without_a_customer_is_not_charged(app: App) -> None:
    await make_delivered_order(app, consignee=ADDRESS)
    await app.work_off()
    assert await credit(app) == (0, 0, 0)


async def test_a_refund_by_staff_is_not_charged_again(app: App) -> None:
    order_id = await delivered(app)
    statement = await app.answer("admin", "get_credit_statement", {"customer_id": app.ids["customer"]})
    refund = {"transfer_id": statement.entries[0].transfer_id, "reference": "late", "reason": "It came late."}
    await app.answer("admin", "refund_charge", refund)
    await _reconcile(app, order_id)
    assert await credit(app) == (0, 0, 0)


async def test_an_invoice_names_the_delivery_and_its_tax(app: App) -> None:
    await app.answer("admin", "set_invoicing_settings", SETTINGS | {"tax_rate_bp": 500})
    await delivered(app, order_ref="A-1")
    issued = await invoice(app)
    (line,) = issued.lines
    assert (line.item, line.reference, line.recipient) == ("Standard", "A-1", "Ada Lovelace")
    assert line.serviced_on == app.clock().date()
    assert (issued.total_minor, issued.tax_minor) == (PRICE, TAX)
    (tax,) = issued.taxes
    assert (tax.name, tax.rate_bp, tax.net_minor, tax.amount_minor) == ("HST", 1300, PRICE - TAX, TAX)


async def test_a_credit_note_of_a_delivery_contains_its_share_of_the_tax(app: App) -> None:
    await app.answer("admin", "set_invoicing_settings", SETTINGS | {"tax_rate_bp": 500})
    await delivered(app)
    issued = await invoice(app)
    note = (
        await app.answer("admin", "credit_invoice", {"invoice_id": issued.id, "amount_minor": 452, "reason": "Late."})
    ).invoice
    assert (note.total_minor, note.tax_minor) == (452, 52)


async def test_an_undone_delivery_credits_its_invoice(app: App) -> None:
    order_id = await delivered(app)
    issued = await invoice(app)
    await app.answer("admin", "undo_delivery", {"order_id": order_id, "reason": "The wrong stop."})
    await app.work_off()
    shown = (await app.answer("admin", "get_invoice", {"invoice_id": issued.id})).invoice
    assert (shown.credited_minor, shown.due_minor) == (PRICE, 0)


async def test_a_business_with_external_billing_can_list_delivered_orders_and_their_total(app: App) -> None:
    await app.answer("admin", "set_charging_policy", {"deliveries": "manual"})
    first, second = await delivered_on_one_route(app)
    assert await credit(app) == (0, 0, 0)
    page = await app.answer("admin", "list_uncharged_orders", {"limit": 1})
    assert [order.order_id for order in page.orders] == [first]
    assert [(each.credit_currency, each.orders, each.left_minor) for each in page.sums] == [("CAD", 2, 2 * PRICE)]
    page = await app.answer("admin", "list_uncharged_orders", {"cursor": page.next_cursor})
    assert ([order.order_id for order in page.orders], page.next_cursor) == ([second], None)
    charged = await app.answer("admin", "charge_delivered_orders", {"order_ids": [second, first, second, 999]})
    assert charged.charged == [first, second]
    again = await app.answer("admin", "charge_delivered_orders", {"order_ids": [first]})
    assert again.charged == []
    assert await credit(app) == (-2 * PRICE, 0, 0)
    assert (await app.answer("admin", "list_uncharged_orders", {})).orders == []


async def test_charges_of_different_taxes_are_listed_by_rate_on_one_invoice(app: App) -> None:
    await app.answer("admin", "set_invoicing_settings", SETTINGS | {"tax_rate_bp": 1300})
    await app.answer("admin", "set_credit_limit", {"customer_id": app.ids["customer"], "limit_minor": 100_000})
    lines = {
        1050: (Tax(name="GST", rate_bp=500, amount_minor=50),),
        1130: (Tax(name="HST", rate_bp=1300, amount_minor=130),),
        999: (),
    }
    async with make_call(app) as call:
        for number, (minor, taxes) in enumerate(lines.items()):
            await billing.charge(
                call,
                app.ids["customer"],
                cad(minor),
                key=f"service:{number}",
                subject=billing.MoneySubject("label", number + 1),
                line=billing.ChargeDetails(taxes=taxes),
            )
    issued = await invoice(app)
    assert issued.tax_minor == 180
    assert [(tax.rate_bp, tax.net_minor, tax.amount_minor) for tax in issued.taxes] == [
        (1300, 1000, 130),
        (500, 1000, 50),
        (0, 999, 0),
    ]


async def created(app: App, **values: Any) -> int:
    """Create an order of the customer, and run the jobs that follow."""
    order_id = await make_order(app, consignee=ADDRESS, customer_id=app.ids["customer"], **values)
    await app.work_off()
    return order_id


async def test_a_business_that_charges_on_creation_charges_new_orders_once(app: App) -> None:
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_creation"})
    order_id = await created(app)
    assert await credit(app) == (-PRICE, 0, 0)
    route = await make_started_route(app, [order_id])
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[-1].id})
    await app.work_off()
    assert await credit(app) == (-PRICE, 0, 0)
    assert await faults(app) == []


async def test_repricing_an_order_charged_on_creation_charges_the_difference(app: App) -> None:
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_creation"})
    order_id = await created(app)
    heavy = {"order_id": order_id, "packages": [{"weight_g": 20_000}]}
    corrected = await app.answer("admin", "correct_order", heavy)
    await app.work_off()
    total = corrected.price.after
    assert total > PRICE
    assert await credit(app) == (-total, 0, 0)
    assert await faults(app) == []


async def test_a_cancelled_order_charged_on_creation_is_refunded_under_every_policy(app: App) -> None:
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_creation"})
    first, second = await created(app), await created(app)
    await app.answer("admin", "cancel_order", {"order_id": first, "reason": "Not needed."})
    await app.work_off()
    assert await credit(app) == (-PRICE, 0, 0)
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_delivery"})
    await app.answer("admin", "cancel_order", {"order_id": second, "reason": "Not needed."})
    await app.work_off()
    assert await credit(app) == (0, 0, 0)
    assert await faults(app) == []


@pytest.mark.parametrize("later", ["on_delivery", "on_invoice_run", "manual"])
async def test_changing_the_policy_charges_no_order_twice(app: App, later: str) -> None:
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_creation"})
    order_id = await created(app)
    await app.answer("admin", "set_charging_policy", {"deliveries": later})
    route = await make_started_route(app, [order_id])
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[-1].id})
    await app.work_off()
    assert await credit(app) == (-PRICE, 0, 0)
    assert (await app.answer("admin", "list_uncharged_orders", {})).orders == []


async def test_a_delivery_is_listed_as_uncharged_until_the_invoice_run(app: App) -> None:
    await app.answer("admin", "set_charging_policy", {"deliveries": "on_invoice_run"})
    order_id = await delivered(app)
    assert await credit(app) == (0, 0, 0)
    page = await app.answer("admin", "list_uncharged_orders", {})
    assert [(order.order_id, order.left_minor) for order in page.orders] == [(order_id, PRICE)]
