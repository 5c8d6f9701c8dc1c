"""Request and response models for assignments.

Names in the API follow the interface document, which calls a contractor a broker.
"""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, OrderIds, Reason, RecordId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class AssignmentStatus(StrEnum):
    """Status of an assignment.

    Held by the contractor, revoked by the business, or released by the contractor.
    """

    ACTIVE = "active"
    REVOKED = "revoked"
    RELEASED = "released"


class ListAssignments(PageRequest):
    """Filters and page of an assignment list."""

    broker_id: RecordId | None = None
    """Filter by contractor. Contractors see only their own."""
    status: AssignmentStatus | None = None
    """Filter by status."""
    order_id: RecordId | None = None
    """Filter by order. Returns the complete history of its holders."""


class AssignOrders(Request):
    """Orders to assign, and their contractor."""

    order_ids: OrderIds
    """Orders to change. Repeated IDs count once."""
    broker_id: RecordId
    """User ID of the contractor."""
    note: Note | None = None
    """Message to the contractor."""
    respond_by: Moment | None = None
    """Deadline for the contractor. Orders neither accepted nor on a route by then are released. Default: no
    acceptance needed."""


class RevokeOrders(Request):
    """Orders to revoke from their contractors."""

    order_ids: OrderIds
    """Orders to change. Repeated IDs count once."""
    reason: Reason | None = None
    """Reason, stored with the assignment."""


class ReleaseOrder(Request):
    """An order that its contractor releases."""

    order_id: RecordId
    """ID of the order."""
    reason: Reason | None = None
    """Reason, stored with the assignment."""


class AcceptAssignments(Request):
    """Orders that their contractor accepts."""

    order_ids: OrderIds
    """Orders to change. Repeated IDs count once."""


class DeclineAssignments(Request):
    """Orders that their contractor declines."""

    order_ids: OrderIds
    """Orders to change. Repeated IDs count once."""
    reason: Reason | None = None
    """Reason, stored with the assignment."""


class SetContractorCapacity(Request):
    """Daily capacity of a contractor."""

    contractor_id: RecordId
    """User ID of the contractor."""
    orders_per_day: int | None = Field(default=None, ge=0, le=100_000)
    """Maximum number of orders per scheduled day. Default: no limit. Orders without a day do not count."""


class ContractorCapacity(Answer):
    """Daily capacity of a contractor."""

    result: bool = True
    contractor_id: int
    orders_per_day: int | None


class Assignment(Answer):
    """An assignment of an order to a contractor.

    Times are in the time zone of the business, with UTC offset.
    """

    id: int
    order_id: int
    order_ref: str | None
    order_status_id: int | None
    scheduled_date: date | None
    route_id: Annotated[int | None, doc("Current route of the order; null while it is unplanned.")]
    broker_id: Annotated[int, doc("User ID of the contractor.")]
    broker_name: str | None
    status: AssignmentStatus
    note: str | None
    assigned_by: int | None
    assigned_at: datetime | None
    ended_by: int | None
    ended_at: datetime | None
    end_reason: Annotated[
        str | None,
        doc(
            "Given reason; `reassigned` after a move to another contractor, `declined`, or `expired` without an answer."
        ),
    ]
    respond_by: Annotated[datetime | None, doc("Deadline for the contractor; null if no acceptance was needed.")]
    accepted_at: Annotated[datetime | None, doc("Time of acceptance by the contractor.")]


class AssignmentList(PagedAnswer):
    """A page of assignments, newest first."""

    assignments: list[Assignment]


class OrderError(Answer):
    """An order that was not changed."""

    order_id: int
    message: Annotated[str, doc("Reason in the caller's language.")]
    code: Annotated[str, doc("Machine-readable reason.", "ORDER_ON_ROUTE")]


class AssignmentResult(Answer):
    """Outcome for each order.

    `assigned` and `skipped` add up to the number of distinct orders.
    """

    result: Annotated[bool, doc("True if at least one order was assigned.")]
    assigned: int
    skipped: int
    errors: list[OrderError]


class AssignmentAnswerResult(Answer):
    """Outcome for each order.

    `answered` and `skipped` add up to the number of distinct orders.
    """

    result: Annotated[bool, doc("True if at least one order was answered.")]
    answered: int
    skipped: int
    errors: list[OrderError]


class RevocationResult(Answer):
    """Outcome for each order.

    `revoked` and `skipped` add up to the number of distinct orders.
    """

    result: Annotated[bool, doc("True if at least one order was revoked.")]
    revoked: int
    skipped: int
    errors: list[OrderError]
