"""The approvals page is told when it has grown old, in the name of whoever reads it and no longer than they may."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.contexts.control_tower.approvals.makers import make_proposal
from tests.support.app import App
from tests.web.page_client import get_page, session_cookie

from haulier.kernel.application import Application
from haulier.web import sse
from haulier.web.sse import stream_states

PATIENCE_S = 20


async def stream(application: Application, states: list[str | None]) -> AsyncIterator[bytes]:
    async def state() -> str | None:
        return states.pop(0)

    response = await stream_states(application, "approvals", "7", state)
    async for chunk in response.body_iterator:  # type: ignore[attr-defined]
        yield chunk


async def told(stream: AsyncIterator[bytes]) -> bytes:
    return await asyncio.wait_for(anext(stream), PATIENCE_S)


async def test_a_notice_about_this_client_brings_the_new_state_at_once(app: App) -> None:
    lines = stream(app.application, ["a", "b"])
    assert await told(lines) == b"data: a\n\n"
    next_line = asyncio.create_task(told(lines))
    await asyncio.sleep(0)
    await app.database.notify("approvals", "8")
    await app.database.notify("approvals", "7")
    assert await next_line == b"data: b\n\n"


async def test_a_beat_asks_where_no_notice_comes_and_says_nothing_where_nothing_changed(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "POLL_INTERVAL_S", 0.01)
    lines = stream(app.application, ["a", "a", "b", None])
    assert [line async for line in lines] == [b"data: a\n\n", b": still here\n\n", b"data: b\n\n"]


async def test_nobody_follows_without_a_session(app: App) -> None:
    assert (await get_page(app, "/mcp-approvals/stream")).status_code == 401


async def test_the_stream_ends_with_the_session(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "POLL_INTERVAL_S", 0.05)
    headers = {"cookie": session_cookie(app, "admin")}
    asked = asyncio.create_task(app.http.get("/mcp-approvals/stream", headers=headers))
    await asyncio.sleep(0.2)
    await app.answer("admin", "logout")
    response = await asyncio.wait_for(asked, PATIENCE_S)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.text.startswith("data: 0:\n\n")


@pytest.mark.parametrize("verb", ["propose", "reject_pending_write", "withdraw_pending_write", "renew_pending_write"])
async def test_whatever_happens_to_an_approval_is_noticed(app: App, verb: str) -> None:
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
