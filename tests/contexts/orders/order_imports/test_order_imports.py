"""Order imports from spreadsheets: column mapping, and errors by row."""

from base64 import b64encode
from typing import Any

import pytest
from tests.support.app import App

from haulier.kernel.values.xlsx import write_xlsx

HEADER = "Order no;Recipient;Street;Town;Postcode;Country;Delivery date;From;Until;Pieces;Weight;COD;Signature"
GOOD = "A-{n};Ada {n};{n} Queen St W;Toronto;M5V 2T6;ca;2026-06-12;15:00;17:30;2;1,5;25.00;yes"


def make_file(*rows: str, header: str = HEADER) -> str:
    return b64encode("\r\n".join([header, *rows]).encode()).decode()


async def orders_of(app: App, who: str = "admin") -> list[Any]:
    await app.work_off()
    return list((await app.answer(who, "get_orders", {"per_page": 100})).orders)


async def test_columns_are_recognized_by_common_spreadsheet_headers(app: App) -> None:
    asked = {"document": make_file(GOOD.format(n=1))}
    check = await app.answer("admin", "check_order_file", asked)
    assert (check.total, check.faulty, check.missing) == (1, 0, [])
    assert [column.field for column in check.columns] == [
        *("order_ref", "name", "address", "city", "postal_code", "country", "scheduled_date"),
        *("window_start", "window_end", "quantity", "weight_kg", "cod", "signature_required"),
    ]
    assert await orders_of(app) == []
    started = await app.answer("admin", "import_orders", asked)
    (order,) = await orders_of(app)
    detail = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert (detail.order_ref, detail.consignee.name, detail.consignee.country) == ("A-1", "Ada 1", "CA")
    assert detail.window_start.isoformat() == "2026-06-12T15:00:00-04:00"
    assert [package.weight_g for package in detail.packages] == [1500, 1500]
    assert (detail.cod_minor, detail.signature_required) == (2500, True)
    batch = await app.answer("admin", "get_async_batch_result", {"id": started.async_id})
    assert (batch.state, batch.created) == ("done", 1)


async def test_ten_invalid_rows_of_two_hundred_are_reported_and_can_be_fixed_in_the_same_file(app: App) -> None:
    rows = [GOOD.format(n=n) for n in range(200)]
    for n in range(0, 200, 40):
        rows[n] = rows[n].replace(f"Ada {n}", "")
        rows[n + 20] = rows[n + 20].replace("2026-06-12", "12 June").replace(";2;", ";two;")
    check = await app.answer("admin", "check_order_file", {"document": make_file(*rows)})
    assert (check.total, check.faulty) == (200, 10)
    assert [fault.number for fault in check.faults] == [n + 1 for n in range(0, 200, 20)]
    assert {error.field for fault in check.faults for error in fault.errors} == {
        "consignee.name",
        "scheduled_date",
        "packages.0.quantity",
    }
    started = await app.answer("admin", "import_orders", {"document": make_file(*rows)})
    assert (started.total, started.refused) == (200, 10)
    await app.work_off()
    whole = await app.answer("admin", "import_orders", {"document": make_file(*(GOOD.format(n=n) for n in range(200)))})
    await app.work_off()
    batch = await app.answer("admin", "get_async_batch_result", {"id": whole.async_id})
    assert (batch.created, batch.existing, batch.failed) == (10, 190, 0)


async def test_any_column_can_be_mapped_and_missing_ones_have_a_common_value(app: App) -> None:
    header, row = "who,where,town", "Bo,1 King St E,Toronto"
    document = make_file(row, header=header)
    check = await app.answer("admin", "check_order_file", {"document": document})
    assert (check.result, check.missing) == (False, ["name", "address", "country"])
    refused = await app.call("admin", "import_orders", {"document": document})
    assert refused.status == 422
    assert refused.error is not None
    assert refused.error["errors"][0]["field"] == "mapping"
    mapping = {"name": "who", "address": "where"}
    asked = {"document": document, "mapping": mapping, "country": "CA", "scheduled_date": "2026-06-13"}
    await app.answer("admin", "import_orders", asked)
    (order,) = await orders_of(app)
    assert (order.name, str(order.scheduled_date)) == ("Bo", "2026-06-13")
    wrong = await app.call("admin", "check_order_file", {"document": document, "mapping": {"name": "nobody"}})
    assert wrong.error is not None
    assert wrong.error["errors"][0]["code"] == "NO_SUCH_COLUMN"


async def test_an_excel_file_can_be_imported(app: App) -> None:
    rows = [["A-9", "Ada", "1 King St E", "Toronto", "CA"]]
    document = b64encode(write_xlsx(["order_ref", "name", "address", "city", "country"], rows)).decode()
    await app.answer("admin", "import_orders", {"document": document, "format": "xlsx"})
    assert [order.order_ref for order in await orders_of(app)] == ["A-9"]


async def test_a_customer_imports_their_own_orders_and_only_they_see_the_result(app: App) -> None:
    started = await app.answer("customer", "import_orders", {"document": make_file(GOOD.format(n=1))})
    assert [order.order_ref for order in await orders_of(app, "customer")] == ["A-1"]
    assert await orders_of(app, "customer2") == []
    for other in ("customer2", "rival"):
        assert (await app.call(other, "get_async_batch_result", {"id": started.async_id})).status == 404


@pytest.mark.parametrize("document", ["AAAA", b64encode(b"name,address\n").decode(), "not base64 at all", "Ôਯé¦"])
async def test_an_invalid_or_empty_table_is_refused_by_field(sqlite_app: App, document: str) -> None:
    # On one database: the file is read before anything is stored.
    for form in ("csv", "xlsx"):
        found = await sqlite_app.call("admin", "import_orders", {"document": document, "format": form})
        assert found.status == 422
        assert found.error is not None
        assert found.error["errors"][0]["field"] in {"document", "mapping"}
