"""Requests and files refuse unknown country codes in every country field."""

from base64 import b64encode
from pathlib import Path
from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

import haulier
from haulier.contexts.shipping.accounts.contract import ShippingAddress

NOWHERE = {**ADDRESS, "country": "ZZ"}
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "create_order": ({"consignee": NOWHERE}, "consignee.country"),
    "quote_delivery": ({"consignee": NOWHERE}, "consignee.country"),
    "create_address": (NOWHERE, "country"),
    "get_shipping_rate": ({"consignee": NOWHERE}, "consignee.country"),
    "create_shipping_label": ({"shipment": {"consignee": NOWHERE}, "service": "x"}, "shipment.consignee.country"),
    "uniorder_rate": ({"consignee": NOWHERE}, "consignee.country"),
    "open_carrier_account": ({"carrier": "HOUSE", "name": "Van", "sender": NOWHERE}, "sender.country"),
}
OTHER_REGIONS = {"kernel/values/countries.py", "kernel/operations/pattern_words.py"} | {
    "contexts/messaging/campaigns/contract/contacts.py"  # telephone regions, not all of them countries
}


async def test_an_unknown_country_code_is_refused_by_field(app: App) -> None:
    for operation, (values, field) in CALLS.items():
        refused = await app.call("admin", operation, values)
        assert refused.error, operation
        told = [(fault["field"], fault["message"]) for fault in refused.error["errors"]]
        message = "ZZ is not a country code. Use a two-letter code of ISO 3166-1, such as CA."
        assert (refused.status, told) == (422, [(field, message)]), operation


async def test_rows_of_files_and_batches_are_refused_individually(app: App) -> None:
    document = b64encode(b"name,address,city,country\nAda,1 Front St,Toronto,CA\nBob,2 Front St,Nowhere,ZZ\n").decode()
    checked = await app.answer("admin", "check_order_file", {"document": document})
    assert [(row.number, row.errors[0].field) for row in checked.faults] == [(2, "consignee.country")]
    made = await app.answer("admin", "bulk_create_orders", {"orders": [{"consignee": ADDRESS}, {"consignee": NOWHERE}]})
    assert [bool(outcome.order_id) for outcome in made.outcomes] == [True, False]


def test_every_country_in_a_request_has_the_same_type() -> None:
    source = Path(haulier.__file__).parent
    patterned = {str(file.relative_to(source)) for file in source.rglob("*.py") if '"^[A-Z]{2}$"' in file.read_text()}
    assert patterned == OTHER_REGIONS


def test_addresses_stored_before_the_check_stay_readable() -> None:
    assert ShippingAddress.model_validate(NOWHERE).country == "ZZ"
