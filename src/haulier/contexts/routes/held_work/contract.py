"""What goes in and out of held work."""

from datetime import date
from typing import Annotated

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import DriverId, UserId


class HeldWorkRef(Request):
    """Whose work."""

    user_id: UserId
    """The account of a contractor or a driver."""


class HeldRoute(Answer):
    """A route that is not over."""

    id: int
    day: date
    status: str
    driver_id: DriverId | None


class HeldWork(Answer):
    """What a contractor or driver has that is not over."""

    user_id: UserId
    account: str
    active: bool
    order_ids: Annotated[
        list[int], doc("Orders that the contractor holds and that no route has, or one not yet started.")
    ]
    order_ids_under_way: Annotated[list[int], doc("Orders that the contractor holds, on routes under way.")]
    routes: Annotated[list[HeldRoute], doc("The contractor's routes, or those that the driver is to drive.")]
    driver_ids: Annotated[list[DriverId], doc("The contractor's active drivers.")]
    cash_minor: Annotated[
        int, doc("Cash on delivery that the driver carries, or the contractor's drivers do, in minor units.", 2500)
    ]
    orders_per_day: Annotated[int | None, doc("How many orders of one day the contractor takes; null without a limit.")]


class HeldWorkAnswer(Answer):
    """What somebody has."""

    result: bool = True
    held: HeldWork
