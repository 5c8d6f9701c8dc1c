"""Exports of orders, packages, customers and drivers with visible custom fields."""

import csv
import io
from base64 import b64decode
from typing import Any

import pytest
from tests.contexts.custom_fields.makers import make_field, make_order
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.kernel.values.table_files import read_table

OFFICE_ALONE: dict[str, Any] = {"visible_to": [], "editable_by": []}


def rows_in(export: Any) -> list[dict[str, str]]:
    """The rows of an export by the names of its columns."""
    return [*csv.DictReader(io.StringIO(b64decode(export.document).decode()))]


async def exported(app: App, who: str, operation: str, **asked: Any) -> list[dict[str, str]]:
    """Return the exported rows of a caller."""
    return rows_in(await app.answer(who, operation, asked))


async def test_orders_are_exported_with_the_fields_visible_to_the_caller(app: App) -> None:
    await make_field(app, "purchase_order", visible_to=["employee", "customer"])
    await make_field(app, "floors", value_schema={"type": "integer"})
    await make_field(app, "lift", value_schema={"type": "boolean"})
    await make_field(app, "doors", value_schema={"type": "array", "items": {"type": "string"}})
    await make_field(app, "margin", **OFFICE_ALONE)
    values = {"purchase_order": "4711", "floors": 3, "lift": True, "doors": ["A", "B"], "margin": "high"}
    order = await make_order(app, **values)
    (row,) = await exported(app, "admin", "export_orders")
    assert (row["id"], row["tracking_number"], row["name"]) == (str(order.id), order.tracking_number, ADDRESS["name"])
    own = {name: value for name, value in row.items() if name.startswith("custom_fields.")}
    assert own == {
        "custom_fields.purchase_order": "4711",
        "custom_fields.floors": "3",
        "custom_fields.lift": "true",
        "custom_fields.doors": "A B",
        "custom_fields.margin": "high",
    }
    (seen,) = await exported(app, "employee", "export_orders")
    assert "custom_fields.margin" not in seen
    assert seen["custom_fields.floors"] == "3"


async def test_customers_export_their_own_orders_with_visible_fields_and_prices(app: App) -> None:
    await make_field(app, "purchase_order", visible_to=["employee", "customer"], editable_by=["employee", "customer"])
    await make_field(app, "margin")
    await make_order(app, margin="high")
    new = {"consignee": ADDRESS, "custom_fields": {"purchase_order": "4711"}}
    order = (await app.answer("customer", "create_order", new)).order
    (row,) = await exported(app, "customer", "export_orders")
    assert (row["id"], row["custom_fields.purchase_order"]) == (str(order.id), "4711")
    assert "custom_fields.margin" not in row
    assert row["shipping_price"] == str(order.shipping_price)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    (row,) = await exported(app, "customer", "export_orders")
    assert not {"shipping_price", "currency"} & row.keys()


async def test_packages_are_exported_individually_with_custom_fields(app: App) -> None:
    await make_field(app, "serial", "package")
    order = await make_order(app, packages=[{"custom_fields": {"serial": "S1"}}, {"weight_g": 900}])
    rows = await exported(app, "admin", "export_orders", rows="packages")
    assert [(row["order_id"], row["custom_fields.serial"]) for row in rows] == [
        (str(order.id), "S1"),
        (str(order.id), ""),
    ]
    assert {row["tracking_number"] for row in rows} == {piece.tracking_number for piece in order.packages}


async def test_an_export_accepts_the_list_filters_and_pages_by_cursor(app: App) -> None:
    await make_field(app, "floors", value_schema={"type": "integer"}, filterable=True)
    ids = [(await make_order(app, floors=floors)).id for floors in (1, 2, 3)]
    first = await app.answer("admin", "export_orders", {"limit": 2})
    rest = await app.answer("admin", "export_orders", {"limit": 2, "cursor": first.next_cursor})
    assert [int(row["id"]) for row in rows_in(first) + rows_in(rest)] == ids[::-1]
    assert (first.count, rest.count, rest.next_cursor) == (2, 1, None)
    fitting = await exported(app, "admin", "export_orders", custom_fields=["floors>=2"], statuses=["NEW_ORDER"])
    assert [int(row["id"]) for row in fitting] == ids[:0:-1]
    assert await exported(app, "admin", "export_orders", search="nobody at all") == []


async def test_customers_are_exported_with_their_fields(app: App) -> None:
    await make_field(app, "sector", "customer", filterable=True)
    await make_field(app, "rating", "customer", **OFFICE_ALONE)
    customer = {"customer_id": app.ids["customer"], "custom_fields": {"sector": "Retail", "rating": "A"}}
    await app.answer("admin", "update_customer_settings", customer)
    (row,) = await exported(app, "admin", "export_customers", custom_fields=["sector:retail"])
    assert (row["customer_id"], row["custom_fields.sector"], row["custom_fields.rating"]) == (
        str(app.ids["customer"]),
        "Retail",
        "A",
    )
    (row,) = await exported(app, "employee", "export_customers", custom_fields=["sector:retail"])
    assert "custom_fields.rating" not in row
    pages = [await app.answer("admin", "export_customers", {"limit": 1})]
    while pages[-1].next_cursor:
        pages.append(await app.answer("admin", "export_customers", {"limit": 1, "cursor": pages[-1].next_cursor}))
    every = [row["customer_id"] for row in await exported(app, "admin", "export_customers")]
    assert [row["customer_id"] for page in pages for row in rows_in(page)] == every


async def test_drivers_are_exported_with_their_fields_if_the_caller_can_see_drivers(app: App) -> None:
    await make_field(app, "depot_code", "driver", visible_to=["employee", "contractor", "driver"], filterable=True)
    await make_field(app, "rating", "driver", default="new")
    own = {"name": "Dan", "user_id": app.ids["driver"], "custom_fields": {"depot_code": "N"}}
    await app.answer("admin", "create_driver", own)
    await app.answer("admin", "create_driver", {"name": "=Eve", "skills": ["tail_lift", "adr"]})
    rows = await exported(app, "admin", "export_drivers")
    shown = [(row["name"], row["skills"], row["custom_fields.depot_code"], row["custom_fields.rating"]) for row in rows]
    assert shown == [("Dan", "", "N", "new"), ("'=Eve", "tail_lift adr", "", "new")]
    assert [row["name"] for row in await exported(app, "admin", "export_drivers", search="dan")] == ["Dan"]
    (row,) = await exported(app, "driver", "export_drivers")
    assert (row["name"], row["custom_fields.depot_code"]) == ("Dan", "N")
    assert "custom_fields.rating" not in row


@pytest.mark.parametrize("path", ["order-export", "customer-export", "driver-export"])
async def test_the_accept_header_selects_a_file_download(app: App, path: str) -> None:
    await app.answer("admin", "create_driver", {"name": "Dan"})
    await make_order(app)
    headers = {"Authorization": f"Bearer {app.tokens['admin']}", "Accept": "text/csv"}
    answer = await app.http.get(f"/api/v1/{path}", headers=headers)
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert len([*csv.DictReader(io.StringIO(answer.text))]) >= 1
    workbook = await app.http.get(f"/api/v1/{path}?format=xlsx", headers=headers | {"Accept": "application/json"})
    header, rows, _ = read_table(b64decode(workbook.json()["document"]), "xlsx")
    assert header[0] in {"id", "customer_id"}
    assert rows


async def test_an_export_uses_a_constant_number_of_statements(app: App) -> None:
    await make_field(app, "floors", value_schema={"type": "integer"})

    async def statements() -> int:
        before = app.statements
        await app.answer("admin", "export_orders", {"rows": "packages"})
        return app.statements - before

    await make_order(app, floors=1)
    await statements()
    few = await statements()
    for floors in range(8):
        await make_order(app, floors=floors)
    assert await statements() == few
