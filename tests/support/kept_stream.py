"""A broker of streams in this process: keeps messages until a test has them written."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import msgspec

from haulier.background import make_stream_writer
from haulier.kernel.application import Application
from haulier.kernel.background.streams import FactStream, StreamDelivery, StreamMessage


class KeptDelivery:
    """A message that is brought, and what the broker was told of it."""

    def __init__(self, message: StreamMessage) -> None:
        self.message = message
        self.is_written: bool | None = None

    async def acknowledge(self) -> None:
        self.is_written = True

    async def give_back(self) -> None:
        self.is_written = False


class KeptStream:
    """Keeps the messages that it takes; after `takes` of them it is away."""

    keeps = True

    def __init__(self, app: Application, takes: int | None = None) -> None:
        self._app = app
        self._takes = takes
        self.messages: list[StreamMessage] = []

    async def send(self, message: StreamMessage) -> bool:
        if self._takes is not None and len(self.messages) >= self._takes:
            return False
        sent = msgspec.json.encode(message)  # as it goes over the wire
        self.messages.append(msgspec.json.decode(sent, type=StreamMessage))
        return True

    async def fetch(self, most: int, wait_s: float) -> Sequence[StreamDelivery]:
        return [KeptDelivery(message) for message in self.messages[:most]]

    async def close(self) -> None:
        self.messages.clear()

    async def write(self, messages: Sequence[StreamMessage] | None = None) -> list[KeptDelivery]:
        """Have all messages written, or these; returns what the broker was told of each."""
        deliveries = [KeptDelivery(message) for message in (self.messages if messages is None else messages)]
        await make_stream_writer(self._app, 1).write_deliveries(deliveries)
        return deliveries


@contextmanager
def kept_stream(app: Application, takes: int | None = None) -> Generator[KeptStream]:
    """The application has a broker while the context is open."""
    before, stream = app.adapters, KeptStream(app, takes)
    app.adapters = {**before, FactStream: stream}
    try:
        yield stream
    finally:
        app.adapters = before
