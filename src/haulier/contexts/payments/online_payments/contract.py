"""Online payments, in requests and answers."""

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
    """What is paid for online: credit, or an order."""

    purpose: PaymentPurpose = PaymentPurpose.TOP_UP
    """top_up buys credit; the others pay all that is due of an order or purchase."""
    subject_id: SubjectRecordId | None = None
    """The order that is paid; left out for a top-up."""
    amount_minor: Amount | None = None
    """How much credit, in minor units; left out for an order."""
    currency: Currency | None = None
    """Of the credit; the business's own when left out."""


class PaymentRef(Request):
    """Which payment."""

    payment_id: RecordId
    """The payment's id."""


class ListPayments(PageRequest):
    """Which payments."""

    status: PaymentStatus | None = None
    """Only those in a status."""
    purpose: PaymentPurpose | None = None
    """Only those for such a thing."""
    customer_id: RecordId | None = None
    """Only those of a customer; customers get their own in any case."""


class RefundPayment(PaymentRef):
    """What is given back by the way it came."""

    amount_minor: Amount | None = None
    """In minor units; all that is left of the payment when left out."""
    reference: BookReference = Field(examples=["Complaint 88"])
    """What tells this refund from every other of the payment: it is made once."""
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
    """The end of the path that `get_payment_account` shows."""
    signature: Annotated[str, Field(max_length=1000, examples=["t=1749564000,v1=5257a869"])] = ""
    """The signature of the body with the account's signing secret."""


class PaymentRefundRecord(Priced):
    """Money of a payment that goes back by the way it came."""

    refund_id: int
    status: RefundStatus
    amount_minor: Annotated[int | UnsetType, doc("Amount in minor units.")] = UNSET
    reason: str | None
    created_at: datetime


class PaymentDisputeRecord(Priced):
    """A payment that the payer's bank takes back, or did."""

    dispute_id: int
    dispute_status: DisputeStatus
    amount_minor: Annotated[int | UnsetType, doc("Amount in minor units.")] = UNSET
    dispute_reason: Annotated[str, doc("The bank's word for it.", "fraudulent")]
    created_at: datetime


class Payment(Priced):
    """An online payment."""

    payment_id: int
    customer_id: int
    purpose: PaymentPurpose
    subject_id: Annotated[SubjectRecordId | None, doc("The order that it is for.")]
    status: PaymentStatus
    price_family: Annotated[PriceFamily | None, doc("The family of the order's price.")]
    payment_amount: Annotated[int | UnsetType, price_by(FAMILY, "In minor units.")] = UNSET
    refunded_amount: Annotated[int | UnsetType, price_by(FAMILY, "What of it was given back.")] = UNSET
    disputed_amount: Annotated[int | UnsetType, price_by(FAMILY, "What of it a bank has taken back.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    order_paid: Annotated[
        bool | None,
        doc(
            "Whether it has paid its order. False: the order took no payment any more, and the money is in the credit."
        ),
    ]
    failure_code: Annotated[str | None, doc("Why the last try failed.", "card_declined")]
    failure_text: Annotated[str | None, doc("The same for people, in the provider's words.")]
    created_at: datetime
    settled_at: Annotated[datetime | None, doc("When the money came.")]


class PaymentDetail(Payment):
    """An online payment, with what went back of it."""

    refunds: list[PaymentRefundRecord]
    disputes: list[PaymentDisputeRecord]


class PaymentAnswer(Answer):
    """One online payment."""

    result: bool = True
    payment: PaymentDetail


class CreatedPayment(PaymentAnswer):
    """A payment that was begun."""

    existing: Annotated[bool, doc("A payment of this order was open already, and is this one.")] = False


class PaymentList(PagedAnswer):
    """Online payments, newest first."""

    payments: list[Payment]


class PaymentSecret(Answer):
    """What the payer's page needs to pay: shown to whoever pays alone, and kept nowhere."""

    result: bool = True
    payment_id: int
    client_secret: Annotated[str, doc("For the provider's own script in the payer's page.")]
    publishable_key: Annotated[str | None, doc("The account, for that script.")]


class LinkPayment(Answer):
    """What the page needs in which somebody without an account pays: shown to them alone, and kept nowhere."""

    result: bool = True
    payment_id: int
    status: PaymentStatus
    client_secret: Annotated[
        str | None, doc("For the provider's own script; null until the provider has answered.")
    ] = None
    publishable_key: Annotated[str | None, doc("The account, for that script.")] = None
    payer_script: Annotated[str | None, doc("Where that script is.", "https://js.stripe.com/v3/")] = None


class PaymentEventReceived(Answer):
    """The notice is kept and will be read."""

    result: Literal[True] = True
    repeated: Annotated[bool, doc("It came before.")]
