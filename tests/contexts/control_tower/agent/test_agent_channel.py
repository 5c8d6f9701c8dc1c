"""Session events are pushed through a real MQTT broker to their user only."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from tests.adapters.mqtt_broker import PATIENCE_S, Broker, listener, make_broker, may_listen
from tests.contexts.control_tower.agent.makers import asked, has_agent, make_session
from tests.support.app import App

from haulier.contexts.control_tower.agent import store


@pytest.fixture
async def broker(app: App, tmp_path: Path) -> AsyncIterator[Broker]:
    await has_agent(app)
    async with make_broker(tmp_path / "broker", app) as broker:
        yield broker


async def opened(app: App, session: int, who: str = "admin") -> Any:
    return await app.answer(who, "open_agent_channel", {"agent_session_id": session})


async def received_to_the_end(client: aiomqtt.Client, ends: int = 1) -> list[dict[str, Any]]:
    """Return the pushed events until turns have ended, without duplicates."""
    found: dict[int, dict[str, Any]] = {}
    async with asyncio.timeout(PATIENCE_S):
        async for message in client.messages:
            pushed = json.loads(bytes(message.payload))
            found.setdefault(pushed["id"], pushed)
            if sum(each["kind"] == "end" for each in found.values()) == ends:
                break
    return list(found.values())


async def listed(app: App, session: int) -> list[Any]:
    return (await app.answer("admin", "list_agent_events", {"agent_session_id": session})).events


async def test_a_turn_is_pushed_in_order_with_each_event_naming_its_predecessor(app: App, broker: Broker) -> None:
    session = await make_session(app)
    channel = await opened(app, session)
    assert channel.topic == f"haulier/agent/{app.clients['demo']}/{app.ids['admin']}/{session}"
    async with listener(broker, channel.ticket) as client:
        assert await may_listen(client, channel.topic)
        await asked(app, "What is late?", session_id=session)
        await asked(app, "help", session_id=session)
        pushed = await received_to_the_end(client, 2)
    events = await listed(app, session)
    assert [(each["id"], each["kind"], each["text"]) for each in pushed] == [
        (each.id, each.kind, each.text) for each in events
    ]
    ids = [each["id"] for each in pushed]
    assert [each["previous_id"] for each in pushed] == [None, *ids[:-1]]
    assert {each["type"] for each in pushed} == {"event"}


async def test_a_ticket_opens_only_the_topic_of_its_owners_conversation(app: App, broker: Broker) -> None:
    session, other = await make_session(app), await make_session(app)
    client_id, person = app.clients["demo"], app.ids["admin"]
    refused = await app.call("employee", "open_agent_channel", {"agent_session_id": session})
    assert refused.status == 404
    channel = await opened(app, session)
    elsewhere = (
        f"haulier/agent/{client_id}/{person}/{other}",
        f"haulier/agent/{client_id}/{app.ids['employee']}/{session}",
        f"haulier/agent/{app.clients['rival']}/{person}/{session}",
        f"haulier/agent/{client_id}/{person}/+",
        "haulier/agent/#",
        "#",
        f"$share/group/{channel.topic}",
    )
    async with listener(broker, channel.ticket) as client:
        assert {topic: await may_listen(client, topic) for topic in elsewhere} == dict.fromkeys(elsewhere, False)
        assert await may_listen(client, channel.topic)


async def test_deleting_the_conversation_or_leaving_the_office_ends_the_pushes(app: App, broker: Broker) -> None:
    kept, deleted = await make_session(app, "employee"), await make_session(app)
    tickets = [(await opened(app, kept, "employee")), (await opened(app, deleted))]
    await app.answer("admin", "delete_agent_session", {"agent_session_id": deleted})
    waiting = {"agent_session_id": kept, "text": "help"}
    await app.answer("employee", "send_agent_turn", waiting)
    await app.answer("admin", "disable_user", {"user_id": app.ids["employee"]})
    await app.work_off()
    for channel in tickets:
        with pytest.raises(aiomqtt.MqttError):
            async with listener(broker, channel.ticket):
                pass


async def test_no_event_is_lost_when_the_broker_or_a_process_is_killed(
    app: App, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await make_session(app)
    channel = await opened(app, session)
    broker.kill()
    await asked(app, "help", session_id=session)
    await broker.start()

    async def dies(*_: Any) -> None:
        raise ConnectionResetError("the process is gone")

    async with listener(broker, channel.ticket) as client:
        assert await may_listen(client, channel.topic)
        with monkeypatch.context() as patched:
            patched.setattr(store, "set_pushed", dies)
            app.clock.forward(minutes=1)
            await app.work_off()
        app.clock.forward(minutes=2)
        await app.work_off()
        pushed = await received_to_the_end(client)
    ids = [each.id for each in await listed(app, session)]
    assert [each["id"] for each in pushed] == ids


async def test_clients_follow_the_stream_without_a_broker(app: App) -> None:
    await has_agent(app)
    session = await make_session(app)
    channel = await opened(app, session)
    assert (channel.ticket, channel.poll_s) == (None, 15)
    await asked(app, "help", session_id=session)
    assert await app.work_off() == 0
