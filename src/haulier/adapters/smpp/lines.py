"""Configured message centres, and the accounts of clients with them."""

import asyncio
import contextlib
import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlsplit

from haulier.adapters.smpp.gateway import SmppGateway, Transmitter
from haulier.adapters.smpp.pdus import BadPdu, Command, Pdu, Status, parse_deliver
from haulier.adapters.smpp.session import BindRefused, MessageCentre, SmppSession
from haulier.adapters.smpp.texts import read_delivery
from haulier.contexts.messaging.ports import SmsAccountRefused, SmsAnswered, SmsBusy, SmsReceipt, TakeSmsNews
from haulier.settings import InvalidSetting

AT_ONCE = 100
"""Maximum number of deliveries stored in one transaction."""
_OPTIONS = {
    "window": r"[1-9]\d{0,3}",
    "long": "parts|payload",
    "listen": "receiver|transceiver",
    "system_type": r"[A-Za-z0-9_.-]{1,12}",
}


def parse_centres(text: str | None) -> Mapping[str, MessageCentre]:
    """Parse the setting `smpp`. Raises `InvalidSetting`.

    The format is `name=smpps://host:port?window=10`, separated by spaces.
    """
    found: dict[str, MessageCentre] = {}
    for entry in (text or "").split():
        name, _, address = entry.partition("=")
        parts = urlsplit(address)
        given = {key: values[-1] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
        wrong = [key for key, value in given.items() if not re.fullmatch(_OPTIONS.get(key, "(?!)"), value)]
        if name in found or wrong or not parts.hostname:
            raise InvalidSetting(f"setting 'smpp': {(wrong or [name])[0]!r} is unknown or wrong, or named twice")
        tls = parts.scheme == "smpps"
        found[name] = MessageCentre(
            host=parts.hostname,
            port=parts.port or (3550 if tls else 2775),
            tls=tls,
            window=int(given.get("window", 10)),
            system_type=given.get("system_type", ""),
            payload=given.get("long") == "payload",
            transceiver=given.get("listen") == "transceiver",
        )
    return found


class SmppLines:
    """Connections of clients' accounts to message centres, in this process."""

    providers = frozenset({"smpp"})

    def __init__(self, centres: Mapping[str, MessageCentre] | None = None) -> None:
        self._centres = centres or {}
        self._transmitters: dict[tuple[str, str], Transmitter] = {}

    @property
    def configured(self) -> bool:
        """Return True if a message centre is configured."""
        return bool(self._centres)

    def _centre(self, account: str) -> tuple[MessageCentre, str]:
        """Return the message centre of an account and the system ID.

        The format is `name@centre`, or only the name if there is a single message centre. Raises `KeyError`.
        """
        system_id, _, named = account.partition("@")
        if not named and len(self._centres) == 1:
            return next(iter(self._centres.values())), system_id
        return self._centres[named], system_id

    def offers(self, account: str) -> bool:
        """Return True if the message centre of an account is configured."""
        try:
            return bool(self._centre(account))
        except KeyError:
            return False

    def gateway(self, account: str, secret: str, sender: str) -> SmppGateway:
        """Return the gateway of an account.

        Raises `KeyError` for unknown message centres.
        """
        transmitter = self._transmitters.get((account, secret))
        if transmitter is None:
            centre, system_id = self._centre(account)
            transmitter = self._transmitters[account, secret] = Transmitter(centre, system_id, secret)
        return SmppGateway(transmitter, sender)

    async def listen(self, account: str, secret: str, take: TakeSmsNews) -> None:
        """Receive the deliveries of an account until the connection ends.

        Each delivery is acknowledged after `take` returns. If `take` raises, the message centre is asked to deliver it
        again. Raises `SmsAccountRefused`, `SmsBusy` if the message centre is unavailable, and `KeyError` if it is unknown.
        """
        centre, system_id = self._centre(account)
        bind = Command.BIND_TRANSCEIVER if centre.transceiver else Command.BIND_RECEIVER
        try:
            session = await SmppSession.open(centre, bind, system_id, secret)
        except BindRefused as refused:
            wrong = refused.status != Status.ALREADY_BOUND
            raise (SmsAccountRefused if wrong else SmsBusy)(str(refused)) from None
        except OSError as error:
            raise SmsBusy(f"the message centre cannot be reached: {error!r}") from error
        try:
            await take([])
            while (first := await session.deliveries.get()) is not None:
                await _receive_deliveries(session, first, take)
        finally:
            await session.close()

    async def close(self) -> None:
        """Close all transmitters."""
        transmitters, self._transmitters = self._transmitters, {}
        for transmitter in transmitters.values():
            await transmitter.close()


async def _receive_deliveries(session: SmppSession, first: Pdu, take: TakeSmsNews) -> None:
    """Store the waiting deliveries as a batch and acknowledge them.

    If the batch fails, the deliveries are stored one by one.
    """
    pdus = [first]
    with contextlib.suppress(asyncio.QueueEmpty):
        while len(pdus) < AT_ONCE:
            following = session.deliveries.get_nowait()
            if following is None:
                session.deliveries.put_nowait(None)
                break
            pdus.append(following)
    try:
        await take([each for pdu in pdus for each in _news(pdu)])
    except Exception:
        if len(pdus) == 1:
            session.answer(first, Status.TEMPORARY)
            return
        for pdu in pdus:
            await _receive_one(session, pdu, take)
        return
    for pdu in pdus:
        session.answer(pdu, Status.OK)


async def _receive_one(session: SmppSession, pdu: Pdu, take: TakeSmsNews) -> None:
    try:
        await take(_news(pdu))
    except Exception:
        session.answer(pdu, Status.TEMPORARY)
    else:
        session.answer(pdu, Status.OK)


def _news(pdu: Pdu) -> Sequence[SmsReceipt | SmsAnswered]:
    """Parse a delivery. Empty for malformed PDUs, which a retry would not fix."""
    try:
        return read_delivery(parse_deliver(pdu.body))
    except BadPdu:
        return []
