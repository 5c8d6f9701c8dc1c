"""What routes need of higher contexts: the standby queue of the route board, and the proof that the driver's app asks for."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, declare_error

if TYPE_CHECKING:  # Why: the family of routes imports its ports.
    from haulier.contexts.routes.routes.contract import CompleteStop, LoadingShortage

ROUTE_ON_BOARD = declare_error("route_on_board", 409)


class ProofAtDoor(Protocol):
    """What has to prove a delivery, a port of routes. The driver's app, a higher context, implements it."""

    async def check(self, call: Call, order_id: int, request: "CompleteStop") -> OperationError | None:
        """Why a driver cannot complete a delivery with this alone, or None."""
        ...


class StopsAtLockers(Protocol):
    """Stops at which a parcel is left in a locker, a port of routes. Lockers, a higher context, implement it."""

    async def was_put_in_locker(self, call: Call, order_id: int) -> bool:
        """Whether the parcel of a completed stop was put into a locker: its order is delivered when its recipient took it out.

        Where it was handed over otherwise, the box that was kept for it is free again.
        """
        ...


class LoadingCheck(Protocol):
    """Whether everything was loaded, a port of routes. The driver's app, a higher context, implements it."""

    async def find_shortages(
        self, call: Call, route_id: int, order_ids: Collection[int], *, happened: bool
    ) -> "Sequence[LoadingShortage]":
        """What was not scanned of these orders while loading. With `happened` the vehicle has left already.

        Raises `PIECES_MISSING` where the client lets no driver leave without everything.
        """
        ...


class CashCarried(Protocol):
    """The money that drivers took at doors and still carry, a port of routes. Settlements, a higher context, implement it."""

    async def get_cash_carried(self, call: Call, driver_ids: Collection[int]) -> int:
        """What these drivers should have together, in minor units of the business's currency."""
        ...


class StandbyEndReason(StrEnum):
    """Why the standby queue of a route ended: a planner gave it to a driver, cancelled it, or merged it."""

    ASSIGNED = "assigned"
    CANCELLED = "cancelled"
    MERGED = "merged"


class StandbyQueue(Protocol):
    """Drivers who have routes from a board, or wait for them."""

    async def is_on_board(self, call: Call, route_id: int) -> bool:
        """Whether a route is on the board, so that drivers can stand by for it."""
        ...

    async def check_give_back(self, call: Call, route_id: int, driver_id: int) -> OperationError | None:
        """Why a driver who took a route from the board can no longer give it back, or None."""
        ...

    async def promote_next(self, call: Call, route: Any, *, by_driver: bool = False) -> None:
        """Give a route that was taken from its driver, or given back, to the first in line, in the same transaction."""
        ...

    async def close(self, call: Call, route_ids: Collection[int], why: StandbyEndReason) -> None:
        """End the queues of these routes, in the same transaction."""
        ...
