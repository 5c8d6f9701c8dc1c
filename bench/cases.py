"""What is asked: the requests of each case, and what the first answer must show so that the case measures what it says."""

import json
import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.seed import EVENTS, Business
from haulier.kernel.kept import MOST
from haulier.kernel.pages import COUNT_MAX

VARIETY = 2000
COLD = 2 * MOST
"""More numbers than answers are kept, so that each is read."""
ASSIGNED = 200
Request = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    name: str
    requests: list[Request]
    holds: Callable[[Any], bool]


def reads(business: Business) -> list[Case]:
    """The reads whose dependence on the number of stored orders is measured."""
    mine = {"Authorization": f"Bearer {business.token}"}
    places = _some(business)
    lists = [{"path": f"/api/v1/orders?page={page}&per_page=25", "headers": mine} for page in range(1, 21)]
    return [
        Case(
            "tracking read",
            [{"path": f"/api/v1/tracking/{business.number(at)}"} for at in places],
            lambda told: len(told["events"]) == EVENTS,
        ),
        Case(
            "order read",
            [{"path": f"/api/v1/orders/{business.ids[at]}", "headers": mine} for at in places],
            lambda told: told["order"]["tracking_number"].startswith("HLB"),
        ),
        Case(
            "orders list",
            lists,
            lambda told: len(told["orders"]) == 25 and told["total"] >= min(business.stored, COUNT_MAX),
        ),
    ]


def others(business: Business) -> list[Case]:
    """The other doors, then the writes, which leave more orders and moved orders behind."""
    numbers = [business.number(at) for at in _some(business)]
    cold = [business.number(at) for at in range(min(COLD, business.stored))]
    return [
        Case(
            "otep read",
            [{"path": f"/api/v1/otep/trackings/{number}"} for number in cold],
            lambda told: "events" in json.dumps(told),
        ),
        Case("GraphQL trackingPublic", [_graphql(number) for number in numbers], _graphql_holds),
        Case("MCP track_package", [_tool(number) for number in numbers], _tool_holds),
        Case("order create", [_create(business)], lambda told: told["order"]["id"] > 0 and not told["existing"]),
        Case(f"assign {ASSIGNED} orders", _assignments(business), lambda told: told["assigned"] == _group(business)),
    ]


def _some(business: Business) -> list[int]:
    return random.Random(business.stored).sample(range(business.stored), min(VARIETY, business.stored))


def _graphql(number: str) -> Request:
    query = "query($n: String!) { trackingPublic(number: $n) { status phase events { status_code occurred_at } } }"
    return _post("/graphql", {"query": query, "variables": {"n": number}})


def _graphql_holds(told: Any) -> bool:
    return "errors" not in told and len(told["data"]["trackingPublic"]["events"]) == EVENTS


def _tool(number: str) -> Request:
    call = {"name": "track_package", "arguments": {"number": number}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    return _post("/mcp", asked, Accept="application/json, text/event-stream")


def _tool_holds(told: Any) -> bool:
    return len(told["result"]["structuredContent"]["events"]) == EVENTS


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
    return min(ASSIGNED, len(business.waiting))


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
