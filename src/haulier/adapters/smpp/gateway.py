"""SMS gateway for an account with a message centre.

Each process has one transmitter per account, which is bound on first use.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from haulier.adapters.smpp.pdus import Command, Status, Submit, parse_message_id
from haulier.adapters.smpp.session import BindRefused, MessageCentre, NotSent, SmppSession
from haulier.adapters.smpp.texts import address_of, split_text
from haulier.contexts.messaging.ports import (
    SmsAccountRefused,
    SmsAnswered,
    SmsBusy,
    SmsNotice,
    SmsReceipt,
    SmsRefused,
    SmsSubmission,
    SmsUnsigned,
)

IDLE_S, RETRY_S = 120.0, 1.0
"""Idle time after which a transmitter unbinds, and the delay before reconnecting after a failure."""
LATER_TRIES, LATER_S = 20, 0.5
"""Number and interval of retries for the further parts of a message whose first part was accepted."""
LATER = frozenset({Status.THROTTLED, Status.QUEUE_FULL})
"""Statuses of messages that were not accepted but can be retried."""
WRONG_ACCOUNT = frozenset({Status.BIND_FAILED, Status.INVALID_PASSWORD, Status.INVALID_SYSTEM_ID})
log = logging.getLogger("haulier.smpp")


class Transmitter:
    """Connection over which an account sends from this process.

    It reconnects after a failure.
    """

    def __init__(self, centre: MessageCentre, system_id: str, password: str, *, idle_s: float = IDLE_S) -> None:
        self.centre = centre
        self._account, self._idle_s = (system_id, password), idle_s
        self._session: SmppSession | None = None
        self._opening = asyncio.Lock()
        self._closer: asyncio.TimerHandle | None = None
        self._failed: tuple[float, SmsBusy] | None = None
        self._goodbyes: set[asyncio.Task[None]] = set()
        self._references = 0

    def next_reference(self) -> int:
        """Return the reference that joins the parts of a long message."""
        self._references += 1
        return self._references

    async def session(self) -> SmppSession:
        """Return a bound session.

        Raises `SmsAccountRefused` if the message centre rejects the account, and `SmsBusy` for other failures.
        """
        async with self._opening:
            if self._session is None or self._session.closed:
                self._session = await self._open()
        self._stay()
        return self._session

    async def _open(self) -> SmppSession:
        now = asyncio.get_running_loop().time()
        if self._failed and now < self._failed[0]:
            raise self._failed[1]
        try:
            opened = await SmppSession.open(self.centre, Command.BIND_TRANSMITTER, *self._account)
        except BindRefused as refused:
            wrong = refused.status in WRONG_ACCOUNT
            fault: SmsBusy = SmsAccountRefused(str(refused)) if wrong else SmsBusy(str(refused))
        except OSError as error:
            fault = SmsBusy(f"the message centre cannot be reached: {error!r}")
        else:
            self._failed = None
            return opened
        log.warning("%s:%s: %s", self.centre.host, self.centre.port, fault)
        self._failed = (now + RETRY_S, fault)
        raise fault

    def _stay(self) -> None:
        if self._closer:
            self._closer.cancel()
        self._closer = asyncio.get_running_loop().call_later(self._idle_s, self._send_unbind)

    def _send_unbind(self) -> None:
        task = asyncio.ensure_future(self.close())
        self._goodbyes.add(task)
        task.add_done_callback(self._goodbyes.discard)

    async def close(self) -> None:
        """Unbind."""
        if self._closer:
            self._closer.cancel()
        session, self._session = self._session, None
        if session is not None:
            with suppress(OSError):
                await session.close()


class SmppGateway:
    """SMS gateway of one sender over a transmitter."""

    configured = True

    def __init__(self, transmitter: Transmitter, sender: str) -> None:
        self._transmitter, self._sender = transmitter, address_of(sender)

    async def send(self, to: str, text: str) -> None:
        """Send a message without requesting a receipt."""
        await self._submit(to, text, receipt=False)

    async def submit(self, submission: SmsSubmission) -> str:
        """Submit a message and request a receipt.

        Long messages are split into parts. Returns the ID of the last part.
        """
        return await self._submit(submission.to, submission.text, receipt=True)

    async def _submit(self, to: str, text: str, *, receipt: bool) -> str:
        centre = self._transmitter.centre
        parts = split_text(text, self._transmitter.next_reference(), payload=centre.payload)
        reference = ""
        for number, part in enumerate(parts):
            whole = msgspec.structs.replace(
                part, source=self._sender, destination=address_of(to), receipt=part.receipt and receipt
            )
            reference = await (self._first(whole) if number == 0 else self._further(whole))
        return reference

    async def _first(self, part: Submit) -> str:
        session = await self._transmitter.session()
        try:
            answer = await session.request(Command.SUBMIT_SM, part.encode())
        except NotSent as error:
            raise SmsBusy(str(error)) from error
        if answer.command == Command.GENERIC_NACK and answer.status == Status.OK:
            raise OSError("the message centre understood nothing")
        if answer.status == Status.OK:
            return parse_message_id(answer.body)
        if answer.status in LATER:
            raise SmsBusy(f"the message centre said 0x{answer.status:02X}")
        if answer.status == Status.SYSTEM_ERROR:
            raise OSError("the message centre has a fault of its own")
        raise SmsRefused(f"the message centre said 0x{answer.status:02X}", f"0x{answer.status:02X}")

    async def _further(self, part: Submit) -> str:
        """Submit a further part of a message.

        Retries for only a short time, because the message centre has already accepted the first part.
        """
        for _ in range(LATER_TRIES):
            try:
                return await self._first(part)
            except SmsBusy:
                await asyncio.sleep(LATER_S)
        raise OSError("the message centre took only the beginning of a text")

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        """Raise `SmsUnsigned`: message centres do not call webhooks."""
        raise SmsUnsigned
