"""AfterShip's own client reads the documents, with published sub-statuses only."""

from typing import Any

import pytest
from babel.core import get_global
from hypothesis import given
from pydantic import ValidationError
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    make_event,
    make_timeline,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every
from tracking.models.checkpoint import Checkpoint
from tracking.models.tracking import Tracking

from haulier.contexts.otep.projections.aftership import MAPPING, NO_EVENTS_ROW, REASONS, AftershipRow
from haulier.contexts.otep.timeline.contract import IncidentReason, Timeline
from haulier.contexts.otep.validation.rules.countries import ALPHA3_CODES

LAST = {"Delivered": 5, "Exception": 21, "AttemptFail": 3, "InTransit": 9, "OutForDelivery": 4}
PUBLISHED = {f"{tag}_{n:03d}": tag for tag, last in LAST.items() for n in range(1, last + 1)}
PUBLISHED |= {f"{tag}_001": tag for tag in ("InfoReceived", "Pending", "AvailableForPickup", "Expired")}
"""The numbers of the page Delivery Sub-statuses and of the additions of March 2026."""


def prove(document: dict[str, Any]) -> Tracking:
    assert document.keys() <= Tracking.model_fields.keys()
    for checkpoint in document["checkpoints"]:
        assert checkpoint.keys() <= Checkpoint.model_fields.keys()
        assert PUBLISHED[checkpoint["subtag"]] == checkpoint["tag"]
    assert PUBLISHED[document["subtag"]] == document["tag"]
    parsed = Tracking.from_dict(document)
    assert parsed is not None
    return parsed


@for_every(("code", "phase", "profile"), CODES)
def test_every_code_gives_a_tracking_that_the_client_can_parse(code: str, phase: str, profile: str) -> None:
    parsed = prove(projected_json("aftership", make_timeline_with_incident(code, phase, profile)))
    assert parsed.checkpoints is not None
    assert parsed.checkpoints[-1].raw_tag == code


@given(timelines())
def test_any_timeline_gives_a_tracking_that_the_client_can_parse(timeline: Timeline) -> None:
    prove(projected_json("aftership", timeline))


def test_the_client_rejects_a_tag_in_other_capitalization() -> None:
    with pytest.raises(ValidationError):
        Tracking.from_dict(projected_json("aftership", timeline_of_codes("delivered")) | {"tag": "delivered"})


def test_every_row_of_the_table_is_published() -> None:
    finer: list[AftershipRow] = [row for rows in REASONS.values() for row in rows.values()]
    for row in [*MAPPING.pivots.values(), *MAPPING.codes.values(), NO_EVENTS_ROW, *finer]:
        assert PUBLISHED[row.subtag] == row.tag


@for_every(
    ("code", "phase", "reason", "subtag"),
    [
        ("delivery_failed", "out_for_delivery", "recipient_absent", "AttemptFail_002"),
        ("delivery_failed", "out_for_delivery", "traffic", "AttemptFail_001"),
        ("delayed", "transit", "weather", "Exception_017"),
        ("customs_held", "transit", "other", "Exception_004"),
        ("in_transit", "transit", "weather", "InTransit_001"),
    ],
)
def test_the_reason_refines_the_sub_status(code: str, phase: str, reason: str, subtag: str) -> None:
    event = make_event(code, phase, incident_reason=IncidentReason(code=reason))
    assert projected_json("aftership", make_timeline(event))["subtag"] == subtag


def test_a_number_without_events_is_pending() -> None:
    document = projected_json("aftership", timeline_of_codes())
    assert (document["tag"], document["subtag"], document["checkpoints"]) == ("Pending", "Pending_001", [])


def test_failed_attempts_are_counted_and_milestones_have_dates() -> None:
    document = projected_json(
        "aftership", timeline_of_codes("label_created", "picked_up", "delivery_failed", "delivery_failed", "delivered")
    )
    assert document["failed_delivery_attempts"] == 2
    assert document["shipment_pickup_date"] == "2026-06-10T13:00:00Z"
    assert document["first_attempted_at"] == "2026-06-10T14:00:00Z"
    assert document["shipment_delivery_date"] == "2026-06-10T16:00:00Z"
    assert document["checkpoints"][0]["country_region"] == "CAN"


def test_a_late_event_is_a_checkpoint_but_does_not_change_the_status() -> None:
    late = make_event(
        "in_transit", "transit", timeline_of_codes("delivered").events[0].occurred_at.replace(hour=23), late=True
    )
    document = projected_json("aftership", make_timeline(*timeline_of_codes("delivered").events, late))
    assert document["tag"] == "Delivered"
    assert [c["tag"] for c in document["checkpoints"]] == ["Delivered", "InTransit"]


def test_country_codes_agree_with_unicode_cldr() -> None:
    aliases = get_global("territory_aliases")
    assert len(ALPHA3_CODES) == 249
    assert {alpha2: aliases[alpha3] for alpha2, alpha3 in ALPHA3_CODES.items()} == {a: [a] for a in ALPHA3_CODES}
