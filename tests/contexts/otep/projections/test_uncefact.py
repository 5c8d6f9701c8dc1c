"""Status reports pass the official D23B schema and use codes of Recommendation 24."""

import csv
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import given
from jsonschema import Draft202012Validator, FormatChecker
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    make_timeline,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.contexts.otep.projections.uncefact import MAPPING, REASONS
from haulier.contexts.otep.timeline.contract import Timeline
from haulier.contexts.otep.vocabulary.rules import INCIDENT_REASONS

SCHEMA = "standards/uncefact/UNECE-MultimodalTransportConsignmentStatusReport-D23B.json"


@cache
def validator() -> Draft202012Validator:
    schema = json.loads(shared(SCHEMA).read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=FormatChecker())


def codes() -> set[str]:
    with shared("standards/uncefact/rec24-transport-status-codes.csv").open(encoding="utf-8") as file:
        return {row["Code"] for row in csv.DictReader(file)}


def test_every_code_gives_a_report_that_the_schema_accepts() -> None:
    # One journey for all codes of a profile: validating a document takes long and is mostly independent of the status.
    for asked in sorted({profile for _, _, profile in CODES}):
        journeys = [make_timeline_with_incident(*case) for case in CODES if case[2] == asked]
        reports = projected_json("uncefact", make_timeline(*(each.events[-1] for each in journeys), profile=asked))
        assert len(status_reports(reports)) == len(journeys)
        faults = [(fault.json_path, fault.message) for fault in validator().iter_errors(reports)]
        assert faults == []


@given(timelines())
def test_any_timeline_gives_a_report_that_the_schema_accepts(timeline: Timeline) -> None:
    validator().validate(projected_json("uncefact", timeline))


def test_every_code_of_the_table_is_in_recommendation_24_and_in_the_schema() -> None:
    used = {row.code for row in [*MAPPING.pivots.values(), *MAPPING.codes.values()]} | set(REASONS.values())
    assert used <= codes()
    assert not used & {str(number) for number in range(371, 380)}


def test_every_incident_reason_has_a_code() -> None:
    assert set(REASONS) == set(INCIDENT_REASONS)


def status_reports(document: dict[str, Any]) -> list[dict[str, Any]]:
    return document["specifiedConsignment"][0]["reportedLogisticsStatus"]


def status(document: dict[str, Any]) -> dict[str, Any]:
    return status_reports(document)[0]


@for_every(
    "spoil",
    [
        lambda document: status(document)["conditionCode"].update(content="371"),
        lambda document: status(document).update(remark="x"),
        lambda document: document["exchangedDocument"].pop("typeCode"),
        lambda document: document["exchangedDocument"].update(issueDateTime="yesterday"),
    ],
)
def test_a_corrupted_report_is_refused(spoil: Callable[[Any], Any]) -> None:
    document = projected_json("uncefact", timeline_of_codes("delivered"))
    spoil(document)
    assert not validator().is_valid(document)


def test_the_reason_is_given_as_code_and_text() -> None:
    journey = make_timeline_with_incident("delivery_failed", "out_for_delivery")
    *_, last = projected_json("uncefact", journey)["specifiedConsignment"][0]["reportedLogisticsStatus"]
    assert last["conditionCode"] == {"content": "210", "listAgencyId": "6"}
    assert last["reasonCode"] == [{"content": "269", "listAgencyId": "6"}]
    assert last["reason"] == [{"content": "recipient absent: Nobody answered"}]
