"""EPCIS ingestion of the official examples, and of Haulier's own documents."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.contexts.tracking.ingest.requests import (
    NUMBER,
    ingest_outcomes,
    make_document,
    make_event,
    make_key,
    make_object_event,
    make_timeline,
    push_document,
    read_timeline,
    status_codes,
)
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.shared import ROOT, shared

JSON = sorted((ROOT / "standards/epcis/examples").glob("*.jsonld"))
XML = sorted((ROOT / "standards/epcis/examples-xml").glob("*.xml"))
INVALID = sorted((ROOT / "standards/epcis/invalid").glob("*.json"))
NOTHING_TO_TRACK = {"EPCIS_CLASSES_ONLY", "EPCIS_SENSOR_ONLY", "EPCIS_NO_SUBJECT"}
NO_EVENT_DOCUMENTS = ("CaptureJob__", "CBV__CBV-11.4")
SSCC = "006141411234567890"
CONTEXT = "https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld"


def name(path: Path) -> str:
    return path.stem


async def pushed(app: App, path: Path, **headers: str) -> Any:
    shared("standards/epcis")
    xml = path.suffix == ".xml"
    type = "application/xml" if xml else "application/ld+json"
    body = path.read_bytes()  # noqa: ASYNC240
    return await push_document(app, await make_key(app), body, to="ingest/epcis", type=type, **headers)


async def is_read_back(app: App, receipts: list[dict[str, Any]]) -> bool:
    """Check that every accepted event is in its timelines, valid or voided."""
    for receipt in receipts:
        for number, event_id in zip(receipt.get("tracking_numbers", []), receipt.get("event_ids", []), strict=True):
            read = await read_timeline(app, number)
            standing = {event["event_id"] for event in read["events"]}
            voided = {each["event"]["event_id"] for each in read.get("voided", [])}
            if event_id not in (voided if receipt["outcome"] == "corrected" else standing | voided):
                return False
    return True


@pytest.mark.parametrize("path", JSON, ids=name)
async def test_every_official_example_is_read_back_or_has_no_trackable_subject(app: App, path: Path) -> None:
    response = await pushed(app, path, GS1_Capture_Error_Behaviour="proceed")
    receipts = response.json()["receipts"]
    assert receipts
    refused = [why["code"] for receipt in receipts for why in receipt.get("reasons", [])]
    assert set(refused) <= NOTHING_TO_TRACK
    assert await is_read_back(app, receipts)


@pytest.mark.parametrize("path", XML, ids=name)
async def test_every_official_xml_example_is_read(app: App, path: Path) -> None:
    response = await pushed(app, path, GS1_Capture_Error_Behaviour="proceed")
    if path.name.startswith(NO_EVENT_DOCUMENTS):
        assert (response.status_code, response.json()["code"]) == (422, "INGEST_NOT_EPCIS")
        return
    receipts = response.json()["receipts"]
    assert {why["code"] for receipt in receipts for why in receipt.get("reasons", [])} <= NOTHING_TO_TRACK
    assert await is_read_back(app, receipts)


@pytest.mark.parametrize("path", INVALID, ids=name)
async def test_invalid_documents_are_refused_with_a_position(app: App, path: Path) -> None:
    response = await pushed(app, path)
    assert (response.status_code, response.json()["code"]) == (422, "INGEST_REFUSED")
    assert all(fault["field"].startswith("$.epcisBody.eventList[") for fault in response.json()["errors"])


async def test_one_refused_event_refuses_all_unless_proceed_is_requested(app: App) -> None:
    key = await make_key(app)
    document = make_document(make_object_event(), make_object_event(action="LOOK"))
    assert (await push_document(app, key, document, to="ingest/epcis")).status_code == 422
    assert await read_timeline(app, SSCC) == {}
    taken = await push_document(app, key, document, to="ingest/epcis", GS1_Capture_Error_Behaviour="proceed")
    assert (ingest_outcomes(taken), taken.json()["on_error"]) == (["accepted", "refused"], "proceed")


async def test_our_own_documents_are_read_back_without_loss(app: App) -> None:
    key = await make_key(app)
    place = {"city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}
    failed = make_event("delivery_failed", 1, location=place, incident_reason={"code": "weather", "note": "hail"})
    await push_document(app, key, make_timeline(make_event("label_created"), failed, make_event("delivered", 3)))
    document = (await app.rest("admin", "GET", f"/v1/otep/trackings/{NUMBER}?format=epcis")).json()["data"]
    text = json.dumps(document).replace(NUMBER, "SP-2002")
    assert (
        ingest_outcomes(await push_document(app, key, text.encode(), to="ingest/epcis", type="application/ld+json"))
        == ["accepted"] * 3
    )
    ours, theirs = await read_timeline(app), await read_timeline(app, "SP-2002")
    facts = ("status_code", "phase", "occurred_at", "location", "incident_reason")
    told = [[{name: event.get(name) for name in facts} for event in each["events"]] for each in (ours, theirs)]
    assert told[0] == told[1]


@for_every(
    "epc",
    [
        "urn:epc:id:sscc:0614141.0123456789",
        "https://id.gs1.org/00/006141411234567890",
        "https://example.com/some/stem/00/006141411234567890?x=1",
    ],
)
async def test_one_object_has_one_timeline_in_any_notation(app: App, epc: str) -> None:
    key = await make_key(app)
    answer = (await push_document(app, key, make_document(make_object_event(epc)), to="ingest/epcis")).json()
    assert answer["receipts"][0]["tracking_numbers"] == [SSCC]
    assert (await read_timeline(app, SSCC))["subject"]["gs1_sscc"] == SSCC


@for_every(
    "step",
    [
        "receiving",
        "cbv:BizStep-receiving",
        "https://ref.gs1.org/cbv/BizStep-receiving",
        "urn:epcglobal:cbv:bizstep:receiving",
    ],
)
async def test_a_business_step_has_the_same_meaning_in_every_notation(app: App, step: str) -> None:
    await push_document(app, await make_key(app), make_document(make_object_event(bizStep=step)), to="ingest/epcis")
    assert status_codes(await read_timeline(app, SSCC)) == ["received"]


async def test_fields_can_use_names_defined_by_the_context(app: App) -> None:
    context = [CONTEXT, {"when": "epcis:eventTime", "o": "https://other.example/otep/terms#"}]
    event = make_object_event(**{"@type": "ObjectEvent", "o:statusCode": "sorted"})
    event["when"] = event.pop("eventTime")
    del event["type"]
    response = await push_document(
        app, await make_key(app), make_document(event, **{"@context": context}), to="ingest/epcis"
    )
    assert ingest_outcomes(response) == ["accepted"]
    assert status_codes(await read_timeline(app, SSCC)) == ["sorted"]


async def test_a_single_event_is_accepted_as_a_document(app: App) -> None:
    alone = {"@context": CONTEXT, **make_object_event()}
    response = await push_document(app, await make_key(app), alone, to="ingest/epcis")
    assert response.json()["receipts"][0]["path"] == "$"
    assert status_codes(await read_timeline(app, SSCC)) == ["received"]


async def test_an_error_declaration_withdraws_the_event_with_the_same_id(app: App) -> None:
    key = await make_key(app)
    wrong = make_object_event(eventID="urn:uuid:1", **{"otep:statusCode": "delivered"})
    declared = {**wrong, "errorDeclaration": {"declarationTime": wrong["eventTime"], "reason": "did_not_occur"}}
    await push_document(app, key, make_document(wrong), to="ingest/epcis")
    assert (await read_timeline(app, SSCC))["delivered"] is True
    assert ingest_outcomes(await push_document(app, key, make_document(declared), to="ingest/epcis")) == ["corrected"]
    read = await read_timeline(app, SSCC)
    assert (read["events"], read["delivered"], len(read["voided"])) == ([], False, 1)


async def test_a_declaration_can_precede_the_event_it_withdraws(app: App) -> None:
    key = await make_key(app)
    wrong = make_object_event(eventID="urn:uuid:1")
    declared = {**wrong, "errorDeclaration": {"declarationTime": wrong["eventTime"]}}
    for event in (declared, wrong):
        await push_document(app, key, make_document(event), to="ingest/epcis")
    assert status_codes(await read_timeline(app, SSCC)) == []
