"""Request and response models of online payments."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.billing.ledger.contract import Amount, BookReference
from haulier.contexts.payments.online_payments.rules import PaymentPurpose, PaymentStatus
from haulier.contexts.payments.ports import DisputeStatus, RefundStatus
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import SubjectRecordId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

FAMILY = "price_family"


class CreatePayment(Request):
    """An online payment of credit or an order."""

    purpose: PaymentPurpose = PaymentPurpose.TOP_UP
    """top_up buys credit; the others pay all that is due of an order or purchase."""
    subject_id: SubjectRecordId | None = None
    """The paid order. Omitted for a top-up."""
    amount_minor: Amount | None = None
    """Amount of credit in minor units. Omit it for an order."""
    currency: Currency | None = None
    """Currency of the credit. Defaults to the currency of the business."""


class PaymentRef(Request):
    """Reference to a payment."""

    payment_id: RecordId
    """ID of the payment."""


class ListPayments(PageRequest):
    """Filters for payments."""

    status: PaymentStatus | None = None
    """Filter by status."""
    purpose: PaymentPurpose | None = None
    """Filter by purpose."""
    customer_id: RecordId | None = None
    """Filter by customer. Customers see only their own."""


class RefundPayment(PaymentRef):
    """A refund to the source of a payment."""

    amount_minor: Amount | None = None
    """Amount in minor units. Default: the rest of the payment."""
    reference: BookReference = Field(examples=["Complaint 88"])
    """Unique reference of the refund within the payment. Each reference is refunded once."""
    reason: Reason = Field(min_length=1, examples=["The order was cancelled."])
    """Reason shown to the customer."""


_NOTICE_SCHEMA: dict[str, Any] = {
    "title": "PaymentNotice",
    "type": "object",
    "description": "An event as the payment provider writes it; of Stripe an object `event`.",
    "properties": {"id": {"type": "string"}, "type": {"type": "string"}, "data": {"type": "object"}},
}


class ReceivePaymentEvent(DocumentRequest):
    """A notice of the payment provider."""

    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {"application/json": _NOTICE_SCHEMA}
    endpoint_key: Annotated[str, Field(max_length=60, examples=["u2Fy0c"])] = ""
    """End of the path, as shown by `get_payment_account`."""
    signature: Annotated[str, Field(max_length=1000, examples=["t=1749564000,v1=5257a869"])] = ""
    """The signature of the body with the account's signing secret."""


class PaymentRefundRecord(Priced):
    """A refund to the source of a payment."""

    refund_id: int
    status: RefundStatus
    amount_minor: Annotated[int | UnsetType, doc("Amount in minor units.")] = UNSET
    reason: str | None
    created_at: datetime


class PaymentDisputeRecord(Priced):
    """A payment that the payer's bank disputes, or did."""

    dispute_id: int
    dispute_status: DisputeStatus
    amount_minor: Annotated[int | UnsetType, doc("Amount in minor units.")] = UNSET
    dispute_reason: Annotated[str, doc("Reason given by the bank.", "fraudulent")]
    created_at: datetime


class Payment(Priced):
    """An online payment."""

    payment_id: int
    customer_id: int
    purpose: PaymentPurpose
    subject_id: Annotated[SubjectRecordId | None, doc("Order that is paid.")]
    status: PaymentStatus
    price_family: Annotated[PriceFamily | None, doc("Price family of the order.")]
    payment_minor: Annotated[int | UnsetType, price_by(FAMILY, "Amount in minor units.")] = UNSET
    refunded_minor: Annotated[int | UnsetType, price_by(FAMILY, "Amount refunded, in minor units.")] = UNSET
    disputed_minor: Annotated[int | UnsetType, price_by(FAMILY, "Amount charged back by the bank, in minor units.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    order_paid: Annotated[
        bool | None,
        doc("True if it paid the order. If false, the order could no longer be paid and the amount was credited."),
    ]
    failure_code: Annotated[str | None, doc("Error code of the last attempt.", "card_declined")]
    failure_text: Annotated[str | None, doc("Error text in the provider's words.")]
    created_at: datetime
    settled_at: Annotated[datetime | None, doc("Time when the money arrived.")]


class PaymentDetail(Payment):
    """An online payment with its refunds and disputes."""

    refunds: list[PaymentRefundRecord]
    disputes: list[PaymentDisputeRecord]


class PaymentAnswer(Answer):
    """One online payment."""

    result: bool = True
    payment: PaymentDetail


class CreatedPayment(PaymentAnswer):
    """A new payment."""

    existing: Annotated[bool, doc("True if the order already had an open payment, which is returned.")] = False


class PaymentList(PagedAnswer):
    """Online payments, newest first."""

    payments: list[Payment]


class PaymentSecret(Answer):
    """Data for the payer's page: shown to the payer only, and not stored."""

    result: bool = True
    payment_id: int
    client_secret: Annotated[str, doc("Secret for the provider's script in the payer's page.")]
    publishable_key: Annotated[str | None, doc("Account key for that script.")]


class LinkPayment(Answer):
    """Data for the page of a payer without an account.

    It is shown to the payer only, and not stored.
    """

    result: bool = True
    payment_id: int
    status: PaymentStatus
    client_secret: Annotated[
        str | None, doc("Secret for the provider's script; null until the provider has answered.")
    ] = None
    publishable_key: Annotated[str | None, doc("Account key for that script.")] = None
    payer_script: Annotated[str | None, doc("Address of that script.", "https://js.stripe.com/v3/")] = None


class PaymentEventReceived(Answer):
    """A stored notice that will be processed."""

    result: Literal[True] = True
    repeated: Annotated[bool, doc("True if the notification was received before.")]
