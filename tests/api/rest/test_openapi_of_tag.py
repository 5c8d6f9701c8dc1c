"""The OpenAPI document of one tag."""

import json
import re
from pathlib import Path

from openapi_spec_validator import validate
from tests.support.app import App

from haulier.api.rest.openapi import openapi_of_tag

WHOLE = json.loads(Path("published/openapi.json").read_text())


def test_every_operation_is_in_the_document_of_each_of_its_tags() -> None:
    for tag in (each["name"] for each in WHOLE["tags"]):
        part = openapi_of_tag(WHOLE, tag)
        expected = {e["operationId"] for item in WHOLE["paths"].values() for e in item.values() if tag in e["tags"]}
        assert {e["operationId"] for item in part["paths"].values() for e in item.values()} == expected


def test_it_has_exactly_the_components_that_it_refers_to() -> None:
    part = openapi_of_tag(WHOLE, "Orders")
    validate(part)
    refers = set(re.findall(r'"#/components/(\w+)/([^"]+)"', json.dumps(part)))
    has = {(kind, name) for kind, found in part["components"].items() for name in found if kind != "securitySchemes"}
    assert has == refers


async def test_a_tag_chooses_the_operations(app: App) -> None:
    part = (await app.http.get("/api/openapi.json", params={"tag": "Skills"})).json()
    assert [each["name"] for each in part["tags"]] == ["Skills"]
    assert "/v1/skills" in part["paths"]
    assert "/v1/orders" not in part["paths"]


async def test_an_unknown_tag_is_refused_with_the_known_ones(app: App) -> None:
    answer = await app.http.get("/api/openapi.json", params={"tag": "Order"})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["field"] == "tag"
    assert "Orders" in fault["message"]
