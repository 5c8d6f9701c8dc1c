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
    """Filters; an order must match all that are given."""

    kinds: Annotated[
        list[OrderProblemKind], Field(max_length=len(OrderProblemKind), examples=[["late", "failed"]])
    ] = []
    """Only orders with one of these problems."""
    customer_id: Id | None = None
    """Only orders of a customer account."""
    customer: CustomerText = None
    """The customer by name, e-mail, telephone number or code."""
    contractor_id: Id | None = None
    """Only orders that a contractor holds. Contractors see their own alone."""
    scheduled_from: Day | None = None
    """Scheduled on this day or later."""
    scheduled_to: Day | None = None
    """Scheduled on this day or earlier."""


class OrderProblem(Answer):
    """Why an order needs somebody."""

    kind: OrderProblemKind
    since: Annotated[datetime | None, doc("Since when; null where nobody knows.")]
    reason: Annotated[str | None, doc("What the step that led here gave as its reason, such as the driver's.")]
    message: Annotated[str, doc("The same in the caller's language.")]


class OrderException(Answer):
    """An order that needs somebody."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    status: str
    name: Annotated[str | None, doc("Who is at the stop.")]
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
    """How many of the orders have which problem; one order may have several."""

    late: int
    unplanned: int
    failed: int
    held: int
    no_coordinates: int
    contractor_disabled: int


class OrderExceptionList(PagedAnswer):
    """A page of orders that need somebody, newest first. `total` counts orders."""

    as_of: datetime
    counts: OrderProblemCounts
    exceptions: list[OrderException]
