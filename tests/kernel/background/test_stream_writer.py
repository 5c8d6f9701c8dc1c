"""Fetching and writing of stream messages."""

import asyncio
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from tests.support.app import App
from tests.support.kept_stream import KeptDelivery

from haulier.background import make_stream_writer
from haulier.kernel.background.registry import BackgroundRegistry
from haulier.kernel.background.stream_writer import FIRST_FETCH, ROUND_S, StreamWriter, next_fetch
from haulier.kernel.background.streams import (
    MESSAGES_AT_ONCE,
    DirectStream,
    StreamItem,
    StreamMessage,
    stream,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry


class Fact(Struct, frozen=True):
    """Anything."""

    number: int


def make_message(app: App, number: int) -> KeptDelivery:
    named: dict[str, Any] = {
        "id": str(number),
        "client_id": app.clients["demo"],
        "kind": "test.facts",
        "at": app.clock.now,
    }
    return KeptDelivery(StreamMessage(args={"number": number}, **named))


def test_long_rounds_are_shortened_and_short_ones_lengthened() -> None:
    fetched = FIRST_FETCH
    for _ in range(10):
        fetched = next_fetch(fetched, ROUND_S / 2)
    assert fetched == MESSAGES_AT_ONCE
    assert next_fetch(fetched, 2 * ROUND_S) == MESSAGES_AT_ONCE // 2
    assert next_fetch(1, 2 * ROUND_S) == 1


async def test_the_configured_number_of_messages_is_written_in_one_transaction(app: App) -> None:
    written = list[list[int]]()

    @stream("test.facts", Fact, at_once=2)
    async def write(call: Call, items: Sequence[StreamItem[Fact]]) -> None:
        written.append([item.args.number for item in items])

    app.application.background = BackgroundRegistry((), (), stream_types=(write,))
    deliveries = [make_message(app, number) for number in range(5)]
    await make_stream_writer(app.application, 1).write_deliveries(deliveries)
    assert written == [[0, 1], [2, 3], [4]]
    assert all(each.is_written for each in deliveries)


async def test_a_batch_is_retried_on_a_serialization_failure(app: App) -> None:
    tries = list[int]()

    @stream("test.facts", Fact)
    async def write(call: Call, items: Sequence[StreamItem[Fact]]) -> None:
        tries.append(len(items))
        if len(tries) < 3:
            raise TransactionRetry

    app.application.background = BackgroundRegistry((), (), stream_types=(write,))
    deliveries = [make_message(app, number) for number in range(2)]
    await make_stream_writer(app.application, 1).write_deliveries(deliveries)
    assert tries == [2, 2, 2]
    assert all(each.is_written for each in deliveries)


async def test_a_worker_requests_more_messages_when_rounds_are_short() -> None:
    asked = list[int]()

    class Counting(DirectStream):
        keeps = True

        async def fetch(self, most: int, wait_s: float) -> tuple[()]:
            asked.append(most)
            if len(asked) == 2:
                writer.stop()
            return ()

    async def write(kind: str, client_id: int, messages: Sequence[StreamMessage]) -> None:
        raise AssertionError("nothing came")

    writer = StreamWriter(Counting(), write)
    await asyncio.wait_for(writer.run(), 60)
    assert asked == [FIRST_FETCH, 2 * FIRST_FETCH]
