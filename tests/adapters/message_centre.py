"""SMPP message centre over real TCP, with the independent server of smpp34.

It accepts every bind, but reads responses to deliveries only from transceivers (1.5.0), so listeners bind as such.
`ScriptedCentre` covers behaviour of faulty servers: it rejects, stops responding and disconnects.
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
    """Received messages, scripted responses, and deliveries."""

    def __init__(self, server: smpp34.Server, port: int) -> None:
        self._server, self.port = server, port
        self.taken: list[smpp34.SubmitSmEvent] = []
        self.statuses: list[int] = []
        """Next statuses; 0 accepts the message."""
        self.receipts: str | None = None
        """State in the receipts of messages that request one."""
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
                task = asyncio.ensure_future(
                    self._report_until_acknowledged(reference, event.destination_addr, self.receipts)
                )
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
        """Deliver a receipt in the common form (appendix B); return the response status."""
        dates = "submit date:2606101200 done date:2606101201"
        words = f"id:{reference} sub:001 dlvrd:001 {dates} stat:{state} err:{error} text:Hi"
        return await self.deliver(number, words.encode(), esm_class=0x04)

    async def _report_until_acknowledged(self, reference: str, number: str, state: str) -> None:
        """Deliver a receipt again until it is acknowledged, as centres do."""
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
async def make_centre(port: int | None = None) -> AsyncGenerator[Centre]:
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
    """Responds to each PDU by a function: a status and body, or None for silence."""

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
        """Write a PDU to the latest connection."""
        self.writers[-1].write(HEADER.pack(16 + len(body), command, status, sequence) + body)


@asynccontextmanager
async def make_scripted_centre(
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
