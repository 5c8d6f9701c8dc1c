"""MQTT 5 sessions over a WebSocket."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any

import mqtt5
from mqtt5 import (
    ConnAckPacket,
    ConnAckReasonCode,
    ConnectPacket,
    DisconnectPacket,
    DisconnectReasonCode,
    Packet,
    PingReqPacket,
    PingRespPacket,
    PubAckPacket,
    PubAckReasonCode,
    PublishPacket,
    QoS,
    SubAckPacket,
    SubAckReasonCode,
    SubscribePacket,
    UnsubAckPacket,
    UnsubAckReasonCode,
    UnsubscribePacket,
    Will,
)
from starlette.websockets import WebSocket, WebSocketDisconnect

from haulier.api.devices.broker import ANSWER
from haulier.api.devices.frames import PACKET_MAX_BYTES, FrameInterface
from haulier.api.devices.pushes import CommandPushes
from haulier.kernel.cancelling import cancel_tasks

COMMAND, STATE = "command", "state"
CONNECT_S, KEEP_ALIVE_MAX_S = 20.0, 300
"""Seconds that a connection has to authenticate, and the longest keep alive that a device can request."""
LIMITS: Mapping[str, Any] = {
    "receive_max": 16,
    "max_qos": QoS.AT_LEAST_ONCE,
    "retain_available": False,
    "max_packet_size": PACKET_MAX_BYTES,
    "wildcard_subscription_available": False,
    "subscription_id_available": False,
    "shared_subscription_available": False,
}
_R = DisconnectReasonCode
GONE = (WebSocketDisconnect, RuntimeError)
"""Errors of a closed WebSocket. Starlette raises `RuntimeError` when it has already noticed the disconnect."""


class _Ended(Exception):
    """Ends the connection; `reason` is None if the device has disconnected."""

    def __init__(self, reason: DisconnectReasonCode | None) -> None:
        super().__init__(str(reason))
        self.reason = reason


class PacketLine:
    """MQTT packets over a WebSocket, independent of message boundaries."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._sending = asyncio.Lock()
        self.silence_s: float = CONNECT_S

    async def packets(self) -> AsyncGenerator[Packet]:
        """Yield the packets from the device. Raises `_Ended`."""
        held = b""
        while True:
            try:
                packet, size = mqtt5.read(memoryview(held))
            except IndexError:  # incomplete packet
                if len(held) > PACKET_MAX_BYTES:
                    raise _Ended(_R.PACKET_TOO_LARGE) from None
                held += await self._more()
                continue
            except ValueError:
                raise _Ended(_R.MALFORMED_PACKET) from None
            held = held[size:]
            yield packet

    async def _more(self) -> bytes:
        try:
            async with asyncio.timeout(self.silence_s):
                return await self._socket.receive_bytes()
        except TimeoutError:
            raise _Ended(_R.KEEP_ALIVE_TIMEOUT) from None
        except KeyError:  # text message
            raise _Ended(_R.MALFORMED_PACKET) from None
        except WebSocketDisconnect:
            raise _Ended(None) from None

    async def send(self, packet: Packet) -> None:
        """Send a packet."""
        async with self._sending:
            await self._socket.send_bytes(packet.write())


async def serve_line(interface: FrameInterface, line: PacketLine, prefix: str) -> None:
    """Serve a device until it disconnects. `prefix` is the first level of every topic."""
    packets = line.packets()
    try:
        async with asyncio.timeout(CONNECT_S):
            connect = await anext(packets)
    except (_Ended, TimeoutError):
        return
    if not isinstance(connect, ConnectPacket):
        return
    credential = (connect.password or b"").decode(errors="replace")
    whose = await interface.devices.find(interface.app, credential) if credential else None
    if whose is None:
        await line.send(ConnAckPacket(reason_code=ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD))
        return
    about = f"{prefix}/device/{whose[0]}/{whose[1]}/"
    if connect.will and connect.will.topic != f"{about}{STATE}":
        await line.send(ConnAckPacket(reason_code=ConnAckReasonCode.NOT_AUTHORIZED))
        return
    silence_s = min(connect.keep_alive or KEEP_ALIVE_MAX_S, KEEP_ALIVE_MAX_S)
    welcome = ConnAckPacket(
        session_expiry_interval=0,
        server_keep_alive=silence_s,
        assigned_client_id=None if connect.client_id else f"device-{whose[1]}",
        response_info=about if connect.request_response_info else None,
        **LIMITS,
    )
    await line.send(welcome)
    line.silence_s = silence_s * 1.5
    await _Session(interface, line, credential, about, CommandPushes(interface, credential, *whose)).run(
        packets, connect.will
    )


class _Session:
    """One connection of a device. `about` is the prefix of all its topics."""

    def __init__(
        self, interface: FrameInterface, line: PacketLine, credential: str, about: str, pushes: CommandPushes
    ) -> None:
        self._interface, self._line, self._credential, self._about, self._pushes = (
            interface,
            line,
            credential,
            about,
            pushes,
        )
        self._levels: Mapping[str, str] = {f"{about}{level}": level for level in interface.devices.levels}
        self._heard: set[str] = set()
        self._hears_commands = asyncio.Event()

    async def run(self, packets: AsyncGenerator[Packet], will: Will | None) -> None:
        """Answer frames and push commands until the connection ends.

        The will is published unless the device disconnects normally.
        """
        unlisten = await self._pushes.listen()
        pushing = asyncio.create_task(self._push(), name="device-mqtt")
        hearing = asyncio.create_task(self._hear(packets), name="device-mqtt")
        try:
            ended, _ = await asyncio.wait((pushing, hearing), return_when=asyncio.FIRST_COMPLETED)
            goodbye = hearing in ended and hearing.exception() is None and hearing.result()
            for task in ended:
                if isinstance(error := task.exception(), _Ended) and error.reason is not None:
                    with suppress(*GONE):  # the connection may be lost; the will still applies
                        await self._line.send(DisconnectPacket(reason_code=error.reason))
        finally:
            unlisten()
            await cancel_tasks(pushing, hearing)
        if will and not goodbye:
            await self._interface.answer(will.payload or b"", self._credential, level=STATE)

    async def _push(self) -> None:
        """Push commands. Raises `_Ended` when the credential is revoked."""
        await self._pushes.hand_over(self._publish_command)
        raise _Ended(_R.NOT_AUTHORIZED)

    async def _publish_command(self, body: bytes) -> None:
        await self._hears_commands.wait()
        await self._line.send(PublishPacket(f"{self._about}{COMMAND}", body))

    async def _hear(self, packets: AsyncGenerator[Packet]) -> bool:
        """Process packets; returns True after a disconnect that discards the will."""
        async for packet in packets:
            match packet:
                case PublishPacket():
                    await self._take(packet)
                case SubscribePacket():
                    await self._subscribe(packet)
                case UnsubscribePacket():
                    await self._unsubscribe(packet)
                case PingReqPacket():
                    await self._line.send(PingRespPacket())
                case PubAckPacket():
                    continue
                case DisconnectPacket():
                    return packet.reason_code is _R.NORMAL_DISCONNECTION
                case _:
                    raise _Ended(_R.PROTOCOL_ERROR)
        return False

    async def _take(self, packet: PublishPacket) -> None:
        """Answer a frame, then acknowledge it.

        The device repeats an unacknowledged frame, which is recognized by its sequence number.
        """
        if packet.qos is QoS.EXACTLY_ONCE:
            raise _Ended(_R.QOS_NOT_SUPPORTED)
        if packet.retain:
            raise _Ended(_R.RETAIN_NOT_SUPPORTED)
        level = self._levels.get(packet.topic)
        if level is not None:
            said = await self._interface.answer(packet.payload, self._credential, level=level)
            if said.status == 401:
                raise _Ended(_R.NOT_AUTHORIZED)
            if ANSWER in self._heard:
                told = PublishPacket(f"{self._about}{ANSWER}", said.body, correlation_data=packet.correlation_data)
                await self._line.send(told)
        if packet.packet_id is not None:
            reason = PubAckReasonCode.NOT_AUTHORIZED if level is None else PubAckReasonCode.SUCCESS
            await self._line.send(PubAckPacket(packet.packet_id, reason_code=reason))

    async def _subscribe(self, packet: SubscribePacket) -> None:
        granted = list[SubAckReasonCode]()
        for wanted in packet.topic_filters:
            level = wanted.pattern.removeprefix(self._about)
            known = wanted.pattern.startswith(self._about) and level in (COMMAND, ANSWER)
            granted.append(SubAckReasonCode.GRANTED_QOS_AT_MOST_ONCE if known else SubAckReasonCode.NOT_AUTHORIZED)
            if known:
                self._heard.add(level)
        await self._line.send(SubAckPacket(packet.packet_id, granted))
        self._record_listening()

    async def _unsubscribe(self, packet: UnsubscribePacket) -> None:
        ended = list[UnsubAckReasonCode]()
        for pattern in packet.patterns:
            level = pattern.removeprefix(self._about)
            had = pattern.startswith(self._about) and level in self._heard
            self._heard.discard(level if had else "")
            ended.append(UnsubAckReasonCode.SUCCESS if had else UnsubAckReasonCode.NO_SUBSCRIPTION_EXISTED)
        self._record_listening()
        await self._line.send(UnsubAckPacket(packet.packet_id, ended))

    def _record_listening(self) -> None:
        if COMMAND in self._heard:
            self._hears_commands.set()
        else:
            self._hears_commands.clear()
