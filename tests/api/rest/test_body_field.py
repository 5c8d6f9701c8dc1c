"""Bindings with one request field as the body: documents are posted bare."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from pydantic import Field, JsonValue

from haulier.api.rest.app import RestApp
from haulier.api.rest.openapi import openapi_document
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import IncompleteDeclaration, Request, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.registry import Registry


class Weigh(Request):
    """A document and a scale."""

    document: JsonValue
    """Any document."""
    scale: Annotated[int, Field(ge=1, le=9)] = 1
    """How exactly."""


class Weight(Answer):
    """Received weight."""

    result: bool = True
    seen: Any
    scale: int


def make_operation(name: str, *audience: Account) -> Any:
    async def handler(call: Call, request: Weigh) -> Weight:
        """Say what came."""
        return Weight(seen=request.document, scale=request.scale)

    interfaces = (
        Rest("POST", f"/v1/{name}", body="document", query=("scale",)),
        Rest("POST", f"/v2/{name}/{{scale}}", body="document"),
    )
    return reads(name, audience=audience, interfaces=interfaces)(handler)


REGISTRY = Registry([make_operation("weigh", Account.PUBLIC), make_operation("weigh_ours", *OFFICE)])


@pytest.fixture
async def http(application: Application) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=RestApp(replace(application, registry=REGISTRY)))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


@pytest.mark.parametrize("body", ['{"a": [1, 2.5, null]}', "[]", "null", "7", '"x"', '{"document": 1, "scale": 5}'])
async def test_the_whole_body_is_the_field(http: httpx.AsyncClient, body: str) -> None:
    answer = (await http.post("/v1/weigh", content=body)).json()
    assert answer == {"result": True, "seen": httpx.Response(200, text=body).json(), "scale": 1}


async def test_other_fields_come_from_the_query_or_the_path(http: httpx.AsyncClient) -> None:
    assert (await http.post("/v1/weigh?scale=3", content="[]")).json()["scale"] == 3
    assert (await http.post("/v2/weigh/4", content="[]")).json() == {"result": True, "seen": [], "scale": 4}
    fault = (await http.post("/v1/weigh?scale=10", content="[]")).json()
    assert (fault["code"], fault["errors"][0]["field"]) == ("INVALID_REQUEST", "scale")


async def test_no_other_field_can_be_sent_in_the_body(http: httpx.AsyncClient) -> None:
    for body in ('1,"scale":9', '1}{"scale":9', "{} {}", "{", "nothing"):
        answer = await http.post("/v1/weigh", content=body)
        assert (answer.status_code, answer.json()["code"]) == (400, "MALFORMED_JSON"), body


async def test_an_empty_body_is_a_missing_field(http: httpx.AsyncClient) -> None:
    answer = await http.post("/v1/weigh")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "document")


async def test_unauthorized_callers_are_refused_before_the_body_is_read(http: httpx.AsyncClient) -> None:
    assert (await http.post("/v1/weigh_ours", content="{nope")).status_code == 401


def test_the_openapi_description_uses_the_fields_schema_as_body_and_every_id_once() -> None:
    description = openapi_document(REGISTRY)
    OpenAPIV31SpecValidator(description).validate()
    first = description["paths"]["/v1/weigh"]["post"]
    second = description["paths"]["/v2/weigh/{scale}"]["post"]
    assert first["requestBody"]["required"] is True
    assert first["requestBody"]["content"]["application/json"]["schema"]["description"] == "Any document."
    assert [(each["name"], each["in"]) for each in first["parameters"]] == [("scale", "query")]
    assert (first["operationId"], second["operationId"]) == ("weigh", "weigh_2")


def test_a_binding_with_an_unknown_body_field_is_refused_at_import() -> None:
    async def handler(call: Call, request: Weigh) -> Weight:
        """Say what came."""
        return Weight(seen=None, scale=1)

    with pytest.raises(IncompleteDeclaration, match="letter"):
        reads("wrong", audience={Account.PUBLIC}, interfaces=(Rest("POST", "/v1/wrong", body="letter"),))(handler)
