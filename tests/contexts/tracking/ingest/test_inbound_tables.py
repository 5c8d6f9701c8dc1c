"""Inbound vocabularies have separate tables, not inverted outbound ones."""

import ast
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.contexts.otep.projections.timeline_factories import BASE_URL, CODES, make_timeline, projected_json
from tests.contexts.otep.projections.timeline_factories import make_event as make_tracking_event
from tests.contexts.tracking.ingest.requests import (
    make_document,
    make_key,
    make_object_event,
    push_document,
    status_codes,
)
from tests.support.app import App

import haulier
from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.public import (
    INCIDENT_REASONS,
    TERMINAL_CODES,
    IncidentReason,
    Source,
    is_experimental_code,
    resolve_status,
    status_code_row,
    translate_status,
)
from haulier.contexts.tracking.ingest.rules.epcis_event_shape import BUSINESS_STEPS, DISPOSITIONS, status_code_of_words
from haulier.contexts.tracking.ingest.rules.epcis_events import read_epcis

CARRIER = Source(type="carrier", name="Acme Parcel")
INBOUND_FORMATS = {"otep": "native", "epcis": "epcis_vocabulary.toml", "aftership": "aftership.toml"}
"""The formats that are both written and read, and how each is read."""
WORD_PAIRS = [*product(["", *BUSINESS_STEPS], ["", *DISPOSITIONS])]


@pytest.mark.parametrize(
    ("step", "disposition", "status_code"),
    [
        ("shipping", "in_transit", "package_outbound"),
        ("departing", "in_transit", "package_outbound"),
        ("consigning", "in_transit", "package_outbound"),
        ("loading", "in_progress", "in_transit"),
        ("transporting", "in_transit", "in_transit"),
        ("receiving", "in_progress", "received"),
        ("receiving", "returned", "received"),
        ("accepting", "available", "received"),
        ("accepting", "in_progress", "received"),
        ("holding", "available", "on_hold"),
        ("void_shipping", "inactive", "on_hold"),
        ("collecting", "unavailable", "picked_up"),
        ("other", "unknown", "x-epcis-other"),
        ("other", "in_transit", "in_transit"),
        ("sensor_reporting", "in_transit", "in_transit"),
        ("inspecting", "non_conformant", "on_hold"),
        ("inspecting", "damaged", "damaged"),
        ("inspecting", "conformant", "x-epcis-inspecting"),
        ("shipping", "damaged", "damaged"),
        ("retail_selling", "retail_sold", "x-epcis-retail-selling"),
        ("https://own.example/step", "in_transit", "in_transit"),
        ("", "in_transit", "in_transit"),
        ("", "sellable_accessible", "x-epcis-sellable-accessible"),
    ],
)
def test_terms_of_other_senders_have_their_standard_meaning(step: str, disposition: str, status_code: str) -> None:
    assert status_code_of_words(step, disposition) == status_code


def test_unrecognized_terms_neither_end_a_journey_nor_announce_the_last_leg() -> None:
    faults = [
        (pair, code)
        for pair in WORD_PAIRS
        if (code := status_code_of_words(*pair)) in TERMINAL_CODES
        or status_code_row(code, "transit", "parcel").phase in {"out_for_delivery", "delivered"}
        or not (resolve_status(code) or is_experimental_code(code))
    ]
    assert faults == []


async def test_goods_leaving_a_warehouse_are_not_out_for_delivery(app: App) -> None:
    steps = ("commissioning", "packing", "shipping", "receiving", "transporting")
    events = [
        make_object_event(hours=hour, bizStep=step, disposition="in_transit" if step == "shipping" else "in_progress")
        for hour, step in enumerate(steps)
    ]
    assert (await push_document(app, await make_key(app), make_document(*events), to="ingest/epcis")).status_code == 200
    public = (await app.rest(None, "GET", "/v1/otep/trackings/006141411234567890")).json()["data"]
    expected = ["information_submitted", "awaiting_pickup", "package_outbound", "received", "in_transit"]
    assert (status_codes(public), public["current_status"], public["delivered"]) == (expected, "in_transit", False)


def test_our_own_documents_are_read_back_exactly() -> None:
    reasons = [None, *(IncidentReason(code=code, note="Side door") for code in INCIDENT_REASONS)]
    faults: list[Any] = []
    for (code, phase, profile), reason in product([each for each in CODES if each[0] != "never_heard_of"], reasons):
        if code.startswith("x-") and phase == "no_such_phase":
            continue
        event = make_tracking_event(code, phase, **({"incident_reason": reason} if reason else {}))
        document = projected_json("epcis", make_timeline(event, profile=profile))
        (read,) = read_epcis(document, CARRIER).events
        facts = ("status_code", "phase", "occurred_at", "location", "incident_reason", "raw_status")
        faults += [(code, name) for name in facts if getattr(read.event, name) != getattr(event, name)]
    assert faults == []


def test_every_format_accepted_as_input_has_an_inbound_table() -> None:
    root = Path(haulier.__file__).parent
    tables = {path.name for path in (root / "contexts").rglob("*.toml") if "projections" not in path.parts}
    assert {name for name, table in INBOUND_FORMATS.items() if table != "native"} <= set(FORMATS)
    assert {table for table in INBOUND_FORMATS.values() if table != "native"} <= tables
    readers = [*(root / "contexts/tracking").rglob("*.py"), *(root / "contexts/otep/carriers").rglob("*.py")]
    readers += (root / "adapters/carriers").rglob("*.py")
    importing = [
        path.name
        for path in readers
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("haulier.contexts.otep.projections")
    ]
    assert importing == []


def test_exported_aftership_tags_never_read_back_as_further_along() -> None:
    faults: list[Any] = []
    for code, phase, profile in CODES:
        if resolve_status(code, profile) is None:
            continue
        document = projected_json("aftership", make_timeline(make_tracking_event(code, phase), profile=profile))
        (checkpoint,) = document["checkpoints"]
        read = translate_status("aftership", checkpoint["subtag"], checkpoint["tag"])
        if read.status_code in TERMINAL_CODES and code not in TERMINAL_CODES:
            faults.append((code, checkpoint["subtag"], read.status_code))
    assert faults == []


def test_a_document_without_our_terms_is_read_by_its_standard_terms() -> None:
    document = projected_json("epcis", make_timeline(make_tracking_event("delivered", "delivered")))
    text = json.dumps(document)
    assert "otep:statusCode" in text
    (event,) = document["epcisBody"]["eventList"]
    foreign = {name: value for name, value in event.items() if not name.startswith("otep:")}
    (read,) = read_epcis({**document, "epcisBody": {"eventList": [foreign]}}, CARRIER).events
    assert (read.event.status_code, read.event.raw_status) == ("received", "accepting/available")
    assert BASE_URL not in str(read.event)
