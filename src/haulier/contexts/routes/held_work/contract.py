"""Request and response models for held work."""

from datetime import date
from typing import Annotated

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import DriverId, UserId


class HeldWorkRef(Request):
    """Reference to a contractor or driver."""

    user_id: UserId
    """User ID of the contractor or driver."""


class HeldRoute(Answer):
    """A route that is not over."""

    id: int
    day: date
    status: str
    driver_id: DriverId | None


class HeldWork(Answer):
    """Open work of a contractor or driver."""

    user_id: UserId
    account: str
    active: bool
    order_ids: Annotated[
        list[int], doc("Orders held by the contractor that are unplanned or on a route that has not started.")
    ]
    order_ids_under_way: Annotated[list[int], doc("Orders held by the contractor on routes under way.")]
    routes: Annotated[list[HeldRoute], doc("Routes of the contractor or driver.")]
    driver_ids: Annotated[list[DriverId], doc("Active drivers of the contractor.")]
    cash_minor: Annotated[
        int, doc("Cash on delivery carried by the driver or the contractor's drivers, in minor units.", 2500)
    ]
    orders_per_day: Annotated[
        int | None, doc("Maximum number of orders per day for the contractor; null if unlimited.")
    ]


class HeldWorkAnswer(Answer):
    """Open work of a user."""

    result: bool = True
    held: HeldWork
