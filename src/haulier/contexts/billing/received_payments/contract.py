"""Request and response models of received payments."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.billing.ledger.contract import Amount, BookReference, CreditTransferAnswer, CustomerAmount
from haulier.contexts.billing.ledger.rules import REFERENCE_MAX
from haulier.contexts.billing.received_payments.rules import ALLOCATIONS_MAX, PaidBy, ReceivedPaymentStatus
from haulier.kernel.operations.answers import Answer, Priced, doc, sums_price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Reason, RecordId
from haulier.kernel.operations.ids import LedgerTransferId, PaymentAllocationId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class PaymentAllocation(Request):
    """Amount of a payment for an invoice."""

    invoice_id: RecordId
    """ID of an open invoice of the customer, in the currency of the payment."""
    amount_minor: Amount | None = None
    """Amount in minor units. Defaults to as much as the payment and the invoice allow."""


Allocations = Annotated[list[PaymentAllocation], Field(max_length=ALLOCATIONS_MAX)]


class TopUpCredit(CustomerAmount):
    """Payment from a customer."""

    amount_minor: Amount
    """Amount in minor units."""
    paid_by: Literal["bank", "cash"] = "bank"
    """Payment method."""
    reference: BookReference = Field(examples=["Transfer 2026-06-10 4711"])
    """Unique reference of the customer's payment. A repeated reference is counted once."""
    received_on: Day | None = None
    """Day on which the payment was received. Defaults to today."""
    allocations: Allocations | None = None
    """Invoices to pay. Defaults to those named in the reference, then the oldest. If empty, all stays on account."""
    reason: Reason | None = Field(default=None, examples=["Paid for June in advance."])
    """Note about the payment."""


class ListReceivedPayments(PageRequest):
    """Filters of received payments. All given filters must match."""

    customer_id: RecordId | None = None
    """Filter by customer."""
    status: ReceivedPaymentStatus | None = None
    """Filter by status."""
    currency: Currency | None = None
    """Filter by currency."""
    reference: Annotated[str, Field(min_length=1, max_length=REFERENCE_MAX, pattern=NO_NUL)] | None = None
    """Filter by reference."""


class ReceivedPaymentRef(Request):
    """Reference to a received payment."""

    received_payment_id: RecordId
    """ID of the received payment."""


class AllocatePayment(ReceivedPaymentRef):
    """Invoices that a received payment pays."""

    allocations: Allocations | None = None
    """Invoices to pay. Defaults to invoices whose numbers are in the reference, then the oldest ones."""


class ReversePayment(ReceivedPaymentRef):
    """Received payment to reverse and the reason."""

    reason: Reason = Field(min_length=1, examples=["Returned by the bank."])
    """Reason for the reversal."""


class AllocationRef(Request):
    """Reference to an allocation of a payment."""

    allocation_id: PaymentAllocationId
    """ID of the allocation."""


class PaymentAllocationRecord(Priced):
    """Amount of a payment allocated to an invoice."""

    id: int
    received_payment_id: Annotated[int | None, doc("Received payment. Null for other credit of the customer.")]
    reference: Annotated[str | None, doc("Reference of the received payment.", "Transfer 815")]
    invoice_id: int
    invoice_number: Annotated[str, doc("Number of the invoice.", "INV-000017")]
    amount_minor: Annotated[int | UnsetType, sums_price("Allocated amount in minor units.")] = UNSET
    allocated_at: datetime


class ReceivedPayment(Priced):
    """Payment received from a customer by bank transfer or in cash."""

    id: int
    customer_id: int
    status: ReceivedPaymentStatus
    received_on: date
    reference: Annotated[str, doc("Reference of the payment.", "Transfer 2026-06-10 4711")]
    paid_by: PaidBy
    credit_currency: Annotated[str, doc("Currency (ISO 4217).", "CAD")]
    amount_minor: Annotated[int, doc("Amount in minor units.")]
    allocated_minor: Annotated[int | UnsetType, sums_price("Amount allocated to invoices.")] = UNSET
    unallocated_minor: Annotated[int | UnsetType, sums_price("Credit on account: not allocated to invoices.")] = UNSET
    automatic: Annotated[bool, doc("If true, unallocated credit pays later invoices automatically.")]
    transfer_id: Annotated[LedgerTransferId, doc("ID of the ledger transfer.")]
    reason: Annotated[str | None, doc("Note about the payment.")]
    reversal_reason: Annotated[str | None, doc("Reason for the reversal.")]
    reversed_at: datetime | None
    created_at: datetime
    allocations: list[PaymentAllocationRecord]


class ReceivedPaymentAnswer(Answer):
    """Single received payment."""

    result: bool = True
    received_payment: ReceivedPayment


class ReceivedPaymentList(PagedAnswer):
    """A page of received payments, newest first."""

    received_payments: list[ReceivedPayment]


class CreditPaymentAnswer(CreditTransferAnswer):
    """Received payment, its ledger transfer and the credit after it."""

    received_payment: Annotated[
        ReceivedPayment | None, doc("Null for repeated references of payments without a record.")
    ]
