"""Webhooks of UPS, ShipEngine and EasyPost in their original format."""

import json
from typing import Any

from tests.contexts.tracking.ingest.requests import make_key, push_document, read_timeline, status_codes
from tests.support.app import App

from haulier.adapters.carriers.easypost import answers as easypost
from haulier.adapters.carriers.shipengine import answers as shipengine
from haulier.adapters.carriers.ups import answers as ups
from haulier.contexts.tracking.ingest.rules.carrier_pushes import native_of_push

UPS: dict[str, Any] = {
    "trackingNumber": "1ZCIETST0111111114",
    "localActivityDate": "20260301",
    "localActivityTime": "091512",
    "gmtActivityDate": "20260301",
    "gmtActivityTime": "141512",
    "gmtOffset": "-05.00",
    "activityLocation": {"city": "LEBANON", "stateProvince": "OH", "postalCode": "45036", "country": "US"},
    "activityStatus": {"type": "D", "code": "FS", "description": "DELIVERED"},
    "actualDeliveryDate": "20260301",
}
SHIPENGINE: dict[str, Any] = {
    "resource_url": "https://api.shipengine.com/v1/tracking?carrier_code=usps&tracking_number=9400111298370264401222",
    "resource_type": "API_TRACK",
    "data": {
        "tracking_number": "9400111298370264401222",
        "status_code": "IT",
        "events": [
            {
                "occurred_at": "2026-03-01T12:00:00Z",
                "status_code": "IT",
                "status_detail_code": "OUT_FOR_DELIVERY",
                "event_code": "OF",
                "city_locality": "AUSTIN",
                "state_province": "TX",
                "country_code": "US",
            },
            {"occurred_at": "2026-02-28T12:00:00Z", "status_code": "AC", "city_locality": "HOUSTON"},
        ],
    },
}
EASYPOST: dict[str, Any] = {
    "object": "Event",
    "description": "tracker.updated",
    "result": {
        "object": "Tracker",
        "tracking_code": "EZ1000000001",
        "carrier": "USPS",
        "tracking_details": [
            {
                "object": "TrackingDetail",
                "message": "Delivered",
                "status": "delivered",
                "status_detail": "arrived_at_destination",
                "datetime": "2026-03-01T15:00:00Z",
                "carrier_code": "",
                "tracking_location": {"city": "CHARLESTON", "state": "SC", "country": None, "zip": "29407"},
            }
        ],
    },
}
UPS_AGENT = {"User-Agent": "UPSPubSubTrackingService"}
PUSHES = {"1ZCIETST0111111114": UPS, "9400111298370264401222": SHIPENGINE, "EZ1000000001": EASYPOST}


async def pushed(app: App, key: str, document: Any) -> dict[str, Any]:
    """The counts of a push that was taken."""
    answer = await push_document(app, key, document)
    assert answer.status_code == 200, answer.text
    return answer.json()["counts"]


async def test_a_webhook_updates_its_parcel_and_a_repeat_changes_nothing(app: App) -> None:
    key = await make_key(app)
    for number, document in PUSHES.items():
        counts = await pushed(app, key, document)
        assert (counts["refused"], counts["duplicate"]) == (0, 0), number
        again = await pushed(app, key, document)
        assert (again["accepted"], again["duplicate"]) == (0, counts["accepted"]), number
        written = native_of_push(document)["timelines"][0]["events"]
        assert set(status_codes(await read_timeline(app, number))) == {event["status_code"] for event in written}


def test_scans_record_event_time_and_location() -> None:
    events = {number: native_of_push(document)["timelines"][0]["events"] for number, document in PUSHES.items()}
    ups, easypost = events["1ZCIETST0111111114"][0], events["EZ1000000001"][0]
    assert (ups["occurred_at"], ups["status_code"]) == ("2026-03-01T14:15:12Z", "delivered")
    assert ups["location"] == {"city": "LEBANON", "region": "OH", "country": "US", "postal_code": "45036"}
    assert [event["status_code"] for event in events["9400111298370264401222"]] == ["out_for_delivery", "picked_up"]
    assert (easypost["status_code"], easypost["raw_status"]) == ("delivered", "delivered:arrived_at_destination")


def test_a_pushed_scan_has_the_same_id_as_a_polled_one() -> None:
    scan = SHIPENGINE["data"]["events"][0]
    polled = shipengine.read_events(json.dumps({"events": [scan]}).encode())
    assert [event.event_id for event in polled] == [native_of_push(SHIPENGINE)["timelines"][0]["events"][0]["event_id"]]
    polled = easypost.read_tracker(json.dumps({"trackers": [EASYPOST["result"]]}).encode())
    assert [event.event_id for event in polled] == [native_of_push(EASYPOST)["timelines"][0]["events"][0]["event_id"]]
    activity = {
        "status": UPS["activityStatus"],
        "location": {"address": {"city": "LEBANON", "countryCode": "US"}},
        "gmtDate": UPS["gmtActivityDate"],
        "gmtTime": "14:15:12",
    }
    tracked = {"trackResponse": {"shipment": [{"package": [{"activity": [activity]}]}]}}
    polled = ups.read_events(json.dumps(tracked).encode())
    assert [event.event_id for event in polled] == [native_of_push(UPS)["timelines"][0]["events"][0]["event_id"]]


async def test_ups_is_recognized_by_the_header_in_its_contract(app: App) -> None:
    key, path = await make_key(app), "/api/v1/otep/ingest"

    async def sent(**headers: str) -> int:
        return (await app.http.post(path, json=UPS, headers={**UPS_AGENT, **headers})).status_code

    assert [await sent(credential=word) for word in (f"{key}x", "", "x")] == [401] * 3
    assert await sent(credential=key, Authorization=f"Bearer {key}x") == 401
    assert await read_timeline(app, UPS["trackingNumber"]) == {}
    assert [await sent(credential=key) for _ in range(3)] == [200] * 3
    assert status_codes(await read_timeline(app, UPS["trackingNumber"])) == ["delivered"]
    elsewhere = await app.http.post(f"{path}/epcis", json={}, headers={"credential": key})
    assert elsewhere.status_code == 401


async def test_ups_messages_with_empty_fields_and_padded_numbers_are_read(app: App) -> None:
    manifest = {
        **UPS,
        "trackingNumber": f" {UPS['trackingNumber']}",
        "activityLocation": {"city": "", "stateProvince": "", "postalCode": "", "country": "US"},
        "activityStatus": {"type": "M", "code": "MP", "description": "", "descriptionCode": "003"},
        "actualDeliveryDate": "",
        "deliveryPhoto": "",
    }
    assert (await pushed(app, await make_key(app), manifest))["accepted"] == 1
    assert status_codes(await read_timeline(app, UPS["trackingNumber"])) == ["information_submitted"]


async def test_an_unrelated_webhook_is_accepted_and_ignored(app: App) -> None:
    key = await make_key(app)
    others = (
        {"resource_url": "https://api.shipengine.com/v1/batches/se-1", "resource_type": "API_BATCH", "data": {}},
        {"object": "Event", "description": "batch.created", "result": {"object": "Batch", "id": "batch_1"}},
    )
    for other in others:
        assert set((await pushed(app, key, other)).values()) == {0}


async def test_a_scan_without_a_utc_time_is_refused_individually(app: App) -> None:
    unknown = {name: value for name, value in UPS.items() if not name.startswith("gmt")}
    answer = await push_document(app, await make_key(app), unknown)
    (receipt,) = answer.json()["receipts"]
    assert receipt["outcome"] == "refused"
    assert {reason["path"] for reason in receipt["reasons"]} == {"$.timelines[0].events[0].occurred_at"}


async def test_malformed_webhooks_are_refused_safely(app: App) -> None:
    key = await make_key(app)
    hostile = (
        {**UPS, "activityStatus": 7, "activityLocation": [1]},
        {**UPS, "trackingNumber": {"a": 1}},
        {**SHIPENGINE, "data": "x"},
        {**SHIPENGINE, "data": {"events": [1, None, {"occurred_at": 5, "status_code": 8, "city_locality": {}}]}},
        {**EASYPOST, "result": {"object": "Tracker", "tracking_details": {"a": 1}}},
        {**EASYPOST, "result": {"object": "Tracker", "tracking_code": "X1", "tracking_details": [{"status": ["a"]}]}},
    )
    for document in hostile:
        answer = await push_document(app, key, document)
        assert answer.status_code in {200, 422}, answer.text
