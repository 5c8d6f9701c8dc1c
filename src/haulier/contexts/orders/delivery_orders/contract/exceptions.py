"""Exceptions: orders that need somebody, and why. Requests and answers."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.identity.members.contract import CustomerText
from haulier.contexts.orders.delivery_orders.contract.orders import Id
from haulier.contexts.orders.delivery_orders.rules.exceptions import OrderProblemKind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ListOrderExceptions(PageRequest):
    """Filters. An order must match all of them."""

    kinds: Annotated[
        list[OrderProblemKind], Field(max_length=len(OrderProblemKind), examples=[["late", "failed"]])
    ] = []
    """Filter by problem."""
    customer_id: Id | None = None
    """Filter by customer account."""
    customer: CustomerText = None
    """Filter by customer name, email, phone or code."""
    contractor_id: Id | None = None
    """Filter by contractor that holds the order. Contractors see only their own."""
    scheduled_from: Day | None = None
    """Earliest scheduled day."""
    scheduled_to: Day | None = None
    """Latest scheduled day."""


class OrderProblem(Answer):
    """A problem of an order."""

    kind: OrderProblemKind
    since: Annotated[datetime | None, doc("Start time of the problem; null if unknown.")]
    reason: Annotated[str | None, doc("Reason given for the step that led to the problem, for example by the driver.")]
    message: Annotated[str, doc("Description in the caller's language.")]
    exception_id: Annotated[
        int | None, doc("Id for `update_piece_exception`; null for problems that are not about a piece.")
    ] = None
    piece: Annotated[str | None, doc("Tracking number of the piece.", "HLTR16KD-2")] = None
    owner_id: Annotated[int | None, doc("User who handles it; null while unassigned.")] = None


class OrderException(Answer):
    """An order that needs attention."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    status: str
    name: Annotated[str | None, doc("Contact at the stop.")]
    address: str | None
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    customer_id: int | None
    contractor_id: int | None
    route_id: int | None
    driver_id: DriverId | None
    driver_name: str | None
    stop_number: int | None
    planned_arrival_at: datetime | None
    problems: list[OrderProblem]


class OrderProblemCounts(Answer):
    """Number of orders with each problem. An order can have several."""

    late: int
    unplanned: int
    failed: int
    held: int
    no_coordinates: int
    contractor_disabled: int
    piece_missing: int
    piece_damaged: int


class OrderExceptionList(PagedAnswer):
    """A page of orders that need attention, newest first. `total` counts orders."""

    as_of: datetime
    counts: OrderProblemCounts
    exceptions: list[OrderException]
