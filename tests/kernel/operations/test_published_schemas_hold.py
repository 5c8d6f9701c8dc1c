"""Requests are validated as the published schemas say."""

from enum import IntEnum
from typing import Any, Literal

from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.codec import parse_request
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import OperationError


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Box(Request):
    number: int


class Load(Request):
    count: int
    weight: float = 0
    size: Size = Size.SMALL
    floor: Literal[1, 2] = 1
    named: int | str = 0
    boxes: list[Box] = []


def read(body: bytes, **texts: str) -> Any:
    return parse_request(Load, body, texts)


def faults(body: bytes) -> set[str]:
    try:
        read(body)
    except OperationError as error:
        return {each.field for each in error.field_errors}
    return set()


def test_a_number_without_a_fraction_is_an_integer() -> None:
    load = read(b'{"count": 1.0, "weight": 2.0, "size": 2.0, "floor": 2.0, "named": 3.0, "boxes": [{"number": 4e2}]}')
    assert (load.count, load.size, load.floor, load.named, load.boxes[0].number) == (1, Size.LARGE, 2, 3, 400)
    assert isinstance(load.count, int)
    assert isinstance(load.weight, float)


def test_fractions_text_and_oversized_numbers_are_not_integers() -> None:
    assert faults(b'{"count": 1.5, "boxes": [{"number": 1e300}, {"number": "1"}]}') == {
        "count",
        "boxes.0.number",
        "boxes.1.number",
    }


def test_a_valid_integer_does_not_hide_other_errors() -> None:
    assert faults(b'{"count": 1.0, "boxes": [{"number": true}]}') == {"boxes.0.number"}


async def test_integers_are_accepted_from_graphql_variables(app: App) -> None:
    headers = {"Authorization": f"Bearer {app.tokens['admin']}", "Content-Type": "application/json"}
    body = b'{"query": "query($n: Int) { depots(per_page: $n) { per_page } }", "variables": {"n": 3.0}}'
    answer = await app.http.post("/graphql", content=body, headers=headers)
    assert answer.json()["data"]["depots"]["per_page"] == 3


async def test_duplicate_entries_count_once(app: App) -> None:
    answer = await app.rest("admin", "POST", "/v1/tokens", {"name": "x", "scopes": ["wms:read", "wms:read"]})
    assert (answer.status_code, answer.json()["scopes"]) == (201, ["wms:read"])


def test_no_request_schema_requires_unique_items() -> None:
    promising = [
        operation.name for operation in registry() if "uniqueItems" in str(operation.request.model_json_schema())
    ]
    assert promising == []


async def test_a_key_with_a_space_is_refused_as_published(app: App) -> None:
    depot = {"name": "Yard", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    answer = await app.rest("admin", "POST", "/v1/depots", depot, headers={"Idempotency-Key": "a b"})
    assert (answer.status_code, answer.json()["code"]) == (422, "IDEMPOTENCY_KEY_INVALID")
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"
