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


async def test_what_happened_so_far_comes_first_and_then_every_new_event(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    async with following(app) as stream:
        start = await stream.part()
        assert (start["status"], dict(start["headers"])[b"content-type"]) == (200, b"text/event-stream; charset=utf-8")
        assert (await stream.told())[0] == [each.status_code for each in make_delivery()[:2]]
        app.clock.forward(minutes=1)
        await record_counting_statements(app, make_new_event("delayed", occurred_at=app.clock()))
        assert (await stream.told())[0] == ["delayed"]


async def test_who_comes_back_with_the_last_id_misses_nothing_and_reads_nothing_twice(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    async with following(app) as stream:
        await stream.part()
        _, last = await stream.told()
    app.clock.forward(minutes=1)
    await record_counting_statements(app, make_new_event("delayed", occurred_at=app.clock()))
    async with following(app, last_event_id=str(last)) as stream:
        await stream.part()
        assert (await stream.told())[0] == ["delayed"]


async def test_an_event_of_a_node_whose_clock_is_behind_is_not_missed(app: App) -> None:
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


async def test_who_typed_the_number_otherwise_hears_of_news_as_soon(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_an_event_of_another_parcel_says_nothing(app: App) -> None:
    await record_counting_statements(app, make_new_event())
    async with following(app) as stream:
        await stream.part()
        await stream.told()
        await record_counting_statements(app, make_new_event(tracking_number="HL2"))
        await asyncio.sleep(0.1)
        while not stream.parts.empty():  # a late notice of the first event may wake the stream, which then says nothing
            assert b"data:" not in stream.parts.get_nowait()["body"]


async def test_an_unknown_number_is_refused_like_the_list(app: App) -> None:
    async with following(app, "HL-UNKNOWN") as stream:
        start, body = await stream.part(), await stream.part()
        assert (start["status"], json.loads(body["body"])["code"]) == (404, "NOT_FOUND")
