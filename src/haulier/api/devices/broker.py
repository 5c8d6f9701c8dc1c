"""Frames over an MQTT broker, answered on the device's topic `answer`."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

from haulier.api.devices.frames import FrameInterface, FrameReply
from haulier.kernel.background.keyed_queues import KeyedQueues
from haulier.kernel.background.tasks import running

ANSWER = "answer"
log = logging.getLogger("haulier.devices")


class Published(Protocol):
    """A message received from the broker."""

    @property
    def topic(self) -> str:
        """Topic of the message."""
        ...

    @property
    def payload(self) -> bytes:
        """Body of the message."""
        ...


class FrameBroker(Protocol):
    """The part of an MQTT broker that the device interface needs."""

    @property
    def prefix(self) -> str:
        """First level of every topic."""
        ...

    async def receive_frames(self, topics: Sequence[str], take: Callable[[Any], Awaitable[None]]) -> None:
        """Pass each message published to these topics to `take`, until cancelled."""
        ...

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """Publish payloads. Raises `OSError` if the broker is unreachable."""
        ...


@asynccontextmanager
async def frames_from_broker(interface: FrameInterface, broker: FrameBroker) -> AsyncGenerator[None]:
    """Answer frames from the broker while the context is open.

    Frames that are already queued are answered before the context closes.
    """

    async def answer(frame: Published) -> None:
        """Answer one frame.

        The topic identifies the device because the broker only lets it publish to its own topics.
        """
        _, client_id, device_id, level = frame.topic.removeprefix(f"{broker.prefix}/").split("/")
        shown = interface.devices.connection_pass(int(client_id), int(device_id))
        said: FrameReply = await interface.answer(frame.payload, shown, level=level)
        try:
            await broker.publish(f"{broker.prefix}/device/{client_id}/{device_id}/{ANSWER}", said.body)
        except OSError as error:
            # The device repeats a frame that gets no answer.
            log.info("an answer to device %s did not reach the broker: %s", device_id, error)

    lanes = KeyedQueues[Published](answer)

    async def take(frame: Published) -> None:
        await lanes.put(frame.topic.rpartition("/")[0], frame)

    lanes.start()
    patterns = [f"{broker.prefix}/device/+/+/{level}" for level in interface.devices.levels]
    try:
        async with running(broker.receive_frames(patterns, take), name="device-frames"):
            yield
    finally:
        await lanes.stop()
