"""Addresses are created, updated, searched, merged and deleted."""

import base64
import csv
import io
from typing import Any

import pytest
from tests.support.app import App

from haulier.contexts.places.address_book.operations import addresses
from haulier.kernel.call import call_as_system
from haulier.kernel.pipeline.audit import list_audit_entries
from haulier.kernel.values.table_files import read_table

ADA = {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "region": "ON", "country": "CA"}


async def make_address(app: App, **changes: Any) -> Any:
    """An address of the demo client's book."""
    return (await app.answer("admin", "create_address", {**ADA, **changes})).address


async def found(app: App, query: str, who: str = "admin", **more: Any) -> list[str]:
    """The names of what a search finds."""
    answer = await app.answer(who, "search_address", {"search": query, **more})
    return [each.name for each in answer.addresses]


async def test_an_address_is_formatted_by_its_countrys_rules(app: App) -> None:
    address = await make_address(app, postal_code="m5h2n2", region="Ontario")
    assert (address.postal_code, address.region) == ("M5H 2N2", "ON")
    assert address.lines == ["ADA LOVELACE", "100 QUEEN ST W", "TORONTO ON M5H 2N2", "CANADA"]


async def test_unusual_addresses_give_warnings_and_are_saved(app: App) -> None:
    answer = await app.answer("admin", "create_address", {**ADA, "postal_code": "99999", "region": "XX"})
    assert [(each.field, each.code) for each in answer.warnings] == [
        ("postal_code", "unlikely"),
        ("region", "unlikely"),
    ]
    answer = await app.answer(
        "admin", "create_address", {**ADA, "postal_code": "99999", "address": "100 queen street W."}
    )
    assert [each.code for each in answer.warnings] == ["unlikely", "duplicate"]


async def test_search_matches_word_prefixes_in_any_order_without_accents(app: App) -> None:
    await make_address(app, name="Zoë Müller", address="12 Rue de l'Église", city="Montréal", phone="+1 (514) 555-0100")
    for query in ("muller eglise", "mont zoe", "EGLISE 12 montreal", "rue leglise", "5145550", "+1 (514) 555-0100"):
        assert await found(app, query) == ["Zoë Müller"], query
    assert await found(app, "muller geneva") == []
    assert await found(app, "muller", "rival") == []


async def test_search_matches_each_word_prefix_and_nothing_else(app: App) -> None:
    await make_address(app, name="Li", address="5 Streetsville Rd", city="Ajax", country="CA")
    await make_address(app, name="Mo", address="6 Streeters Way", city="Ajax", country="CA")
    word = "streetsville"
    for length in range(2, len(word) + 1):
        expected = {"Li", "Mo"} if length < 7 else {"Li"}
        assert {*await found(app, word[:length])} == expected, word[:length]
        assert {*await found(app, f"{word[:length]} aj")} == expected, word[:length]
    assert await found(app, "streetsvilles ajax") == ["Li"]  # one letter too many is forgiven
    assert await found(app, "streetsvale ajax") == []
    assert await found(app, "l") == await found(app, "li ajaxx ontario") == []


async def test_a_street_is_found_by_its_abbreviation_and_its_full_name(app: App) -> None:
    await make_address(app, name="Otto", address="Hauptstr. 5", city="Köln", country="DE", postal_code="50667")
    await make_address(app)
    assert await found(app, "hauptstrasse koln") == ["Otto"]
    assert await found(app, "queen street toronto") == ["Ada Lovelace"]
    assert await found(app, "ada", country="DE") == []
    assert await found(app, "???") == []


async def test_the_best_match_comes_first(app: App) -> None:
    await make_address(app, name="Queensway Ltd", address="1 King St", city="Toronto")
    await make_address(app, name="Ada", address="9 Queen St", city="Toronto")
    assert await found(app, "queen") == ["Ada", "Queensway Ltd"]


async def test_a_change_is_searchable_and_drops_outdated_coordinates(app: App) -> None:
    address = await make_address(app, lat=43.65, lng=-79.38, gate_code="77#")
    change = {"address_id": address.id, "address": "5 Bay St"}
    changed = (await app.answer("admin", "update_address", change)).address
    assert (changed.lat, changed.quality, changed.gate_code, changed.unit) == (None, None, "77#", None)
    assert await found(app, "bay") == ["Ada Lovelace"]
    assert await found(app, "queen") == []
    kept = await app.answer(
        "admin", "update_address", {"address_id": address.id, "lat": 43.6, "lng": -79.3, "phone": "1"}
    )
    assert (kept.address.lat, kept.address.quality) == (43.6, "pin")
    kept = await app.answer("admin", "update_address", {"address_id": address.id, "phone": None})
    assert (kept.address.lat, kept.address.phone) == (43.6, None)


async def test_gate_codes_appear_in_no_list_search_or_export(app: App) -> None:
    address = await make_address(app, gate_code="4711#", access_notes="Ring twice.")
    shown = (await app.rest("employee", "GET", f"/v1/addresses/{address.id}")).json()["address"]
    assert shown["gate_code"] == "4711#"
    for path in (
        "/v1/addresses",
        "/v1/addresses/search?search=ada",
        "/v1/addresses/export",
        "/v1/addresses/duplicates",
    ):
        answer = await app.rest("admin", "GET", path)
        document = answer.json().get("document", "")
        assert "4711" not in answer.text + base64.b64decode(document).decode(), path
    assert (await app.answer("admin", "list_addresses")).addresses[0].has_gate_code
    for who, status in (("driver", 403), ("contractor", 403), ("customer", 404)):
        assert (await app.rest(who, "GET", f"/v1/addresses/{address.id}")).status_code == status


async def test_deleting_an_address_removes_it_and_releases_its_reference(app: App) -> None:
    address = await make_address(app, reference="SHOP-1")
    taken = await app.call("admin", "create_address", {**ADA, "reference": "SHOP-1"})
    assert taken.error
    assert taken.error["code"] == "ADDRESS_REFERENCE_TAKEN"
    await app.answer("admin", "delete_address", {"address_id": address.id})
    assert (await app.call("admin", "get_address", {"address_id": address.id})).status == 404
    assert await found(app, "ada") == []
    assert (await app.answer("admin", "list_addresses")).total == 0
    await make_address(app, reference="SHOP-1")


async def test_there_is_one_default_sender(app: App) -> None:
    assert (await app.answer("admin", "get_default_sender")).address is None
    first = await make_address(app, default_sender=True)
    second = await make_address(app, name="Bob", default_sender=True)
    assert (await app.answer("admin", "get_default_sender")).address.id == second.id
    await app.answer("admin", "update_address", {"address_id": first.id, "default_sender": True})
    assert (await app.answer("admin", "get_default_sender")).address.id == first.id


async def test_the_book_can_be_listed_by_name_and_filtered(app: App) -> None:
    await make_address(app)
    await make_address(app, name="Aaron", city="Ottawa", lat=45.4, lng=-75.7)
    names = [each.name for each in (await app.answer("admin", "list_addresses")).addresses]
    assert names == ["Aaron", "Ada Lovelace"]
    for filters, expected in (
        ({"city": "Ottawa"}, ["Aaron"]),
        ({"country": "DE"}, []),
        ({"located": False}, ["Ada Lovelace"]),
        ({"search": "que tor"}, ["Ada Lovelace"]),
        ({"per_page": 1, "page": 2}, ["Ada Lovelace"]),
    ):
        listed = await app.answer("admin", "list_addresses", filters)
        assert [each.name for each in listed.addresses] == expected, filters


async def test_duplicates_can_be_found_and_merged(app: App) -> None:
    kept = await make_address(app, postal_code="M5H 2N2")
    twin = await make_address(
        app, name="LOVELACE, Ada", address="100 Queen Street West", city="City of Toronto", postal_code="m5h2n2",
        phone="+14165550100", gate_code="1#", default_sender=True, lat=43.65, lng=-79.38,
    )  # fmt: skip
    await make_address(app, name="Bob", postal_code="M5H 2N2")
    (group,) = (await app.answer("admin", "list_duplicate_addresses")).groups
    assert [each.id for each in group.addresses] == [kept.id, twin.id]
    merged = await app.answer("admin", "merge_addresses", {"address_id": kept.id, "duplicate_ids": [twin.id]})
    address = merged.address
    assert (address.phone, address.gate_code, address.default_sender, address.lat) == (
        "+14165550100",
        "1#",
        True,
        43.65,
    )
    assert merged.warnings == []
    assert (await app.answer("admin", "list_duplicate_addresses")).total == 0
    assert await found(app, "lovelace") == ["Ada Lovelace"]


async def test_an_export_can_be_imported_again(app: App) -> None:
    await make_address(app, access_notes="=1+1", reference="A", lat=43.65, lng=-79.38)
    document = (await app.answer("admin", "export_addresses")).document
    (row,) = csv.DictReader(io.StringIO(base64.b64decode(document).decode()))
    assert (row["name"], row["access_notes"], row["reference"]) == ("Ada Lovelace", "'=1+1", "A")
    started = await app.answer("admin", "import_addresses", {"document": document})
    await app.work_off()
    outcome = await app.answer("admin", "get_address_import", {"import_id": started.import_id})
    assert (outcome.state, outcome.unchanged) == ("done", 1)


async def test_a_long_book_is_exported_in_parts(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "MAX_EXPORTED", 1)
    await make_address(app)
    await make_address(app, city="Ottawa")
    result = await app.call("admin", "export_addresses")
    assert result.error
    assert result.error["code"] == "ADDRESS_EXPORT_TOO_LARGE"
    assert (await app.answer("admin", "export_addresses", {"city": "Ottawa"})).total == 1


async def test_the_audit_trail_records_access_to_a_gate_code_without_the_code(app: App) -> None:
    values = {"name": "Ada", "address": "1 Front St", "city": "Toronto", "country": "CA", "gate_code": "1234#"}
    made = (await app.answer("admin", "create_address", values)).address
    await app.answer("admin", "update_address", {"address_id": made.id, "gate_code": "99-77"})
    assert (await app.answer("admin", "get_address", {"address_id": made.id})).address.gate_code == "99-77"
    async with app.database.read(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        requests = [entry.request for entry in await list_audit_entries(call, "address", made.id)]
    assert [request["gate_code"] for request in requests] == ["**********", "**********"]


async def test_an_excel_export_can_be_imported_unchanged(app: App) -> None:
    odd = "=1+1 & <b>\x0b é"
    made = await make_address(app, name=odd, postal_code="01234", reference="R1", lat=43.5, lng=-79.25)
    export = await app.answer("admin", "export_addresses", {"format": "xlsx"})
    assert export.media_type.endswith("spreadsheetml.sheet")
    header, rows, _ = read_table(base64.b64decode(export.document), "xlsx")
    (row,) = rows
    cells = dict(zip(header, row, strict=True))
    assert (cells["name"], cells["lat"], cells["default_sender"]) == (odd.replace("\x0b", " "), "43.5", "false")
    request = {"document": export.document, "format": "xlsx"}
    started = await app.answer("admin", "import_addresses", {**request, "check_only": True})
    await app.work_off()
    done = await app.answer("admin", "get_address_import", {"import_id": started.import_id})
    assert [(outcome.state, outcome.address_id) for outcome in done.outcomes] == [("unchanged", made.id)]
