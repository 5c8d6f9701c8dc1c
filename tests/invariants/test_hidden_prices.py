"""A customer from whom every price is hidden finds none, whatever they ask, at whichever door, of whatever data."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.contexts.lockers.luggage.examples import TIMES, TRAVELLER
from tests.doors.mcp.mcp_servers import serve_mcp
from tests.invariants.doors_client import Doors, Reply
from tests.invariants.example_requests import a_request_for
from tests.invariants.price_walk import (
    CUSTOMERS,
    PLACE,
    VALUES,
    Records,
    a_customer_with_records,
    price_names,
    price_paths,
    records_within,
)
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, PriceFamily
from haulier.kernel.operations.errors import PRICE_HIDDEN, OperationError
from haulier.kernel.pipeline.hide_prices import price_fields, require_price_visible

AFTER_A_FAILED_VISIT = ("correct_address", "request_redelivery", "return_order")
LAST = ("cancel", "logout", "delete", "revoke", "sign_out", "change_password", "disable")
"""What would spoil the rest of the walk comes at its end."""


@pytest.fixture
async def doors(sqlite_app: App) -> AsyncIterator[Doors]:
    # Why: prices are hidden in answers by their types, which know no database; what is stored of it is read on both below.
    app = sqlite_app
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as mcp:
        yield Doors(app, mcp, base)


async def walk(doors: Doors, who: str, records: Records) -> list[Reply]:
    """Everything a customer can be answered: every operation, asked rightly, wrongly and in a rehearsal."""
    replies: list[Reply] = []
    for operation in sorted(CUSTOMERS, key=lambda o: (o.effect is Effect.WRITE, o.name.startswith(LAST))):
        values = body(operation, records)
        replies += [reply async for reply in doors.ask(who, operation, {**values, "page": "x"})]
        if operation.effect is Effect.WRITE:
            replies += [reply async for reply in doors.ask(who, operation, values, **{"x-dry-run": "1"})]
            asked = {"x-mcp-require-approval": "1"}
            replies += [reply async for reply in doors.ask(who, operation, values, **asked)]
        if not operation.name.startswith(LAST) or operation.name.startswith("cancel"):
            replies += [reply async for reply in doors.ask(who, operation, values)]
    return replies


def body(operation: Operation[Any, Any], records: Records) -> dict[str, Any]:
    """A request that gets far enough to be answered with prices."""
    order = records.known["order_id"]
    sent = {"service_code": "demo-send", "parcels": [{"package_ids": [records.known["free_package_id"]]}]}
    told: dict[str, dict[str, Any]] = {
        "get_orders": {},
        "list_shipments": {},
        "estimate_shipping_order": {"service_code": records.known["shipping_service_code"]},
        "create_shipping_order": {"service_code": records.known["shipping_service_code"], "consignee": PLACE},
        "list_shipping_orders": {},
        "list_shipouts": {},
        "list_payments": {},
        "otep_client_locker_storage": {},
        "create_payment": {"purpose": "storage_order", "subject_id": records.known["storage_order_id"]},
        "estimate_shipout": {**sent, "consignee": {"country": "CA"}},
        "create_shipout": {**sent, "consignee": PLACE},
        "submit_shipping_information": {"shipment_id": records.known["draft_shipment_id"]},
        "check_in_reservation": {"reservation_id": records.known["visit_id"]},
        "pay_no_show_fee": {"reservation_id": records.known["missed_visit_id"]},
        "find_order": {"query": records.known["order_refs"][0]},
        "propose_write": {"tool": "create_order", "arguments": {"consignee": PLACE}},
        "quote_delivery": {"consignee": {"lat": 43.6, "lng": -79.3}, "weight_g": 9000, "cod": True},
        "correct_address": {
            "order_id": records.known["tried"],
            "place": {name: PLACE[name] for name in ("address", "city", "country")},
        },
        "uniorder_create_batch": {"orders": [{"order": {"consignee": PLACE}}]},
        "uniorder_rate_batch": {"shipments": [{"consignee": PLACE, "quote_labels": True}]},
        **_of_devices(records.known),
        **_of_luggage(records.known),
        **_of_leases(records.known),
        "run_graphql_query": {"query": f"{{ order(order_id: {order}) {{ order {{ shipping_price }} }} }}"},
    }
    if operation.name in AFTER_A_FAILED_VISIT:
        records = Records(records.known | {"order_id": records.known["tried"]}, records.proposed)
    return told[operation.name] if operation.name in told else a_request_for(operation, records.known)


def _of_devices(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Each step of an order of devices, at an order that can take it."""
    sent, items = {"device_order_id": known["sent_device_order_id"]}, [{"product_code": known["product_code"]}]
    return {
        "list_device_products": {},
        "quote_device_order": {"items": items},
        "create_device_order": {"items": items, "consignee": PLACE},
        "list_device_orders": {},
        "list_device_returns": {},
        "update_device_order": {"device_order_id": known["other_device_order_id"]},
        "cancel_device_order": {"device_order_id": known["other_device_order_id"]},
        "pay_device_order": {"device_order_id": known["confirmed_device_order_id"]},
        "activate_ordered_device": {**sent, "serial": known["sent_serial"]},
        "request_device_return": {**sent, "serials": [known["sent_serial"]], "reason": "other"},
    }


def _of_luggage(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Each step of a booking of luggage, at one that can take it."""
    other = {"luggage_id": known["other_luggage_id"]}
    return {
        "quote_luggage": known["luggage_wish"],
        "book_luggage": {**known["luggage_wish"], **TIMES, "traveller": TRAVELLER},
        "list_luggage_bookings": {},
        "list_luggage_claims": {},
        "update_luggage_booking": {**other, "note": "Ring"},
        "cancel_luggage_booking": other,
        "get_payment_link": {"link": known["payment_link"]},
        "create_payment_link": {"purpose": "luggage", "subject_id": known["unpaid_luggage_id"]},
        "pay_luggage_booking": {"luggage_id": known["unpaid_luggage_id"]},
        "renew_luggage_codes": {"luggage_id": known["paid_luggage_id"]},
    }


def _of_leases(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Each step of a lease of boxes, at a lease that can take it."""
    active, parcel = {"locker_lease_id": known["locker_lease_id"]}, {"locker_parcel_id": known["leased_parcel_id"]}
    return {
        "list_locker_offers": {},
        "list_locker_leases": {},
        "list_lease_entries": {},
        "reserve_locker_lease": {"locker_offer_id": known["locker_offer_id"], "boxes": 1, "days": 2},
        "cancel_locker_lease": {"locker_lease_id": known["other_lease_id"]},
        "pay_locker_lease": {"locker_lease_id": known["reserved_lease_id"]},
        "extend_locker_lease": {**active, "days": 2},
        "reserve_leased_box": active,
        "open_leased_box": parcel,
        "cancel_leased_parcel": parcel,
    }


async def test_a_customer_from_whom_every_price_is_hidden_finds_none(doors: Doors) -> None:
    app = doors.app
    records = await a_customer_with_records(app, "customer")
    hidden = {"customer_id": app.ids["customer"], "hidden": list(PriceFamily)}
    await app.answer("admin", "set_price_visibility", hidden)
    names = price_names()
    replies = await walk(doors, "customer", records)
    leaks = {(r.operation, r.door, found[0]) for r in replies if (found := VALUES.search(r.text))}
    assert leaks == set()
    named = {(r.operation, r.door, path) for r in replies for path in price_paths(json.loads(r.text), names)}
    assert named == set()


async def test_a_customer_from_whom_nothing_is_hidden_finds_them_at_every_door(doors: Doors) -> None:
    """What keeps the test above honest: the same walk over the same data does meet prices."""
    app = doors.app
    records = await a_customer_with_records(app, "customer2")
    replies = await walk(doors, "customer2", records)
    seen = {(r.operation, r.door) for r in replies if r.went_well and VALUES.search(r.text)}
    for operation in ("quote_delivery", "get_order_detail", "create_order", "propose_write"):
        assert {door for name, door in seen if name == operation} == {"Rest", "GraphQL", "Mcp"}
    reached = {(r.operation, r.door) for r in replies if r.went_well}
    assert len(reached) > len(CUSTOMERS)
    told = {name for name, _ in seen}
    assert (
        sorted(operation.name for operation in CUSTOMERS if may_tell_a_price(operation) and operation.name not in told)
        == []
    )


def may_tell_a_price(operation: Operation[Any, Any]) -> bool:
    return any(price_fields(record) for record in records_within(operation.answer))


async def test_where_prices_are_missing_the_answer_says_so_and_keeps_what_can_be_chosen(doors: Doors) -> None:
    app = doors.app
    await a_customer_with_records(app, "customer")
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    quote = registry()["quote_delivery"]
    async for reply in doors.ask("customer", quote, {"consignee": {"lat": 43.6, "lng": -79.3}}):
        told = json.loads(reply.text)
        told = (
            told["data"]["ordersRate"]
            if "data" in told
            else told["result"]["structuredContent"]
            if "jsonrpc" in told
            else told
        )
        (rate,) = told["rates"]
        assert (rate["service"], rate["service_name"], rate["price_hidden"]) == ("standard", "Next day", True)


async def test_hiding_counts_from_the_next_call_and_so_does_showing(app: App) -> None:
    records = await a_customer_with_records(app, "customer")
    order = {"order_id": records.known["order_id"]}
    for hidden, absent in ((["local_delivery"], True), (["label_service"], False), ([], False)):
        asked = {"customer_id": app.ids["customer"], "hidden": hidden}
        await app.answer("admin", "set_price_visibility", asked)
        told = (await app.rest("customer", "GET", f"/v1/orders/{order['order_id']}")).json()["order"]
        assert (told.get("price_hidden", False), "shipping_price" not in told) == (absent, absent)


def test_every_online_payment_can_be_refused_because_the_price_is_hidden() -> None:
    payments = [operation for operation in registry() if operation.name.startswith("pay_")]
    assert [operation.name for operation in payments if PRICE_HIDDEN not in operation.errors] == []


def test_the_refusal_of_a_payment_is_the_one_that_the_interface_names() -> None:
    assert (PRICE_HIDDEN.status, PRICE_HIDDEN.code) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")


@pytest.mark.parametrize("family", PriceFamily)
def test_a_payment_is_refused_for_the_families_that_are_hidden_and_for_no_other(family: PriceFamily) -> None:
    require_price_visible(frozenset(PriceFamily) - {family}, family)
    with pytest.raises(OperationError) as refused:
        require_price_visible(frozenset({family}), family)
    assert refused.value.error_type is PRICE_HIDDEN
