"""Ports of payments: a provider of card and bank payments.

A provider reports **facts** about a payment, a refund or a dispute, in our terms. Facts come in responses and as signed
notices, late, twice and in any order; `online_payments.rules` combines them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.values.money import Money


class ProviderRefused(Exception):
    """Raised for a refusal. `code` is the provider's reason, the text is readable."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


class CredentialsRejected(ProviderRefused):
    """Raised for rejected credentials."""


class ProviderUnavailable(Exception):
    """Raised without an answer, or with an unknown outcome. The call can be repeated."""


class NoticeUnsigned(Exception):
    """Raised for a notice without a recent, valid signature."""


class NoticeUnreadable(Exception):
    """Raised for a signed notice that cannot be parsed."""


class IntentStatus(StrEnum):
    """State of a payment at the provider."""

    REQUIRES_PAYMENT_METHOD = "requires_payment_method"
    """No payment method was given, or it was declined."""
    REQUIRES_ACTION = "requires_action"
    """The payer must confirm, such as by 3-D Secure."""
    PROCESSING = "processing"
    """The payer has confirmed, and the bank decides."""
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"


class RefundStatus(StrEnum):
    """State of a refund at the provider."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class DisputeStatus(StrEnum):
    """State of a dispute."""

    INQUIRY = "inquiry"
    """The bank inquires, without taking money yet."""
    OPEN = "open"
    """The bank took the money back until it decides."""
    WON = "won"
    """The business got the money back."""
    LOST = "lost"


class IntentEvent(Struct, frozen=True, kw_only=True, tag="IntentFact"):
    """State of a payment at a moment."""

    intent_ref: str
    payment_key: str | None
    """Our key from the request."""
    status: IntentStatus
    money: Money
    at: datetime | None
    """Time of the state; None for now."""
    failure_code: str | None = None
    failure_text: str | None = None


class RefundEvent(Struct, frozen=True, kw_only=True, tag="RefundFact"):
    """State of a refund."""

    intent_ref: str
    refund_ref: str
    refund_key: str | None
    """Our key; None for a refund begun at the provider."""
    status: RefundStatus
    money: Money


class DisputeEvent(Struct, frozen=True, kw_only=True, tag="DisputeFact"):
    """State of a dispute."""

    intent_ref: str
    dispute_ref: str
    status: DisputeStatus
    money: Money
    reason: str


class IncompleteEvent(Struct, frozen=True, kw_only=True, tag="LookAgain"):
    """A change of a payment that the notice describes incompletely."""

    intent_ref: str


ProviderEvent = IntentEvent | RefundEvent | DisputeEvent | IncompleteEvent


class Notice(Struct, frozen=True, kw_only=True):
    """A notice of a provider.

    `notice_ref` is equal for repeats; `fact` is None if it concerns no payment.
    """

    notice_ref: str
    kind: str
    fact: ProviderEvent | None


class PaymentRequest(Struct, frozen=True, kw_only=True):
    """A payment request. The provider makes one payment per `key`."""

    key: str
    money: Money
    description: str
    labels: Mapping[str, str] = {}
    """Labels stored with the payment at the provider."""


class RefundRequest(Struct, frozen=True, kw_only=True):
    """A refund request. The provider makes one refund per `key`."""

    key: str
    intent_ref: str
    money: Money


class PaymentProvider(Protocol):
    """A provider under an account.

    Every method raises `ProviderRefused` and `ProviderUnavailable`.
    """

    async def create(self, wish: PaymentRequest) -> IntentEvent:
        """Begin a payment, once per key."""
        ...

    async def fetch_events(self, intent_ref: str) -> Sequence[ProviderEvent]:
        """Return all facts about a payment, its refunds and disputes."""
        ...

    async def client_secret(self, intent_ref: str) -> str:
        """Return the secret for the payer's page."""
        ...

    async def cancel(self, intent_ref: str) -> IntentEvent:
        """Cancel a payment. Returns the success of one that succeeded."""
        ...

    async def refund(self, wish: RefundRequest) -> RefundEvent:
        """Refund money, once per key."""
        ...

    async def test_credentials(self) -> None:
        """Check the credentials."""
        ...

    @property
    def payer_script(self) -> str:
        """Return the address of the provider's script for payers' pages."""
        ...

    def takes(self, money: Money) -> bool:
        """Return True if the provider accepts such an amount."""
        ...

    def read_notice(self, body: bytes, signature: str, now: datetime) -> Notice:
        """Return a notice with a valid signature.

        Raises `NoticeUnsigned`, `NoticeUnreadable`.
        """
        ...


class PaymentProviderKind(Struct, frozen=True):
    """A provider for accounts. All credentials that it lists are required."""

    code: str
    name: str
    credentials: tuple[str, ...]
    public_credentials: tuple[str, ...]
    """Credentials that payers' pages may know."""


class PaymentProviderDirectory(Protocol):
    """Providers that this installation supports."""

    @property
    def kinds(self) -> Sequence[PaymentProviderKind]:
        """Return all providers by code."""
        ...

    @property
    def page_sources(self) -> Sequence[str]:
        """Return the servers whose scripts and frames payers' pages may load."""
        ...

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> PaymentProvider:
        """Open a provider under an account, without a request.

        Raises `KeyError` for an unknown code.
        """
        ...
