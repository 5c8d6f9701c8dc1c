"""Answers of every operation over REST and MCP, with writes as dry runs."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any

import httpx
import jsonschema_rs
import pytest
from tests.api.mcp.mcp_servers import serve_mcp
from tests.api.mcp.schema_fit import assert_fits_schema
from tests.invariants.business import AS, actor
from tests.invariants.example_requests import make_request_for
from tests.invariants.full_business import known_to, make_full_business
from tests.invariants.interfaces_client import Interfaces, Reply
from tests.support.app import App
from tests.support.descriptions import openapi

from haulier.api.mcp.tools import tool_output_schema
from haulier.app import registry
from haulier.kernel.operations.declaration import Mcp, Operation, Rest

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*")
IN_TORONTO_IN_JUNE = "-04:00"
"""The business's offset on the day of the test."""
DOCUMENTS = {
    "approval.preview",
    "changes",
    "delivery.payload",
    "events.data",
    "side_effects",
    "trackings",
}
"""Parts returned as stored: timelines, schemas, messages, records before and after a change."""


@pytest.fixture
async def interfaces(sqlite_app: App) -> AsyncIterator[Interfaces]:
    # The form of an answer does not depend on the database.
    async with serve_mcp(sqlite_app.application) as base, httpx.AsyncClient(timeout=60) as mcp:
        yield Interfaces(sqlite_app, mcp, base)


async def answers(interfaces: Interfaces) -> AsyncIterator[tuple[Operation[Any, Any], str, Any]]:
    """Yield each reachable operation with the interface and its JSON answer."""
    app = interfaces.app
    known = await make_full_business(app)
    app.tokens["provider"] = app.tokens["carrier"]
    for operation in registry():
        asked = make_request_for(operation, known_to(operation, known))
        who = actor(operation, AS) or "admin"
        async for reply in interfaces.ask(who, operation, asked, kinds=(Rest, Mcp), **{"x-dry-run": "1"}):
            if document := told(reply):
                yield operation, reply.interface, document


def told(reply: Reply) -> Any:
    """Return the JSON of a successful answer; None for errors and other formats."""
    try:
        document = json.loads(reply.text)
    except ValueError:
        return None
    if reply.interface == "Mcp":
        result = document.get("result", {})
        return None if result.get("isError", True) else result["structuredContent"]
    return document if reply.status < 300 else None


@cache
def documented() -> jsonschema_rs.Registry:
    """Return the whole description, for references into it."""
    return jsonschema_rs.Registry([("urn:openapi", openapi())], draft=jsonschema_rs.Draft202012)


def described(operation: Operation[Any, Any]) -> Any:
    """Return a validator of an operation's answer in OpenAPI.

    It resolves references in the whole document, which is loaded once.
    """
    rest = next(interface for interface in operation.interfaces if isinstance(interface, Rest))
    responses = openapi()["paths"][rest.path][rest.method.lower()]["responses"]
    (status,) = [status for status in responses if status.startswith("2")]
    path = rest.path.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
    where = f"#/paths/{path}/{rest.method.lower()}/responses/{status}/content/application~1json/schema"
    return jsonschema_rs.Draft202012Validator({"$ref": f"urn:openapi{where}"}, registry=documented())


def misfit(operation: Operation[Any, Any], interface: str, document: Any) -> str | None:
    """Return the mismatch between an answer and its schema, or None."""
    # A dry run returns the answer as `preview` over REST; over MCP the schema includes that member.
    try:
        if interface == "Rest":
            described(operation).validate(document.get("preview", document))
        else:
            assert_fits_schema(document, tool_output_schema(operation))
    except jsonschema_rs.ValidationError as fault:
        return f"{'.'.join(map(str, fault.instance_path))}: {fault.message}"
    return None


def unusual_times(interface: str, document: Any) -> Iterator[str]:
    """Yield moments in another format than the business's, and nulls shown to agents."""
    for path, value in leaves(document):
        named = ".".join(path)
        if any(f".{named}.".startswith(f".{each}.") for each in DOCUMENTS):
            continue
        if isinstance(value, str) and MOMENT.fullmatch(value) and not value.endswith(IN_TORONTO_IN_JUNE):
            yield f"{named} {value}"
        if value is None and interface == "Mcp":
            yield f"{named} null"


def leaves(document: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the scalar values of a document, each with its path."""
    if isinstance(document, dict):
        for name, part in document.items():
            yield from leaves(part, (*path, name))
    elif isinstance(document, list):
        for part in document:
            yield from leaves(part, path)
    else:
        yield path, document


async def test_every_response_fits_its_schema_with_uniform_times_and_no_nulls_for_agents(
    interfaces: Interfaces,
) -> None:
    faults: dict[tuple[str, str], Any] = {}
    asked = {"Rest": 0, "Mcp": 0}
    async for operation, interface, document in answers(interfaces):
        asked[interface] += 1
        if found := [*filter(None, [misfit(operation, interface, document)]), *unusual_times(interface, document)]:
            faults[operation.name, interface] = found
    assert faults == {}
    assert asked["Rest"] > 200
    assert asked["Mcp"] > 40
