"""Ports of messaging."""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.secrets import SecretUnreadable as SecretUnreadable
from haulier.kernel.secrets import SecretVault as SecretVault


class SmsRefused(Exception):
    """Raised when an SMS will never be accepted.

    The number cannot be reached, or the account may not send there. `code` is the provider's own reason code, if any.
    """

    def __init__(self, reason: str, code: str | None = None) -> None:
        super().__init__(reason)
        self.code = code


class SmsSender(Protocol):
    """Sends text messages to phones."""

    @property
    def configured(self) -> bool:
        """Return True if SMS can be sent at all."""
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
    """Raised when the provider certainly did not accept an SMS but may do so later.

    It said so, or was unreachable.
    """


class SmsAccountRefused(SmsBusy):
    """Raised when the provider refuses the account until its settings are corrected.

    No message was accepted.
    """


class SmsUnsigned(Exception):
    """A notice is not signed with the account's secret."""


class SmsUnreadable(Exception):
    """A signed notice that is none."""


class SmsSubmission(Struct, frozen=True, kw_only=True):
    """An SMS to hand over.

    `reference` is our own; receipts and replies are sent to `callback`.
    """

    to: str
    text: str
    reference: str
    callback: str


class ReceiptState(StrEnum):
    """Outcome of an accepted message."""

    SENT = "sent"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    FAILED = "failed"


class SmsReceipt(Struct, frozen=True, kw_only=True):
    """Receipt of the provider for a message.

    `code` is its own reason for a failure. `phone` is the recipient's number in E.164, if given; `other_refs` are other
    notations of its reference.
    """

    provider_ref: str
    state: ReceiptState
    code: str | None = None
    phone: str | None = None
    other_refs: tuple[str, ...] = ()


class SmsAnswered(Struct, frozen=True, kw_only=True):
    """A reply.

    `phone` is the sender's number, in E.164; `provider_ref` is empty if the provider does not number replies.
    """

    provider_ref: str
    phone: str
    text: str


class SmsNotice(Struct, frozen=True, kw_only=True):
    """A raw notice of a provider to our address.

    `url` is that address with its query, as the provider calls it.
    """

    url: str
    body: bytes
    content_type: str
    signature: str


class SmsGateway(Protocol):
    """A provider account that also reports receipts and replies."""

    async def submit(self, submission: SmsSubmission) -> str:
        """Hand an SMS over, and return the provider's reference, or an empty one.

        Raises `SmsRefused` if it will never be accepted, `SmsBusy` if it was certainly not accepted now, and `OSError`
        if unknown.
        """
        ...

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        """Return the content of a notice; empty if it is irrelevant.

        Raises `SmsUnsigned`, `SmsUnreadable`.
        """
        ...


TakeSmsNews = Callable[[Sequence[SmsReceipt | SmsAnswered]], Awaitable[None]]
"""Stores a provider's news and returns once stored. The first call is empty and reports that the listener is ready."""


class SmsLines(Protocol):
    """Providers that report receipts and replies over a connection opened by us."""

    @property
    def providers(self) -> frozenset[str]:
        """Return their names."""
        ...

    @property
    def configured(self) -> bool:
        """Return True if clients can have accounts there."""
        ...

    def offers(self, account: str) -> bool:
        """Return True if an account of that name may belong to one of them."""
        ...

    async def listen(self, account: str, secret: str, take: TakeSmsNews) -> None:
        """Listen to an account's news until the connection ends.

        News for which `take` raised are reported again. Raises `SmsAccountRefused`, `SmsBusy` if unavailable now, and
        `KeyError` for an account of another provider.
        """
        ...

    async def close(self) -> None:
        """Let them go."""
        ...


class SmsProviderDirectory(Protocol):
    """Directory of SMS providers with which a client can have its own account."""

    def gateway(self, provider: str, account: str, secret: str, sender: str) -> SmsGateway:
        """Return the gateway for an account. Raises `KeyError` for an unknown provider."""
        ...

    def trial(self) -> SmsGateway | None:
        """Return a gateway that sends nothing if SMS are written to a file, else None."""
        ...

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> SmsSender:
        """Return the sender of messages for an account.

        Raises `KeyError` for an unknown provider.
        """
        ...


class ChannelUnavailable(OSError):
    """The broker cannot be reached now."""


class ChannelSignIn(Struct, frozen=True, kw_only=True):
    """A sign-in at the broker: name, password and connection.

    `connection` identifies it for `Channel.disconnect`; `device` is the program's own name there.
    """

    username: str
    password: str
    device: str
    connection: str


class ChannelGrant(Struct, frozen=True, kw_only=True):
    """Topics that a connection may read and write, without wildcards, and its seconds."""

    subscribe: tuple[str, ...] = ()
    publish: tuple[str, ...] = ()
    lifetime_s: int


CheckSignIn = Callable[[ChannelSignIn], Awaitable[ChannelGrant | None]]
"""Returns the grant of a sign-in; None to refuse it."""


class ChannelFrame(Struct, frozen=True, kw_only=True):
    """Something that a program published: on which topic, and what."""

    topic: str
    payload: bytes


TakeFrame = Callable[[ChannelFrame], Awaitable[None]]
"""Takes a frame. It may wait, which lets the next ones wait, too; an error is logged, and the next frame follows."""
FRAMES_WAITING = 10_000
"""Maximum number of waiting frames in a process. Further frames of the broker are dropped."""


class Channel(Protocol):
    """An MQTT broker.

    It distributes data that is stored elsewhere, so it may lose everything it holds.
    """

    @property
    def configured(self) -> bool:
        """Return True if there is a broker."""
        ...

    @property
    def asks_sign_ins(self) -> bool:
        """Return True if the broker asks at each sign-in.

        Otherwise it is informed of each ticket, and of its end.
        """
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
        """Publish payloads in order.

        Raises `ChannelUnavailable` if the broker is known to be unreachable. Payloads may be lost with the broker:
        programs read what they need again after reconnecting.
        """
        ...

    async def admit(self, username: str, password: str, grant: ChannelGrant) -> None:
        """Admit a user at a broker that does not ask, until `disconnect` names them.

        Raises `ChannelUnavailable`.
        """
        ...

    async def disconnect(self, connection: str) -> None:
        """Cut a connection. One that is gone already is fine. Raises `ChannelUnavailable`."""
        ...

    async def answer_sign_ins(self, check: CheckSignIn) -> None:
        """Say who may come in, until cancelled. A broker that is away is waited for."""
        ...

    async def receive_frames(self, topics: Sequence[str], take: TakeFrame) -> None:
        """Pass on what programs publish to topics, until cancelled.

        `+` is one level, `#` at the end the rest. Of several processes, one gets each frame. The frames of one topic
        pattern are processed one after another, in the broker's order. Waits for an unreachable broker and subscribes
        again afterwards.

        A frame may be lost with the broker, or come twice. Publishers repeat unanswered frames under the same number,
        and consumers process none twice. When cancelled, it processes the frames received so far, then returns.
        """
        ...

    async def close(self) -> None:
        """Let the broker go."""
        ...


class NoChannel:
    """No broker: clients read again, or follow a stream of server-sent events."""

    configured = asks_sign_ins = False
    addresses: tuple[str, ...] = ()
    prefix = "haulier"

    async def publish(self, topic: str, *payloads: bytes) -> None:
        """Do nothing."""

    async def admit(self, username: str, password: str, grant: ChannelGrant) -> None:
        """Do nothing."""

    async def disconnect(self, connection: str) -> None:
        """Do nothing."""

    async def answer_sign_ins(self, check: CheckSignIn) -> None:
        """Return at once."""

    async def receive_frames(self, topics: Sequence[str], take: TakeFrame) -> None:
        """Return at once."""

    async def close(self) -> None:
        """There is nothing to let go."""
