"""Rejected webhook events are listed for staff with the whole webhook."""

import json
from typing import Any

from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline, push_document
from tests.support.app import App

SCAN = {"status_code": "DE", "occurred_at": "2026-03-01T12:00:00Z"}


def make_webhook(*scans: dict[str, Any], number: str | None = "9400") -> dict[str, Any]:
    data = {"tracking_number": number, "events": list(scans)}
    return {"resource_type": "API_TRACK", "resource_url": "", "data": data}


async def refused(app: App, who: str = "admin") -> list[dict[str, Any]]:
    await app.work_off()
    return (await app.rest(who, "GET", "/v1/otep/ingest/refused")).json()["refused"]


async def test_an_unreadable_scan_is_listed_once_with_its_whole_webhook(app: App) -> None:
    key, webhook = await make_key(app), make_webhook(SCAN, {**SCAN, "occurred_at": "yesterday"})
    for _ in range(2):
        assert (await push_document(app, key, webhook)).json()["counts"]["refused"] == 1
    (listed,) = await refused(app)
    assert (listed["tracking_number"], listed["path"]) == ("9400", "$.timelines[0].events[1]")
    assert json.loads(listed["document"]) == webhook
    assert listed["reasons"][0]["code"] == "INVALID_TIME"
    assert await refused(app, "rival") == []


async def test_a_webhook_without_a_number_or_content_is_listed(app: App) -> None:
    key = await make_key(app)
    for webhook in (make_webhook(SCAN, number=None), make_webhook()):
        assert (await push_document(app, key, webhook)).json()["counts"]["refused"] == 1
    assert sorted(each["tracking_number"] for each in await refused(app)) == ["", "9400"]


async def test_refused_events_of_native_documents_are_not_stored(app: App) -> None:
    answer = await push_document(app, await make_key(app), make_timeline(make_event(occurred_at="yesterday")))
    assert answer.json()["counts"]["refused"] == 1
    assert await refused(app) == []
