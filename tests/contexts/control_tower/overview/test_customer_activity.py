"""Open orders, newest order and unpaid invoices of customers."""

from msgspec import to_builtins
from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business
from tests.contexts.control_tower.overview.makers import take_step
from tests.support.app import App
from tests.support.transport import make_order

from haulier.contexts.orders.public import OrderStep


async def test_open_orders_and_debts_are_summed_per_customer(app: App) -> None:
    await make_billing_business(app)
    customer = app.ids["customer"]
    await make_order(app, customer_id=customer)
    done = await make_order(app, customer_id=customer)
    await take_step(app, done, OrderStep.CANCEL)
    await make_order(app)
    await charged(app, 1130)
    await issued(app)
    answer = await app.answer("admin", "get_customer_activity", {"customer_ids": [customer, app.ids["admin"]]})
    (line,) = to_builtins(answer)["customers"]
    assert (line["customer_id"], line["open_orders"], line["last_order_id"]) == (customer, 1, done)
    assert line["debts"] == [
        {"currency": "CAD", "invoices": 1, "due_minor": 1130, "overdue": 0, "overdue_minor": 0},
    ]


async def test_a_customer_without_orders_has_no_activity(app: App) -> None:
    answer = await app.answer("admin", "get_customer_activity", {"customer_ids": [app.ids["customer"]]})
    (line,) = to_builtins(answer)["customers"]
    assert line == {
        "customer_id": app.ids["customer"],
        "open_orders": 0,
        "last_order_id": None,
        "last_order_at": None,
        "debts": [],
    }
