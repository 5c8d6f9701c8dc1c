"""Moments, days and times of day use one type each in every operation."""

from collections.abc import Iterator
from datetime import date, time
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints
from urllib.parse import quote

import pytest
from pydantic import BaseModel
from tests.invariants.business import AS, actor, make_business
from tests.support.app import App
from tests.support.examples import examples, fill_placeholders

from haulier.app import registry
from haulier.kernel.operations.declaration import DocumentRequest, Operation, Rest
from haulier.kernel.operations.enums import Account, Feature
from haulier.kernel.values.moments import TextValue

EDGES = (
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00Z",
    "0002-01-01T00:00:00Z",
    "9998-12-31T23:59:59Z",
    "9999-12-31T23:59:59Z",
    "0001-01-01",
    "0002-01-01",
    "9998-12-31",
    "9999-12-31",
    "2026-02-30",
)
NUMBERS = ("0", "86400", "0.5")
ANSWERED_ONE_BY_ONE = {"sync_rider_events"}
"""A fault of one element refuses that element, in its receipt."""
ANSWERED_LATER = {
    "bulk_create_orders_async": ("asyncId", "/v1/client/async"),
    "uniorder_rate_batch_async": ("job_id", "/v1/uniorder/jobs"),
    "uniorder_create_batch_async": ("job_id", "/v1/uniorder/jobs"),
}
"""A fault of a row refuses that row, in the result of the batch."""


def plain_moments(kind: Any, where: str, seen: set[Any]) -> Iterator[str]:
    """Yield the fields of a type that use Python's dates and times directly."""
    if get_origin(kind) is Annotated:
        inner, *about = get_args(kind)
        if not any(isinstance(each, TextValue) for each in about):
            yield from plain_moments(inner, where, seen)
    elif isinstance(kind, type) and issubclass(kind, date | time):
        yield where
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind not in seen:
            seen.add(kind)
            for name, hint in get_type_hints(kind, include_extras=True).items():
                if get_origin(hint) is not ClassVar:
                    yield from plain_moments(hint, f"{kind.__name__}.{name}", seen)
    else:
        for part in get_args(kind):
            yield from plain_moments(part, where, seen)


def test_every_time_in_a_request_has_the_same_type() -> None:
    seen = set[Any]()
    assert [where for each in registry() for where in plain_moments(each.request, each.name, seen)] == []
    assert len(seen) > len(list(registry())) / 2


Place = tuple[str | int, ...]


def moment_places(
    schema: dict[str, Any], definitions: dict[str, Any], place: Place = ()
) -> Iterator[tuple[Place, str]]:
    """Yield the places of moments and days in a request, with their kind."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from moment_places(part, definitions, place)
    if schema.get("format") in {"date", "date-time"}:
        yield place, schema["format"]
    for name, part in schema.get("properties", {}).items():
        yield from moment_places(part, definitions, (*place, name))
    if "items" in schema:
        yield from moment_places(schema["items"], definitions, (*place, 0))


def with_value(document: Any, place: Place, value: str) -> Any:
    """Return a document with a value at a place, adding missing parents."""
    if not place:
        return value
    key, *rest = place
    if key == 0:
        items = document if isinstance(document, list) and document else [None]
        return [with_value(items[0], tuple(rest), value), *items[1:]]
    record = document if isinstance(document, dict) else {}
    return {**record, key: with_value(record.get(key), tuple(rest), value)}


@pytest.fixture
async def known(app: App) -> dict[str, Any]:
    """Create records of every kind and users for every account, with all features on."""
    app.tokens["provider"] = (await app.answer("admin", "issue_provider_key", {"name": "p"})).key
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})
    return await make_business(app)


async def test_extreme_dates_break_no_operation(app: App, known: dict[str, Any]) -> None:
    wrong: list[Any] = []
    asked = 0
    for rest, operation, place, kind in places_at_rest():
        for text in EDGES + NUMBERS:
            status, told = await ask(app, rest, operation, known, place, text)
            asked += 1
            of_this_kind = ("T" in text) == (kind == "date-time")
            beyond = text[:4] in {"0001", "9999"} or not of_this_kind or text in NUMBERS or text == "2026-02-30"
            named = ".".join(map(str, place)) in told
            named = named or (status == 200 and operation.name in ANSWERED_ONE_BY_ONE)
            if status >= 500 or (beyond and not named):
                wrong.append((operation.name, place, text, status, told))
    assert wrong == []
    assert asked > 300


def places_at_rest() -> Iterator[tuple[Rest, Operation[Any, Any], Place, str]]:
    """Yield every moment and day that the REST API accepts."""
    for rest, operation in registry().bindings(Rest):
        if not issubclass(operation.request, DocumentRequest):
            schema = operation.request.model_json_schema()
            for place, kind in moment_places(schema, schema.get("$defs", {})):
                yield rest, operation, place, kind


async def ask(
    app: App, rest: Rest, operation: Operation[Any, Any], known: dict[str, Any], place: Place, text: str
) -> tuple[int, dict[str, str]]:
    """Call an operation's example with a text at a place, as a dry run.

    Returns the status and the error codes by field. A batch runs for real, because only its result lists refused
    rows.
    """
    example = fill_placeholders(examples()[operation.name], known)
    values = with_value({**example, **{name: known[name] for name in example if name in known}}, place, text)
    path = rest.path
    for name in [name for name in values if f"{{{name}}}" in path]:
        path = path.replace(f"{{{name}}}", quote(str(values.pop(name))))
    in_query = set(values) if rest.method in {"GET", "DELETE"} else set(rest.query)
    query = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in values.items()
        if name in in_query
    }
    body = {name: value for name, value in values.items() if name not in in_query}
    who = None if operation.audience == {Account.PUBLIC} else actor(operation, AS)
    sent = body.get(rest.body) if rest.body else body
    answer = await app.rest(
        who,
        rest.method,
        path,
        None if rest.method in {"GET", "DELETE"} else sent,
        params=query,
        headers={} if operation.name in ANSWERED_LATER else {"X-Dry-Run": "1"},
    )
    if answer.status_code == 422:
        return 422, {fault["field"]: fault["code"] for fault in answer.json()["errors"]}
    if answer.status_code == 200 and operation.request.judged_rows:
        told = answer.json()
        if operation.name in ANSWERED_LATER:
            name, read_at = ANSWERED_LATER[operation.name]
            told = (await app.rest(who, "GET", f"{read_at}/{told[name]}")).json()
        (rows,) = operation.request.judged_rows
        told = told.get("preview", told)
        return 200, faults_of_rows(rows, told.get("outcomes") or told[rows])
    return answer.status_code, {}


def faults_of_rows(rows: str, outcomes: list[dict[str, Any]]) -> dict[str, str]:
    """Return the error codes of refused rows, by field path in the whole request."""
    return {
        f"{rows}.{row.get('index', number)}.{fault['field']}": fault["code"]
        for number, row in enumerate(outcomes)
        for fault in row["errors"]
    }
