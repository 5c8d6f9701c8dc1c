"""Time windows of orders, by reference: requests and answers."""

from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import Id, OrderReference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Moment


class UpdateOrderWindows(Request):
    """A new delivery window for orders identified by reference."""

    order_refs: Annotated[list[OrderReference], Field(min_length=1, max_length=200, examples=[["A-1001"]])]
    """References of the orders."""
    customer_id: Id | None = None
    """Customer of the references, if several customers use the same ones."""
    window_start: Moment
    """Start of the delivery window, with UTC offset."""
    window_end: Moment
    """End of the delivery window, with UTC offset."""

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "UpdateOrderWindows":
        if self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self


class OrderWindowOutcome(Answer):
    """The outcome for one reference."""

    order_ref: str
    changed: bool
    code: Annotated[str | None, doc("Machine-readable reason if unchanged.", "NOT_FOUND")] = None
    message: Annotated[str | None, doc("Reason in the caller's language if unchanged.")] = None


class OrderWindowError(Answer):
    """A reference whose order was not changed."""

    order_id: Annotated[int | None, doc("Always null: no order was changed.")] = None
    order_ref: str
    code: Annotated[str, doc("Machine-readable reason.", "NOT_FOUND")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class OrderWindowsResult(Answer):
    """The outcome for each reference."""

    result: bool
    changed: int
    skipped: int
    outcomes: list[OrderWindowOutcome]
    errors: Annotated[list[OrderWindowError], doc("Outcomes without a change.")]
