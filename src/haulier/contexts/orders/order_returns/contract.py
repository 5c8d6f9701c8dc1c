"""Request and response models of order returns."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, StringConstraints

from haulier.contexts.billing.ledger.contract import Amount
from haulier.contexts.orders.delivery_orders.contract.orders import PIECES_MAX, OrderAddress, Package
from haulier.contexts.orders.order_returns.rules import OrderReturnState, RefundState, ReturnGrade, ReturnMethod
from haulier.kernel.operations.answers import Answer, Priced, doc, price_by
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Reason, RecordId
from haulier.kernel.operations.ids import LedgerTransferId, LocationId, ReturnRefundId, UserId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

RETURN_REASON_MAX, RETURN_NOTE_MAX = 40, 300
LINES_MAX, UNITS_MAX, REFUNDS_MAX = 200, 1_000_000, 100
FAMILY = "price_family"
ItemNumber = Annotated[int, Field(ge=1, le=10_000)]
Units = Annotated[int, Field(ge=1, le=UNITS_MAX)]
ReasonCode = Annotated[
    str,
    StringConstraints(min_length=1, max_length=RETURN_REASON_MAX, pattern="^[a-z0-9_]+$"),
    Field(examples=["too_small"]),
]
LotText = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[\x21-\x7e]+$")]


class ReturnedItem(Request):
    """Units of an item that come back."""

    number: ItemNumber
    """Number of the item within the order, from 1. 1 for an order without items."""
    quantity: Units
    """Number of units. Packages for an order without items."""


class CreateOrderReturn(Request):
    """A return of a delivered order."""

    order_id: RecordId
    """ID of the delivered order."""
    reason: ReasonCode
    """Reason code, such as `too_small`."""
    note: Annotated[str, StringConstraints(max_length=RETURN_NOTE_MAX, pattern=NO_NUL)] = ""
    """Additional comments."""
    method: Literal[ReturnMethod.CARRIER, ReturnMethod.OWN_FLEET, ReturnMethod.DROP_OFF] = ReturnMethod.DROP_OFF
    """Return method. `carrier` and `own_fleet` create a return order to ship or plan."""
    items: Annotated[list[ReturnedItem], Field(max_length=LINES_MAX)] = []
    """Returned units. Default: all units that were not returned before."""
    return_to: OrderAddress | None = None
    """Destination of the return. Required for `carrier`, unless the order has a sender. Default: the depot."""
    packages: Annotated[list[Package], Field(max_length=PIECES_MAX)] = []
    """Packages of the return. Default: one package with the weight of the order."""
    service: Annotated[str, StringConstraints(min_length=1, max_length=30, pattern="^[a-z0-9_]+$")] = "standard"
    """Rate card service that prices the return order."""


class OrderReturnRef(Request):
    """Reference to a return."""

    order_return_id: RecordId
    """ID of the return."""


class CancelOrderReturn(OrderReturnRef):
    """A return to cancel."""

    reason: Reason | None = Field(default=None, examples=["The customer keeps the goods."])
    """Reason for the cancellation."""


class ListOrderReturns(PageRequest):
    """Filters for returns. Customers see the returns of their own orders."""

    order_id: RecordId | None = None
    """Filter by returned order."""
    state: OrderReturnState | None = None
    """Filter by state."""


class InspectedUnits(Request):
    """Inspected units of an item."""

    number: ItemNumber
    """Number of the item within the order, from 1."""
    grade: ReturnGrade
    """Result of the inspection."""
    quantity: Units
    """Number of units."""
    location_id: LocationId | None = None
    """Location to which the units are put back. Only for items with a known SKU. Default: not put back into stock."""
    lot: LotText | None = Field(default=None, examples=["L2026-11"])
    """Lot number. Required for products that are tracked by lot."""
    serial: LotText | None = Field(default=None, examples=["SN-0001"])
    """Serial number. Required for products that are tracked by serial number."""
    expires_on: Day | None = None
    """Expiry date."""


class InspectOrderReturn(OrderReturnRef):
    """Result of the inspection of returned goods."""

    lines: list[InspectedUnits] = Field(min_length=1, max_length=LINES_MAX)
    """Inspected units. Together they are the units of the return."""


class ProposedRefund(Request):
    """Charge to refund and the amount."""

    charge_id: LedgerTransferId
    """Charge of the order."""
    amount_minor: Amount | None = None
    """Amount in minor units. Default: the remaining amount."""


class ProposeReturnRefunds(OrderReturnRef):
    """Refunds to propose for an inspected return."""

    refunds: Annotated[list[ProposedRefund], Field(max_length=REFUNDS_MAX)] = []
    """Charges to refund. Default: every charge of the order with a remaining amount."""
    reason: Reason = Field(min_length=1, examples=["The customer returned the goods."])
    """Reason for the refund. Visible to the customer."""


class DecideReturnRefunds(OrderReturnRef):
    """Decision on proposed refunds."""

    decision: Literal["approve", "reject"]
    """Decision. Approved amounts are refunded at once, with a credit note for invoiced charges."""
    refund_ids: Annotated[list[ReturnRefundId], Field(max_length=REFUNDS_MAX)] = []
    """Proposed refunds. Default: all that are not decided."""


class OrderReturnItem(Answer):
    """Units of an item that come back."""

    number: Annotated[int, doc("Number of the item within the order, from 1.")]
    sku: str | None
    description: str | None
    quantity: int


class InspectionLine(Answer):
    """Inspected units of an item."""

    number: Annotated[int, doc("Number of the item within the order, from 1.")]
    grade: ReturnGrade
    quantity: int
    location_id: Annotated[LocationId | None, doc("Location to which they were put back; null if they were not.")]


class OrderReturnRefund(Priced):
    """Proposed refund of a charge."""

    id: int
    charge_id: Annotated[LedgerTransferId, doc("Refunded charge.")]
    price_family: Annotated[str, doc("Price family of the charge.", "local_delivery")]
    refund_minor: Annotated[int | UnsetType, price_by(FAMILY, "Amount in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET
    state: RefundState
    reason: str
    refund_id: Annotated[LedgerTransferId | None, doc("Transfer of the refund, once approved.")]
    proposed_by: UserId | None
    proposed_at: datetime
    decided_by: UserId | None
    decided_at: datetime | None


class OrderReturn(Answer):
    """Return of goods of a delivered order."""

    id: int
    order_id: Annotated[int, doc("Returned order.")]
    return_order_id: Annotated[int | None, doc("Order that brings the goods back; null if the customer brings them.")]
    customer_id: int | None
    method: ReturnMethod
    state: OrderReturnState
    reason: str
    note: str | None
    items: list[OrderReturnItem]
    inspection: Annotated[list[InspectionLine], doc("Result of the inspection; empty before it.")]
    refunds: Annotated[list[OrderReturnRefund], doc("Proposed refunds, oldest first.")]
    inspected_at: datetime | None
    created_at: datetime
    updated_at: datetime


class RefundableCharge(Priced):
    """Charge of the returned order."""

    charge_id: LedgerTransferId
    description: Annotated[str | None, doc("Description on invoices.")]
    price_family: str
    charged_minor: Annotated[int | UnsetType, price_by(FAMILY, "Amount in minor units.")] = UNSET
    refundable_minor: Annotated[
        int | UnsetType, price_by(FAMILY, "Amount that can still be proposed, in minor units.")
    ] = UNSET
    currency: Annotated[str | UnsetType, price_by(FAMILY, "ISO 4217.")] = UNSET


class OrderReturnAnswer(Answer):
    """A return, and the charges of its order for the office."""

    result: bool = True
    order_return: OrderReturn
    refundable_charges: Annotated[list[RefundableCharge], doc("Charges of the order; empty for customers.")]


class OrderReturnList(PagedAnswer):
    """A page of returns, newest first."""

    order_returns: list[OrderReturn]
