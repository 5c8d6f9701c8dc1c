"""Customers are found by name, and orders by their customer."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_order


async def found(app: App, query: str, who: str = "admin") -> list[int]:
    answer = await app.answer(who, "find_customers", {"search": query})
    assert answer.total == len(answer.customers)
    return [customer.customer_id for customer in answer.customers]


async def make_known_customer(app: App) -> dict[str, Any]:
    """The settings of a customer whom the business knows well."""
    known = {"name": "Grace Hopper", "customer_code": "C-17", "phone": "+14165550123"}
    settings = {"customer_id": app.ids["customer"], **known}
    return {**known, "email": (await app.answer("admin", "update_customer_settings", settings)).email}


async def test_customers_can_be_found_by_name_email_phone_code_and_id(app: App) -> None:
    known = await make_known_customer(app)
    own = app.ids["customer"]
    for query in ("hopper", "GRACE", known["email"], "c-17", "416 555-0123", "+1 (416) 555 0123", f"#{own}"):
        assert own in await found(app, query), query
    assert await found(app, "hopper") == [own]
    assert await found(app, "nobody at all") == []
    assert await found(app, "hopper", "rival") == []
    everybody = [customer.customer_id for customer in (await app.answer("admin", "find_customers")).customers]
    assert sorted(everybody) == sorted([own, app.ids["customer2"]])


async def test_customers_cannot_find_each_other(app: App) -> None:
    assert (await app.call("customer", "find_customers", {"search": "ada"})).status == 403


async def test_orders_can_be_filtered_by_customer_name(app: App) -> None:
    known = await make_known_customer(app)
    order_id = await make_order(app, "customer")
    await make_order(app)
    for customer in (known["email"], "Hopper", "4165550123", "C-17"):
        answer = await app.answer("admin", "get_orders", {"customer": customer})
        assert ([order.id for order in answer.orders], answer.total) == ([order_id], 1), customer
    refused = await app.call("admin", "get_orders", {"customer": "nobody at all"})
    assert refused.error
    assert [error["field"] for error in refused.error["errors"]] == ["customer"]
