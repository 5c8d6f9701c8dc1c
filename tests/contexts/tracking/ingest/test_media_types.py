"""Documents over REST: media types, headers, and their description."""

from typing import Any

import pytest
from tests.contexts.tracking.ingest.requests import (
    make_document,
    make_event,
    make_key,
    make_object_event,
    make_timeline,
    push_document,
)
from tests.support.app import App
from tests.support.descriptions import openapi

from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import DocumentRequest, GraphQL, IncompleteDeclaration, Rest, reads
from haulier.kernel.operations.enums import Account


@pytest.mark.parametrize("type", ["application/json", "application/ld+json", "application/ld+json; charset=utf-8", ""])
async def test_epcis_json_is_accepted_under_several_media_types(app: App, type: str) -> None:
    response = await push_document(
        app, await make_key(app), make_document(make_object_event()), to="ingest/epcis", type=type
    )
    assert response.status_code == 200


async def test_another_media_type_is_refused_with_the_supported_ones(app: App) -> None:
    key = await make_key(app)
    for to, type in (("ingest/epcis", "text/csv"), ("ingest", "application/ld+json")):
        response = await push_document(app, key, make_timeline(make_event()), to=to, type=type)
        assert (response.status_code, response.json()["errors"][0]["field"]) == (415, "Content-Type")
        assert "application/json" in response.json()["errors"][0]["message"]


def test_the_openapi_description_lists_every_media_type_and_the_header() -> None:
    entry: dict[str, Any] = openapi()["paths"]["/v1/otep/ingest/epcis"]["post"]
    assert set(entry["requestBody"]["content"]) == {
        "application/json",
        "application/ld+json",
        "application/xml",
        "text/xml",
    }
    header = next(each for each in entry["parameters"] if each["name"] == "GS1-Capture-Error-Behaviour")
    assert (header["in"], header["required"], header["schema"]["default"]) == ("header", False, "rollback")


def test_documents_can_be_pushed_over_rest_only() -> None:
    async def take(call: Call, request: DocumentRequest) -> Done:
        """Take it."""
        return Done(message="")

    with pytest.raises(IncompleteDeclaration, match="document"):
        reads("take", audience={Account.PUBLIC}, interfaces=(GraphQL("take"),))(take)
    with pytest.raises(IncompleteDeclaration, match="colour"):
        reads("take", audience={Account.PUBLIC}, interfaces=(Rest("POST", "/v1/x", headers={"colour": "X-Colour"}),))(
            take
        )
