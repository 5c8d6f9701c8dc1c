"""A customer from whom every price is hidden finds none, whatever they ask, at whichever door, of whatever data."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from msgspec import Struct
from sqlalchemy import Integer, select, update
from tests.contexts.booking.reservations.makers import a_priced_reservation
from tests.doors.mcp.mcp_servers import serve_mcp
from tests.invariants.doors_client import Doors, Reply
from tests.invariants.example_requests import a_request_for
from tests.invariants.test_tenant_isolation import a_business
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.data.tables import Json, metadata
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account, Effect, PriceFamily
from haulier.kernel.operations.errors import PRICE_HIDDEN, OperationError
from haulier.kernel.pipeline.hide_prices import price_fields, require_price_visible

PRICE = 1_234_567
VALUES = re.compile("|".join(rf"(?<!\d){PRICE * n // 100}[.,]?{PRICE * n % 100:02}(?!\d)" for n in range(1, 40)))
"""The price, its multiples, and the same as decimals."""
NAMED_LIKE_A_PRICE = re.compile(r"(^|_)(price|amount|fee|cost|tax|charge)(_minor)?$|_minor$")
NO_PRICE = {"cod_minor"}
"""What the recipient pays the driver is what the customer said, and no price of ours."""
INTERFACE = {"shipping_price", "price_details", "tax", "surcharges", "amount", "paid_amount", "currency"}
COVERED_ELSEWHERE = {("client", "currency")}
"""Where a name of a price field means something else: the currency that a business has."""
LAST = ("cancel", "logout", "delete", "revoke", "sign_out", "change_password", "disable")
"""What would spoil the rest of the walk comes at its end."""
CUSTOMERS = [o for o in registry() if Account.CUSTOMER in o.audience or o.public]
PLACE = {"name": "Ann", "address": "1 Main", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}
CARD = {
    "zones": [{"code": "city", "up_to_m": 500_000, "base": PRICE}],
    "services": [{"code": "standard", "name": "Next day", "percent": 100}],
    "per_extra_kg": PRICE,
    "surcharges": {"cod": PRICE, "signature": PRICE, "pickup": PRICE, "extra_package": PRICE},
}


class Records(Struct):
    """The records of a customer, by the names of the fields that ask for them."""

    known: dict[str, Any]
    proposed: int


@pytest.fixture
async def doors(app: App) -> AsyncIterator[Doors]:
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as mcp:
        yield Doors(app, mcp, base)


async def a_customer_with_records(app: App, who: str) -> Records:
    """A business that trades, and a customer of it with an order of every kind, all at one distinctive price."""
    await app.answer("admin", "set_rate_card", {"rate_card": CARD})
    known = await a_business(app) if not await has_depots(app) else {}
    heavy = {"consignee": PLACE, "cod_minor": 500, "signature_required": True, "packages": [{"weight_g": 9000}] * 2}
    orders = [
        (
            await app.answer(who, "create_order", {**heavy, "order_ref": f"{who}-{n}", "type": kind, "shipper": PLACE})
        ).order
        for n, kind in enumerate(("D", "P2P", "D"))
    ]
    batch = await app.answer(
        who, "bulk_create_orders_async", {"orders": [{"consignee": PLACE, "order_ref": f"{who}-b"}]}
    )
    await app.work_off()
    asked = {"tool": "create_order", "arguments": {"consignee": PLACE, "order_ref": f"{who}-p"}}
    proposed = (await app.answer(who, "propose_write", asked)).approval.id
    place = await a_priced_reservation(app, who, orders[0].id)
    await poison(app)
    mine = {
        "order_id": orders[0].id,
        "order_ids": [order.id for order in orders],
        "order_refs": [order.order_ref for order in orders],
        "tracking_number": orders[0].tracking_number,
        "number": orders[0].tracking_number,
        "id": batch.async_id,
        "approval_id": proposed,
        "customer_id": app.ids[who],
        "consignee": PLACE,
        "address": PLACE,
        **place,
    }
    return Records(known | mine, proposed)


async def has_depots(app: App) -> bool:
    async with app.database.read(None) as work:
        return bool(
            await work.without_tenant_filter("a test looks").all(select(metadata.tables["depot"].c.id).limit(1))
        )


async def poison(app: App) -> None:
    """Every whole number that a column or document calls a price becomes the distinctive one, whoever wrote it."""
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("a test writes into every table")
        for table in metadata.tables.values():
            named = [c for c in table.c if NAMED_LIKE_A_PRICE.search(c.name) and c.name not in NO_PRICE]
            for column in (c for c in named if isinstance(c.type, Integer)):
                await work.run(update(table).where(column.is_not(None)).values({column.name: PRICE}))
            for column in (c for c in named if isinstance(c.type, Json)):
                for row in await work.all(select(table.c.id, column.label("told")).where(column.is_not(None))):
                    changed = update(table).where(table.c.id == row.id)
                    await work.run(changed.values({column.name: poisoned(row.told)}))


def poisoned(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: poisoned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each) for each in value]
    return PRICE if isinstance(value, int) and not isinstance(value, bool) else value


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
    told: dict[str, dict[str, Any]] = {
        "get_orders": {},
        "find_order": {"query": records.known["order_refs"][0]},
        "propose_write": {"tool": "create_order", "arguments": {"consignee": PLACE}},
        "quote_delivery": {"consignee": {"lat": 43.6, "lng": -79.3}, "weight_g": 9000, "cod": True},
        "run_graphql_query": {"query": f"{{ order(order_id: {order}) {{ order {{ shipping_price }} }} }}"},
    }
    return told[operation.name] if operation.name in told else a_request_for(operation, records.known)


def price_names() -> set[str]:
    """The names of price fields: those of the interface and those that any answer declares."""
    seen: set[str] = set(INTERFACE)
    for operation in registry():
        for record in records_within(operation.answer):
            seen |= price_fields(record).keys()
    return seen


def records_within(kind: Any, seen: set[Any] | None = None) -> Iterator[type[Struct]]:
    from haulier.kernel.pipeline.hide_prices import _record_types, get_type_hints

    seen = set() if seen is None else seen
    if kind in seen:
        return
    seen.add(kind)
    yield kind
    for hint in get_type_hints(kind).values():
        for record in _record_types(hint):
            yield from records_within(record, seen)


def price_paths(value: Any, names: set[str], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where a document names a price that is not null."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in names and each is not None and (*path[-1:], name) not in COVERED_ELSEWHERE:
                yield (*path, name)
            yield from price_paths(each, names, (*path, name))
    elif isinstance(value, list):
        for each in value:
            yield from price_paths(each, names, path)
    elif isinstance(value, str) and value[:1] in "{[":  # a tool's result stands in its text once more
        try:
            yield from price_paths(json.loads(value), names, path)
        except ValueError:
            return


async def test_a_customer_from_whom_every_price_is_hidden_finds_none(app: App, doors: Doors) -> None:
    records = await a_customer_with_records(app, "customer")
    hidden = {"customer_id": app.ids["customer"], "hidden": list(PriceFamily)}
    await app.answer("admin", "set_price_visibility", hidden)
    names = price_names()
    replies = await walk(doors, "customer", records)
    leaks = {(r.operation, r.door, found[0]) for r in replies if (found := VALUES.search(r.text))}
    assert leaks == set()
    named = {(r.operation, r.door, path) for r in replies for path in price_paths(json.loads(r.text), names)}
    assert named == set()


async def test_a_customer_from_whom_nothing_is_hidden_finds_them_at_every_door(app: App, doors: Doors) -> None:
    """What keeps the test above honest: the same walk over the same data does meet prices."""
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


async def test_where_prices_are_missing_the_answer_says_so_and_keeps_what_can_be_chosen(app: App, doors: Doors) -> None:
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
        assert (rate["rate_id"], rate["service_name"], rate["price_hidden"]) == ("standard:city", "Next day", True)


async def test_hiding_counts_from_the_next_call_and_so_does_showing(app: App) -> None:
    records = await a_customer_with_records(app, "customer")
    order = {"order_id": records.known["order_id"]}
    for hidden, absent in ((["local_delivery"], True), (["label_service"], False), ([], False)):
        asked = {"customer_id": app.ids["customer"], "hidden": hidden}
        await app.answer("admin", "set_price_visibility", asked)
        told = (await app.rest("customer", "GET", f"/v1/orders/{order['order_id']}")).json()["order"]
        assert (told.get("price_hidden", False), "shipping_price" not in told) == (absent, absent)


@pytest.mark.parametrize("operation", [o for o in registry() if o.name.startswith("pay_")], ids=lambda o: o.name)
def test_every_online_payment_can_be_refused_because_the_price_is_hidden(operation: Operation[Any, Any]) -> None:
    assert PRICE_HIDDEN in operation.errors


def test_the_refusal_of_a_payment_is_the_one_that_the_interface_names() -> None:
    assert (PRICE_HIDDEN.status, PRICE_HIDDEN.code) == (403, "PRICE_HIDDEN_SETTLE_OFFLINE")


@pytest.mark.parametrize("family", PriceFamily)
def test_a_payment_is_refused_for_the_families_that_are_hidden_and_for_no_other(family: PriceFamily) -> None:
    require_price_visible(frozenset(PriceFamily) - {family}, family)
    with pytest.raises(OperationError) as refused:
        require_price_visible(frozenset({family}), family)
    assert refused.value.error_type is PRICE_HIDDEN
