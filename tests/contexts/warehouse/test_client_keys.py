"""Keys that clients choose: scans and stock files."""

import asyncio
from typing import Any

from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, some_locations
from tests.support.app import App

AT = "2026-06-10T08:00:00Z"


async def make_scan(app: App, **words: Any) -> dict[str, Any]:
    warehouse = await make_warehouse(app)
    await some_locations(app, warehouse, "A-01")
    await make_product(app)
    scan = {"scan_id": "1", "kind": "receive", "code": "MUG", "warehouse_id": warehouse, "location": "YYZ-A-01"}
    return {**scan, "quantity": 2, "occurred_at": AT, **words}


async def test_reusing_a_scan_id_for_another_code_is_refused_by_field(app: App) -> None:
    scan = await make_scan(app)
    first = await app.answer("employee", "record_scan", {"device_id": "gun", **scan})
    again = await app.answer("employee", "record_scan", {"device_id": "gun", **scan})
    assert (first.scan.repeated, again.scan.repeated, again.scan.outcome) == (False, True, "done")
    for changed in ({"code": "PKG-B"}, {"occurred_at": "2026-06-10T08:01:00Z"}, {"quantity": 3}):
        refused = await app.call("employee", "record_scan", {"device_id": "gun", **scan, **changed})
        assert refused.error
        assert (refused.status, refused.error["code"]) == (409, "CLIENT_KEY_REUSED")
        assert [each["field"] for each in refused.error["errors"]] == list(changed)
    assert await inventory(app) == {"MUG": (2, 0, 2)}


async def test_a_used_scan_id_in_a_batch_is_answered_individually(app: App) -> None:
    scan = await make_scan(app)
    rows = [scan, {**scan, "quantity": 5}, scan, {**scan, "scan_id": "2"}]
    answer = await app.answer("employee", "sync_scans", {"device_id": "gun", "scans": rows})
    told = [
        (each.outcome, each.refusal, each.repeated, [fault.field for fault in each.errors]) for each in answer.scans
    ]
    assert told == [
        ("done", None, False, []),
        ("refused", "scan_id_reused", False, ["quantity"]),
        ("done", None, True, []),
        ("done", None, False, []),
    ]
    assert await inventory(app) == {"MUG": (4, 0, 4)}


async def test_a_device_with_a_fast_clock_can_repeat_its_scan(app: App) -> None:
    scan = await make_scan(app, occurred_at="2026-06-11T08:00:00Z")
    for repeated in (False, True):
        answer = await app.answer("employee", "record_scan", {"device_id": "gun", **scan})
        assert answer.scan.repeated is repeated
        app.clock.forward(hours=2)


async def send_file(app: App, quantity: int, **words: Any) -> Any:
    content = f"sku,location,quantity\nMUG,YYZ-A-01,{quantity}\n"
    return await app.call(
        "employee", "import_stock", {"format": "csv", "content": content, "reference": "DN1", **words}
    )


async def test_a_stock_file_with_a_reference_counts_once(app: App) -> None:
    await make_scan(app)
    answers = await asyncio.gather(*(send_file(app, 10) for _ in range(4)))
    ids = {answer.answer.stock_import.id for answer in answers}
    assert len(ids) == 1
    await app.work_off()
    assert (await send_file(app, 10)).answer.stock_import.id in ids
    await app.work_off()
    assert await inventory(app) == {"MUG": (10, 0, 10)}
    refused = await send_file(app, 11)
    assert (refused.status, [each["field"] for each in refused.error["errors"]]) == (409, ["content"])


async def test_a_file_without_any_imported_rows_releases_its_reference(app: App) -> None:
    await make_scan(app)
    assert (await send_file(app, -1)).status == 200
    await app.work_off()
    assert (await send_file(app, 4)).status == 200
    await app.work_off()
    assert await inventory(app) == {"MUG": (4, 0, 4)}


async def test_rows_that_set_one_location_twice_are_refused(app: App) -> None:
    await make_scan(app)
    await some_locations(app, 1, "A-02")
    content = "sku,location,quantity,condition\nMUG,YYZ-A-01,3,\nMUG,YYZ-A-02,5,\nMUG,YYZ-A-01,4,good\n"
    started = await app.answer("employee", "import_stock", {"format": "csv", "content": content, "mode": "set"})
    await app.work_off()
    seen = await app.answer("employee", "get_stock_import", {"stock_import_id": started.stock_import.id})
    assert [each.state for each in seen.outcomes] == ["refused", "updated", "refused"]
    assert [each.errors[0].field for each in seen.outcomes if each.errors] == ["location", "location"]
    assert await inventory(app) == {"MUG": (5, 0, 5)}
