"""The check of a file predicts the import result of each row."""

from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
from tests.contexts.billing.exchange_rates.ecb_server import DAILY_CSV
from tests.contexts.messaging.campaigns.makers import make_marketing_business
from tests.contexts.places.zone_makers import UNION
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, some_locations
from tests.support.app import App

from haulier.kernel import row_imports
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.operations.file_parts import find_file_places

HEADER = "order_ref,name,address,city,country,phone,postal_code,customer_id,service,scheduled_date\n"
ORDERS = HEADER + "".join(
    f"{row}\n"
    for row in (
        "OLD,Other,1 King St W,Toronto,CA,,,,,",  # the reference of another order
        "SAME,Ada,100 Queen St W,Toronto,CA,,,,,",  # a repeat of an order
        "B-1,Bo,1 King St W,Toronto,CA,,,,,",
        "B-1,Bo,2 King St W,Toronto,CA,,,,,",  # a reference of the file, with other content
        "B-1,Bo,1 King St W,Toronto,CA,,,,,",  # the same row again
        "B-2,Cy,1 King St W,Toronto,Canada,1.41656E+10,,,,",
        "B-3,Cy,1 King St W,Toronto,CA,,,,rocket,",  # an unknown service
        "B-4,Cy,,Toronto,CA,,,,,",
        "B-5,Cy,1 King St W,Toronto,CA,,,,,12 June",
        "B-6,Zoë Müller,1 King St W,Toronto,Kanada,,m5v2t6,,,2026-06-12",
        ",Nobody,1 King St W,Toronto,CA,,,,,",
    )
)
ADDRESSES = """\
reference,name,address,city,country,postal_code,phone
KNOWN,Ada,100 Queen St W,Toronto,CA,,
N-1,Bo,1 King St W,Toronto,Canada,,
N-1,Bo,2 King St W,Toronto,CA,,
,Bo,1 King St W,Toronto,CA,,
N-2,Cy,,Toronto,CA,,
N-3,Cy,5 Main St,Cambridge,US,2138,
N-4,Cy,6 Main St,Cambridge,US,02138,1.61756E+10
"""
RECORDS = "code,bays\nD-1,4\nD-1,5\nD-2,many\n,3\nD-3,\nKNOWN,7\n"
PRODUCTS = """\
sku,name,barcodes,weight_g
MUG,,,300
PLATE,Plate,P-1,
BOWL,Bowl,MUG-1,
CUP,Cup,,many
POT,Pot,P-2,
,Nothing,,
MUG,Mug,MUG-2,
DISH,Dish,MUG-1,
PLATE,Platter,,
JAR,Jar,P-1,
4.00638E+12,Lost,,
"""
CAME = """\
sku,location,quantity,lot,serial,expires_on
MUG,YYZ-A-01,5,,,
SERUM,YYZ-A-02,3,L1,,2026-12-31
PHONE,YYZ-B-01,1,,S-1,
MUG,NOWHERE,1,,,
NOBODY,YYZ-A-01,1,,,
PHONE,YYZ-A-02,1,,S-1,
SERUM,YYZ-B-01,3,L1,,2027-12-31
PHONE,YYZ-B-01,1,,S-2,
MUG,YYZ-A-01,4,,,
SERUM,YYZ-B-01,3,L2,,
MUG,YYZ-A-01,0,,,
"""
COUNTED = """\
sku,location,quantity
MUG,YYZ-A-01,3
MUG,YYZ-A-02,99
MUG,YYZ-B-01,7
PHONE,YYZ-A-02,1
NOBODY,YYZ-A-01,1
MUG,YYZ-B-01,7
"""
CONTACTS = """\
phone,name,consent_purpose,consent_basis,consent_method
+14165550101,Ann,,,
4165,Bo,,,
+14165550102,Cy,marketing,express,hope
+14165550103,Di,,,
+14165550101,Anna,,,
1.41656E+10,Ed,,,
14165550103,Dina,,,
,Nobody,,,
"""
PLACES = """\
reference,name,category,lat,lng
R-1,Lockers,locker,43.64,-79.38
R-2,Dock,dock,99,-79.38
,Fuel,fuel,43.65,-79.38
R-3,Depot,,43.65,-79.38
R-1,Lockers again,locker,43.65,-79.38
R-2,Dock,dock,43.66,-79.38
R-2,,dock,43.66,-79.38
"""
Outcomes = list[tuple[int, str]]


async def orders_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    ada = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
    for ref in ("OLD", "SAME"):
        await app.answer("admin", "create_order", {"order_ref": ref, "consignee": ada})
    request = {"document": b64encode(ORDERS.encode()).decode()}
    check = await app.answer("admin", "check_order_file", request)
    refused = {fault.number: fault.code for fault in check.faults}
    assert check.faulty == len(refused)
    started = await app.answer("admin", "import_orders", request)
    await app.work_off()
    batch = await app.answer("admin", "get_async_batch_result", {"id": started.async_id, "per_page": 100})
    return (
        [(number, refused.get(number, "")) for number in range(1, check.total + 1)],
        [(outcome.index + 1, outcome.code or "") for outcome in batch.outcomes],
    )


async def addresses_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    known = {"name": "Ada", "address": "1 Bay St", "city": "Toronto", "country": "CA", "reference": "KNOWN"}
    await app.answer("admin", "create_address", known)
    return await _twice(app, b64encode(ADDRESSES.encode()).decode(), check_only=True), await _twice(
        app, b64encode(ADDRESSES.encode()).decode(), check_only=False
    )


async def _twice(app: App, document: str, *, check_only: bool) -> Outcomes:
    started = await app.answer("admin", "import_addresses", {"document": document, "check_only": check_only})
    await app.work_off()
    result = await app.answer("admin", "get_address_import", {"import_id": started.import_id})
    return [(row.number, " ".join([row.state, *(error.code for error in row.errors)])) for row in result.outcomes]


async def records_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    fields = {"type": "object", "properties": {"code": {"type": "string"}, "bays": {"type": "integer"}}}
    schema = {**fields, "required": ["code"]}
    created = await app.answer(
        "admin", "create_dataset", {"name": "Docks", "record_schema": schema, "key_field": "code"}
    )
    outcomes: list[Outcomes] = []
    for check_only in (True, False):
        request = {"dataset_id": created.dataset.id, "format": "csv", "content": RECORDS, "check_only": check_only}
        started = await app.answer("admin", "import_dataset_records", request)
        await app.work_off()
        detail = await app.answer("admin", "get_dataset_import", {"import_id": started.dataset_import.id})
        outcomes.append(
            [(row.row, " ".join([row.state, *(error.code for error in row.errors)])) for row in detail.outcomes]
        )
    return outcomes[0], outcomes[1]


def _show_rows(rows: Iterable[Any]) -> Outcomes:
    return [(row.number, " ".join([row.state, row.code or "", *(error.code for error in row.errors)])) for row in rows]


async def _import_stock_table(app: App, operation: str, request: dict[str, Any]) -> Outcomes:
    started = await app.answer("admin", operation, {"format": "csv", **request})
    await app.work_off()
    detail = await app.answer(
        "admin", "get_stock_import", {"stock_import_id": started.stock_import.id, "per_page": 100}
    )
    assert detail.stock_import.check_only is request["check_only"]
    return _show_rows(detail.outcomes)


async def products_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    await make_product(app, "MUG", barcodes=["MUG-1"])
    request = {"content": PRODUCTS}
    checked = await _import_stock_table(app, "import_products", {**request, "check_only": True})
    return checked, await _import_stock_table(app, "import_products", {**request, "check_only": False})


async def stock_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    hall = await make_warehouse(app)
    await some_locations(app, hall, "A-01", "A-02", capacity=8)
    await some_locations(app, hall, "B-01")
    await make_product(app, "SERUM", tracking="lot", expires=True)
    await make_product(app, "PHONE", tracking="serial")
    checked, imported = Outcomes(), Outcomes()
    for request in ({"content": CAME, "reference": "DN-1"}, {"content": COUNTED, "mode": "set"}):
        before = await inventory(app)
        checked += await _import_stock_table(app, "import_stock", {**request, "check_only": True})
        assert await inventory(app) == before
        imported += await _import_stock_table(app, "import_stock", {**request, "check_only": False})
        assert await inventory(app) != before
    return checked, imported


async def contacts_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    await make_marketing_business(app)
    outcomes = list[Outcomes]()
    for check_only in (True, False):
        started = await app.answer("admin", "import_sms_contacts", {"content": CONTACTS, "check_only": check_only})
        await app.work_off()
        detail = await app.answer("admin", "get_sms_contact_import", {"sms_import_id": started.sms_import.id})
        outcomes.append(_show_rows(detail.outcomes))
    return outcomes[0], outcomes[1]


async def places_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    return await _import_places_twice(app, "/v1/points-of-interest/imports", PLACES.encode(), "text/csv")


async def zones_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    north, east = UNION
    area = [[[east, north], [east + 1, north], [east + 1, north + 1], [east, north]]]
    geometry = {"type": "Polygon", "coordinates": area}
    zones = [
        *({"code": "a"}, {"code": "b", "rule": "surcharge"}, {"code": "c"}, {"name": "North side"}, {"rule": "no_go"}),
        *({"code": "a", "name": "Again"}, {"code": "North side"}, {"code": "c", "priority": "high"}),
    ]
    features = [{"type": "Feature", "geometry": geometry, "properties": zone} for zone in zones]
    document = encode_json({"type": "FeatureCollection", "features": features})
    outcomes = await _import_places_twice(app, "/v1/zone-maps/imports", document, "application/geo+json")
    assert (await app.answer("admin", "list_zone_maps")).total == 1
    return outcomes


async def _import_places_twice(app: App, path: str, document: bytes, media_type: str) -> tuple[Outcomes, Outcomes]:
    outcomes = list[Outcomes]()
    for query in ("?check_only=true", ""):
        started = await app.rest("admin", "POST", path + query, content=document, headers={"Content-Type": media_type})
        await app.work_off()
        asked = {"place_import_id": started.json()["place_import_id"]}
        detail = await app.answer("admin", "get_place_import", asked)
        outcomes.append(_show_rows(detail.outcomes))
    return outcomes[0], outcomes[1]


async def exchange_rates_checked_and_imported(app: App) -> tuple[Outcomes, Outcomes]:
    """Compare new, corrected, unchanged and refused rates of a file."""
    await app.answer("admin", "import_exchange_rates", {"content": DAILY_CSV})
    corrected = "Date, USD, JPY, CAD, GBP, CHF, \n27 November 2026, 1.0856, 163.5, soon, 0.84, none, \n"
    outcomes = list[Outcomes]()
    for check_only in (True, False):
        before = await _list_rates(app)
        found = await app.answer("admin", "import_exchange_rates", {"content": corrected, "check_only": check_only})
        assert (await _list_rates(app) == before) is check_only
        counts = [(found.added, "added"), (found.updated, "updated"), (found.unchanged, "unchanged")]
        outcomes.append([*counts, *((fault.number, fault.code) for fault in found.errors)])
    return outcomes[0], outcomes[1]


async def _list_rates(app: App) -> list[tuple[str, str]]:
    listed = await app.answer("admin", "list_exchange_rates")
    return [(each.quote_currency, each.rate) for each in listed.exchange_rates]


IMPORTS: dict[str, Callable[[App], Awaitable[tuple[Outcomes, Outcomes]]]] = {
    "import_orders": orders_checked_and_imported,
    "import_addresses": addresses_checked_and_imported,
    "import_exchange_rates": exchange_rates_checked_and_imported,
    "import_dataset_records": records_checked_and_imported,
    "import_products": products_checked_and_imported,
    "import_stock": stock_checked_and_imported,
    "import_sms_contacts": contacts_checked_and_imported,
    "import_points_of_interest": places_checked_and_imported,
    "import_zones": zones_checked_and_imported,
}


async def test_a_check_reports_for_each_row_what_the_import_does(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use batches of two rows, so that dependent rows are far apart."""
    monkeypatch.setattr(row_imports, "ROWS_PER_TRANSACTION", 2)
    for operation, checked_and_imported in IMPORTS.items():
        checked, imported = await checked_and_imported(app)
        assert len(checked) > 3
        assert checked == imported, operation


def test_every_import_with_a_check_is_compared(app: App) -> None:
    """Require an entry above for each new import of a file."""
    registry = app.application.registry
    imports = {each.name for each in registry if each.name.startswith("import_") and find_file_places(each.request)}
    assert imports == IMPORTS.keys()
    unchecked = {name for name in imports if "check_only" not in registry.get(name).request.model_fields}
    assert unchecked == {"import_orders"}
    assert registry.get("check_order_file")
