"""Files are imported into the address book, and each row has an outcome."""

from base64 import b64encode
from typing import Any

import pytest
from tests.support.app import App

from haulier.contexts.places.address_book.operations import imports
from haulier.kernel.values.table_files import UnreadableTable, read_table
from haulier.kernel.values.xlsx import write_xlsx


async def imported(app: App, document: bytes, **more: Any) -> Any:
    """The outcome of an import."""
    started = await app.answer("admin", "import_addresses", {"document": b64encode(document).decode(), **more})
    await app.work_off()
    return await app.answer("admin", "get_address_import", {"import_id": started.import_id})


CSV = """\
Customer;Street;Town;ZIP;ref
Ada;100 Queen St W;Toronto;m5h2n2;A
Bob;;Toronto;;B
Ada;100 queen street west;Toronto;M5H 2N2;
Cleo;1 King St;Toronto;;A
"""
MAPPING = {"name": "Customer", "reference": "ref"}


async def test_each_imported_row_has_an_outcome(app: App) -> None:
    outcome = await imported(app, CSV.encode(), mapping=MAPPING, country="CA", file_name="customers.csv")
    assert (outcome.state, outcome.rows, outcome.done, outcome.total) == ("partly_done", 4, 4, 4)
    assert [(row.number, row.state, row.reference) for row in outcome.outcomes] == [
        (1, "created", "A"),
        (2, "refused", "B"),
        (3, "duplicate", None),
        (4, "refused", "A"),
    ]
    assert [[(error.field, error.code) for error in row.errors] for row in outcome.outcomes if row.errors] == [
        [("address", "MISSING")],
        [("reference", "REPEATED_IN_FILE")],
    ]
    (address,) = (await app.answer("admin", "list_addresses")).addresses
    assert (address.name, address.postal_code, address.reference) == ("Ada", "M5H 2N2", "A")
    refused = {"import_id": outcome.import_id, "state": "refused"}
    assert [row.number for row in (await app.answer("admin", "get_address_import", refused)).outcomes] == [2, 4]


async def test_an_existing_reference_is_updated_only_in_the_given_fields(app: App) -> None:
    ada = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "reference": "A"}
    address = (await app.answer("admin", "create_address", {**ada, "phone": "+14165550100", "gate_code": "1#"})).address
    outcome = await imported(app, b"reference,name,address,city,country\nA,Ada L.,5 Bay St,Toronto,ca\n")
    assert (outcome.updated, outcome.outcomes[0].address_id) == (1, address.id)
    after = (await app.answer("admin", "get_address", {"address_id": address.id})).address
    assert (after.name, after.address, after.phone, after.gate_code) == ("Ada L.", "5 Bay St", "+14165550100", "1#")
    assert [each.name for each in (await app.answer("admin", "search_address", {"search": "bay"})).addresses] == [
        "Ada L."
    ]


async def test_a_check_previews_the_import_and_changes_nothing(app: App) -> None:
    outcome = await imported(app, CSV.encode(), mapping=MAPPING, country="CA", check_only=True)
    assert (outcome.check_only, outcome.created, outcome.refused) == (True, 1, 2)
    assert (await app.answer("admin", "list_addresses")).total == 0


async def test_an_excel_file_is_read_as_displayed(app: App) -> None:
    document = write_xlsx(["Name", "Address", "City", "Postcode", "Country"], [["Otto", "Ring 5", "Köln", 50667, "DE"]])
    outcome = await imported(app, document, format="xlsx")
    assert outcome.created == 1, outcome.outcomes
    assert (await app.answer("admin", "list_addresses")).addresses[0].postal_code == "50667"


async def test_an_unreadable_file_is_refused_immediately(app: App) -> None:
    for document, more, field in (
        (b"\x00\x01", {"format": "xlsx"}, "document"),
        (b"name,address,city\n", {}, "mapping"),
        (b"name,address\n", {"country": "CA"}, "mapping"),
        (CSV.encode(), {"mapping": {"name": "Who"}, "country": "CA"}, "mapping"),
    ):
        values = {"document": b64encode(document).decode(), **more}
        result = await app.call("admin", "import_addresses", values)
        assert result.status == 422, values
        assert result.error
        assert [error["field"] for error in result.error["errors"]] == [field], values


async def test_an_interrupted_import_resumes_without_duplicates(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "ROWS_PER_TRANSACTION", 2)
    lines = "".join(f"Person {n},{n} Bay St,Toronto,CA\n" for n in range(5))
    outcome = await imported(app, f"name,address,city,country\n{lines}".encode())
    assert (outcome.created, outcome.done) == (5, 5)
    await app.application.background.job_types["places.import_addresses"].handler(
        _run(app), imports.ProcessAddressImport(outcome.import_id)
    )
    assert (await app.answer("admin", "list_addresses")).total == 5


def _run(app: App) -> Any:
    from haulier.kernel.job_run import JobRun

    return JobRun(app.application, app.clients["demo"], 1, 1)


async def test_a_cancelled_import_keeps_imported_rows(app: App) -> None:
    document = b64encode(CSV.encode()).decode()
    started = await app.answer("admin", "import_addresses", {"document": document, "mapping": MAPPING, "country": "CA"})
    ref = {"import_id": started.import_id}
    await app.answer("admin", "cancel_address_import", ref)
    await app.work_off()
    assert (await app.answer("admin", "get_address_import", ref)).state == "cancelled"
    assert (await app.answer("admin", "list_addresses")).total == 0
    again = await app.call("admin", "cancel_address_import", ref)
    assert again.error
    assert again.error["code"] == "ADDRESS_IMPORT_IS_OVER"


async def test_an_import_uses_a_constant_number_of_statements(app: App) -> None:
    def make_file(rows: int, street: str) -> bytes:
        lines = "".join(f"Person {n},{n} {street},Toronto,CA,{street}{n}\n" for n in range(rows))
        return f"name,address,city,country,reference\n{lines}".encode()

    costs: list[int] = []
    for rows, street in ((1, "Bay"), (50, "King")):
        before = app.statements
        await imported(app, make_file(rows, street))
        costs.append(app.statements - before)
    assert costs[1] == costs[0]


def test_common_spreadsheet_formats_are_read() -> None:
    for document in (b"a,b\n1,2\n", b"\xef\xbb\xbfa;b\r\n1;2\r\n\r\n", "a\tb\n1\t2\n".encode("utf-16"), b"a|b\n1|2"):
        header, rows, _ = read_table(document, "csv")
        assert (header, list(rows)) == (["a", "b"], [["1", "2"]])
    header, rows, _ = read_table("Straße\nGrün\n".encode("cp1252"), "csv")
    assert (header, list(rows)) == (["Straße"], [["Grün"]])
    for nothing in (b"", b"\n", b"PK\x03\x04"):
        with pytest.raises(UnreadableTable):
            read_table(nothing, "xlsx" if nothing.startswith(b"PK") else "csv")
