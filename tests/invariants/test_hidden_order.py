"""The order of a list does not reveal hidden prices."""

import json
from collections.abc import Iterator
from typing import Any

from tests.invariants.example_requests import make_request_for
from tests.invariants.price_walk import CARD, CUSTOMERS, PLACE, price_names
from tests.support.app import App

from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, PriceFamily

SERVICES = [
    {"code": "slow", "name": "Zulu", "percent": 70},
    {"code": "standard", "name": "Mike", "percent": 60},
    {"code": "fast", "name": "Alpha", "percent": 150},
]
READS = [operation for operation in CUSTOMERS if operation.effect is Effect.READ]


def asked(operation: Operation[Any, Any], known: dict[str, Any]) -> dict[str, Any]:
    if operation.name == "quote_delivery":
        return {"consignee": {"lat": 43.6, "lng": -79.3}}
    return make_request_for(operation, known)


def priced_lists(value: Any, names: set[str], path: str = "") -> Iterator[tuple[str, list[Any], dict[str, list[int]]]]:
    """Yield each list of records without prices, with its columns of prices."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from priced_lists(each, names, f"{path}.{name}")
    if isinstance(value, list) and len(value) > 1 and all(isinstance(each, dict) for each in value):
        columns = {name: [each.get(name) for each in value] for name in names}
        numbers = {name: column for name, column in columns.items() if all(isinstance(n, int) for n in column)}
        yield path, [bare(each, names) for each in value], numbers


def bare(record: Any, names: set[str]) -> Any:
    return {name: each for name, each in record.items() if name not in names | {"price_hidden"}}


def in_order(column: list[int]) -> bool:
    return len(set(column)) > 1 and column in (sorted(column), sorted(column, reverse=True))


async def lists(app: App, known: dict[str, Any]) -> dict[tuple[str, str], tuple[list[Any], dict[str, list[int]]]]:
    names, found = price_names(), {}
    for operation in READS:
        outcome = await app.call("customer", operation.name, asked(operation, known))
        if outcome.answer is not None:
            document = json.loads(codec.encode_json(outcome.answer))
            for path, records, columns in priced_lists(document, names):
                found[operation.name, path] = records, columns
    return found


async def test_no_list_order_reveals_hidden_prices(app: App) -> None:
    await app.answer("admin", "set_rate_card", {"rate_card": {**CARD, "services": SERVICES}})
    order = (await app.answer("customer", "create_order", {"consignee": PLACE, "order_ref": "o"})).order
    known = {"order_id": order.id, "tracking_number": order.tracking_number, "number": order.tracking_number}
    shown = await lists(app, known)
    by_price = {place for place, (_, columns) in shown.items() if any(map(in_order, columns.values()))}
    assert ("quote_delivery", ".rates") in by_price, "nothing to look at"
    hidden = {"customer_id": app.ids["customer"], "hidden": list(PriceFamily)}
    await app.answer("admin", "set_price_visibility", hidden)
    after = await lists(app, known)
    assert [place for place in by_price if after[place][0] in (shown[place][0], shown[place][0][::-1])] == []
    assert [rate["service_name"] for rate in after["quote_delivery", ".rates"][0]] == ["Alpha", "Mike", "Zulu"]


async def test_list_order_does_not_change_with_hidden_prices(app: App) -> None:
    hidden = {"customer_id": app.ids["customer"], "hidden": [PriceFamily.LOCAL_DELIVERY]}
    await app.answer("admin", "set_price_visibility", hidden)
    orders = set[tuple[str, ...]]()
    for percents in ((50, 100, 150), (150, 100, 50), (100, 150, 50), (100, 100, 100)):
        services = [{**each, "percent": share} for each, share in zip(SERVICES, percents, strict=True)]
        await app.answer("admin", "set_rate_card", {"rate_card": {**CARD, "services": services}})
        quoted = await app.answer("customer", "quote_delivery", {"consignee": {"lat": 43.6, "lng": -79.3}})
        orders.add(tuple(rate.rate_id for rate in quoted.rates))
    assert len(orders) == 1
