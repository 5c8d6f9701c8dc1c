"""A customer with hidden prices finds none at any interface, in any data."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.api.mcp.mcp_servers import serve_mcp
from tests.invariants.interfaces_client import Interfaces, Reply
from tests.invariants.price_requests import price_request
from tests.invariants.price_walk import (
    CUSTOMERS,
    VALUES,
    Records,
    make_customer_with_records,
    price_names,
    price_paths,
    records_within,
)
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import OFFICE, Effect, PriceFamily
from haulier.kernel.operations.errors import PRICE_HIDDEN, OperationError
from haulier.kernel.pipeline.hide_prices import hiding_plan, price_fields, require_price_visible

LAST = ("cancel", "logout", "delete", "revoke", "sign_out", "change_password", "disable")
"""Operations that end the walk, called last."""


@pytest.fixture
async def interfaces(sqlite_app: App) -> AsyncIterator[Interfaces]:
    # One database suffices: prices are hidden by the types of answers. The stored part is tested on both below.
    app = sqlite_app
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as mcp:
        yield Interfaces(app, mcp, base)


async def walk(interfaces: Interfaces, who: str, records: Records) -> list[Reply]:
    """Return the replies of every operation to valid, invalid and dry-run requests."""
    replies: list[Reply] = []
    for operation in sorted(CUSTOMERS, key=lambda o: (o.effect is Effect.WRITE, o.name.startswith(LAST))):
        values = price_request(operation, records)
        replies += [reply async for reply in interfaces.ask(who, operation, {**values, "page": "x"})]
        if operation.effect is Effect.WRITE:
            replies += [reply async for reply in interfaces.ask(who, operation, values, **{"x-dry-run": "1"})]
            asked = {"x-mcp-require-approval": "1"}
            replies += [reply async for reply in interfaces.ask(who, operation, values, **asked)]
        if not operation.name.startswith(LAST) or operation.name.startswith("cancel"):
            replies += [reply async for reply in interfaces.ask(who, operation, values)]
    return replies


async def test_a_customer_with_all_prices_hidden_finds_none(interfaces: Interfaces) -> None:
    app = interfaces.app
    records = await make_customer_with_records(app, "customer")
    hidden = {"customer_id": app.ids["customer"], "hidden": list(PriceFamily)}
    await app.answer("admin", "set_price_visibility", hidden)
    names = price_names()
    replies = await walk(interfaces, "customer", records)
    leaks = {(r.operation, r.interface, found[0]) for r in replies if (found := VALUES.search(r.text))}
    assert leaks == set()
    named = {(r.operation, r.interface, path) for r in replies for path in price_paths(json.loads(r.text), names)}
    assert named == set()


async def test_a_customer_without_hidden_prices_finds_them_at_every_interface(interfaces: Interfaces) -> None:
    """Verify the test above: the same walk finds prices if they are visible."""
    app = interfaces.app
    records = await make_customer_with_records(app, "customer2")
    replies = await walk(interfaces, "customer2", records)
    seen = {(r.operation, r.interface) for r in replies if r.went_well and VALUES.search(r.text)}
    for operation in ("quote_delivery", "get_order_detail", "create_order", "propose_write"):
        assert {interface for name, interface in seen if name == operation} == {"Rest", "GraphQL", "Mcp"}
    reached = {(r.operation, r.interface) for r in replies if r.went_well}
    assert len(reached) > len(CUSTOMERS)
    told = {name for name, _ in seen}
    assert (
        sorted(operation.name for operation in CUSTOMERS if may_tell_a_price(operation) and operation.name not in told)
        == []
    )


def may_tell_a_price(operation: Operation[Any, Any]) -> bool:
    return any(price_fields(record) for record in records_within(operation.answer))


async def test_a_response_without_prices_says_so_and_keeps_its_choices(interfaces: Interfaces) -> None:
    app = interfaces.app
    await make_customer_with_records(app, "customer")
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    quote = registry()["quote_delivery"]
    async for reply in interfaces.ask("customer", quote, {"consignee": {"lat": 43.6, "lng": -79.3}}):
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


async def test_hiding_and_showing_prices_apply_from_the_next_call(app: App) -> None:
    records = await make_customer_with_records(app, "customer")
    order = {"order_id": records.known["order_id"]}
    for hidden, absent in ((["local_delivery"], True), (["label_service"], False), ([], False)):
        asked = {"customer_id": app.ids["customer"], "hidden": hidden}
        await app.answer("admin", "set_price_visibility", asked)
        told = (await app.rest("customer", "GET", f"/v1/orders/{order['order_id']}")).json()["order"]
        assert (told.get("price_hidden", False), "shipping_price" not in told) == (absent, absent)


def test_every_answer_can_hide_its_prices() -> None:
    """Of all accounts: agents see no prices unless the business permits it."""
    for operation in registry():
        hiding_plan(operation.answer)


def test_every_online_payment_can_be_refused_for_hidden_prices() -> None:
    named = [operation for operation in registry() if operation.name.startswith("pay_")]
    payments = [operation for operation in named if operation.audience - OFFICE]
    assert len(payments) >= 5
    assert [operation.name for operation in payments if PRICE_HIDDEN not in operation.errors] == []


def test_the_payment_refusal_matches_the_interface() -> None:
    assert (PRICE_HIDDEN.status, PRICE_HIDDEN.code) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")


@pytest.mark.parametrize("family", PriceFamily)
def test_a_payment_is_refused_only_for_hidden_families(family: PriceFamily) -> None:
    require_price_visible(frozenset(PriceFamily) - {family}, family)
    with pytest.raises(OperationError) as refused:
        require_price_visible(frozenset({family}), family)
    assert refused.value.error_type is PRICE_HIDDEN
