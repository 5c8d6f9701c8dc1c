"""Request and response models of payouts."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.settlements.pay.contract import PaidAmount
from haulier.contexts.settlements.pay.rules import EarningKind, PayeeKind
from haulier.contexts.settlements.payouts.rules import PAYOUT_REFERENCE_MAX, DisputeState, PayoutStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Reason, RecordId
from haulier.kernel.operations.ids import PayoutId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PAYOUTS_MAX, DISPUTED_MAX = 200, 200
PayoutIds = Annotated[list[PayoutId], Field(min_length=1, max_length=PAYOUTS_MAX)]
EarningIds = Annotated[list[RecordId], Field(min_length=1, max_length=DISPUTED_MAX)]


class UnpaidEarnings(Request):
    """Last day and payee of unpaid earnings."""

    until: Day | None = None
    """Last day of work. Defaults to today."""
    payee_kind: PayeeKind | None = None
    """Filter by payee kind."""
    payee_id: RecordId | None = None
    """Filter by payee. Requires `payee_kind`."""

    @model_validator(mode="after")
    def _names_the_kind(self) -> "UnpaidEarnings":
        if self.payee_id is not None and self.payee_kind is None:
            raise PydanticCustomError("payee_kind_missing", "payee_id requires payee_kind")
        return self


class PreviewPayouts(UnpaidEarnings):
    """Last day and payee of a preview of payouts."""


class CreatePayouts(UnpaidEarnings):
    """Last day and payee of new payouts."""


class ListPayouts(PageRequest):
    """Filters of payouts."""

    status: PayoutStatus | None = None
    """Filter by status."""
    disputed: bool | None = None
    """Filter by open disputes."""
    payee_kind: PayeeKind | None = None
    """Filter by payee kind. Contractors always see only their own payouts."""
    payee_id: RecordId | None = None
    """Filter by payee."""


class PayoutRef(Request):
    """Id of a payout."""

    payout_id: PayoutId
    """ID of the payout."""


class ReadPayoutFile(PayoutRef):
    """Id of a payout and format of its document."""

    format: Literal["pdf", "csv"] = "pdf"
    """Format of the document."""


class DisputePayout(PayoutRef):
    """Disputed lines of a payout."""

    earning_ids: EarningIds
    """Earnings on the payout that are wrong."""
    reason: Reason = Field(min_length=1, examples=["Both parcels were delivered."])
    """Description of the error."""


class ResolvePayoutDispute(PayoutRef):
    """Decision on disputed lines of a payout."""

    earning_ids: EarningIds
    """Disputed earnings on the payout."""
    amount_minor: PaidAmount | None = None
    """Agreed amount of each earning in minor units. If omitted, the dispute is rejected and the amounts stay."""
    answer: Reason = Field(min_length=1, examples=["Corrected."])
    """Answer to the contractor or driver."""


class ClosePayouts(Request):
    """Payouts to approve."""

    payout_ids: PayoutIds
    """IDs of the payouts."""


class PayPayouts(Request):
    """Payouts that were paid."""

    payout_ids: PayoutIds
    """IDs of the payouts."""
    paid_on: Day | None = None
    """Day of the payment. Defaults to today."""
    payment_reference: Annotated[
        str, StringConstraints(max_length=PAYOUT_REFERENCE_MAX, pattern=NO_NUL, strip_whitespace=True)
    ] = Field(default="", examples=["SEPA 2026-23"])
    """Reference of the transfer or batch."""


class ReopenPayout(PayoutRef):
    """Payout whose payment or approval is undone."""

    reason: Reason = Field(min_length=1, examples=["The bank returned the transfer."])
    """Reason for reopening."""


class CancelPayout(PayoutRef):
    """Payout to cancel."""

    reason: Reason = Field(min_length=1, examples=["Issued for the wrong week."])
    """Reason for the cancellation."""


class PayoutCandidate(Answer):
    """Payee with earnings that are on no payout."""

    payee_kind: PayeeKind
    payee_id: int
    payee_name: str
    lines: int
    amount_minor: int
    currency: str
    payable: Annotated[bool, doc("False if deductions exceed the earnings. They wait for a later payout.")]


class PayoutPreview(Answer):
    """Payees with earnings that are on no payout."""

    result: bool = True
    until: date
    candidates: Annotated[list[PayoutCandidate], doc("Payees, highest amount first.")]


class Payout(Answer):
    """Numbered pay statement of a contractor or driver."""

    id: int
    number: str
    payee_kind: PayeeKind
    payee_id: int
    payee_name: str
    status: PayoutStatus
    open_disputes: Annotated[int, doc("Number of disputed lines without a decision.")]
    date_from: Annotated[date, doc("Day of the oldest line.")]
    date_to: Annotated[date, doc("Last day of the payout.")]
    lines: int
    total_minor: int
    currency: str
    paid_on: date | None
    payment_reference: str | None
    reason: Annotated[str | None, doc("Reason for the cancellation or for reopening.")]
    created_at: datetime


class PayoutLine(Answer):
    """Earning on a payout."""

    earning_id: int
    kind: EarningKind
    day: Annotated[date, doc("Day of the route.")]
    route_id: int | None
    stop_id: int | None
    order_id: int | None
    quantity: Annotated[int, doc("Quantity: 1 for a route or stop, metres for a distance.")]
    rate_minor: Annotated[int, doc("Rate per unit, or per kilometre for a distance.")]
    amount_minor: int
    currency: str
    reason: str | None
    corrects_id: Annotated[int | None, doc("Earning that this one corrects.")]
    dispute_state: Annotated[DisputeState | None, doc("State of the dispute, if the line is disputed.")]
    dispute_reason: str | None
    dispute_answer: str | None


class PayoutAnswer(Answer):
    """Payout with its lines."""

    result: bool = True
    payout: Payout
    payout_lines: Annotated[list[PayoutLine], doc("Earnings by day. Empty for a cancelled payout.")]


class PayoutList(PagedAnswer):
    """Payouts, newest first."""

    payouts: list[Payout]


class PayoutsAnswer(Answer):
    """Changed payouts."""

    result: bool = True
    payouts: list[Payout]


class PayoutFile(Answer):
    """Document of a payout."""

    result: bool = True
    number: str
    media_type: str
    document: Annotated[str, doc("File in base64.")]
