"""Request and response models for charges of orders."""

from datetime import date
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.billing.ledger.contract import Cursor
from haulier.contexts.orders.order_charges.rules import CHARGED_AT_ONCE
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import RecordId

LOCAL = PriceFamily.LOCAL_DELIVERY


class ListUnchargedOrders(Request):
    """Filters of delivered orders that are not charged."""

    customer_id: RecordId | None = None
    """Filter by customer."""
    cursor: Cursor | None = None
    """Cursor from `next_cursor` of the previous page."""
    limit: int = Field(default=100, ge=1, le=500)
    """Maximum number of orders."""


class ChargeDeliveredOrders(Request):
    """Delivered orders to charge."""

    order_ids: list[RecordId] = Field(min_length=1, max_length=CHARGED_AT_ONCE)
    """Orders to charge. Orders that are charged or not delivered stay unchanged."""


class UnchargedOrder(Priced):
    """Delivered order that is not charged in full."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    customer_id: int
    serviced_on: Annotated[date | None, doc("Day of the delivery.")]
    credit_currency: str
    left_minor: Annotated[int | UnsetType, price(LOCAL, "Amount still to charge, in minor units, tax included.")] = (
        UNSET
    )


class UnchargedSum(Priced):
    """Uncharged orders of one currency."""

    credit_currency: str
    orders: Annotated[int, doc("Number of orders.")]
    left_minor: Annotated[int | UnsetType, price(LOCAL, "Amount still to charge, in minor units, tax included.")] = (
        UNSET
    )


class UnchargedOrderList(Answer):
    """Delivered orders that are not charged, oldest first, and their sums."""

    result: bool = True
    sums: Annotated[list[UnchargedSum], doc("Sums of all matching orders, by currency.")]
    orders: list[UnchargedOrder]
    next_cursor: Annotated[str | None, doc("Cursor of the next page. Null at the end of the list.")]


class ChargedOrders(Answer):
    """Orders that were charged."""

    result: bool = True
    charged: Annotated[list[int], doc("Orders charged by this call.")]
