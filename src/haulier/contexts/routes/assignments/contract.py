"""What goes in and out of assignments. Names on the wire are the interface's, which calls a contractor a broker."""

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
    """Whether a contractor holds the order; if not, the client took it back (revoked) or they gave it back (released)."""

    ACTIVE = "active"
    REVOKED = "revoked"
    RELEASED = "released"


class ListAssignments(PageRequest):
    """Which assignments to list."""

    broker_id: RecordId | None = None
    """Only those of this contractor; contractors see only their own."""
    status: AssignmentStatus | None = None
    """Only those with this status."""
    order_id: RecordId | None = None
    """Only those of this order: its whole history of holders."""


class AssignOrders(Request):
    """Orders, and the contractor they go to."""

    order_ids: OrderIds
    """The orders; one named twice counts once."""
    broker_id: RecordId
    """The contractor's user id."""
    note: Note | None = None
    """A word to the contractor."""
    respond_by: Moment | None = None
    """Until when the contractor has to say yes: what they neither accept nor put on a route by then is released. Without it
    the orders are theirs at once."""


class RevokeOrders(Request):
    """Orders to take back."""

    order_ids: OrderIds
    """The orders; one named twice counts once."""
    reason: Reason | None = None
    """Why, kept with the assignment."""


class ReleaseOrder(Request):
    """An order that its contractor hands back."""

    order_id: RecordId
    """The order."""
    reason: Reason | None = None
    """Why, kept with the assignment."""


class AcceptAssignments(Request):
    """Orders that their contractor takes."""

    order_ids: OrderIds
    """The orders; one named twice counts once."""


class DeclineAssignments(Request):
    """Orders that their contractor does not take."""

    order_ids: OrderIds
    """The orders; one named twice counts once."""
    reason: Reason | None = None
    """Why, kept with the assignment."""


class SetContractorCapacity(Request):
    """How many orders of one day a contractor takes."""

    contractor_id: RecordId
    """The contractor's user id."""
    orders_per_day: int | None = Field(default=None, ge=0, le=100_000)
    """Orders of one scheduled day; left out or null for no limit. Orders without a day do not count."""


class ContractorCapacity(Answer):
    """How many orders of one day a contractor takes."""

    result: bool = True
    contractor_id: int
    orders_per_day: int | None


class Assignment(Answer):
    """One time that an order was given to a contractor. Times are in the business's time zone, with their offset."""

    id: int
    order_id: int
    order_ref: str | None
    order_status_id: int | None
    scheduled_date: date | None
    route_id: Annotated[int | None, doc("The route the order stands on now; null while it is unplanned.")]
    broker_id: Annotated[int, doc("The contractor's user id.")]
    broker_name: str | None
    status: AssignmentStatus
    note: str | None
    assigned_by: int | None
    assigned_at: datetime | None
    ended_by: int | None
    ended_at: datetime | None
    end_reason: Annotated[
        str | None,
        doc("As given; `reassigned` when it moved to another contractor, `declined`, or `expired` without an answer."),
    ]
    respond_by: Annotated[
        datetime | None, doc("Until when the contractor has to say yes; null when it was theirs at once.")
    ]
    accepted_at: Annotated[datetime | None, doc("When the contractor said yes.")]


class AssignmentList(PagedAnswer):
    """A page of assignments, newest first."""

    assignments: list[Assignment]


class OrderError(Answer):
    """One order that was not changed."""

    order_id: int
    message: Annotated[str, doc("Why, in the caller's language.")]
    code: Annotated[str, doc("Why, for programs.", "ORDER_ON_ROUTE")]


class AssignmentResult(Answer):
    """The result for each order. `assigned` and `skipped` add up to the distinct orders named."""

    result: Annotated[bool, doc("Whether at least one order was assigned.")]
    assigned: int
    skipped: int
    errors: list[OrderError]


class AssignmentAnswerResult(Answer):
    """The result for each order. `answered` and `skipped` add up to the distinct orders named."""

    result: Annotated[bool, doc("Whether at least one order was answered for.")]
    answered: int
    skipped: int
    errors: list[OrderError]


class RevocationResult(Answer):
    """The result for each order. `revoked` and `skipped` add up to the distinct orders named."""

    result: Annotated[bool, doc("Whether at least one order was taken back.")]
    revoked: int
    skipped: int
    errors: list[OrderError]
