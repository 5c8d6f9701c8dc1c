"""Writes stream messages in batches, acknowledged after the commit.

A batch has messages of one client and kind.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from haulier.kernel.background.streams import (
    MESSAGES_AT_ONCE,
    FactStream,
    StreamDelivery,
    StreamMessage,
    StreamUnavailable,
)

WriteBatch = Callable[[str, int, Sequence[StreamMessage]], Awaitable[None]]
"""Writes messages of one kind and client in one transaction."""
WAIT_S = 1.0
FIRST_FETCH = MESSAGES_AT_ONCE // 8
ROUND_S = 10.0
"""Maximum duration of a round. The broker redelivers messages that are not acknowledged for half a minute."""
ERROR_PAUSE_S = 1.0
"""Seconds to wait while the broker is unavailable."""
log = logging.getLogger("haulier.streams")


def next_fetch(fetched: int, round_s: float) -> int:
    """Return the size of the next fetch, given the size and duration of the last."""
    return max(1, fetched // 2) if round_s > ROUND_S else min(2 * fetched, MESSAGES_AT_ONCE)


class StreamWriter:
    """Fetches and writes messages in parallel tasks until it is stopped.

    `at_once` limits the number of messages per transaction by kind.
    """

    def __init__(
        self, stream: FactStream, write: WriteBatch, tasks: int = 1, at_once: Mapping[str, int] | None = None
    ) -> None:
        self._stream, self._write, self._tasks = stream, write, tasks
        self._at_once = at_once or {}
        self._stopping = False

    async def run(self) -> None:
        """Fetch and write until `stop`. Fetched messages are always written."""
        await asyncio.gather(*(self._run_one() for _ in range(self._tasks)))

    def stop(self) -> None:
        """Stop fetching."""
        self._stopping = True

    async def _run_one(self) -> None:
        time, most = asyncio.get_running_loop().time, FIRST_FETCH
        while not self._stopping:
            try:
                deliveries = await self._stream.fetch(most, WAIT_S)
                began = time()
                await self.write_deliveries(deliveries)
                most = next_fetch(most, time() - began)
            except StreamUnavailable as error:
                log.warning("the stream broker is unavailable: %s", error)
                await asyncio.sleep(ERROR_PAUSE_S)

    async def write_deliveries(self, deliveries: Sequence[StreamDelivery]) -> None:
        """Write messages.

        A failed batch is retried one by one, so that a bad message does not block others.
        """
        batches: dict[tuple[str, int], list[StreamDelivery]] = {}
        for delivery in deliveries:
            batches.setdefault((delivery.message.kind, delivery.message.client_id), []).append(delivery)
        for (kind, _), together in batches.items():
            at_once = self._at_once.get(kind, MESSAGES_AT_ONCE)
            for start in range(0, len(together), at_once):
                batch = together[start : start + at_once]
                if not await self._write_batch(batch) and len(batch) > 1:
                    for delivery in batch:
                        await self._write_batch([delivery])

    async def _write_batch(self, batch: Sequence[StreamDelivery]) -> bool:
        kind, client_id = batch[0].message.kind, batch[0].message.client_id
        try:
            await self._write(kind, client_id, [delivery.message for delivery in batch])
        except Exception:
            log.exception("%d messages of %s for client %d could not be written", len(batch), kind, client_id)
            if len(batch) == 1:
                await _report(batch, written=False)
            return False
        await _report(batch, written=True)
        return True


async def _report(batch: Sequence[StreamDelivery], *, written: bool) -> None:
    """Report outcomes to the broker.

    If that fails, the broker redelivers the messages.
    """
    with suppress(StreamUnavailable):
        for delivery in batch:
            await (delivery.acknowledge() if written else delivery.return_message())
