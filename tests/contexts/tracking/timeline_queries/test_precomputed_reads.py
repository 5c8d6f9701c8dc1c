"""Public views of events are stored when they are recorded, and read from there."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select, update
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.contexts.tracking.timelines.factories import (
    NUMBER,
    make_call,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import App

from haulier.contexts.otep.timeline.contract import Correction
from haulier.contexts.tracking.timelines.store.events import insert_corrections
from haulier.contexts.tracking.timelines.store.subjects import lock_subject_ids
from haulier.contexts.tracking.timelines.store.tables import WHOLE_EVENT, events

PATH = f"/v1/otep/trackings/{NUMBER}"


async def clear_precomputed_events(app: App) -> None:
    """Leave the rows as they were before events had anything to show."""
    async with make_call(app) as call:
        whole = await call.work.all(select(events.c.event_id, WHOLE_EVENT.label("document")))
        for row in whole:
            its = events.c.event_id == row.event_id
            await call.work.run(update(events).where(its).values(document=row.document, shown=None))


async def seen(app: App, **words: Any) -> tuple[dict[str, Any], str]:
    answer = await app.rest(None, "GET", PATH, **words)
    assert answer.status_code == 200
    return answer.json(), answer.headers["etag"]


@pytest.mark.parametrize("language", ["en", "zh-Hans", "de"])
async def test_the_precomputed_timeline_equals_the_full_one(app: App, language: str) -> None:
    await record_counting_statements(app, *make_delivery())
    headers = {"Accept-Language": language}
    shown = await seen(app, headers=headers)
    await clear_precomputed_events(app)
    assert shown == await seen(app, headers=headers)
    assert len(shown[0]["data"]["events"]) == len(make_delivery())


async def test_readers_with_full_access_get_every_stored_field(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    whole = (await app.rest("admin", "GET", PATH)).json()
    await clear_precomputed_events(app)
    assert whole == (await app.rest("admin", "GET", PATH)).json()
    assert whole["data"]["events"][-1]["pod"]["recipient"] == "Ms Roy"
    assert whole["data"]["events"][0]["location"]["lat"] == 43.65


async def test_the_public_copy_contains_no_private_data(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    async with make_call(app) as call:
        shown = [row.shown for row in await call.work.all(select(events.c.shown))]
    assert all(shown)
    assert [word for word in ("Birch", "43.65", "Roy", "photo", "dog", "stop-4", '"17"') if word in str(shown)] == []


async def test_several_numbers_read_the_same_as_individually(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    await record_counting_statements(app, make_new_event("x-drone-handover", tracking_number="HLDRONE"))
    asked = {"tracking_numbers": ["HLDRONE", NUMBER, "HL0", NUMBER]}
    batch = (await app.rest(None, "POST", "/v1/otep/trackings/batch", asked)).json()
    assert [each["tracking_number"] for each in batch["trackings"]] == ["HLDRONE", NUMBER, "HL0"]
    assert (batch["found"], [each["found"] for each in batch["trackings"]]) == (2, [True, True, False])
    assert batch["trackings"][1]["data"] == (await seen(app))[0]["data"]


async def test_every_interface_returns_the_same_public_timeline(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    (told, _), asked = await seen(app), {"tracking_number": NUMBER}
    query = "query ($number: String!) { otepTrackings(tracking_numbers: [$number]) { trackings { data } } }"
    graph = (await app.http.post("/graphql", json={"query": query, "variables": {"number": NUMBER}})).json()
    assert graph["data"]["otepTrackings"]["trackings"][0]["data"] == told["data"]
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        for path, tool in (("/mcp", "otep_tracking"), ("/mcp/developer", "get_otep_tracking")):
            result = await McpClient(base, http).call(tool, asked, path=path)
            assert result["structuredContent"]["data"] == told["data"]


async def test_a_parcel_of_any_length_takes_two_statements(app: App) -> None:
    counted: list[int] = []
    for hours in range(0, 40, 20):
        await record_counting_statements(app, *(make_new_event(hours=hour) for hour in range(hours, hours + 20)))
        before = app.statements
        await seen(app)
        counted.append(app.statements - before)
    assert counted == [2, 2]  # whose number it is, and the timeline


@pytest.mark.parametrize("code", ["x-drone-handover", "x-\x1f\x1f", "x-,\x1e", "delivered"])
async def test_ambiguous_sequences_are_read_from_the_full_events(app: App, code: str) -> None:
    """An experimental code, and two events at one instant."""
    await record_counting_statements(
        app, make_new_event("picked_up"), make_new_event(code, hours=1), make_new_event("in_transit", hours=1)
    )
    document, _ = await seen(app)
    assert {each["status_code"] for each in document["data"]["events"]} == {"picked_up", code, "in_transit"}
    assert all(each["description"] for each in document["data"]["events"])


async def test_withdrawn_events_are_not_shown(app: App) -> None:
    await record_counting_statements(app, make_new_event("picked_up"), make_new_event("in_transit", hours=1))
    document, etag = await seen(app)
    gone = document["data"]["events"][-1]["event_id"]
    async with make_call(app) as call:
        subject = (await lock_subject_ids(call.work, [NUMBER]))[NUMBER]
        declared = Correction(event_id=gone, declared_at=call.now)
        await insert_corrections(call.work, {(subject, "c-1"): declared}, call.now)
    after, tag = await seen(app)
    assert [each["status_code"] for each in after["data"]["events"]] == ["picked_up"]
    assert after["data"]["current_status"] == "picked_up"
    assert tag != etag
