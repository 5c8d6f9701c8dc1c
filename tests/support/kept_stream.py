"""An in-process stream broker that stores messages until a test writes them."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import msgspec

from haulier.background import make_stream_writer
from haulier.kernel.application import Application
from haulier.kernel.background.streams import FactStream, StreamDelivery, StreamMessage


class KeptDelivery:
    """A delivered message and its outcome."""

    def __init__(self, message: StreamMessage) -> None:
        self.message = message
        self.is_written: bool | None = None

    async def acknowledge(self) -> None:
        self.is_written = True

    async def return_message(self) -> None:
        self.is_written = False


class KeptStream:
    """Stores up to `takes` messages, then is unavailable."""

    keeps = True

    def __init__(self, app: Application, takes: int | None = None) -> None:
        self._app = app
        self._takes = takes
        self.messages: list[StreamMessage] = []

    async def send(self, message: StreamMessage) -> bool:
        if self._takes is not None and len(self.messages) >= self._takes:
            return False
        sent = msgspec.json.encode(message)  # as on the wire
        self.messages.append(msgspec.json.decode(sent, type=StreamMessage))
        return True

    async def fetch(self, most: int, wait_s: float) -> Sequence[StreamDelivery]:
        return [KeptDelivery(message) for message in self.messages[:most]]

    async def close(self) -> None:
        self.messages.clear()

    async def write(self, messages: Sequence[StreamMessage] | None = None) -> list[KeptDelivery]:
        """Have all or the given messages written, and return their deliveries."""
        deliveries = [KeptDelivery(message) for message in (self.messages if messages is None else messages)]
        await make_stream_writer(self._app, 1).write_deliveries(deliveries)
        return deliveries


@contextmanager
def kept_stream(app: Application, takes: int | None = None) -> Generator[KeptStream]:
    """Give the application a broker while the context is open."""
    before, stream = app.adapters, KeptStream(app, takes)
    app.adapters = {**before, FactStream: stream}
    try:
        yield stream
    finally:
        app.adapters = before
