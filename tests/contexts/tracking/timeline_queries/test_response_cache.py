"""Repeated timeline requests are cached per caller, and only while valid."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from tests.contexts.tracking.timelines.factories import (
    NUMBER,
    make_call,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import App

from haulier.adapters.database import database_for
from haulier.contexts.tracking.public import link_tracking_number, record_events, set_replaced_by
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.http import answer_store

PATH = f"/v1/otep/trackings/{NUMBER}"
PATIENCE_S = 60
READ = 2
"""The statements of an answer that is not kept: whose number it is, and the timeline."""


@pytest.fixture
async def hot(app: App) -> AsyncIterator[App]:
    """A number that was asked for twice, in a process that hears the news."""
    await record_counting_statements(app, *make_delivery()[:2])
    async with AsyncExitStack() as stack:
        await app.application.response_cache.listen(app.application.registry, stack)
        await app.application.callers.listen(stack)
        for _ in range(2):
            await app.rest(None, "GET", PATH)
        yield app


async def statements_of(app: App, who: str | None = None, **headers: str) -> int:
    app.statements = 0
    assert (await app.rest(who, "GET", PATH, headers=headers)).status_code in {200, 304}
    return app.statements


async def test_the_third_identical_request_uses_no_database(hot: App) -> None:
    assert await statements_of(hot) == 0


async def test_public_tracking_is_cached_until_the_next_event(hot: App) -> None:
    path = f"/v1/tracking/{NUMBER}"
    statements = []
    for _ in range(3):
        hot.statements = 0
        answer = await hot.rest(None, "GET", path)
        statements.append(hot.statements)
    assert (statements, answer.headers["cache-control"]) == ([READ, READ, 0], "public, max-age=15")
    async with make_call(hot) as call:
        await set_replaced_by(call, {NUMBER: "HL-NEXT"})
    later = await hot.rest(None, "GET", path, headers={"If-None-Match": answer.headers["etag"]})
    assert (later.status_code, later.json()["replaced_by"]) == (200, "HL-NEXT")
    known = await hot.rest(None, "GET", path, headers={"If-None-Match": later.headers["etag"]})
    assert known.status_code == 304


async def test_the_cached_response_is_identical(hot: App) -> None:
    third = await hot.rest(None, "GET", PATH)
    hot.application.response_cache.invalidate("tracking", "*")
    anew = await hot.rest(None, "GET", PATH)
    assert third.content == anew.content
    assert {**third.headers, "x-request-id": ""} == {**anew.headers, "x-request-id": ""}


async def test_a_304_uses_no_database(hot: App) -> None:
    etag = (await hot.rest(None, "GET", PATH)).headers["etag"]
    assert await statements_of(hot, **{"If-None-Match": etag}) == 0
    response = await hot.rest(None, "GET", PATH, headers={"If-None-Match": etag})
    assert (response.status_code, response.content, response.headers["etag"]) == (304, b"", etag)


async def test_frequent_304s_query_the_database_only_occasionally(hot: App) -> None:
    etag = {"If-None-Match": (await hot.rest(None, "GET", PATH)).headers["etag"]}
    later = hot.application.response_cache.seconds() + 15.1
    hot.application.response_cache.seconds = lambda: later
    assert [await statements_of(hot, **etag) for _ in range(3)] == [READ, 0, 0]


async def test_a_single_request_is_not_cached(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    async with AsyncExitStack() as stack:
        await app.application.response_cache.listen(app.application.registry, stack)
        await app.rest(None, "GET", PATH)
        assert await statements_of(app) == READ


async def test_nothing_is_cached_without_change_notifications(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    for _ in range(3):
        assert await statements_of(app) == READ


async def test_a_new_event_invalidates_the_cache(hot: App) -> None:
    await record_counting_statements(hot, make_new_event("arriving_soon", hours=2))
    events = (await hot.rest(None, "GET", PATH)).json()["data"]["events"]
    assert events[-1]["status_code"] == "arriving_soon"


async def test_a_new_event_under_another_spelling_invalidates_the_cache(hot: App) -> None:
    typed = f"/v1/otep/trackings/{NUMBER[:4]}-{NUMBER[4:].lower()}"
    for _ in range(3):
        await hot.rest(None, "GET", typed)
    await record_counting_statements(hot, make_new_event("arriving_soon", hours=2))
    events = (await hot.rest(None, "GET", typed)).json()["data"]["events"]
    assert events[-1]["status_code"] == "arriving_soon"


async def test_another_number_for_the_parcel_invalidates_the_cache(hot: App) -> None:
    before = (await hot.rest(None, "GET", PATH)).headers["etag"]
    async with make_call(hot) as call:
        await link_tracking_number(call, NUMBER, external="SWIFT-1")
    assert (await hot.rest(None, "GET", PATH)).headers["etag"] != before


async def test_an_event_recorded_by_another_process_invalidates_the_cache(hot: App, database_url: str) -> None:
    elsewhere = database_for(database_url)
    await elsewhere.open()
    try:
        heard = asyncio.Event()
        unlisten = await hot.database.listen("tracking", lambda _: heard.set())
        await recorded_by(hot, elsewhere)
        if hot.database.dialect == "postgresql":  # processes that share a file need no notice
            await asyncio.wait_for(heard.wait(), PATIENCE_S)
        unlisten()
        assert len((await hot.rest(None, "GET", PATH)).json()["data"]["events"]) == 3
    finally:
        await elsewhere.close()


async def test_the_office_gets_its_own_response(hot: App) -> None:
    public, office = await hot.rest(None, "GET", PATH), await hot.rest("admin", "GET", PATH)
    assert "order_id" not in public.text
    assert [await statements_of(hot, "admin") for _ in range(2)] == [READ, 0]
    kept = await hot.rest("admin", "GET", PATH)
    assert (kept.content, kept.headers["etag"]) == (office.content, office.headers["etag"])
    assert kept.headers["cache-control"] == "private, no-cache"


async def test_a_cached_response_is_never_returned_to_another_user(hot: App) -> None:
    for _ in range(3):
        await hot.rest("admin", "GET", PATH)
    assert await statements_of(hot, "employee") > 0
    assert "order_id" not in (await hot.rest("rival", "GET", PATH)).text


async def test_users_whose_access_changes_without_notification_are_not_cached(hot: App) -> None:
    for who in ("driver", "customer", "contractor"):
        assert [await statements_of(hot, who) > 0 for _ in range(4)] == [True] * 4, who


async def test_a_new_event_invalidates_the_office_cache(hot: App) -> None:
    for _ in range(3):
        await hot.rest("admin", "GET", PATH)
    await record_counting_statements(hot, make_new_event("arriving_soon", hours=2))
    events = (await hot.rest("admin", "GET", PATH)).json()["data"]["events"]
    assert events[-1]["status_code"] == "arriving_soon"


@pytest.mark.parametrize(("header", "value"), [("Accept-Language", "de"), ("Accept", "application/ld+json")])
async def test_each_language_and_format_is_cached_separately(hot: App, header: str, value: str) -> None:
    first, other = await hot.rest(None, "GET", PATH), await hot.rest(None, "GET", PATH, headers={header: value})
    assert other.content != first.content


async def test_a_cached_response_expires(hot: App) -> None:
    later = hot.application.response_cache.seconds() + 15.1
    hot.application.response_cache.seconds = lambda: later
    assert await statements_of(hot) == READ


async def test_the_least_recently_used_response_is_evicted_first(hot: App, monkeypatch: pytest.MonkeyPatch) -> None:
    body = (await hot.rest(None, "GET", PATH)).content
    monkeypatch.setattr(answer_store, "MAX_KEPT_BYTES", len(body) + answer_store.BESIDE_CONTENT_BYTES)
    for _ in range(2):
        await hot.rest(None, "GET", f"{PATH}?format=aftership")
    assert await statements_of(hot) == READ


async def recorded_by(app: App, database: Database) -> None:
    """An event written by another process over the same database."""
    ours, app.database = app.database, database
    try:
        async with make_call(app) as call:
            await record_events(call, [make_new_event("arriving_soon", hours=2)])
    finally:
        app.database = ours
