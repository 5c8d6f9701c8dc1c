"""Request and response models for redelivery."""

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
    """Orders to reschedule, and their new schedule."""

    order_ids: Annotated[list[Id], Field(max_length=ORDERS_MAX, examples=[[12345]])] = []
    """Orders by ID. 1 to 200 IDs, tracking numbers and references in total."""
    tracking_numbers: Annotated[Names, Field(examples=[["HLTR16KD5632GCM"]])] = []
    """Orders by tracking number."""
    order_refs: Annotated[Names, Field(examples=[["A-1001"]])] = []
    """Orders by reference."""
    scheduled_date: Day | None = None
    """Day in the time zone of the business. Default: the day of the window; any day without a window."""
    window_start: Moment | None = None
    """Start of the window, with UTC offset. Requires `window_end`. Default: any time of the day."""
    window_end: Moment | None = None
    """End of the window, with UTC offset."""
    beyond_limit: bool = False
    """If true, allow one more attempt after the limit of the business."""
    reason: Reason | None = Field(default=None, examples=["The customer called."])
    """Reason, stored in the order history."""

    @model_validator(mode="after")
    def _names_orders_and_a_whole_window(self) -> "RescheduleOrders":
        if not 1 <= len(self.order_ids) + len(self.tracking_numbers) + len(self.order_refs) <= ORDERS_MAX:
            raise PydanticCustomError("number_of_orders", "1 to {most} orders", {"most": ORDERS_MAX})
        if (self.window_start is None) != (self.window_end is None):
            raise PydanticCustomError("window_half", "window_start and window_end must be given together")
        if self.window_start and self.window_end and self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self

    @property
    def window(self) -> tuple[datetime, datetime] | None:
        """Both ends of the window, or None."""
        return (self.window_start, self.window_end) if self.window_start and self.window_end else None


class RescheduledOrder(Answer):
    """Outcome for an order."""

    named: Annotated[str, doc("Identifier in the request: id, tracking number or reference.", "A-1001")]
    order_id: int | None
    changed: bool
    attempts: Annotated[int | None, doc("Number of failed attempts.")] = None
    attempts_left: Annotated[int | None, doc("Number of attempts left.")] = None
    left_route: Annotated[bool, doc("True if the order left a route of another day.")] = False
    code: Annotated[str | None, doc("Machine-readable reason if unchanged.", "ATTEMPTS_USED_UP")] = None
    message: Annotated[str | None, doc("Reason in the caller's language if unchanged.")] = None


class RescheduleResult(Answer):
    """The outcome for each order."""

    result: Annotated[bool, doc("True if at least one order was changed.")]
    changed: int
    skipped: int
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    outcomes: list[RescheduledOrder]


class RequestRedelivery(OrderRef):
    """A failed order, and the time of its next attempt."""

    scheduled_date: Day | None = None
    """Day in the time zone of the business. Default: any day. Book a time of the day as a reservation."""
    reason: Reason | None = Field(default=None, examples=["I am home from Thursday on."])
    """Message to the business, stored in the order history."""


class ReturnOrder(OrderRef):
    """A failed order to return to its sender."""

    reason: Reason | None = Field(default=None, examples=["The recipient has moved away."])
    """Reason, stored in the order history."""


class RequestedRedelivery(OrderUpdateResult):
    """The order with its next attempt."""

    attempts_left: Annotated[int, doc("Number of attempts left.")]


class SetRedeliveryPolicy(Request):
    """Redelivery policy of a business."""

    max_attempts: int = Field(default=3, ge=1, le=20)
    """Maximum number of attempts. After the last one, the order is put on hold when it is back."""


class RedeliveryPolicyAnswer(Answer):
    """Redelivery policy in force."""

    result: bool = True
    max_attempts: int
