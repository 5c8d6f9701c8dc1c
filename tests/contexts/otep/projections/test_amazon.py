"""Tracking histories fit Amazon's API model, except for the delivery promise."""

import json
from functools import cache
from typing import Any

from hypothesis import given
from jsonschema import Draft4Validator, FormatChecker
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    NOON,
    make_event,
    make_timeline,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.contexts.otep.timeline.contract import Timeline

PROMISED = {"promised_delivery_date": "2026-06-11T18:00:00-04:00"}
NOT_PROMISED = "'promisedDeliveryDate' is a required property"


@cache
def validator() -> Draft4Validator:
    definitions = json.loads(shared("standards/amazon/shippingV2.json").read_text())["definitions"]
    schema = {"$ref": "#/definitions/GetTrackingResponse", "definitions": definitions}
    return Draft4Validator(schema, format_checker=FormatChecker())


def faults(document: dict[str, Any]) -> list[str]:
    return [error.message for error in validator().iter_errors(document)]


@for_every(("code", "phase", "profile"), CODES)
def test_every_code_gives_a_history_that_the_model_accepts(code: str, phase: str, profile: str) -> None:
    journey = make_timeline_with_incident(code, phase, profile)
    promise = make_event("arrival_scan", "inbound", NOON, extensions=PROMISED)
    assert faults(projected_json("amazon", make_timeline(promise, *journey.events, profile=profile))) == []
    assert faults(projected_json("amazon", journey)) == [NOT_PROMISED]


@given(timelines())
def test_any_timeline_gives_a_history_missing_at_most_a_promise(timeline: Timeline) -> None:
    assert set(faults(projected_json("amazon", timeline))) <= {NOT_PROMISED}


def test_the_example_of_the_model_passes_and_an_unknown_code_does_not() -> None:
    document = projected_json("amazon", make_timeline(make_event(extensions=PROMISED)))
    assert document["payload"]["promisedDeliveryDate"] == "2026-06-11T18:00:00-04:00"
    document["payload"]["eventHistory"][0]["eventCode"] = "Teleported"
    assert faults(document) != []


@for_every("promise", ["soon", "2026-06-11", "2026-06-11T18:00:00", 7, None])
def test_an_invalid_promised_time_is_omitted(promise: object) -> None:
    event = make_event(extensions={"promised_delivery_date": promise})
    assert "promisedDeliveryDate" not in projected_json("amazon", make_timeline(event))["payload"]


@for_every(
    ("codes", "events", "status"),
    [
        (("label_created", "cancelled"), ["ReadyForReceive", "PickupCancelled"], "PickupCancelled"),
        (("picked_up", "cancelled"), ["PickupDone", "Undeliverable"], "Undeliverable"),
        (("picked_up", "delayed"), ["PickupDone"], "InTransit"),
        (("label_created", "delayed"), ["ReadyForReceive"], "PreTransit"),
        (("picked_up", "returned"), ["PickupDone", "Delivered"], "Delivered"),
        ((), [], "PreTransit"),
    ],
)
def test_the_history_depends_on_the_pickup(codes: tuple[str, ...], events: list[str], status: str) -> None:
    payload = projected_json("amazon", timeline_of_codes(*codes))["payload"]
    assert [event["eventCode"] for event in payload["eventHistory"]] == events
    assert payload["summary"]["status"] == status


def test_details_are_attached_to_their_leg() -> None:
    summary = projected_json("amazon", make_timeline_with_incident("delivery_failed", "out_for_delivery"))["payload"][
        "summary"
    ]
    assert summary["trackingDetailCodes"] == {"forward": ["DeliveryAttempted", "CustomerUnavailable"], "returns": []}
    returned = projected_json("amazon", timeline_of_codes("picked_up", "returned"))["payload"]
    assert returned["eventHistory"][-1]["shipmentType"] == "RETURNS"
