"""Unreadable carrier messages are stored, listed and replayed without duplicates."""

import asyncio
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.contexts.shipping.makers import buy, codes_of, make_parcelo_account, shipment_now
from tests.contexts.tracking.ingest.requests import make_key, push_document, read_timeline, status_codes
from tests.support.app import App

from haulier.contexts.shipping.ports import CarrierEvent, UnreadScan
from haulier.contexts.tracking.ports import StoredScanReader
from haulier.contexts.tracking.public import assign_carrier
from haulier.kernel.call import call_as_system

SCAN = {"status_code": "IT", "occurred_at": "2026-03-01T12:00:00Z"}
NUMBER = "SE-1"


def make_webhook(*scans: dict[str, Any], resource_type: str = "API_TRACK", **data: Any) -> dict[str, Any]:
    body = {"tracking_number": NUMBER, "events": list(scans), **data}
    return {"resource_type": resource_type, "resource_url": "", "data": body}


async def stored(app: App, who: str = "admin", **asked: Any) -> list[Any]:
    await app.work_off()
    return (await app.answer(who, "list_carrier_messages", asked)).carrier_messages


async def replay(app: App, id: int) -> Any:
    return (await app.answer("admin", "replay_carrier_message", {"carrier_message_id": id})).carrier_message


async def entrust(app: App, carrier: str, number: str = NUMBER) -> None:
    async with app.database.write(app.clients["demo"]) as work:
        await assign_carrier(await call_as_system(app.application, app.clients["demo"], work), number, carrier)


async def make_refused_webhook(app: App, *scans: dict[str, Any], **data: Any) -> tuple[str, Any]:
    """Push a webhook about another carrier's parcel; return its key and message."""
    other, key = await make_key(app, name="Other"), await make_key(app)
    await push_document(app, other, make_webhook({**SCAN, "occurred_at": "2026-02-28T12:00:00Z"}))
    await entrust(app, "Other")
    assert (await push_document(app, key, make_webhook(*scans, **data))).json()["counts"]["refused"]
    (message,) = await stored(app)
    return key, message


async def test_an_unknown_event_is_stored_for_its_own_business(app: App) -> None:
    webhook = make_webhook(SCAN, resource_type="API_TRACK_V2")
    answer = await push_document(app, await make_key(app), webhook)
    assert (answer.status_code, set(answer.json()["counts"].values())) == (200, {0})
    (message,) = await stored(app, status="open")
    assert ([each.code for each in message.reasons], message.sender, message.tracking_number) == (
        ["EVENT_UNKNOWN"],
        "shipengine",
        NUMBER,
    )
    asked = {"carrier_message_id": message.id}
    shown = (await app.answer("admin", "get_carrier_message", asked)).carrier_message
    assert json.loads(shown.document) == webhook
    assert await stored(app, "rival") == []
    for operation in ("get_carrier_message", "replay_carrier_message"):
        assert (await app.call("rival", operation, asked)).status == 404


async def test_known_unrelated_events_are_not_stored(app: App) -> None:
    await push_document(app, await make_key(app), make_webhook(resource_type="API_BATCH"))
    assert await stored(app) == []


async def test_a_push_in_an_unknown_format_is_refused_and_stored_once(app: App) -> None:
    key = await make_key(app)
    assert (await push_document(app, key, {"event": "parcel.moved"}, X_Dry_Run="true")).status_code == 422
    assert await stored(app) == []
    for _ in range(2):
        assert (await push_document(app, key, {"event": "parcel.moved"})).status_code == 422
    assert (await push_document(app, key, b'{"event": "par')).status_code == 400
    codes = {each.reasons[0].code for each in await stored(app)}
    assert codes == {"INGEST_NOT_A_TIMELINE", "DOCUMENT_MALFORMED"}
    for message in await stored(app):
        assert (await replay(app, message.id)).status == "open"


async def test_a_replay_after_a_fix_records_each_event_once(app: App) -> None:
    key, message = await make_refused_webhook(app, SCAN)
    assert [each.code for each in message.reasons] == ["NOT_CARRIED"]
    await entrust(app, "Swift Post")
    for _ in range(2):
        applied = await replay(app, message.id)
        assert (applied.status, applied.reasons, applied.replays, applied.applied_at) == (
            "applied",
            [],
            1,
            app.clock.now,
        )
    assert (await app.rest("admin", "GET", "/v1/otep/ingest/refused")).json()["refused"] == []
    assert (await push_document(app, key, make_webhook(SCAN))).json()["counts"]["duplicate"] == 1
    assert status_codes(await read_timeline(app, NUMBER)) == ["in_transit", "in_transit"]
    assert [each.status for each in await stored(app)] == ["applied"]


async def test_a_readable_scan_beside_an_unreadable_one_is_recorded_once_immediately(app: App) -> None:
    await push_document(app, await make_key(app), make_webhook(SCAN, {**SCAN, "occurred_at": "yesterday"}))
    (message,) = await stored(app)
    again = await replay(app, message.id)
    assert (again.status, again.replays, [each.code for each in again.reasons]) == ("open", 1, ["INVALID_TIME"])
    assert status_codes(await read_timeline(app, NUMBER)) == ["in_transit"]


async def test_a_status_without_a_time_is_replayed_with_its_receipt_time(app: App) -> None:
    _, message = await make_refused_webhook(app, status_code="IT")
    received = app.clock.now
    app.clock.forward(hours=3)
    await entrust(app, "Swift Post")
    assert (await replay(app, message.id)).status == "applied"
    last = (await read_timeline(app, NUMBER))["events"][-1]
    assert last["occurred_at"].startswith(f"{received:%Y-%m-%dT%H:%M}")


async def test_parallel_replays_record_each_event_once(app: App) -> None:
    _, message = await make_refused_webhook(app, SCAN)
    await entrust(app, "Swift Post")
    answers = await asyncio.gather(*(replay(app, message.id) for _ in range(4)))
    assert {(each.status, each.replays) for each in answers} == {("applied", 1)}
    assert status_codes(await read_timeline(app, NUMBER)) == ["in_transit", "in_transit"]


class ReaderOfTomorrow:
    """Reads the time that today's rules cannot read."""

    def read_scan(self, sender: str, document: Mapping[str, Any]) -> CarrierEvent | None:
        return DELIVERED.get(sender)


DELIVERED: dict[str, CarrierEvent] = {}


async def test_an_unreadable_scan_of_a_poll_is_stored_once_and_replayed_after_an_update(app: App) -> None:
    carrier = await make_parcelo_account(app)
    shipment = await buy(app)
    at = app.clock.now + timedelta(minutes=5)
    read = CarrierEvent("e1", "DELIVERED", "delivered", at, city="Ottawa", country="CA")
    carrier.scans += [
        CarrierEvent("e0", "PICKED_UP", "picked_up", at - timedelta(minutes=1)),
        UnreadScan("parcelo", {"code": "DELIVERED", "at": "five past noon"}),
    ]
    for _ in range(2):
        app.clock.forward(hours=13)
        await app.work_off()
    (message,) = await stored(app, origin="poll", tracking_number=shipment.tracking_number)
    assert ([each.code for each in message.reasons], message.provider_id) == (["SCAN_TIME"], None)
    assert (await replay(app, message.id)).status == "open"
    adapters: Any = app.application.adapters
    DELIVERED["parcelo"] = read
    app.application.adapters = {**adapters, StoredScanReader: ReaderOfTomorrow()}
    assert (await replay(app, message.id)).status == "applied"
    await app.work_off()
    assert (await shipment_now(app, shipment.id)).state == "delivered"
    carrier.scans[1] = read
    app.clock.forward(hours=13)
    await app.work_off()
    assert await codes_of(app, shipment.tracking_number) == ["label_created", "picked_up", "delivered"]
