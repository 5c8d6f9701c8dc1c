"""Real carrier webhooks with null, empty, missing and renamed fields."""

from typing import Any

import pytest
from tests.contexts.tracking.ingest.requests import make_key, push_document, read_timeline, status_codes
from tests.support.app import App

from haulier.adapters.carriers.easypost import answers as easypost
from haulier.adapters.carriers.shipengine import answers as shipengine
from haulier.contexts.tracking.ingest.rules.carrier_pushes import native_of_push

MISSING = object()
ADDRESS = "https://api.shipengine.com/v1/tracking?carrier_code=usps&tracking_number=9400100000000000000001"


def shipengine_push(*scans: dict[str, Any], **data: Any) -> dict[str, Any]:
    body = {"tracking_number": "9400100000000000000001", "status_code": "DE", "events": list(scans), **data}
    body = {name: value for name, value in body.items() if value is not MISSING}
    return {"resource_url": ADDRESS, "resource_type": "API_TRACK", "data": body}


def shipengine_scan(hour: int, status_code: Any = None, **fields: Any) -> dict[str, Any]:
    scan = {
        "occurred_at": f"2026-03-01T{hour:02}:00:00Z",
        "carrier_occurred_at": f"2026-03-01T{hour:02}:00:00",
        "description": "",
        "city_locality": "AUSTIN",
        "country_code": "",
        "event_code": None,
        "signer": "",
        "status_code": status_code,
        "latitude": None,
        **fields,
    }
    return {name: value for name, value in scan.items() if value is not MISSING}


def easypost_push(*scans: dict[str, Any], **tracker: Any) -> dict[str, Any]:
    body = {"object": "Tracker", "tracking_code": "EZ1", "status": "delivered", "tracking_details": list(scans)}
    return {"object": "Event", "description": "tracker.updated", "result": {**body, **tracker}}


def shippo_push(**data: Any) -> dict[str, Any]:
    place = {"city": "Chicago", "state": "IL", "zip": "60611", "country": "US"}
    left = {
        "status": "TRANSIT",
        "status_details": "Package left",
        "status_date": "2026-02-28T08:00:00Z",
        "substatus": {"code": "package_departed", "text": "Departed", "action_required": False},
        "location": place,
    }
    delivered = {**left, "status": "DELIVERED", "status_date": "2026-03-01T12:00:00Z", "substatus": None}
    track = {"carrier": "usps", "tracking_number": "92055", "tracking_status": delivered, "tracking_history": [left]}
    return {"event": "track_updated", "test": False, "data": {**track, **data}}


def aftership_push(*checkpoints: dict[str, Any], **message: Any) -> dict[str, Any]:
    msg = {"id": "5b7658cec7c33c0e007de3c5", "slug": "usps", "tracking_number": "94055", "tag": "Delivered", **message}
    return {"event": "tracking_update", "ts": 1772366400, "msg": {**msg, "checkpoints": list(checkpoints)}}


def make_checkpoint(tag: str | None, **fields: Any) -> dict[str, Any]:
    return {
        "slug": "usps",
        "city": "Boston",
        "state": "MA",
        "country_iso3": "USA",
        "message": "Delivered",
        "tag": tag,
        "subtag": f"{tag}_001" if tag else None,
        "checkpoint_time": "2026-03-01T15:00:00-05:00",
        "created_at": "2026-03-01T21:00:00+00:00",
        **fields,
    }


UPS = {
    "trackingNumber": "1Z1",
    "activityStatus": {"type": "", "code": None, "description": "DELIVERED"},
    "activityLocation": None,
    "localActivityDate": "20260301",
    "localActivityTime": "091512",
    "gmtOffset": "-05.00",
}
DELIVERED = ["in_transit", "delivered"]
CORPUS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "shipengine null": (shipengine_push(shipengine_scan(12), shipengine_scan(9, "IT")), DELIVERED),
    "shipengine empty": (shipengine_push(shipengine_scan(12, ""), shipengine_scan(9, "IT")), DELIVERED),
    "shipengine absent": (shipengine_push(shipengine_scan(12, MISSING), shipengine_scan(9, MISSING)), DELIVERED),
    "shipengine one null of two": (shipengine_push(shipengine_scan(12, "DE"), shipengine_scan(9)), DELIVERED),
    "shipengine without an overall status": (
        shipengine_push(shipengine_scan(12, None, description="Delivered"), shipengine_scan(9), status_code=None),
        DELIVERED,
    ),
    "shipengine by event code": (
        shipengine_push(shipengine_scan(12, None, event_code="OUT_FOR_DELIVERY"), status_code=None),
        ["out_for_delivery"],
    ),
    "shipengine of 2019": (
        shipengine_push(shipengine_scan(12, "DE", occurred_at=MISSING, event_date="2026-03-01T12:00:00Z")),
        ["delivered"],
    ),
    "shipengine with only the number": (shipengine_push(events=MISSING), ["delivered"]),
    "shipengine with the number in the address": (
        shipengine_push(shipengine_scan(12, "DE"), tracking_number=None),
        ["delivered"],
    ),
    "shipengine whose delivery no scan shows": (shipengine_push(shipengine_scan(9, "IT")), DELIVERED),
    "shipengine with an odd country": (shipengine_push(shipengine_scan(12, "DE", country_code="U.S.")), ["delivered"]),
    "easypost null": (easypost_push({"status": None, "datetime": "2026-03-01T12:00:00Z"}), ["delivered"]),
    "easypost without scans": (easypost_push(), ["delivered"]),
    "easypost by message": (
        easypost_push({"message": "Out for Delivery", "datetime": "2026-03-01T12:00:00Z"}, status=None),
        ["out_for_delivery"],
    ),
    "shippo": (shippo_push(), ["package_outbound", "delivered"]),
    "shippo without history": (shippo_push(tracking_history=None), ["delivered"]),
    "shippo without a status": (shippo_push(tracking_status=None), ["package_outbound"]),
    "shippo as a bare track": (shippo_push()["data"], ["package_outbound", "delivered"]),
    "aftership": (aftership_push(make_checkpoint("Delivered")), ["delivered"]),
    "aftership without a tag": (aftership_push(make_checkpoint(None)), ["delivered"]),
    "aftership with a local time": (
        aftership_push(make_checkpoint("Delivered", checkpoint_time="2026-03-01T15:00:00")),
        ["delivered"],
    ),
    "ups without codes and without Greenwich": (UPS, ["delivered"]),
}


def number_of(document: dict[str, Any]) -> str:
    return native_of_push(document)["timelines"][0]["subject"]["tracking_number"]


@pytest.mark.parametrize("name", CORPUS)
async def test_a_recorded_push_updates_its_parcel_and_a_repeat_changes_nothing(app: App, name: str) -> None:
    document, expected = CORPUS[name]
    key = await make_key(app)
    for _ in range(2):
        answer = await push_document(app, key, document)
        assert (answer.status_code, answer.json()["counts"]["refused"]) == (200, 0), answer.text
    timeline = await read_timeline(app, number_of(document))
    assert status_codes(timeline) == expected
    assert timeline["current_status"] == expected[-1]


async def test_an_inferred_status_is_replaced_by_the_next_push_without_conflict(app: App) -> None:
    key = await make_key(app)
    accepted = shipengine_push(shipengine_scan(9), status_code="AC")
    delivered = shipengine_push(shipengine_scan(12), shipengine_scan(9), status_code="DE")
    counts = [(await push_document(app, key, document)).json()["counts"] for document in (accepted, delivered)]
    assert [(each["accepted"], each["duplicate"], each["refused"]) for each in counts] == [(1, 0, 0), (1, 1, 0)]
    assert status_codes(await read_timeline(app, number_of(delivered))) == ["picked_up", "delivered"]


async def test_an_unreadable_scan_does_not_lose_the_others(app: App) -> None:
    scans = (shipengine_scan(12, "DE"), shipengine_scan(9, "IT", occurred_at="yesterday", carrier_occurred_at=None))
    answer = await push_document(app, await make_key(app), shipengine_push(*scans))
    assert (answer.json()["counts"]["accepted"], answer.json()["counts"]["refused"]) == (1, 1)


def test_three_letter_country_codes_are_read() -> None:
    (event,) = native_of_push(aftership_push(make_checkpoint("Delivered")))["timelines"][0]["events"]
    assert event["location"] == {"city": "Boston", "region": "MA", "country": "US"}


def test_polls_and_pushes_are_read_alike() -> None:
    import json

    log = shipengine_push(shipengine_scan(12), shipengine_scan(9, "IT", occurred_at="soon", carrier_occurred_at=""))
    delivered, unread = shipengine.read_events(json.dumps(log["data"]).encode())
    assert delivered.otep_code == "delivered"  # pyright: ignore[reportAttributeAccessIssue]
    assert unread.document["occurred_at"] == "soon"  # pyright: ignore[reportAttributeAccessIssue]
    trackers = {"trackers": [easypost_push({"status": None, "datetime": "2026-03-01T12:00:00Z"})["result"]]}
    (delivered,) = easypost.read_tracker(json.dumps(trackers).encode())
    assert delivered.otep_code == "delivered"  # pyright: ignore[reportAttributeAccessIssue]


async def test_unrelated_webhooks_are_ignored(app: App) -> None:
    key = await make_key(app)
    for other in ({"event": "transaction_created", "test": True, "data": {"status": "SUCCESS"}},):
        assert set((await push_document(app, key, other)).json()["counts"].values()) == {0}
