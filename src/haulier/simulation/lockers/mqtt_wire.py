"""MQTT 3.1.1 as the wire of a simulated cabinet. Needs the extra `streams`."""

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
"""Heard with QoS 0: each frame is repeated until it is answered, and the broker need not remember who listens."""


class MqttWire(ConnectedWire):
    """A cabinet at the broker, with a ticket that it asks for with its credential."""

    def __init__(self, post: Post, credential: str, next_number: Any) -> None:
        """`next_number` gives the number that the first frame of the next connection will have, for the will."""
        super().__init__()
        self._post, self._credential, self._next_number = post, credential, next_number
        self._channel: Document | None = None
        self._client: aiomqtt.Client | None = None

    async def _connect_and_hear(self) -> None:
        if self._channel is None or datetime.fromisoformat(self._channel["ticket"]["expires_at"]) < datetime.now(UTC):
            self._channel = await self._post("/v1/device/channel", {"credential": self._credential})
        if self._channel["ticket"] is None:
            raise RequestRefused("this server has no broker: use another wire, or see `haulier channel config`")
        topics, ticket = self._channel["topics"], self._channel["ticket"]
        try:
            async with self._new_client(ticket, topics) as client:
                self._client = client
                granted = cast("Sequence[Any]", await client.subscribe([(topics[level], 0) for level in HEARD]))
                if any(answer.is_failure for answer in granted):
                    raise LineLost("the broker lets nobody listen now")
                self._is_up()
                async for message in client.messages:
                    self._heard(bytes(message.payload))
        except aiomqtt.MqttCodeError as error:
            if error.rc in (4, 5, 134, 135):  # the ticket opens nothing any more: the credential is asked about
                self._channel = None
            raise LineLost(str(error)) from error
        except aiomqtt.MqttError as error:
            raise LineLost(str(error)) from error
        finally:
            self._client = None

    def _new_client(self, ticket: Document, topics: Document) -> aiomqtt.Client:
        place = urlsplit(next(each for each in ticket["addresses"] if each.startswith("mqtt")))
        gone = {"type": "state", "sequence": self._next_number(), "session": "end", "sent_at": datetime.now(UTC)}
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
            will=aiomqtt.Will(topics["state"], msgspec.json.encode(gone), qos=1),
        )

    async def _send(self, kind: str, payload: bytes) -> None:
        client, channel = self._client, self._channel
        if client is None or channel is None:
            raise LineLost("the line is down")
        try:
            await client.publish(channel["topics"]["state" if kind == STATE else "event"], payload, qos=1)
        except aiomqtt.MqttError as error:
            raise LineLost(str(error)) from error

    async def close(self) -> None:
        """See `CabinetWire`."""
        with suppress(aiomqtt.MqttError):
            await super().close()
