"""Session events are streamed as server-sent events to their user only."""

import asyncio
import json
from typing import Any

from tests.contexts.control_tower.agent.makers import has_agent, make_session
from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App
from tests.support.event_stream import Stream

from haulier.api.rest.app import RestApp


def open_stream(app: App, session_id: int, who: str) -> tuple[Stream, "asyncio.Task[None]"]:
    stream = Stream()
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": f"/v1/agent/sessions/{session_id}/stream",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {app.tokens[who]}".encode())],
        "client": ("127.0.0.1", 1),
    }
    return stream, asyncio.create_task(RestApp(app.application)(scope, stream.receive, stream.send))


async def test_text_tools_and_proposals_are_pushed_until_the_turn_ends(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    session_id = await make_session(app)
    stream, task = open_stream(app, session_id, "admin")
    assert (await stream.part())["status"] == 200
    sent = {"agent_session_id": session_id, "text": "hold A-1"}
    await app.answer("admin", "send_agent_turn", sent)
    await app.work_off()
    events: list[dict[str, Any]] = []
    while not events or events[-1]["kind"] != "end":
        lines = (await stream.part())["body"].decode().splitlines()
        events += [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    stream.leaves.set()
    await task
    listed = (await app.answer("admin", "list_agent_events", {"agent_session_id": session_id})).events
    assert [event["id"] for event in events] == [event.id for event in listed]
    assert [event["kind"] for event in events][-3:] == ["proposal", "text", "end"]


async def test_other_users_receive_no_pushes(app: App) -> None:
    await has_agent(app)
    await has_agent(app, "rival")
    session_id = await make_session(app)
    for who in ("employee", "rival"):
        stream, task = open_stream(app, session_id, who)
        assert (await stream.part())["status"] == 404
        await task
