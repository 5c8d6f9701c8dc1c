"""Devices over a real MQTT broker: own topics only, and no loss when it is killed."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiomqtt
import httpx
import pytest
from tests.adapters.mqtt_broker import PATIENCE_S, Broker, listener, make_broker, may_listen
from tests.contexts.lockers.makers import MOMENT, Cabinet, make_cabinet, make_requested_door, online, state_of
from tests.support.app import App

from haulier.app import device_frames
from haulier.kernel.cancelling import cancel_tasks
from haulier.simulation.lockers.cabinet import SimulatedCabinet
from haulier.simulation.lockers.faults import CabinetFaults
from haulier.simulation.lockers.mqtt_wire import MqttWire


@pytest.fixture
async def broker(app: App, tmp_path: Path) -> AsyncIterator[Broker]:
    async with make_broker(tmp_path / "broker", app) as broker, device_frames(app.application):
        yield broker


class AtTheBroker:
    """A device with its ticket, connected."""

    def __init__(self, client: aiomqtt.Client, topics: Any) -> None:
        self.client, self.topics = client, topics
        self._heard = client.messages.__aiter__()

    async def says(self, level: str, **frame: Any) -> None:
        await self.client.publish(getattr(self.topics, level), json.dumps(frame), qos=1)

    async def hears(self, level: str) -> Any:
        """The next document on a topic."""
        async with asyncio.timeout(PATIENCE_S):
            async for message in self._heard:
                if str(message.topic) == getattr(self.topics, level):
                    return json.loads(bytes(message.payload))
        raise AssertionError("the broker ended the connection")

    async def asked(self, level: str, **frame: Any) -> Any:
        """Say a frame again and again until an answer comes, as devices do; that answer."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await self.says(level, **frame)
                with suppress(TimeoutError):
                    async with asyncio.timeout(2):
                        while (told := await self.hears("answer"))["sequence"] != frame["sequence"]:
                            continue
                        return told


async def channel_of(app: App, cabinet: Cabinet) -> Any:
    return await app.answer(None, "open_device_channel", {"credential": cabinet.credential})


@asynccontextmanager
async def at_the_broker(broker: Broker, channel: Any, **words: Any) -> AsyncIterator[AtTheBroker]:
    async with listener(broker, channel.ticket, **words) as client:
        for topic in (channel.topics.command, channel.topics.answer):
            assert await may_listen(client, topic)
        yield AtTheBroker(client, channel.topics)


async def test_a_frame_is_answered_on_the_devices_topic_and_a_command_is_pushed(app: App, broker: Broker) -> None:
    cabinet = await make_cabinet(app)
    channel = await channel_of(app, cabinet)
    assert channel.topics.state == f"haulier/device/{app.clients['demo']}/{cabinet.device_id}/state"
    will = aiomqtt.Will(
        channel.topics.state, json.dumps({"type": "state", "sequence": 1, "session": "end", "sent_at": MOMENT}), qos=1
    )
    async with at_the_broker(broker, channel, will=will) as device:
        begun = await device.asked("state", type="state", sequence=1, session="begin", sent_at=MOMENT)
        assert begun["answer"]["commands_waiting"] == 0
        assert await online(app, cabinet)
        command_id = await make_requested_door(app, cabinet)
        await app.work_off()
        assert (await device.hears("command"))["id"] == command_id
        done = {"type": "outcome", "sequence": 2, "command_id": command_id, "outcome": "done"}
        assert (await device.asked("event", **done))["answer"]["status"] == "done"
        wrong = await device.asked("state", type="outcome", sequence=3, command_id=command_id, outcome="done")
        assert wrong["error"]["errors"][0]["field"] == "type", "an outcome is an event"
        device.client._client._sock_close()  # the line is cut: the broker says the will
        async with asyncio.timeout(PATIENCE_S):
            while await online(app, cabinet):  # noqa: ASYNC110 - the database sends no notice
                await asyncio.sleep(0.05)


async def test_a_ticket_opens_only_the_topics_of_its_device(app: App, broker: Broker) -> None:
    mine, other = await make_cabinet(app), await make_cabinet(app, name="Other")
    channel, theirs = await channel_of(app, mine), (await channel_of(app, other)).topics
    async with at_the_broker(broker, channel) as device:
        for topic in (theirs.command, theirs.answer, f"{channel.topics.command[:-8]}/#", channel.topics.state, "#"):
            assert not await may_listen(device.client, topic), topic
        with suppress(aiomqtt.MqttError):
            await device.client.publish(
                theirs.state, json.dumps({"type": "state", "sequence": 90, "sent_at": MOMENT}), qos=1
            )
    async with at_the_broker(broker, await channel_of(app, other)) as device:
        first = await device.asked("state", type="state", sequence=5, sent_at=MOMENT)
        assert not first["answer"]["stale"], "nobody else has spoken for it"


async def test_a_device_with_a_new_ticket_or_revoked_access_is_disconnected(app: App, broker: Broker) -> None:
    cabinet = await make_cabinet(app)
    channels = [await channel_of(app, cabinet)]

    async def another_ticket() -> None:
        app.clock.forward(seconds=1)
        channels.append(await channel_of(app, cabinet))

    async def revoked() -> None:
        await app.answer("admin", "revoke_device", {"device_id": cabinet.device_id})

    for end in (another_ticket, revoked):
        ended = channels[-1]
        assert await is_cut_off_by(app, broker, ended, end)
        with pytest.raises(aiomqtt.MqttError):
            await listener(broker, ended.ticket).__aenter__()


async def is_cut_off_by(app: App, broker: Broker, channel: Any, end: Callable[[], Awaitable[None]]) -> bool:
    """Return True if an action closes the connection of a device."""
    with suppress(aiomqtt.MqttError):
        async with at_the_broker(broker, channel) as device:
            await device.asked("state", type="state", sequence=1, sent_at=MOMENT)
            await end()
            await app.work_off()
            async with asyncio.timeout(PATIENCE_S):
                async for _ in device.client.messages:
                    continue
    return True


async def test_killing_the_broker_loses_no_command_and_opens_no_door_twice(app: App, broker: Broker) -> None:
    cabinet = await make_cabinet(app)

    async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer: httpx.Response = await app.http.post(f"/api{path}", json=body)
        return answer.raise_for_status().json()

    machine = SimulatedCabinet(CabinetFaults(doubled=0.5), 7, wait_s=0.2)
    machine.plug_in(MqttWire(post, cabinet.credential, lambda: machine.next_number))
    living = asyncio.create_task(machine.live())
    try:
        before = await make_requested_door(app, cabinet)
        await until_done(app, cabinet, before)
        assert await broker.count_remembered() == 0, "the broker keeps nothing for a device, so that thousands may come"
        broker.kill()
        during = await make_requested_door(app, cabinet)
        await app.work_off()  # what should be pushed fails, and is tried again later
        assert await state_of(app, cabinet, during) in ("queued", "sent")
        await broker.start()
        await until_done(app, cabinet, during)
        assert machine.openings == {before: 1, during: 1}
    finally:
        await cancel_tasks(living)


async def until_done(app: App, cabinet: Cabinet, command_id: int) -> None:
    """Work until a command is done."""
    async with asyncio.timeout(PATIENCE_S):
        while await state_of(app, cabinet, command_id) != "done":
            await app.work_off()
            await asyncio.sleep(0.05)


async def test_a_device_is_sent_to_another_transport_without_a_broker(app: App) -> None:
    assert (await channel_of(app, await make_cabinet(app))).ticket is None
