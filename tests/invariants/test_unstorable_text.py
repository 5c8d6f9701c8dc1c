"""Texts that databases cannot store are refused at their field in every operation."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from tests.invariants.business import AS, actor
from tests.invariants.example_requests import make_request_for
from tests.support.app import START, App

from haulier.app import registry
from haulier.kernel.operations.codec import parse_request
from haulier.kernel.operations.declaration import DocumentRequest, Operation, Request, Rest
from haulier.kernel.operations.enums import Account, Feature
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.text_safety import UNSTORABLE_CODE

NUL, HALF = "a\0b", "a\ud83db"
OPERATIONS = list(registry())
DEEP = 6
Schema = dict[str, Any]


def poisoned(operation: Operation[Any, Any], text: str) -> dict[str, Any]:
    """Return a request with this text in every text field, at any depth."""
    schema = operation.request.model_json_schema()
    definitions = schema.get("$defs", {})
    return {name: _filled(part, definitions, text, DEEP) for name, part in schema.get("properties", {}).items()}


def _filled(schema: Schema, definitions: dict[str, Schema], text: str, depth: int) -> Any:
    options = [_resolved(part, definitions) for part in schema.get("anyOf", schema.get("oneOf", [schema]))]
    kinds = {part.get("type", "string"): part for part in reversed(options)}
    if depth and "object" in kinds:
        record = kinds["object"]
        inner = record.get("properties") or {"any": record.get("additionalProperties") or {}}
        parts = {name: part if isinstance(part, dict) else {} for name, part in inner.items()}
        return {name: _filled(part, definitions, text, depth - 1) for name, part in parts.items()}
    if depth and "array" in kinds:
        return [_filled(kinds["array"].get("items", {}), definitions, text, depth - 1)]
    return text if "string" in kinds else 1


def _resolved(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    return definitions[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def places(value: Any, path: str = "") -> Iterator[str]:
    """Yield the places of the poisoned text."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places(each, f"{path}.{name}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, f"{path}.{number}")
    elif value in {NUL, HALF}:
        yield path.removeprefix(".")


@pytest.fixture
async def enable_modules(app: App) -> None:
    await enable_everything(app)


@pytest.fixture
async def parsing_app(sqlite_app: App) -> App:
    # One database suffices: requests are refused by their fields before a database is used.
    await enable_everything(sqlite_app)
    return sqlite_app


async def enable_everything(app: App) -> None:
    """Create a user for every account and enable all features."""
    app.tokens["provider"] = (await app.answer("admin", "issue_provider_key", {"name": "p"})).key
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})


def somebody(operation: Operation[Any, Any]) -> str | None:
    return None if operation.audience == {Account.PUBLIC} else actor(operation, AS)


@pytest.mark.parametrize("text", [NUL, HALF], ids=["NUL", "half a surrogate pair"])
async def test_unstorable_text_is_reported_by_every_operation_for_every_field_together(
    parsing_app: App, text: str
) -> None:
    wrong: list[Any] = []
    walked = 0
    for operation in OPERATIONS:
        if issubclass(operation.request, DocumentRequest):
            continue
        asked = poisoned(operation, text)
        elsewhere = operation.request.raw_text_fields | operation.request.judged_rows
        expected = {place for place in places(asked) if place.partition(".")[0] not in elsewhere}
        outcome = await parsing_app.call(somebody(operation), operation.name, asked, dry_run=True)
        error = outcome.error or {}
        unstorable = [fault["field"] for fault in error.get("errors", ()) if fault["code"] == "TEXT_UNSTORABLE"]
        told = {field for field in unstorable if field.partition(".")[0] not in operation.request.judged_rows}
        met = (outcome.status, told) == (422, expected) if expected else outcome.status < 500
        walked += len(expected)
        if not met:
            wrong.append((operation.name, outcome.status, error.get("code"), sorted(expected ^ told)))
    assert wrong == []
    assert walked > len(OPERATIONS)


async def test_unstorable_text_in_a_raw_document_is_handled(app: App, enable_modules: None) -> None:
    event = {"occurred_at": START.isoformat(), "status_code": "in_transit", "source": {"type": "carrier"}}
    for operation in OPERATIONS:
        if not issubclass(operation.request, DocumentRequest):
            continue
        for text in (NUL, HALF):
            for document in (
                {"subject": {"tracking_number": text}, "events": [event]},
                {
                    "subject": {"tracking_number": "A1"},
                    "events": [{**event, "raw_status": text, "location": {"city": text}}],
                },
                {"subject": {"tracking_number": "A1"}, text: text, "events": [{**event, "extensions": {text: text}}]},
            ):
                assert (await app.call(somebody(operation), operation.name, document)).status < 500


async def test_unstorable_text_in_paths_and_queries_is_reported(parsing_app: App) -> None:
    wrong: list[Any] = []
    walked = 0
    for rest, operation in registry().bindings(Rest):
        for place in texts_of_the_address(rest, operation):
            path, query = rest.path, None if f"{{{place}}}" in rest.path else {place: NUL}
            for name, value in {**make_request_for(operation, {}), place: NUL}.items():
                path = path.replace(f"{{{name}}}", quote(str(value)))
            answer = await parsing_app.rest(somebody(operation), rest.method, path, params=query)
            walked += 1
            codes = {fault["field"]: fault["code"] for fault in answer.json().get("errors", ())}
            if (answer.status_code, codes.get(place)) != (422, "TEXT_UNSTORABLE"):
                wrong.append((operation.name, place, answer.status_code, answer.text[:200]))
    assert wrong == []
    assert walked > 10


def texts_of_the_address(rest: Rest, operation: Operation[Any, Any]) -> Iterator[str]:
    """Yield the fields of a route that come from the path or the query."""
    if issubclass(operation.request, DocumentRequest):
        return
    for name, value in poisoned(operation, NUL).items():
        in_address = f"{{{name}}}" in rest.path or name in rest.query or rest.method in {"GET", "DELETE"}
        if value == NUL and in_address and name not in rest.headers:
            yield name


class Asked(Request):
    name: str
    labels: dict[str, str] = {}
    parts: list[dict[str, str]] = []
    judged: Any = None


def faults(body: str, kind: type[Request] = Asked) -> list[tuple[str, str]]:
    with pytest.raises(OperationError) as refused:
        parse_request(kind, body.encode(), {})
    return [(fault.field, fault.code) for fault in refused.value.field_errors]


def test_unstorable_text_in_member_names_is_found_beside_other_errors() -> None:
    body = r'{"labels": {"a\u0000": "x", "b": "\ud800"}, "parts": [{}, {"c": "\uDFFF"}], "more": 1}'
    assert faults(body) == [
        ("labels.a\ufffd", UNSTORABLE_CODE),
        ("labels.b", UNSTORABLE_CODE),
        ("parts.1.c", UNSTORABLE_CODE),
        ("name", "field.missing"),
        ("more", "field.known.extra_forbidden"),
    ]


def test_a_complete_surrogate_pair_and_a_backslash_are_ordinary_text() -> None:
    body = r'{"name": "\ud83d\ude00", "labels": {"a": "\\u0000"}}'
    asked: Any = parse_request(Asked, body.encode(), {})
    assert (asked.name, asked.labels) == ("\U0001f600", {"a": r"\u0000"})


def test_operations_with_their_own_validation_accept_any_json() -> None:
    class Judge(Asked):
        raw_text_fields = frozenset({"judged"})

    asked: Any = parse_request(Judge, rb'{"name": "a", "judged": ["\u0000"]}', {})
    assert asked.judged == ["\0"]
    assert faults(r'{"name": "\u0000", "judged": ["\u0000"]}', Judge) == [("name", UNSTORABLE_CODE)]
