"""What is asked: the requests of each case, and what the first answer must show so that the case measures what it says."""

import json
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.seed import EVENTS_PER_ORDER, Business
from haulier.kernel.http.response_cache import MAX_ENTRIES
from haulier.kernel.values.pagination import MAX_COUNT

DISTINCT_REQUESTS = 2000
COLD_REQUESTS = 2 * MAX_ENTRIES
"""More numbers than answers are kept, so that each is read."""
ASSIGNED_ORDERS = 200
Request = dict[str, Any]


@dataclass(frozen=True)
class BenchCase:
    """One row of the table."""

    name: str
    requests: list[Request]
    holds: Callable[[Any], bool]


def read_cases(business: Business) -> list[BenchCase]:
    """The reads whose dependence on the number of stored orders is measured."""
    mine = {"Authorization": f"Bearer {business.token}"}
    places = _sample_order_ids(business)
    lists = [{"path": f"/api/v1/orders?page={page}&per_page=25", "headers": mine} for page in range(1, 21)]
    return [
        BenchCase(
            "tracking read",
            [{"path": f"/api/v1/tracking/{business.number(at)}"} for at in places],
            lambda told: len(told["events"]) == EVENTS_PER_ORDER,
        ),
        BenchCase(
            "order read",
            [{"path": f"/api/v1/orders/{business.ids[at]}", "headers": mine} for at in places],
            lambda told: told["order"]["tracking_number"].startswith("HLB"),
        ),
        BenchCase(
            "orders list",
            lists,
            lambda told: len(told["orders"]) == 25 and told["total"] >= min(business.stored, MAX_COUNT),
        ),
    ]


def other_cases(business: Business) -> list[BenchCase]:
    """The other doors, then the writes, which leave more orders and moved orders behind."""
    numbers = [business.number(at) for at in _sample_order_ids(business)]
    cold = [business.number(at) for at in range(min(COLD_REQUESTS, business.stored))]
    return [
        BenchCase(
            "otep read",
            [{"path": f"/api/v1/otep/trackings/{number}"} for number in cold],
            lambda told: "events" in json.dumps(told),
        ),
        BenchCase("GraphQL trackingPublic", [_graphql(number) for number in numbers], _graphql_holds),
        BenchCase("MCP track_package", [_tool(number) for number in numbers], _tool_holds),
        BenchCase("order create", [_create(business)], lambda told: told["order"]["id"] > 0 and not told["existing"]),
        BenchCase(
            f"assign {ASSIGNED_ORDERS} orders",
            _assignments(business),
            lambda told: told["assigned"] == _group(business),
        ),
    ]


def _sample_order_ids(business: Business) -> list[int]:
    return random.Random(business.stored).sample(range(business.stored), min(DISTINCT_REQUESTS, business.stored))


def _graphql(number: str) -> Request:
    query = "query($n: String!) { trackingPublic(number: $n) { status phase events { status_code occurred_at } } }"
    return _post("/graphql", {"query": query, "variables": {"n": number}})


def _graphql_holds(told: Any) -> bool:
    return "errors" not in told and len(told["data"]["trackingPublic"]["events"]) == EVENTS_PER_ORDER


def _tool(number: str) -> Request:
    call = {"name": "track_package", "arguments": {"number": number}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return _post("/mcp", asked, Accept="application/json, text/event-stream")


def _tool_holds(told: Any) -> bool:
    return len(told["result"]["structuredContent"]["events"]) == EVENTS_PER_ORDER


def _create(business: Business) -> Request:
    there = {
        "name": "A. Reader",
        "address": "100 King St W",
        "city": "Toronto",
        "region": "ON",
        "country": "CA",
        "lat": 43.648,
        "lng": -79.381,
    }
    order = {
        "type": "D",
        "order_ref": f"{uuid.uuid4().hex[:12]}-{{n}}",
        "consignee": there,
        "packages": [{"weight_g": 1500}],
    }
    return _post("/api/v1/client/orderCreate", order, Authorization=f"Bearer {business.token}")


def _group(business: Business) -> int:
    return min(ASSIGNED_ORDERS, len(business.waiting))


def _assignments(business: Business) -> list[Request]:
    """Groups of orders to the first contractor, then the same groups to the second: every call moves every order."""
    size = _group(business)
    starts = range(0, len(business.waiting) - size + 1, size)
    return [
        _post(
            "/api/v1/broker-order-assignments",
            {"order_ids": business.waiting[start : start + size], "broker_id": contractor},
            Authorization=f"Bearer {business.token}",
        )
        for contractor in business.contractors
        for start in starts
    ]


def _post(path: str, body: Any, **headers: str) -> Request:
    return {"method": "POST", "path": path, "body": json.dumps(body), "headers": headers}
