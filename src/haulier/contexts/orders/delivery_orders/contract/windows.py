"""Time windows of orders, by reference: requests and answers."""

from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import Id, OrderReference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Moment


class UpdateOrderWindows(Request):
    """A new time window for some orders, by their references."""

    order_refs: Annotated[list[OrderReference], Field(min_length=1, max_length=200, examples=[["A-1001"]])]
    """The references of the orders."""
    customer_id: Id | None = None
    """Whose references they are, where several customers use the same."""
    window_start: Moment
    """Not before, with offset."""
    window_end: Moment
    """Not after, with offset."""

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "UpdateOrderWindows":
        if self.window_end <= self.window_start:
            raise PydanticCustomError("window_inverted", "window_end must be after window_start")
        return self


class OrderWindowOutcome(Answer):
    """The outcome for one reference."""

    order_ref: str
    changed: bool
    code: Annotated[str | None, doc("Why not, for programs.", "NOT_FOUND")] = None
    message: Annotated[str | None, doc("Why not, in the caller's language.")] = None


class OrderWindowError(Answer):
    """One reference whose order was not changed."""

    order_id: Annotated[int | None, doc("Null: there is no such order.")] = None
    order_ref: str
    code: Annotated[str, doc("Why, for programs.", "NOT_FOUND")]
    message: Annotated[str, doc("Why, in the caller's language.")]


class OrderWindowsResult(Answer):
    """The outcome for each reference."""

    result: bool
    changed: int
    skipped: int
    outcomes: list[OrderWindowOutcome]
    errors: Annotated[list[OrderWindowError], doc("The outcomes that changed nothing.")]
