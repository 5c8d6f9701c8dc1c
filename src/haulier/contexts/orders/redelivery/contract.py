"""What goes in and out of redelivery."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import Id, OrderRef, OrderReference, OrderUpdateResult
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason
from haulier.kernel.values.moments import Day, Moment

ORDERS_MAX = 200
Names = Annotated[list[OrderReference], Field(max_length=ORDERS_MAX)]


class RescheduleOrders(Request):
    """Orders that have not left, or could not be delivered, and when they are to go out."""

    order_ids: Annotated[list[Id], Field(max_length=ORDERS_MAX, examples=[[12345]])] = []
    """The orders by id. Ids, tracking numbers and references together: 1 to 200."""
    tracking_numbers: Annotated[Names, Field(examples=[["HLTR16KD5632GCM"]])] = []
    """The orders by tracking number."""
    order_refs: Annotated[Names, Field(examples=[["A-1001"]])] = []
    """The orders by the client's reference."""
    scheduled_date: Day | None = None
    """The day, in the business's time zone. That of the window when left out; any day when both are."""
    window_start: Moment | None = None
    """Not before, with offset; with `window_end`. Any time of the day when left out."""
    window_end: Moment | None = None
    """Not after, with offset."""
    beyond_limit: bool = False
    """Say true to try once more although the client's number of attempts is used up."""
    reason: Reason | None = Field(default=None, examples=["The customer called."])
    """Why; stored with the order's steps."""

    @model_validator(mode="after")
    def _names_orders_and_a_whole_window(self) -> "RescheduleOrders":
        if not 1 <= len(self.order_ids) + len(self.tracking_numbers) + len(self.order_refs) <= ORDERS_MAX:
            raise PydanticCustomError("number_of_orders", "1 to {most} orders", {"most": ORDERS_MAX})
        if (self.window_start is None) != (self.window_end is None):
            raise PydanticCustomError("window_half", "window_start and window_end go together")
        if self.window_start and self.window_end and self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self

    @property
    def window(self) -> tuple[datetime, datetime] | None:
        """Both ends of the window, or None."""
        return (self.window_start, self.window_end) if self.window_start and self.window_end else None


class RescheduledOrder(Answer):
    """The outcome for one order."""

    named: Annotated[str, doc("As the request names it: id, tracking number or reference.", "A-1001")]
    order_id: int | None
    changed: bool
    attempts: Annotated[int | None, doc("How often it was tried without success.")] = None
    attempts_left: Annotated[int | None, doc("How often it may go out again.")] = None
    left_route: Annotated[bool, doc("Whether it stood on a route of another day, and left it.")] = False
    code: Annotated[str | None, doc("Why not, for programs.", "ATTEMPTS_USED_UP")] = None
    message: Annotated[str | None, doc("Why not, in the caller's language.")] = None


class RescheduleResult(Answer):
    """The outcome for each order."""

    result: Annotated[bool, doc("Whether at least one order was changed.")]
    changed: int
    skipped: int
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    outcomes: list[RescheduledOrder]


class RequestRedelivery(OrderRef):
    """An order that could not be delivered, and when to try again."""

    scheduled_date: Day | None = None
    """The day, in the business's time zone; any day when left out. A time of the day is booked as a reservation."""
    reason: Reason | None = Field(default=None, examples=["Somebody is there from Thursday on."])
    """What the business should know; stored with the order's steps."""


class ReturnOrder(OrderRef):
    """An order whose goods are to go back to their sender."""

    reason: Reason | None = Field(default=None, examples=["The recipient has moved away."])
    """Why; stored with the order's steps."""


class RequestedRedelivery(OrderUpdateResult):
    """The order, which goes out again."""

    attempts_left: Annotated[int, doc("How often it may still go out.")]


class SetRedeliveryPolicy(Request):
    """The client's rules for orders that could not be delivered."""

    max_attempts: int = Field(default=3, ge=1, le=20)
    """So often an order goes out. Back from the last attempt it is put on hold, until somebody decides."""


class RedeliveryPolicyAnswer(Answer):
    """The rules in force."""

    result: bool = True
    max_attempts: int
