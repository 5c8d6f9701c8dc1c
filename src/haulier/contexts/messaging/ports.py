"""What messaging needs from outside."""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.secrets import SecretUnreadable as SecretUnreadable
from haulier.kernel.secrets import SecretVault as SecretVault


class SmsRefused(Exception):
    """A text message will never be accepted: the number cannot be reached, or the account may not send there.

    `code` is the provider's own code of the reason, where it gave one.
    """

    def __init__(self, reason: str, code: str | None = None) -> None:
        super().__init__(reason)
        self.code = code


class SmsSender(Protocol):
    """Sends text messages to phones."""

    @property
    def configured(self) -> bool:
        """Whether text messages can be sent at all."""
        ...

    async def send(self, to: str, text: str) -> None:
        """Send a message; `to` is a number in E.164.

        Raises `SmsRefused` when it will never be accepted, `OSError` when it is not accepted now.
        """
        ...


class SmsProvider(Struct, frozen=True):
    """A provider of text messages that an installed package brings.

    `open` gets the account's name, its secret and the sender, and asks nothing yet.
    """

    open: Callable[[str, str, str], SmsSender]


class SmsBusy(OSError):
    """The provider certainly did not take a text, and may take it later: it said so, or could not be reached at all."""


class SmsAccountRefused(SmsBusy):
    """The provider does not let the account in: nothing was taken, and nothing will be until somebody puts that right."""


class SmsUnsigned(Exception):
    """A notice is not signed with the account's secret."""


class SmsUnreadable(Exception):
    """A signed notice that is none."""


class SmsSubmission(Struct, frozen=True, kw_only=True):
    """A text that is handed over. `reference` is ours; receipts and answers are sent to `callback`."""

    to: str
    text: str
    reference: str
    callback: str


class ReceiptState(StrEnum):
    """What became of a text that was taken."""

    SENT = "sent"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    FAILED = "failed"


class SmsReceipt(Struct, frozen=True, kw_only=True):
    """The provider tells what became of a text. `code` is its own word for why it did not arrive.

    Where it says to whom the text went, `phone` is that number, in E.164; `other_refs` are its reference as it may have been
    written before.
    """

    provider_ref: str
    state: ReceiptState
    code: str | None = None
    phone: str | None = None
    other_refs: tuple[str, ...] = ()


class SmsAnswered(Struct, frozen=True, kw_only=True):
    """Somebody answered. `phone` is theirs, in E.164; `provider_ref` is empty where the provider numbers no answers."""

    provider_ref: str
    phone: str
    text: str


class SmsNotice(Struct, frozen=True, kw_only=True):
    """What a provider sent to our address, as it came. `url` is that address, with its query, as the provider calls it."""

    url: str
    body: bytes
    content_type: str
    signature: str


class SmsGateway(Protocol):
    """A provider under an account that also tells what became of texts, and what was answered."""

    async def submit(self, submission: SmsSubmission) -> str:
        """Hand a text over; returns the provider's reference, empty where it has none.

        Raises `SmsRefused` when it will never be accepted, `SmsBusy` when it was certainly not taken now, and `OSError` when
        nobody knows.
        """
        ...

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        """What a notice tells; nothing where it is of no concern. Raises `SmsUnsigned`, `SmsUnreadable`."""
        ...


TakeSmsNews = Callable[[Sequence[SmsReceipt | SmsAnswered]], Awaitable[None]]
"""Stores what a provider told. Returns once it is stored; at first it is called with nothing, to say that somebody listens."""


class SmsLines(Protocol):
    """Providers that do not call us: they tell what became of texts, and what was answered, over a connection of ours."""

    @property
    def providers(self) -> frozenset[str]:
        """Return their names."""
        ...

    @property
    def configured(self) -> bool:
        """Whether clients can have accounts there at all."""
        ...

    def offers(self, account: str) -> bool:
        """Whether an account of that name may be at one of them."""
        ...

    async def listen(self, account: str, secret: str, take: TakeSmsNews) -> None:
        """Hear what is told to an account, until the connection ends. What `take` raised for is told again.

        Raises `SmsAccountRefused`, `SmsBusy` where nothing can be heard now, `KeyError` for an account of none of them.
        """
        ...

    async def close(self) -> None:
        """Let them go."""
        ...


class SmsProviderDirectory(Protocol):
    """The providers of text messages with whom a client may have an account of its own."""

    def gateway(self, provider: str, account: str, secret: str, sender: str) -> SmsGateway:
        """Return the gateway for an account. Raises `KeyError` for an unknown provider."""
        ...

    def trial(self) -> SmsGateway | None:
        """Return a gateway that sends nothing to anybody, where the platform only writes texts into a file; else None."""
        ...

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> SmsSender:
        """Return the sender of messages for an account.

        Raises `KeyError` for an unknown provider.
        """
        ...


class ChannelUnavailable(OSError):
    """The broker cannot be reached now."""


class ChannelSignIn(Struct, frozen=True, kw_only=True):
    """Somebody who wants to come in at the broker: with which name and password, and over which connection.

    `connection` names it for `Channel.disconnect`; `device` is what the program calls itself there.
    """

    username: str
    password: str
    device: str
    connection: str


class ChannelGrant(Struct, frozen=True, kw_only=True):
    """What a connection may hear and say, topic by topic without wildcards, and for how many seconds."""

    subscribe: tuple[str, ...] = ()
    publish: tuple[str, ...] = ()
    lifetime_s: int


CheckSignIn = Callable[[ChannelSignIn], Awaitable[ChannelGrant | None]]
"""Who may come in, and to what; None for nobody."""


class ChannelFrame(Struct, frozen=True, kw_only=True):
    """Something that a program published: on which topic, and what."""

    topic: str
    payload: bytes


TakeFrame = Callable[[ChannelFrame], Awaitable[None]]
"""Takes a frame. It may wait, which lets the next ones wait, too; an error is logged, and the next frame follows."""
FRAMES_WAITING = 10_000
"""So many frames wait in a process; what a broker hands over beyond is dropped."""


class Channel(Protocol):
    """A broker of MQTT: it carries to whoever listens what is stored elsewhere, so it may lose everything it holds."""

    @property
    def configured(self) -> bool:
        """Whether there is a broker."""
        ...

    @property
    def asks_sign_ins(self) -> bool:
        """Whether it asks at each sign-in who may come in; else it is told of each ticket, and of its end."""
        ...

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where programs find it: `mqtts://…`, `wss://…`."""
        ...

    @property
    def prefix(self) -> str:
        """Return the first level of every topic."""
        ...

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """Hand payloads to the broker in their order. Raises `ChannelUnavailable` where it is known to be away.

        They may be lost with the broker: programs ask again for what they need when they come back to it.
        """
        ...

    async def admit(self, username: str, password: str, grant: ChannelGrant) -> None:
        """Tell a broker that does not ask who may come in, until `disconnect` names them. Raises `ChannelUnavailable`."""
        ...

    async def disconnect(self, connection: str) -> None:
        """Cut a connection. One that is gone already is fine. Raises `ChannelUnavailable`."""
        ...

    async def answer_sign_ins(self, check: CheckSignIn) -> None:
        """Say who may come in, until cancelled. A broker that is away is waited for."""
        ...

    async def take_frames(self, topics: Sequence[str], take: TakeFrame) -> None:
        """Hand over what programs publish to topics, until cancelled; `+` is one level, `#` at the end the rest.

        Of several processes one gets each frame. The frames of one pattern of topics are taken one after another, in the order
        in which the broker had them. A broker that is away is waited for, and one that comes back is listened to again.

        A frame may be lost with the broker, or come twice: who publishes repeats what was not answered, under the same number,
        and who takes does nothing twice. When cancelled, it takes what was handed over already, and then returns.
        """
        ...

    async def close(self) -> None:
        """Let the broker go."""
        ...


class NoChannel:
    """No broker: whoever wants to know reads again, or follows a stream of server-sent events."""

    configured = asks_sign_ins = False
    addresses: tuple[str, ...] = ()
    prefix = "haulier"

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """Nobody listens."""

    async def admit(self, username: str, password: str, grant: ChannelGrant) -> None:
        """Nobody can come in."""

    async def disconnect(self, connection: str) -> None:
        """Nobody is connected."""

    async def answer_sign_ins(self, check: CheckSignIn) -> None:
        """Nobody asks."""

    async def take_frames(self, topics: Sequence[str], take: TakeFrame) -> None:
        """Nobody publishes."""

    async def close(self) -> None:
        """There is nothing to let go."""
