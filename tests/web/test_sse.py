"""Live approvals: notifications for the reader, as long as they have access."""

import asyncio
from collections.abc import AsyncIterator, Collection, MutableMapping
from typing import Any

import pytest
from sse_starlette import ServerSentEvent
from tests.contexts.control_tower.approvals.makers import make_proposal
from tests.support.app import App
from tests.web.page_client import get_page, session_cookie

from haulier.kernel.application import Application
from haulier.web import sse
from haulier.web.sse import stream_states

PATIENCE_S = 60


async def stream(
    application: Application, states: list[str | None], view: str | None = None, barred: Collection[str] = ()
) -> AsyncIterator[bytes]:
    """Return the messages for a reader of successive `states`.

    All use the same view; readers who are `barred` receive no more.
    """

    async def state() -> str | None:
        return states.pop(0)

    async def may_read() -> bool:
        return view not in barred

    response = await stream_states(application, "approvals", "7", state, shared_by=view, may_read=may_read)
    async for event in response.body_iterator:  # type: ignore[attr-defined]
        yield event


async def next_event(stream: AsyncIterator[bytes]) -> bytes:
    return await asyncio.wait_for(anext(stream), PATIENCE_S)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No poll comes between, however slow the machine is."""
    monkeypatch.setattr(sse, "POLL_INTERVAL_S", 600.0)


async def test_a_notification_for_this_client_pushes_the_new_state_immediately(app: App) -> None:
    lines = stream(app.application, ["a", "b"])
    assert await next_event(lines) == b"data: a\n\n"
    next_line = asyncio.create_task(next_event(lines))
    await asyncio.sleep(0)
    await app.database.notify("approvals", "8")
    await app.database.notify("approvals", "7")
    assert await next_line == b"data: b\n\n"


async def test_without_notifications_the_state_is_polled_and_sent_only_when_changed(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "POLL_INTERVAL_S", 0.01)
    lines = stream(app.application, ["a", "a", "b", None])
    assert [line async for line in lines] == [b"data: a\n\n", b"data: b\n\n"]


@pytest.mark.usefixtures("patient")
async def test_readers_of_one_view_share_a_read(app: App) -> None:
    states: list[str | None] = ["a", "b"]
    readers = [stream(app.application, states, "office") for _ in range(3)]
    assert [await next_event(reader) for reader in readers] == [b"data: a\n\n"] * 3
    waiting = [asyncio.create_task(next_event(reader)) for reader in readers]
    await asyncio.sleep(0)
    await app.database.notify("approvals", "7")
    assert await asyncio.gather(*waiting) == [b"data: b\n\n"] * 3


@pytest.mark.usefixtures("patient")
async def test_another_view_is_read_separately(app: App) -> None:
    office, contractor = stream(app.application, ["a"], "office"), stream(app.application, ["b"], "contractor")
    assert [await next_event(office), await next_event(contractor)] == [b"data: a\n\n", b"data: b\n\n"]


@pytest.mark.usefixtures("patient")
async def test_readers_who_lose_access_receive_nothing_from_shared_reads(app: App) -> None:
    states: list[str | None] = ["a", "b"]
    barred: set[str] = set()
    stays, leaves = stream(app.application, states, "office"), stream(app.application, states, "office", barred)
    assert [await next_event(reader) for reader in (stays, leaves)] == [b"data: a\n\n"] * 2
    barred.add("office")
    waiting = [asyncio.create_task(anext(reader, None)) for reader in (stays, leaves)]
    await asyncio.sleep(0)
    await app.database.notify("approvals", "7")
    assert await asyncio.wait_for(asyncio.gather(*waiting), PATIENCE_S) == [b"data: b\n\n", None]


@pytest.mark.usefixtures("patient")
async def test_a_read_refused_to_one_reader_is_tried_by_the_next(app: App) -> None:
    states: list[str | None] = [None, "a"]
    first, second = (stream(app.application, states, "office") for _ in range(2))
    waiting = [asyncio.create_task(anext(reader, None)) for reader in (first, second)]
    assert await asyncio.wait_for(asyncio.gather(*waiting), PATIENCE_S) == [None, b"data: a\n\n"]


async def test_streaming_requires_a_session(app: App) -> None:
    assert (await get_page(app, "/mcp-approvals/stream")).status_code == 401


async def test_the_stream_ends_with_the_session(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "POLL_INTERVAL_S", 0.05)
    begun = asyncio.Event()

    def first_event(*words: Any, **more: Any) -> ServerSentEvent:
        begun.set()
        return ServerSentEvent(*words, **more)

    monkeypatch.setattr(sse, "ServerSentEvent", first_event)  # the client here reads answers whole, once they end
    headers = {"cookie": session_cookie(app, "admin")}
    request = asyncio.create_task(app.http.get("/mcp-approvals/stream", headers=headers))
    await asyncio.wait_for(begun.wait(), PATIENCE_S)
    await app.answer("admin", "logout")
    response = await asyncio.wait_for(request, PATIENCE_S)
    assert response.headers["content-type"].startswith("text/event-stream")
    # On a busy machine a ping may be due before the first state is read.
    assert [line for line in response.text.split("\n\n") if line and not line.startswith(": ping")] == ["data: 0:"]


@pytest.mark.parametrize("verb", ["propose", "reject_pending_write", "withdraw_pending_write", "renew_pending_write"])
async def test_every_change_of_an_approval_is_noticed(app: App, verb: str) -> None:
    approval = None if verb == "propose" else await make_proposal(app)
    heard: list[str] = []
    woken = asyncio.Event()

    def hear(payload: str) -> None:
        heard.append(payload)
        woken.set()

    unlisten = await app.database.listen("approvals", hear)
    if approval:
        who = "employee" if verb.startswith("withdraw") else "admin"
        await app.answer(who, verb, {"approval_id": approval.id})
    else:
        await make_proposal(app)
    await asyncio.wait_for(woken.wait(), PATIENCE_S)
    unlisten()
    assert set(heard) == {str(app.clients["demo"])}


async def test_an_idle_stream_is_kept_open_by_comments_and_ends_when_the_reader_leaves(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "POLL_INTERVAL_S", 0.01)
    chunks: list[bytes] = []
    left = asyncio.Event()

    async def state() -> str:
        return "a"

    async def receive() -> dict[str, str]:
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        chunks.append(message.get("body", b""))
        if len(chunks) > 3 and any(chunk.startswith(b"data") for chunk in chunks):
            left.set()

    response = await stream_states(app.application, "approvals", "7", state)
    await asyncio.wait_for(response({"type": "http", "method": "GET"}, receive, send), PATIENCE_S)
    states = [
        chunk for chunk in chunks[1:] if not chunk.startswith(b": ping")
    ]  # a ping may come before the first state
    assert states == [b"data: a\n\n"]
    assert len(chunks) > 2
