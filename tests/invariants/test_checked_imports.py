"""A check of a file says of each row what its import then does, for every import that can be checked."""

from base64 import b64encode
from collections.abc import Awaitable, Callable

from tests.support.app import App

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
        "B-3,Cy,1 King St W,Toronto,CA,,,,rocket,",  # a service that nobody offers
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


IMPORTS: list[Callable[[App], Awaitable[tuple[Outcomes, Outcomes]]]] = [
    orders_checked_and_imported,
    addresses_checked_and_imported,
    records_checked_and_imported,
]


async def test_a_check_says_of_each_row_what_its_import_does(app: App) -> None:
    for checked_and_imported in IMPORTS:
        checked, imported = await checked_and_imported(app)
        assert len(checked) > 3
        assert checked == imported, checked_and_imported.__name__


def test_every_import_with_a_check_is_compared(app: App) -> None:
    """A new operation that can be checked needs an entry above."""
    checks = {
        operation.name
        for operation in app.application.registry
        if "import" in operation.name and "check_only" in operation.request.model_fields
    }
    assert checks == {"import_addresses", "import_dataset_records"}
    assert app.application.registry.get("check_order_file")
