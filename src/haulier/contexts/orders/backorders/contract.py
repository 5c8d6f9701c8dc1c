"""Request and response models of backorders."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.orders.backorders.rules import BackorderState
from haulier.contexts.orders.delivery_orders.rules.items import ITEMS_MAX, QUANTITY_MAX
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class BackorderedItem(Request):
    """Units of an item that wait."""

    number: int = Field(ge=1, le=ITEMS_MAX)
    """Number of the item within the order, from 1."""
    quantity: int = Field(ge=1, le=QUANTITY_MAX, examples=[1])
    """Number of units that wait."""


class CreateBackorder(Request):
    """Items of an order to backorder."""

    order_id: RecordId
    """ID of the order."""
    items: Annotated[list[BackorderedItem], Field(max_length=ITEMS_MAX)] = []
    """Units that wait. Default: the units that no warehouse has."""
    owner_id: UserId | None = None
    """User who handles the backorder. Default: the caller."""
    expected_on: Day | None = None
    """Day on which the goods are expected. Shown to the recipient."""
    auto_release: bool = True
    """If `true`, release the backorder once its stock is there. Ignored for items without a known SKU."""
    note: Reason | None = Field(default=None, examples=["The supplier delivers on Thursday."])
    """Comment for staff."""


class BackorderRef(Request):
    """Reference to a backorder."""

    backorder_id: RecordId
    """ID of the backorder."""


class UpdateBackorder(BackorderRef):
    """Changes to a backorder. Omitted fields keep their values."""

    owner_id: UserId | None = None
    """User who handles the backorder."""
    expected_on: Day | None = None
    """Day on which the goods are expected. Null removes it."""
    auto_release: bool | None = None
    """If `true`, release the backorder once its stock is there."""
    note: Reason | None = Field(default=None, examples=["The supplier delivers on Thursday."])
    """Comment for staff. Null removes it."""


class MergeBackorder(BackorderRef):
    """A backorder to merge."""

    reason: Reason | None = Field(default=None, examples=["The goods arrived before the shipment."])
    """Reason for the merge."""


class ListBackorders(PageRequest):
    """Filters for backorders."""

    order_id: RecordId | None = None
    """Filter by original order."""
    owner_id: UserId | None = None
    """Filter by the user who handles the backorder."""
    state: BackorderState | None = None
    """Filter by state."""
    overdue: bool = False
    """If `true`, return only waiting backorders whose expected day is over."""


class BackorderLine(Answer):
    """Item of a backorder."""

    sku: str | None
    description: str | None
    quantity: Annotated[int, doc("Number of units that wait.")]


class Backorder(Answer):
    """Items of an order that wait for stock."""

    id: int
    order_id: Annotated[int, doc("Original order.")]
    backorder_order_id: Annotated[
        int, doc("Order with the waiting items; the original order if all of its items wait.")
    ]
    customer_id: int | None
    state: BackorderState
    overdue: Annotated[bool, doc("True if it waits and its expected day is over.")]
    items: list[BackorderLine]
    auto_release: Annotated[bool, doc("True if it is released once its stock is there.")]
    owner_id: Annotated[UserId | None, doc("User who handles it.")]
    expected_on: Annotated[date | None, doc("Day on which the goods are expected.")]
    note: str | None
    created_at: datetime
    updated_at: datetime


class BackorderAnswer(Answer):
    """A backorder."""

    result: bool = True
    backorder: Backorder


class BackorderList(PagedAnswer):
    """A page of backorders, oldest first."""

    backorders: list[Backorder]
