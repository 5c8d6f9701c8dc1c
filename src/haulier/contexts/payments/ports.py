"""What payments need from outside: a provider that takes money of cards and banks, and tells what came of it.

What a provider tells is a **fact** about a payment, a refund or a dispute, in our words. Facts come in the answers to our
questions and as signed notices, late, twice and in any order; `online_payments.rules` says what they add up to.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.values.money import Money


class ProviderRefused(Exception):
    """The provider will not do it. `code` is its own word for why, the text says it to people."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


class CredentialsRejected(ProviderRefused):
    """The provider does not take the credentials."""


class ProviderUnavailable(Exception):
    """The provider did not answer, or nobody knows whether it did what it was asked. The same may be asked again."""


class NoticeUnsigned(Exception):
    """A notice is not signed with the account's secret, or was signed too long ago."""


class NoticeUnreadable(Exception):
    """A signed notice that is none."""


class IntentStatus(StrEnum):
    """How far a payment is at the provider."""

    REQUIRES_PAYMENT_METHOD = "requires_payment_method"
    """Nothing was given to pay with, or what was given was declined."""
    REQUIRES_ACTION = "requires_action"
    """The payer must still agree, such as by 3-D Secure."""
    PROCESSING = "processing"
    """The payer has agreed, and the bank decides."""
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"


class RefundStatus(StrEnum):
    """How far a refund is at the provider."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class DisputeStatus(StrEnum):
    """How far a dispute is."""

    INQUIRY = "inquiry"
    """The bank asks, and takes nothing yet."""
    OPEN = "open"
    """The bank has taken the money back until it decides."""
    WON = "won"
    """The business has it again."""
    LOST = "lost"


class IntentFact(Struct, frozen=True, kw_only=True, tag=True):
    """What is known of a payment at a moment."""

    intent_ref: str
    payment_key: str | None
    """Our key, which we gave with the request."""
    status: IntentStatus
    money: Money
    at: datetime | None
    """When it was so; None for now."""
    failure_code: str | None = None
    failure_text: str | None = None


class RefundFact(Struct, frozen=True, kw_only=True, tag=True):
    """What is known of a refund."""

    intent_ref: str
    refund_ref: str
    refund_key: str | None
    """Our key; None for a refund that was begun at the provider itself."""
    status: RefundStatus
    money: Money


class DisputeFact(Struct, frozen=True, kw_only=True, tag=True):
    """What is known of a dispute."""

    intent_ref: str
    dispute_ref: str
    status: DisputeStatus
    money: Money
    reason: str


class LookAgain(Struct, frozen=True, kw_only=True, tag=True):
    """Something happened to a payment that the notice does not tell in full."""

    intent_ref: str


Fact = IntentFact | RefundFact | DisputeFact | LookAgain


class Notice(Struct, frozen=True, kw_only=True):
    """A notice of a provider. `notice_ref` is the same when it is sent again; `fact` is None for what concerns no payment."""

    notice_ref: str
    kind: str
    fact: Fact | None


class PaymentWish(Struct, frozen=True, kw_only=True):
    """What a payer is asked for. The provider makes one payment of each `key`."""

    key: str
    money: Money
    description: str
    labels: Mapping[str, str] = {}
    """Written beside the payment at the provider, for whoever looks there."""


class RefundWish(Struct, frozen=True, kw_only=True):
    """What is given back. The provider makes one refund of each `key`."""

    key: str
    intent_ref: str
    money: Money


class PaymentProvider(Protocol):
    """A provider under an account. Every method raises `ProviderRefused` and `ProviderUnavailable`."""

    async def create(self, wish: PaymentWish) -> IntentFact:
        """Begin a payment, once for each key."""
        ...

    async def look_up(self, intent_ref: str) -> Sequence[Fact]:
        """Everything that is known of a payment, its refunds and disputes."""
        ...

    async def client_secret(self, intent_ref: str) -> str:
        """What the payer's page needs to pay."""
        ...

    async def cancel(self, intent_ref: str) -> IntentFact:
        """Take no money for a payment any more. Of one that has succeeded, that is the answer."""
        ...

    async def refund(self, wish: RefundWish) -> RefundFact:
        """Give money back, once for each key."""
        ...

    async def test_credentials(self) -> None:
        """Ask whether the credentials are taken."""
        ...

    @property
    def payer_script(self) -> str:
        """The address of the provider's own script for payers' pages."""
        ...

    def takes(self, money: Money) -> bool:
        """Whether such an amount can be paid with the provider."""
        ...

    def read_notice(self, body: bytes, signature: str, now: datetime) -> Notice:
        """A notice whose signature is right. Raises `NoticeUnsigned`, `NoticeUnreadable`."""
        ...


class PaymentProviderKind(Struct, frozen=True):
    """A provider with whom accounts can be opened. All credentials that it names are needed."""

    code: str
    name: str
    credentials: tuple[str, ...]
    public_credentials: tuple[str, ...]
    """Those that payers' pages may know."""


class PaymentProviderDirectory(Protocol):
    """The providers that this installation can talk to."""

    @property
    def kinds(self) -> Sequence[PaymentProviderKind]:
        """All of them, by code."""
        ...

    @property
    def page_sources(self) -> Sequence[str]:
        """The servers whose scripts and frames payers' pages may load."""
        ...

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> PaymentProvider:
        """A provider under an account. It asks nothing yet. Raises `KeyError` for an unknown code."""
        ...
