"""A session with a message centre: bound, kept alive, with a window of texts that are under way."""

import asyncio
import contextlib
import ssl
from typing import Self

from msgspec import Struct

from haulier.adapters.smpp.pdus import HEADER, MAX_PDU, RESPONSE, BadPdu, Command, Pdu, Status, bind_body

CONNECT_S, RESPONSE_S, ENQUIRE_S = 10.0, 30.0, 30.0
WAITING_DELIVERIES = 200
"""So many deliveries wait to be stored; then nothing more is read, and the message centre waits."""


class MessageCentre(Struct, frozen=True, kw_only=True):
    """Where a message centre is, and what it wants. `window` texts are under way at once."""

    host: str
    port: int
    tls: bool
    window: int = 10
    system_type: str = ""
    payload: bool = False
    """Long texts go whole, in `message_payload`, instead of in parts."""
    transceiver: bool = False
    """Whoever listens binds as a transceiver, for a centre that takes no receivers."""


class BindRefused(Exception):
    """The message centre does not let us in; `status` is its reason."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the message centre refused the bind with 0x{status:02X}")
        self.status = status


class NotSent(OSError):
    """Nothing was written: there is no connection any more."""


class SmppSession:
    """A bound session. It ends by itself when the connection does; whoever needs another opens one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, window: int) -> None:
        self._reader, self._writer = reader, writer
        self._room = asyncio.Semaphore(window)
        self._sequence = 0
        self._waiting: dict[int, asyncio.Future[Pdu]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._heard = asyncio.get_running_loop().time()
        self.deliveries: asyncio.Queue[Pdu | None] = asyncio.Queue(WAITING_DELIVERIES)
        """What the centre delivered and waits for an answer to; None at the end."""
        self.closed = False

    @classmethod
    async def open(
        cls, centre: MessageCentre, bind: Command, system_id: str, password: str, *, enquire_s: float = ENQUIRE_S
    ) -> Self:
        """Connect and bind. Raises `BindRefused`, or `OSError` where nobody answers."""
        certificates = ssl.create_default_context() if centre.tls else None
        connecting = asyncio.open_connection(centre.host, centre.port, ssl=certificates, limit=MAX_PDU)
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await connecting
        except TimeoutError:
            raise OSError("the message centre did not answer") from None
        session = cls(reader, writer, centre.window)
        session._tasks = [asyncio.create_task(session._read(), name="smpp")]
        try:
            answer = await session.request(bind, bind_body(system_id, password, centre.system_type))
        except OSError:
            await session.close()
            raise
        if answer.status != Status.OK:
            await session.close()
            raise BindRefused(answer.status)
        session._tasks.append(asyncio.create_task(session._enquire(enquire_s), name="smpp-enquire"))
        return session

    async def request(self, command: Command, body: bytes = b"") -> Pdu:
        """Ask something, as soon as the window has room. Raises `NotSent`; `OSError` where no answer came to what was sent."""
        async with self._room:
            if self.closed or self._writer.is_closing():
                raise NotSent("the connection to the message centre is gone")
            self._sequence = self._sequence % 0x7FFFFFFF + 1
            sequence = self._sequence
            answer = self._waiting[sequence] = asyncio.get_running_loop().create_future()
            try:
                self._writer.write(Pdu(command, 0, sequence, body).encode())
                async with asyncio.timeout(RESPONSE_S):
                    return await answer
            except TimeoutError:
                raise OSError("the message centre did not answer") from None
            finally:
                self._waiting.pop(sequence, None)

    def answer(self, asked: Pdu, status: Status) -> None:
        """Answer a delivery."""
        if not self.closed:
            body = b"\x00" if asked.command == Command.DELIVER_SM else b""
            self._writer.write(Pdu(asked.command | RESPONSE, status, asked.sequence, body).encode())

    async def close(self) -> None:
        """Say goodbye and end; what is under way is not waited for."""
        if not self.closed:
            self._sequence += 1
            self._writer.write(Pdu(Command.UNBIND, 0, self._sequence).encode())
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(1):
                    await self._writer.drain()
        self._end()
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        await asyncio.gather(
            *(task for task in self._tasks if task is not asyncio.current_task()), return_exceptions=True
        )

    async def _read(self) -> None:
        try:
            while True:
                length, command, status, sequence = HEADER.unpack(await self._reader.readexactly(HEADER.size))
                if not HEADER.size <= length <= MAX_PDU:
                    raise BadPdu
                body = await self._reader.readexactly(length - HEADER.size)
                self._heard = asyncio.get_running_loop().time()
                if not await self._take(Pdu(command, status, sequence, body)):
                    return
        except (OSError, EOFError, BadPdu):
            return
        finally:
            self._end()

    async def _take(self, pdu: Pdu) -> bool:
        """Do what a PDU asks for. False for the last one."""
        if pdu.command & RESPONSE:
            answer = self._waiting.get(pdu.sequence)
            if answer is not None and not answer.done():
                answer.set_result(pdu)
        elif pdu.command == Command.DELIVER_SM:
            await self.deliveries.put(pdu)
        elif pdu.command in (Command.ENQUIRE_LINK, Command.UNBIND):
            self.answer(pdu, Status.OK)
        else:
            self._writer.write(Pdu(Command.GENERIC_NACK, Status.INVALID_COMMAND, pdu.sequence).encode())
        return pdu.command != Command.UNBIND

    async def _enquire(self, every_s: float) -> None:
        """Ask whether the centre is there whenever nothing came for a while; where it is not, the session ends."""
        try:
            while not self.closed:
                silent_s = asyncio.get_running_loop().time() - self._heard
                if silent_s < every_s:
                    await asyncio.sleep(every_s - silent_s)
                    continue
                async with asyncio.timeout(every_s):
                    await self._enquire_once()
        except (OSError, TimeoutError):
            self._end()

    async def _enquire_once(self) -> None:
        sequence = self._sequence = self._sequence % 0x7FFFFFFF + 1
        answer = self._waiting[sequence] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(Pdu(Command.ENQUIRE_LINK, 0, sequence).encode())
            await answer
        finally:
            self._waiting.pop(sequence, None)

    def _end(self) -> None:
        """The connection is over: of what was under way nobody knows."""
        if self.closed:
            return
        self.closed = True
        self._writer.close()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(OSError("the connection to the message centre broke"))
        while self.deliveries.full():  # unanswered, so the centre delivers them again
            self.deliveries.get_nowait()
        self.deliveries.put_nowait(None)
