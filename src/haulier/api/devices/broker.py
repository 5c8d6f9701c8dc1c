"""MQTT: what devices publish at the broker is answered on their topic `answer`."""

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
    """Something that was published at the broker."""

    @property
    def topic(self) -> str:
        """Where."""
        ...

    @property
    def payload(self) -> bytes:
        """What."""
        ...


class FrameBroker(Protocol):
    """A broker of MQTT, as a door needs it."""

    @property
    def prefix(self) -> str:
        """The first level of every topic."""
        ...

    async def take_frames(self, topics: Sequence[str], take: Callable[[Any], Awaitable[None]]) -> None:
        """Hand over what programs publish, until cancelled."""
        ...

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """Hand payloads to the broker. Raises `OSError` where it is away."""
        ...


@asynccontextmanager
async def frames_from_broker(interface: FrameInterface, broker: FrameBroker) -> AsyncGenerator[None]:
    """Answer the frames that devices publish while the context is open; at its end those that wait are answered still."""

    async def answer(frame: Published) -> None:
        """The broker lets a device publish to its own topics alone, so the topic says whose frame it is."""
        _, client_id, device_id, level = frame.topic.removeprefix(f"{broker.prefix}/").split("/")
        shown = interface.devices.connection_pass(int(client_id), int(device_id))
        said: FrameReply = await interface.answer(frame.payload, shown, level=level)
        try:
            await broker.publish(f"{broker.prefix}/device/{client_id}/{device_id}/{ANSWER}", said.body)
        except OSError as error:
            # The device says it again when no answer comes.
            log.info("an answer to device %s did not reach the broker: %s", device_id, error)

    lanes = KeyedQueues[Published](answer)

    async def take(frame: Published) -> None:
        await lanes.put(frame.topic.rpartition("/")[0], frame)

    lanes.start()
    patterns = [f"{broker.prefix}/device/+/+/{level}" for level in interface.devices.levels]
    try:
        async with running(broker.take_frames(patterns, take), name="device-frames"):
            yield
    finally:
        await lanes.stop()
