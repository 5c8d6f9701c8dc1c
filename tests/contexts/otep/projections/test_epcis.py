"""EPCIS documents fit GS1's schema, use CBV terms and expand completely."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft7Validator, FormatChecker
from msgspec import UNSET
from pyld import jsonld
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    TORONTO,
    make_event,
    make_timeline,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.contexts.otep.projections.epcis import MAPPING, REASONS
from haulier.contexts.otep.timeline.contract import IncidentReason, Location, Timeline

STEP, DISPOSITION = "https://ref.gs1.org/cbv/BizStep-", "https://ref.gs1.org/cbv/Disp-"
EPCIS = "https://ref.gs1.org/epcis/"


@cache
def validator() -> Draft7Validator:
    schema = json.loads(shared("standards/epcis/EPCIS-JSON-Schema.json").read_text())
    return Draft7Validator(schema, format_checker=FormatChecker())


@cache
def vocabulary() -> frozenset[str]:
    graph = json.loads(shared("standards/epcis/CBV.jsonld").read_text())["@graph"]
    return frozenset(str(node["@id"]).replace("cbv:", "https://ref.gs1.org/cbv/") for node in graph)


@cache
def gs1_context() -> dict[str, Any]:
    return json.loads(shared("standards/epcis/epcis-context.jsonld").read_text())


def expanded(document: dict[str, Any]) -> Any:
    """Expand the document as linked data with GS1's context; unknown keys fail."""

    def load(url: str, _: Any) -> dict[str, Any]:
        return {"contextUrl": None, "documentUrl": url, "document": gs1_context()}

    def refuse(key: Any) -> None:
        raise AssertionError(f"dropped in expansion: {key}")

    return jsonld.expand(document, {"documentLoader": load}, on_property_dropped=refuse)


def prove(document: dict[str, Any]) -> None:
    validator().validate(document)
    for event in document["epcisBody"]["eventList"]:
        assert STEP + event["bizStep"] in vocabulary()
        assert DISPOSITION + event["disposition"] in vocabulary()


@for_every(("code", "phase", "profile"), CODES)
def test_every_code_gives_a_document_that_gs1_accepts(code: str, phase: str, profile: str) -> None:
    prove(projected_json("epcis", make_timeline_with_incident(code, phase, profile)))


@given(timelines())
def test_any_timeline_gives_a_document_that_gs1_accepts(timeline: Timeline) -> None:
    prove(projected_json("epcis", timeline))


def test_invalid_documents_are_refused_by_the_same_validator() -> None:
    bad = sorted(shared("standards/epcis/invalid").glob("*.json"))
    assert len(bad) == 8
    assert [path.name for path in bad if validator().is_valid(json.loads(path.read_text()))] == []


@pytest.mark.parametrize(("field", "value"), [("bizStep", "delivering"), ("eventTimeZoneOffset", "Z"), ("status", "x")])
def test_a_corrupted_event_is_refused(field: str, value: str) -> None:
    document = projected_json("epcis", timeline_of_codes("delivered"))
    document["epcisBody"]["eventList"][0][field] = value
    assert not validator().is_valid(document)


@for_every(("code", "phase", "profile"), CODES)
def test_short_terms_expand_to_gs1_uris_and_no_term_is_dropped(code: str, phase: str, profile: str) -> None:
    (node,) = expanded(projected_json("epcis", make_timeline_with_incident(code, phase, profile)))
    (body,) = node[f"{EPCIS}epcisBody"]
    events = body[f"{EPCIS}eventList"]
    assert len(events) == 3
    for event in events:
        assert event[f"{EPCIS}bizStep"][0]["@id"] in vocabulary()
        assert event[f"{EPCIS}disposition"][0]["@id"] in vocabulary()
        (place,) = event["urn:otep:terms:location"]
        assert place["urn:otep:terms:city"] == [{"@value": "Toronto"}]


def test_the_documented_urns_accompany_the_terms() -> None:
    document = projected_json("epcis", make_timeline_with_incident("damaged", "transit"))
    for event in document["epcisBody"]["eventList"]:
        assert event["otep:bizStep"] == f"urn:epcglobal:cbv:bizstep:{event['bizStep']}"
        assert event["otep:disposition"] == f"urn:epcglobal:cbv:disp:{event['disposition']}"


def test_an_undefined_term_is_detected() -> None:
    document = projected_json("epcis", timeline_of_codes("delivered"))
    document["epcisBody"]["eventList"][0]["unheard"] = 1
    with pytest.raises(AssertionError, match="unheard"):
        expanded(document)


def test_every_term_of_the_table_is_in_the_core_business_vocabulary() -> None:
    rows = [*MAPPING.pivots.values(), *MAPPING.codes.values()]
    assert {STEP + row.step for row in rows} <= vocabulary()
    assert {DISPOSITION + word for word in [*(row.disposition for row in rows), *REASONS.values()]} <= vocabulary()


def test_status_reason_and_place_are_included_so_the_document_can_be_read_back() -> None:
    reason = IncidentReason(code="damaged", note="Wet")
    document = projected_json(
        "epcis", make_timeline(make_event("delivery_failed", "out_for_delivery", incident_reason=reason))
    )
    (event,) = document["epcisBody"]["eventList"]
    assert (event["otep:statusCode"], event["otep:phase"]) == ("delivery_failed", "out_for_delivery")
    assert (event["otep:incidentReason"], event["otep:incidentNote"]) == ("damaged", "Wet")
    assert event["otep:location"]["city"] == "Toronto"
    assert event["disposition"] == "damaged"


def test_an_existing_gs1_key_is_used_and_none_is_invented() -> None:
    event = make_event()
    keyed = make_timeline(event, gs1_sscc="00340123450000000018")
    assert epcs(keyed) == ["https://id.gs1.org/00/340123450000000018"]
    assert epcs(make_timeline(event)) == ["urn:otep:subject:HL%207%2FX"]
    assert epcs(make_timeline(event, gs1_sscc="12")) == ["urn:otep:subject:HL%207%2FX"]


def epcs(timeline: Timeline) -> list[str]:
    return projected_json("epcis", timeline)["epcisBody"]["eventList"][0]["epcList"]


@for_every(
    ("location", "uri"),
    [
        (TORONTO, "geo:43.000000,-79.383000"),
        (Location(gln="4012345000009", lat=1.0, lng=1.0), "https://id.gs1.org/414/4012345000009"),
        (Location(city="Toronto"), None),
        (Location(lat=43.0), None),
        (UNSET, None),
    ],
)
def test_the_read_point_is_the_most_precise_known_address(location: Location, uri: str | None) -> None:
    (event,) = projected_json("epcis", make_timeline(make_event("delivered", "delivered", location=location)))[
        "epcisBody"
    ]["eventList"]
    assert event.get("readPoint", {}).get("id") == uri
    assert event.get("bizLocation") == event.get("readPoint")
