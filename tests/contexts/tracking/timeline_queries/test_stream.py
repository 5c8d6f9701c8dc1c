"""New events are pushed to live followers of a parcel."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.contexts.tracking.timelines.factories import (
    NUMBER,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import App
from tests.support.event_stream import PATIENCE_S, Stream

from haulier.api.rest import sse
from haulier.api.rest.app import RestApp


@asynccontextmanager
async def following(app: App, number: str = NUMBER, **headers: str) -> AsyncIterator[Stream]:
    stream = Stream()
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/v1/otep/trackings/{number}/stream",
        "query_string": b"",
        "headers": [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    task = asyncio.create_task(RestApp(app.application)(scope, stream.receive, stream.send))
    try:
        yield stream
    finally:
        stream.leaves.set()
        await asyncio.wait_for(task, PATIENCE_S)


async def test_the_stream_starts_with_past_events_and_continues_with_new_ones(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    async with following(app) as stream:
        start = await stream.part()
        assert (start["status"], dict(start["headers"])[b"content-type"]) == (200, b"text/event-stream; charset=utf-8")
        assert (await stream.told())[0] == [each.status_code for each in make_delivery()[:2]]
        app.clock.forward(minutes=1)
        await record_counting_statements(app, make_new_event("delayed", occurred_at=app.clock()))
        assert (await stream.told())[0] == ["delayed"]


async def test_reconnecting_with_the_last_id_neither_misses_nor_repeats_events(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    async with following(app) as stream:
        await stream.part()
        _, last = await stream.told()
    app.clock.forward(minutes=1)
    await record_counting_statements(app, make_new_event("delayed", occurred_at=app.clock()))
    async with following(app, last_event_id=str(last)) as stream:
        await stream.part()
        assert (await stream.told())[0] == ["delayed"]


async def test_an_event_of_a_node_with_a_slow_clock_is_not_missed(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    app.clock.forward(minutes=1)
    await record_counting_statements(app, make_new_event("delayed", occurred_at=app.clock()))
    async with following(app) as stream:
        await stream.part()
        _, last = await stream.told()
    app.clock.forward(minutes=-1)
    await record_counting_statements(app, make_new_event("in_transit", occurred_at=app.clock()))
    async with following(app, last_event_id=str(last)) as stream:
        await stream.part()
        assert (await stream.told())[0] == ["in_transit"]


async def test_a_stream_opened_with_another_spelling_gets_new_events(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "POLL_INTERVAL_S", 10 * PATIENCE_S)
    await record_counting_statements(app, make_new_event(tracking_number="HL 2-b"))
    async with following(app, "hl2b") as stream:
        await stream.part()
        await stream.told()
        app.clock.forward(minutes=1)
        await record_counting_statements(
            app, make_new_event("delayed", tracking_number="HL 2-b", occurred_at=app.clock())
        )
        assert (await stream.told())[0] == ["delayed"]


async def test_events_of_other_parcels_are_not_streamed(app: App) -> None:
    await record_counting_statements(app, make_new_event())
    async with following(app) as stream:
        await stream.part()
        await stream.told()
        await record_counting_statements(app, make_new_event(tracking_number="HL2"))
        await asyncio.sleep(0.1)
        while not stream.parts.empty():  # a late notice of the first event may wake the stream, which then says nothing
            assert b"data:" not in stream.parts.get_nowait()["body"]


async def test_an_unknown_number_is_refused_as_in_the_list(app: App) -> None:
    async with following(app, "HL-UNKNOWN") as stream:
        start, body = await stream.part(), await stream.part()
        assert (start["status"], json.loads(body["body"])["code"]) == (404, "NOT_FOUND")
