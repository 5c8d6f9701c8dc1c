"""Streams on NATS JetStream.

A majority of the servers stores each message until a worker acknowledges it. While no server responds, messages are written
directly to the database, and the broker is retried after `STRAIGHT_S`. Requires the extra `streams`.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from haulier.kernel.background.streams import (
    DirectStream,
    FactStream,
    StreamDelivery,
    StreamMessage,
    StreamUnavailable,
)
from haulier.settings import InvalidSetting

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from nats.js import JetStreamContext

STREAM, SUBJECT, CONSUMER = "HAULIER", "haulier.stream", "writers"
MAX_REPLICAS = 3
DEDUPLICATED_S = 120.0
"""Time within which the broker drops messages with a repeated ID."""
KEPT_S = 7 * 86_400.0
"""Retention of messages that no worker has written."""
ACK_WAIT_S, MAX_UNACKNOWLEDGED = 30.0, 20_000
GIVEN_BACK_S = 10.0
CONNECT_TIMEOUT_S, SEND_TIMEOUT_S = 2.0, 2.0
STRAIGHT_S = 5.0
"""Time of direct writes after a failure, so that callers do not wait for an unavailable broker."""
log = logging.getLogger("haulier.streams")


def stream_for(addresses: str | None) -> FactStream:
    """Return the configured stream, or a `DirectStream` without a setting.

    Raises `InvalidSetting` if the extra is not installed.
    """
    if addresses is None:
        return DirectStream()
    try:
        import nats as nats
    except ImportError:
        raise InvalidSetting("setting 'streams' needs the extra: pip install 'haulier[streams]'") from None
    return NatsStream(addresses.split(","))


class NatsDelivery:
    """JetStream message with its acknowledgement."""

    def __init__(self, msg: "Msg", message: StreamMessage) -> None:
        self._msg = msg
        self.message = message

    async def acknowledge(self) -> None:
        """See `StreamDelivery`."""
        await self._tell(self._msg.ack())

    async def return_message(self) -> None:
        """See `StreamDelivery`."""
        await self._tell(self._msg.nak(delay=GIVEN_BACK_S))

    async def _tell(self, answer: Any) -> None:
        from nats.errors import Error

        try:
            await answer
        except (Error, OSError) as error:
            raise StreamUnavailable(str(error)) from error


class NatsStream:
    """JetStream stream, connected on first use."""

    keeps = True

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = list(addresses)
        self._connection: Client | None = None
        self._stream: JetStreamContext | None = None
        self._messages: JetStreamContext.PullSubscription | None = None
        self._connecting = asyncio.Lock()
        self._straight_until = 0.0

    async def send(self, message: StreamMessage) -> bool:
        """See `FactStream`. Returns True once a majority of servers has the message."""
        from nats.errors import Error

        time = asyncio.get_running_loop().time
        if time() < self._straight_until:
            return False
        subject, payload = f"{SUBJECT}.{message.kind}.{message.client_id}", msgspec.json.encode(message)
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                stream = await self._connected()
                await stream.publish(subject, payload, headers={"Nats-Msg-Id": message.id}, timeout=SEND_TIMEOUT_S)
        except (Error, OSError, TimeoutError) as error:
            self._straight_until = time() + STRAIGHT_S
            log.warning(
                "the broker of streams is away, everything is written straight: %s", error or type(error).__name__
            )
            return False
        return True

    async def fetch(self, most: int, wait_s: float) -> Sequence[StreamDelivery]:
        """See `FactStream`."""
        from nats.errors import Error

        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                messages = await self._subscribed()
            with suppress(TimeoutError):
                return [
                    NatsDelivery(msg, msgspec.json.decode(msg.data, type=StreamMessage))
                    for msg in await messages.fetch(most, timeout=wait_s)
                ]
            return ()
        except (Error, OSError, TimeoutError) as error:
            self._messages = None
            raise StreamUnavailable(str(error) or type(error).__name__) from error

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()
            self._connection = self._stream = self._messages = None

    async def _connected(self) -> "JetStreamContext":
        async with self._connecting:
            if self._stream is None:
                self._stream = await self._connect()
        return self._stream

    async def _connect(self) -> "JetStreamContext":
        import nats

        if self._connection is None:
            self._connection = await nats.connect(
                self._addresses,
                name="haulier",
                connect_timeout=CONNECT_TIMEOUT_S,
                reconnect_time_wait=0.5,
                max_reconnect_attempts=-1,
                error_cb=_log_error,
            )
        stream = self._connection.jetstream()
        await self._ensure_stream(stream)
        return stream

    async def _ensure_stream(self, stream: "JetStreamContext") -> None:
        """Create the stream if it is missing.

        A stream that an operator configured differently is left unchanged.
        """
        from nats.js.api import RetentionPolicy, StreamConfig
        from nats.js.errors import NotFoundError

        try:
            await stream.stream_info(STREAM)
        except NotFoundError:
            await stream.add_stream(
                StreamConfig(
                    name=STREAM,
                    subjects=[f"{SUBJECT}.>"],
                    retention=RetentionPolicy.WORK_QUEUE,
                    num_replicas=min(MAX_REPLICAS, len(self._addresses)),
                    duplicate_window=DEDUPLICATED_S,
                    max_age=KEPT_S,
                )
            )

    async def _subscribed(self) -> "JetStreamContext.PullSubscription":
        from nats.js.api import AckPolicy, ConsumerConfig

        stream = await self._connected()
        if self._messages is None:
            config = ConsumerConfig(
                ack_policy=AckPolicy.EXPLICIT, ack_wait=ACK_WAIT_S, max_ack_pending=MAX_UNACKNOWLEDGED
            )
            self._messages = await stream.pull_subscribe(f"{SUBJECT}.>", durable=CONSUMER, stream=STREAM, config=config)
        return self._messages


async def _log_error(error: Exception) -> None:
    log.info("the connection to the broker of streams: %s", error or type(error).__name__)
