"""A message centre over real TCP: smpp34's server, which shares nothing with our session but the specification.

It takes every bind, and reads answers to what it delivers from transceivers alone (1.5.0), so those who listen bind as such.
`ScriptedCentre` is for what a well-behaved server does not do: it refuses, falls silent and breaks off.
"""

import asyncio
import ssl
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import smpp34
from tests.support.live import free_port

LISTEN = "listen=transceiver"
HEADER = struct.Struct(">IIII")


class Centre:
    """What it was handed, how it answers next, and what it delivers."""

    def __init__(self, server: smpp34.Server, port: int) -> None:
        self._server, self.port = server, port
        self.taken: list[smpp34.SubmitSmEvent] = []
        self.statuses: list[int] = []
        """What it answers next; 0 takes the text."""
        self.receipts: str | None = None
        """With which state it tells what became of each text that asks for it."""
        self.sessions: dict[str, smpp34.Esme] = {}
        self.changed = asyncio.Event()
        self.telling: set[asyncio.Task[Any]] = set()

    async def run(self) -> None:
        while True:
            self._take(await self._server.next())
            self.changed.set()
            self.changed = asyncio.Event()

    def _take(self, event: Any) -> None:
        if isinstance(event, smpp34.Esme):
            self.sessions[event.session_id] = event
        elif isinstance(event, smpp34.Unbound):
            self.sessions.pop(event.session_id, None)
        elif status := self.statuses.pop(0) if self.statuses else 0:
            event.reject(status)
        else:
            self.taken.append(event)
            reference = f"m{len(self.taken)}"
            event.accept(reference)
            if self.receipts and event.registered_delivery & 1:
                task = asyncio.ensure_future(self._tell_until_heard(reference, event.destination_addr, self.receipts))
                self.telling.add(task)
                task.add_done_callback(self.telling.discard)

    async def until(self, true: Callable[[], object]) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(60):
            while not true():
                changed = self.changed
                await changed.wait()

    async def receiver(self) -> smpp34.Esme:
        """The newest session that hears what is delivered."""
        await self.until(lambda: any(each.can_receive for each in self.sessions.values()))
        return [each for each in self.sessions.values() if each.can_receive][-1]

    async def tell(self, reference: str, number: str, state: str, error: str = "000") -> int:
        """Deliver a receipt as most centres write it (appendix B); the status of the answer."""
        dates = "submit date:2606101200 done date:2606101201"
        words = f"id:{reference} sub:001 dlvrd:001 {dates} stat:{state} err:{error} text:Hi"
        return await self.deliver(number, words.encode(), esm_class=0x04)

    async def _tell_until_heard(self, reference: str, number: str, state: str) -> None:
        """As centres do: what nobody answered is delivered again."""
        while True:
            try:
                if await self.tell(reference, number, state) == smpp34.ESME_ROK:
                    return
            except smpp34.SmppError:
                await asyncio.sleep(0.05)

    async def deliver(self, number: str, message: bytes, **values: Any) -> int:
        """Deliver something from a number."""
        esme = await self.receiver()
        own = {"source_addr": number, "source_addr_ton": 1, "source_addr_npi": 1, **values}
        return (await esme.deliver_sm("15005550006", message, **own)).command_status


@asynccontextmanager
async def a_centre(port: int | None = None) -> AsyncGenerator[Centre]:
    port = port or free_port()
    server = smpp34.Server("127.0.0.1", port, system_id="centre")
    await server.start()
    centre = Centre(server, port)
    task = asyncio.create_task(centre.run())
    try:
        yield centre
    finally:
        tasks = [task, *centre.telling]
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.stop()


class ScriptedCentre:
    """Answers each PDU as a function says: with a status and a body, or with None and silence."""

    def __init__(self, answer: Callable[[int, bytes], tuple[int, bytes] | None]) -> None:
        self.answer, self.asked = answer, list[int]()
        self.port = 0
        self.writers: list[asyncio.StreamWriter] = []
        self.heard: asyncio.Queue[tuple[int, int]] = asyncio.Queue()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        with suppress(EOFError, OSError):
            while True:
                length, command, status, sequence = HEADER.unpack(await reader.readexactly(16))
                body = await reader.readexactly(length - 16)
                self.asked.append(command)
                if command & 0x80000000:
                    self.heard.put_nowait((command, status))
                    continue
                said = self.answer(command, body)
                if said is not None:
                    self.send(command | 0x80000000, *said, sequence=sequence)
        writer.close()

    def send(self, command: int, status: int, body: bytes = b"", sequence: int = 7) -> None:
        """Write a PDU to whoever connected last."""
        self.writers[-1].write(HEADER.pack(16 + len(body), command, status, sequence) + body)


@asynccontextmanager
async def a_scripted_centre(
    answer: Callable[[int, bytes], tuple[int, bytes] | None], context: ssl.SSLContext | None = None
) -> AsyncGenerator[ScriptedCentre]:
    centre = ScriptedCentre(answer)
    server = await asyncio.start_server(centre.serve, "127.0.0.1", 0, ssl=context)
    centre.port = server.sockets[0].getsockname()[1]
    try:
        yield centre
    finally:
        server.close()
        for writer in centre.writers:
            writer.close()


async def eventually(true: Callable[[], Awaitable[object]]) -> None:
    """Wait until something holds, that has to be asked for."""
    for _ in range(6000):
        if await true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came true")
