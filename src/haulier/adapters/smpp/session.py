"""Session with a message centre, with keep-alive and a window of requests."""

import asyncio
import contextlib
import ssl
from typing import Self

from msgspec import Struct

from haulier.adapters.smpp.pdus import HEADER, MAX_PDU, RESPONSE, BadPdu, Command, Pdu, Status, bind_body

CONNECT_S, RESPONSE_S, ENQUIRE_S = 10.0, 30.0, 30.0
WAITING_DELIVERIES = 200
"""Maximum number of deliveries that wait to be stored. Reading pauses at this number."""


class MessageCentre(Struct, frozen=True, kw_only=True):
    """Address and options of a message centre.

    `window` is the maximum number of unanswered requests.
    """

    host: str
    port: int
    tls: bool
    window: int = 10
    system_type: str = ""
    payload: bool = False
    """Send long messages in `message_payload` instead of in parts."""
    transceiver: bool = False
    """Bind listeners as transceivers, for message centres that do not support receivers."""


class BindRefused(Exception):
    """Raised if the message centre rejects a bind, with its `status`."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the message centre refused the bind with 0x{status:02X}")
        self.status = status


class NotSent(OSError):
    """Raised if the connection is closed and the request was not sent."""


class SmppSession:
    """Bound session, which ends with its connection and does not reconnect."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, window: int) -> None:
        self._reader, self._writer = reader, writer
        self._room = asyncio.Semaphore(window)
        self._sequence = 0
        self._waiting: dict[int, asyncio.Future[Pdu]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._heard = asyncio.get_running_loop().time()
        self.deliveries: asyncio.Queue[Pdu | None] = asyncio.Queue(WAITING_DELIVERIES)
        """Deliveries to acknowledge, followed by None at the end of the session."""
        self.closed = False

    @classmethod
    async def open(
        cls, centre: MessageCentre, bind: Command, system_id: str, password: str, *, enquire_s: float = ENQUIRE_S
    ) -> Self:
        """Connect and bind.

        Raises `BindRefused`, or `OSError` if there is no response.
        """
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
        """Send a request as soon as the window allows it, and return the response.

        Raises `NotSent`, or `OSError` if the request was sent but not answered.
        """
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
        """Send the response to a PDU of the message centre."""
        if not self.closed:
            body = b"\x00" if asked.command == Command.DELIVER_SM else b""
            self._writer.write(Pdu(asked.command | RESPONSE, status, asked.sequence, body).encode())

    async def close(self) -> None:
        """Unbind and close, without waiting for pending requests."""
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
        """Process a PDU and return False after the last one."""
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
        """Send an enquire_link after each period of silence.

        Ends the session if there is no response.
        """
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
        """End the session. The outcome of pending requests is unknown."""
        if self.closed:
            return
        self.closed = True
        self._writer.close()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(OSError("the connection to the message centre broke"))
        while self.deliveries.full():  # not acknowledged, so the message centre delivers them again
            self.deliveries.get_nowait()
        self.deliveries.put_nowait(None)
