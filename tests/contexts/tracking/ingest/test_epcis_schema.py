"""Ingestion rejects what the EPCIS 2.0 schema rejects, by mutated examples."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema_rs
from tests.contexts.tracking.ingest.requests import make_document, make_key, make_object_event, push_document
from tests.support.app import App
from tests.support.shared import shared

from haulier.contexts.otep.timeline.contract import Source
from haulier.contexts.tracking.ingest.rules.epcis_events import read_epcis, require_json_head
from haulier.kernel.operations.errors import OperationError

REMOVED: Any = object()
VALUES = (REMOVED, "nonsense", True, {})
EXAMPLES = (
    "WithErrorDeclaration__ErrorDeclarationAndCorrectiveEvent",
    "WithFullCombinationOfFields__aggregation_event_all_possible_fields",
    "WithFullCombinationOfFields__object_event_all_possible_fields",
    "WithFullCombinationOfFields__transformation_event_all_possible_fields",
)


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the paths of all members and items, except inside unread measurements."""
    for key in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
        yield (*path, key)
        if key != "sensorElementList":
            yield from places(part[key], (*path, key))


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = deepcopy(document)
    holder = copy
    for key in path[:-1]:
        holder = holder[key]
    if value is REMOVED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy


def is_taken(document: Any) -> bool:
    try:
        require_json_head(document)
        return not read_epcis(document, Source(type="carrier")).refused
    except OperationError:
        return False


def test_documents_refused_by_the_official_schema_are_refused() -> None:
    folder = shared("standards/epcis")
    schema = json.loads((folder / "EPCIS-JSON-Schema.json").read_text())
    official = jsonschema_rs.Draft7Validator(schema, validate_formats=True)
    for example in EXAMPLES:
        document = json.loads((folder / f"examples/{example}.jsonld").read_text())
        assert is_taken(document), example
        wrongly_taken = [
            (path, value)
            for path in places(document)
            for value in VALUES
            if is_taken(altered := changed(document, path, value)) and not official.is_valid(altered)
        ]
        assert wrongly_taken == [], example


async def test_an_error_is_reported_with_its_path(app: App) -> None:
    key = await make_key(app)
    quantity = {"epcClass": "urn:epc:class:lgtin:4012345.012345.998877", "quantity": "many"}
    document = make_document(make_object_event(quantityList=[quantity]))
    refused = await push_document(app, key, document, to="ingest/epcis")
    fields = [error["field"] for error in refused.json()["errors"]]
    assert (refused.status_code, fields) == (422, ["$.epcisBody.eventList[0].quantityList[0].quantity"])
    del document["@context"]
    refused = await push_document(app, key, document, to="ingest/epcis")
    assert (refused.json()["code"], refused.json()["errors"][0]["field"]) == ("INGEST_NOT_EPCIS", "$['@context']")
