"""MQTT connections of a simulated locker: 3.1.1 to a broker, 5 to the server.

Needs the extra `streams`.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import urlsplit

import aiomqtt
import msgspec

from haulier.simulation.client import RequestRefused
from haulier.simulation.lockers.wires import ConnectedWire, Document, LineLost, Post

KEEPALIVE_S, PATIENCE_S = 60, 30
STATE, HEARD = "state", ("command", "answer")
"""Topic levels used with QoS 0. Frames are repeated until they are answered."""


class MqttWire(ConnectedWire):
    """A connection to the broker, with a ticket obtained by the device credential."""

    def __init__(self, post: Post, credential: str, next_number: Any) -> None:
        """Create a connection.

        `next_number` returns the number of the next frame, for the will.
        """
        super().__init__()
        self._post, self._credential, self._next_number = post, credential, next_number
        self._channel: Document | None = None
        self._client: aiomqtt.Client | None = None

    async def _connect_and_receive(self) -> None:
        self._channel = await self._known_channel()
        topics = self._channel["topics"]
        try:
            async with self._new_client(self._channel) as client:
                self._client = client
                granted = cast("Sequence[Any]", await client.subscribe([(topics[level], 0) for level in HEARD]))
                if any(answer.is_failure for answer in granted):
                    raise LineLost("the broker refuses subscriptions")
                self._is_up()
                async for message in client.messages:
                    self._heard(bytes(message.payload))
        except aiomqtt.MqttCodeError as error:
            if error.rc in (4, 5, 134, 135):  # the ticket is no longer valid
                self._channel = None
            raise LineLost(str(error)) from error
        except aiomqtt.MqttError as error:
            raise LineLost(str(error)) from error
        finally:
            self._client = None

    async def _known_channel(self) -> Document:
        """Return the topics and a valid ticket."""
        channel = self._channel
        if channel is None or datetime.fromisoformat(channel["ticket"]["expires_at"]) < datetime.now(UTC):
            channel = await self._post("/v1/device/channel", {"credential": self._credential})
        if channel["ticket"] is None:
            raise RequestRefused("this server has no broker. Use another wire, or see `haulier channel config`.")
        return channel

    def _new_client(self, channel: Document) -> aiomqtt.Client:
        topics, ticket = channel["topics"], channel["ticket"]
        place = urlsplit(next(each for each in ticket["addresses"] if each.startswith("mqtt")))
        return aiomqtt.Client(
            place.hostname or "localhost",
            place.port or (8883 if place.scheme == "mqtts" else 1883),
            tls_params=aiomqtt.TLSParameters() if place.scheme == "mqtts" else None,
            protocol=aiomqtt.ProtocolVersion.V311,
            identifier=ticket["client_id"],
            username=ticket["username"],
            password=ticket["password"],
            keepalive=KEEPALIVE_S,
            timeout=PATIENCE_S,
            will=self._will(topics),
        )

    def _will(self, topics: Document) -> aiomqtt.Will:
        gone = {"type": "state", "sequence": self._next_number(), "session": "end", "sent_at": datetime.now(UTC)}
        return aiomqtt.Will(topics["state"], msgspec.json.encode(gone), qos=1)

    async def _send(self, kind: str, payload: bytes) -> None:
        client, channel = self._client, self._channel
        if client is None or channel is None:
            raise LineLost("the connection is lost")
        try:
            await client.publish(channel["topics"]["state" if kind == STATE else "event"], payload)
        except aiomqtt.MqttError as error:
            raise LineLost(str(error)) from error

    async def close(self) -> None:
        """See `CabinetWire`."""
        with suppress(aiomqtt.MqttError):
            await super().close()


class OwnMqttWire(MqttWire):
    """An MQTT 5 connection to the server itself, over a WebSocket.

    `base` is the URL of the server's /api.
    """

    def __init__(self, base: str, post: Post, credential: str, next_number: Any) -> None:
        super().__init__(post, credential, next_number)
        self._base = base.rstrip("/")

    async def _known_channel(self) -> Document:
        return self._channel or await self._post("/v1/device/channel", {"credential": self._credential})

    def _new_client(self, channel: Document) -> aiomqtt.Client:
        place = urlsplit(self._base)
        return aiomqtt.Client(
            place.hostname or "localhost",
            place.port or (443 if place.scheme == "https" else 80),
            transport="websockets",
            websocket_path=f"{place.path}/v1/device/mqtt",
            tls_params=aiomqtt.TLSParameters() if place.scheme == "https" else None,
            protocol=aiomqtt.ProtocolVersion.V5,
            username="device",
            password=self._credential,
            keepalive=KEEPALIVE_S,
            timeout=PATIENCE_S,
            will=self._will(channel["topics"]),
        )
