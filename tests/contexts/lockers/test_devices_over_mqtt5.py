"""Devices over MQTT 5 to the server itself, with an independent client."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, cast
from urllib.parse import urlsplit

import aiomqtt
import httpx
import mqtt5
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from tests.api.mcp.mcp_servers import serve_asgi
from tests.contexts.lockers.makers import MOMENT, Cabinet, make_cabinet, make_requested_door, online, state_of
from tests.support.app import App
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.protocol import Event

from haulier.api.devices.frames import FRAME_MAX_BYTES
from haulier.api.devices.pings import WEB_SOCKETS
from haulier.kernel.cancelling import cancel_tasks
from haulier.simulation.lockers.cabinet import SimulatedCabinet
from haulier.simulation.lockers.faults import CabinetFaults
from haulier.simulation.lockers.mqtt_wire import OwnMqttWire

PATIENCE_S = 60.0
"""Maximum wait on a slow machine."""
PING_S = 0.02
"""Ping interval for connections without MQTT."""
BEGIN = {"type": "state", "sequence": 1, "session": "begin", "sent_at": MOMENT}


@pytest.fixture
async def base(app: App) -> AsyncIterator[str]:
    transport: Any = app.http._transport
    async with serve_asgi(transport.app, **WEB_SOCKETS, ws_ping_interval=PING_S) as base:
        yield base


def topic(app: App, cabinet: Cabinet, level: str) -> str:
    return f"haulier/device/{app.clients['demo']}/{cabinet.device_id}/{level}"


def client_of(base: str, password: str, **words: Any) -> aiomqtt.Client:
    """A client of MQTT 5 over a WebSocket, as makers have it (paho)."""
    place = urlsplit(base)
    options: dict[str, Any] = {
        "protocol": aiomqtt.ProtocolVersion.V5,
        "username": "device",
        "timeout": PATIENCE_S,
        **words,
    }
    options |= {"transport": "websockets", "websocket_path": "/api/v1/device/mqtt"}
    return aiomqtt.Client(place.hostname or "", place.port or 0, password=password, **options)


async def may_listen(client: aiomqtt.Client, topic: str) -> bool:
    (answer,) = cast("Any", await client.subscribe(topic, qos=1))
    return not answer.is_failure


async def heard(client: aiomqtt.Client, topic: str) -> tuple[Any, Any]:
    """The next document on a topic, and what MQTT said with it."""
    async with asyncio.timeout(PATIENCE_S):
        async for message in client.messages:
            if str(message.topic) == topic:
                return json.loads(bytes(message.payload)), message.properties
    raise AssertionError("the connection ended")


@asynccontextmanager
async def connected(app: App, base: str, cabinet: Cabinet) -> AsyncGenerator[aiomqtt.Client]:
    """A device that listens, whose will says that it is gone."""
    gone = json.dumps({"type": "state", "sequence": 1, "session": "end", "sent_at": MOMENT})
    will = aiomqtt.Will(topic(app, cabinet, "state"), gone, qos=1)
    async with client_of(base, cabinet.credential, will=will) as client:
        for level in ("command", "answer"):
            assert await may_listen(client, topic(app, cabinet, level))
        yield client


async def test_a_frame_is_answered_and_a_command_is_pushed(app: App, base: str) -> None:
    cabinet = await make_cabinet(app)
    state, event = (topic(app, cabinet, level) for level in ("state", "event"))
    async with connected(app, base, cabinet) as device:
        asked = Properties(PacketTypes.PUBLISH)
        asked.CorrelationData = b"mine"
        await device.publish(state, json.dumps(BEGIN), qos=1, properties=asked)
        told, said = await heard(device, topic(app, cabinet, "answer"))
        assert (told["answer"]["commands_waiting"], said.CorrelationData) == (0, b"mine")
        command_id = await make_requested_door(app, cabinet)
        command, _ = await heard(device, topic(app, cabinet, "command"))
        assert (command["id"], command["command"]) == (command_id, "open")
        done = {"type": "outcome", "sequence": 2, "command_id": command_id, "outcome": "done"}
        await device.publish(event, json.dumps(done), qos=1)
        told, _ = await heard(device, topic(app, cabinet, "answer"))
        assert told["answer"]["status"] == "done"
    assert await online(app, cabinet), "who says goodbye takes the will back"


class PingedConnection(ClientConnection):
    """A connection that counts the pings of the server."""

    def __init__(self, *args: Any, **words: Any) -> None:
        super().__init__(*args, **words)
        self.pings, self.third = 0, asyncio.Event()

    def process_event(self, event: Event) -> None:
        """See `ClientConnection`."""
        self.pings += isinstance(event, Frame) and event.opcode is Opcode.PING
        if self.pings == 3:
            self.third.set()
        super().process_event(event)


async def test_a_connection_is_unaffected_by_pings_of_others(app: App, base: str) -> None:
    cabinet = await make_cabinet(app)
    plain = f"{base.replace('http', 'ws', 1)}/api/v1/device/socket"
    async with connected(app, base, cabinet) as device:
        async with connect(plain, proxy=None, create_connection=PingedConnection) as other:
            assert isinstance(other, PingedConnection)
            await asyncio.wait_for(other.third.wait(), PATIENCE_S)
        await device.publish(topic(app, cabinet, "state"), json.dumps(BEGIN), qos=1)
        told, _ = await heard(device, topic(app, cabinet, "answer"))
        assert told["status"] == 200


async def test_the_longest_frame_is_accepted_and_a_longer_one_is_refused_with_a_reason(app: App, base: str) -> None:
    cabinet = await make_cabinet(app)
    frame = json.dumps(BEGIN)
    async with connected(app, base, cabinet) as device:
        for longer, status in ((0, 200), (1, 400)):
            await device.publish(topic(app, cabinet, "state"), frame.ljust(FRAME_MAX_BYTES + longer), qos=1)
            told, _ = await heard(device, topic(app, cabinet, "answer"))
            assert told["status"] == status


async def test_the_will_of_a_disconnected_device_is_published(app: App, base: str) -> None:
    cabinet = await make_cabinet(app)
    with suppress(aiomqtt.MqttError):
        async with connected(app, base, cabinet) as device:
            await device.publish(topic(app, cabinet, "state"), json.dumps(BEGIN), qos=1)
            assert await online(app, cabinet)
            device._client._sock_close()
            async with asyncio.timeout(PATIENCE_S):
                while await online(app, cabinet):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)


async def test_a_device_can_use_only_its_own_topics(app: App, base: str) -> None:
    mine, other = await make_cabinet(app), await make_cabinet(app, name="Other")
    async with connected(app, base, mine) as device:
        for asked in (topic(app, other, "command"), topic(app, mine, "state"), topic(app, mine, "#"), "#", "+"):
            assert not await may_listen(device, asked), asked
        await device.publish(topic(app, other, "state"), json.dumps({**BEGIN, "sequence": 90}), qos=0)
        await device.unsubscribe(topic(app, mine, "answer"))
        await device.publish(topic(app, mine, "state"), json.dumps(BEGIN), qos=1)
    told = await other.says("report_device_state", sent_at=MOMENT)
    assert not told.stale, "nobody else has spoken for it"
    assert await online(app, mine)


async def test_a_refused_connection_states_the_reason(app: App, base: str) -> None:
    mine, other = await make_cabinet(app), await make_cabinet(app, name="Other")
    theirs = aiomqtt.Will(topic(app, other, "state"), "{}")
    for client, code in (
        (client_of(base, "nothing"), 134),
        (client_of(base, mine.credential, will=theirs), 135),
    ):
        with pytest.raises(aiomqtt.MqttCodeError) as refused:
            await client.__aenter__()
        assert getattr(refused.value.rc, "value", refused.value.rc) == code
    await app.answer("admin", "revoke_device", {"device_id": mine.device_id})
    with pytest.raises(aiomqtt.MqttCodeError):
        await client_of(base, mine.credential).__aenter__()


async def test_a_revoked_device_is_disconnected_immediately(app: App, base: str) -> None:
    cabinet = await make_cabinet(app)
    with suppress(aiomqtt.MqttError):
        async with connected(app, base, cabinet) as device:
            await device.publish(topic(app, cabinet, "state"), json.dumps(BEGIN), qos=1)
            await app.answer("admin", "revoke_device", {"device_id": cabinet.device_id})
            with pytest.raises(aiomqtt.MqttError):
                await heard(device, "nothing")


async def test_invalid_mqtt_closes_only_its_own_connection(app: App, base: str) -> None:
    cabinet = await make_cabinet(app)
    hello = mqtt5.ConnectPacket("", password=cabinet.credential.encode(), username="device", keep_alive=60).write()
    state = topic(app, cabinet, "state")
    kept = mqtt5.PublishPacket(state, b"{}", retain=True).write()
    twice = mqtt5.PublishPacket(state, b"{}", qos=mqtt5.QoS.EXACTLY_ONCE, packet_id=1).write()
    old = b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00"
    for sent, reason in (
        (b"\xff" * 9, None),
        (old, None),
        (hello + b"\x00\x00", mqtt5.DisconnectReasonCode.MALFORMED_PACKET),
        (hello + hello, mqtt5.DisconnectReasonCode.PROTOCOL_ERROR),
        (hello + kept, mqtt5.DisconnectReasonCode.RETAIN_NOT_SUPPORTED),
        (hello + twice, mqtt5.DisconnectReasonCode.QOS_NOT_SUPPORTED),
    ):
        assert await last_word(base, sent) == reason
    assert (await cabinet.says("report_device_state", sent_at=MOMENT)).commands_waiting == 0


async def last_word(base: str, sent: bytes) -> mqtt5.DisconnectReasonCode | None:
    """Return the reason for closing a connection after these bytes, or None."""
    address = f"{base.replace('http', 'ws', 1)}/api/v1/device/mqtt"
    async with connect(address, subprotocols=["mqtt"], proxy=None) as line:  # type: ignore[list-item]
        with suppress(ConnectionClosed):  # the server need not have read all of it to know
            for at in range(0, len(sent), 3):
                await line.send(sent[at : at + 3])
        said = b"".join([bytes(cast("bytes", message)) async for message in line])
    packets = list[mqtt5.Packet]()
    while said:
        packet, size = mqtt5.read(memoryview(said))
        packets.append(packet)
        said = said[size:]
    last = packets[-1] if packets else None
    return last.reason_code if isinstance(last, mqtt5.DisconnectPacket) else None


async def test_a_locker_executes_each_command_once_despite_disconnects_and_duplicates(app: App, base: str) -> None:
    cabinet = await make_cabinet(app)

    async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer: httpx.Response = await app.http.post(f"/api{path}", json=body)
        return answer.raise_for_status().json()

    machine = SimulatedCabinet(CabinetFaults(doubled=0.5), 7, wait_s=0.2)
    wire = OwnMqttWire(f"{base}/api", post, cabinet.credential, lambda: machine.next_number)
    machine.plug_in(wire)
    living = asyncio.create_task(machine.live())
    try:
        asked = list[int]()
        for _ in range(2):
            asked.append(await make_requested_door(app, cabinet))
            async with asyncio.timeout(PATIENCE_S):
                while await state_of(app, cabinet, asked[-1]) != "done":  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            assert wire._client
            line: Any = wire._client._client.socket()
            line._socket.shutdown(socket.SHUT_RDWR)
        assert machine.openings == dict.fromkeys(asked, 1)
    finally:
        await cancel_tasks(living)
