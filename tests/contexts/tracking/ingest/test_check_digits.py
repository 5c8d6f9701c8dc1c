"""GS1 keys with wrong check digits are rejected; leap seconds are accepted."""

import pytest
from tests.contexts.tracking.ingest.requests import (
    make_document,
    make_event,
    make_key,
    make_object_event,
    make_timeline,
    push_document,
    read_timeline,
)
from tests.support.app import App

from haulier.contexts.otep.public import plain_timestamp
from haulier.contexts.tracking.ingest.rules.epcis_event_shape import expected_check_digit

WRONG = "https://id.gs1.org/00/106141411234567890"
RIGHT = "https://id.gs1.org/00/106141411234567897"


@pytest.mark.parametrize(
    ("epc", "expected"),
    [
        (WRONG, "7"),
        (RIGHT, None),
        ("https://shop.example/01/10614141073465/21/7", "4"),
        ("https://shop.example/01/10614141073464/21/7", None),
        ("https://id.gs1.org/8003/04012345555550987", "4"),
        ("https://id.gs1.org/8004/40000011", None),
        ("https://id.gs1.org/00/1061414112345", None),
        ("urn:epc:id:sscc:0614141.1234567890", None),
        ("urn:example:thing:7", None),
    ],
)
def test_a_wrong_check_digit_is_reported_with_the_correct_one(epc: str, expected: str | None) -> None:
    assert expected_check_digit(epc) == expected


async def test_an_sscc_with_a_wrong_check_digit_creates_no_second_parcel(app: App) -> None:
    key = await make_key(app)
    assert (
        await push_document(app, key, make_document(make_object_event(RIGHT)), to="ingest/epcis")
    ).status_code == 200
    refused = await push_document(app, key, make_document(make_object_event(WRONG)), to="ingest/epcis")
    (fault,) = refused.json()["errors"]
    assert (refused.status_code, fault["field"]) == (422, "$.epcisBody.eventList[0].epcList[0]")
    assert "7" in fault["message"]
    assert await read_timeline(app, "106141411234567890") == {}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00+00:00"),
        ("2016-12-31T18:59:60.25-05:00", "2016-12-31T19:00:00-05:00"),
        ("2016-12-31T23:59:61Z", "2016-12-31T23:59:61Z"),
        ("2016-12-31T23:99:60Z", "2016-12-31T23:99:60Z"),
        ("9999-12-31T23:59:60Z", "9999-12-31T23:59:60Z"),
        ("12:60", "12:60"),
    ],
)
def test_a_leap_second_is_read_as_the_following_second(written: str, read: str) -> None:
    assert plain_timestamp(written) == read


async def test_documents_with_leap_seconds_are_accepted(app: App) -> None:
    key, leap = await make_key(app), "2016-12-31T23:59:60Z"
    epcis = make_document(make_object_event(RIGHT, eventTime=leap), creationDate=leap)
    assert (await push_document(app, key, epcis, to="ingest/epcis")).status_code == 200
    native = make_timeline(make_event(occurred_at=leap))
    assert (await push_document(app, key, native)).json()["counts"]["accepted"] == 1
    for number in ("106141411234567897", "SP-1001"):
        (event,) = (await read_timeline(app, number))["events"]
        assert event["occurred_at"].startswith("2017-01-01T00:00:00")
