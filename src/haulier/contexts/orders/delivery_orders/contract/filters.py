"""Request models of delivery orders: filters of lists."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from haulier.contexts.custom_fields.fields import FieldFilters
from haulier.contexts.identity.members.contract import CustomerText
from haulier.contexts.orders.delivery_orders.contract.orders import (
    Id,
    OrderReference,
    OrderType,
    Statuses,
    StatusName,
)
from haulier.contexts.orders.delivery_orders.rules.ratings import RATING_MAX, RATING_MIN
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PageRequest

Rating = Annotated[int, Field(ge=RATING_MIN, le=RATING_MAX, examples=[4])]
OrderParty = Literal["driver", "contractor", "customer", "hour"]
FailureReason = Annotated[
    str, StringConstraints(max_length=60, pattern=r"^[a-z0-9_]+$"), Field(examples=["recipient_unavailable"])
]


class OrderFilters(Request):
    """Filters. An order must match all of them."""

    status: StatusName | None = None
    """Filter by status."""
    statuses: Statuses = []
    """Filter by any of these statuses, in addition to `status`."""
    late: bool = False
    """If true, only open orders whose delivery window has passed."""
    type: OrderType | None = None
    """Filter by type."""
    order_ref: OrderReference | None = Field(default=None, examples=["A-1001"])
    """Filter by reference."""
    tracking_number: OrderReference | None = Field(default=None, examples=["HLTR16KD5632GCM"])
    """Filter by tracking number."""
    customer_id: Id | None = None
    """Filter by customer account."""
    customer: CustomerText = None
    """Filter by customer name, email, phone or code."""
    contractor_id: Id | None = None
    """Filter by contractor that holds the order."""
    driver_id: DriverId | None = None
    """Filter by driver, or by driver of the failed attempt."""
    without: OrderParty | None = None
    """Only orders without one."""
    on_time: bool | None = None
    """Filter deliveries: `true` for on time, `false` for late."""
    counted_from: Day | None = None
    """First day in reports."""
    counted_to: Day | None = None
    """Last day in reports."""
    weekday: Annotated[int, Field(ge=1, le=7)] | None = None
    """Weekday in reports, or of the failed attempt. 1 is Monday."""
    hour: Annotated[int, Field(ge=0, le=23)] | None = None
    """Local hour, counted like the weekday."""
    failed_from: Day | None = None
    """First day of a failed attempt."""
    failed_to: Day | None = None
    """Last day of a failed attempt."""
    failure_reason: FailureReason | None = None
    """Filter by reason of a failed attempt."""
    rating_min: Rating | None = None
    """Lowest rating, from 1 to 5."""
    rating_max: Rating | None = None
    """Highest rating."""
    rated_from: Moment | None = None
    """Earliest time of the rating."""
    scheduled_from: Day | None = None
    """Earliest scheduled day."""
    scheduled_to: Day | None = None
    """Latest scheduled day."""
    created_from: Moment | None = None
    """Earliest creation time, inclusive."""
    created_to: Moment | None = None
    """Latest creation time, exclusive."""
    search: Annotated[str, StringConstraints(min_length=2, max_length=100, pattern=r"^[^\x00]+$")] | None = Field(
        default=None, examples=["Ada"]
    )
    """Words in name, phone, email, address, reference, tracking number or postal code."""
    custom_fields: FieldFilters = []
    """Filters by custom fields: `name:value`, `name>=value` or `name<=value`. All must match."""


class ListOrders(OrderFilters, PageRequest):
    """Filters. An order must match all of them."""

    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["Ab3"])] | None = None
    """`next_cursor` of the previous page."""
    include_items: bool = False
    """If true, each order includes its items."""
