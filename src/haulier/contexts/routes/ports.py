"""Ports of routes: standby queue of the route board, and proof of delivery."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.solvers.routing.travel import TravelMode

if TYPE_CHECKING:  # the routes context imports its ports
    from haulier.contexts.routes.routes.contract import CompleteStop, LoadingShortage

ROUTE_ON_BOARD = declare_error("route_on_board", 409)


class ProofAtDoor(Protocol):
    """Port for the proof that a delivery requires.

    Implemented by the driver app, a higher context.
    """

    async def check(self, call: Call, order_id: int, request: "CompleteStop") -> OperationError | None:
        """Why a driver cannot complete a delivery with this alone, or None."""
        ...


class StopsAtLockers(Protocol):
    """Port for stops at lockers. Implemented by lockers, a higher context."""

    async def was_put_in_locker(self, call: Call, order_id: int) -> bool:
        """Return True if the parcel of a completed stop was put into a locker.

        Its order is delivered when the recipient takes it out. If the parcel was handed over otherwise, its reserved
        compartment is released.
        """
        ...


class LoadingCheck(Protocol):
    """Port for the loading check. Implemented by the driver app, a higher context."""

    async def find_shortages(
        self, call: Call, route_id: int, order_ids: Collection[int], *, happened: bool
    ) -> "Sequence[LoadingShortage]":
        """Return the packages of these orders that were not scanned while loading.

        With `happened`, the vehicle has already left. Raises `PIECES_MISSING` if the client requires complete loading.
        """
        ...


class CashCarried(Protocol):
    """Port for the cash that drivers collected and still carry.

    Implemented by settlements, a higher context.
    """

    async def get_cash_carried(self, call: Call, driver_ids: Collection[int]) -> int:
        """Return the cash that these drivers should have together, in minor units."""
        ...


class StandbyEndReason(StrEnum):
    """Reason for the end of a route's standby queue.

    A planner assigned the route to a driver, cancelled it, or merged it.
    """

    ASSIGNED = "assigned"
    CANCELLED = "cancelled"
    MERGED = "merged"


class StandbyQueue(Protocol):
    """Drivers who have routes from a board, or wait for them."""

    async def is_on_board(self, call: Call, route_id: int) -> bool:
        """Return True if drivers can stand by for the route."""
        ...

    async def check_give_back(self, call: Call, route_id: int, driver_id: int) -> OperationError | None:
        """Return the error that prevents returning a route to the board, or None."""
        ...

    async def promote_next(self, call: Call, route: Any, *, by_driver: bool = False) -> None:
        """Give a returned route to the first driver in line, in the same transaction."""
        ...

    async def close(self, call: Call, route_ids: Collection[int], why: StandbyEndReason) -> None:
        """End the queues of these routes, in the same transaction."""
        ...


class NoStandbyQueue:
    """The standby queue of an instance without a route board."""

    async def is_on_board(self, call: Call, route_id: int) -> bool:
        """No route is on a board."""
        return False

    async def check_give_back(self, call: Call, route_id: int, driver_id: int) -> OperationError | None:
        """Nothing prevents a driver from giving a route back."""
        return None

    async def promote_next(self, call: Call, route: Any, *, by_driver: bool = False) -> None:
        """No driver is in line."""

    async def close(self, call: Call, route_ids: Collection[int], why: StandbyEndReason) -> None:
        """There is no queue to end."""


class NoStopsAtLockers:
    """The stops of an instance without lockers."""

    async def was_put_in_locker(self, call: Call, order_id: int) -> bool:
        """No parcel is left in a locker."""
        return False


class RoadLine(Struct, frozen=True):
    """A line along roads from one place to another."""

    points: tuple[tuple[float, float], ...]
    """Longitudes and latitudes (WGS 84)."""
    distance_m: int
    duration_s: int


class RoadShapes(Protocol):
    """Shapes of routes along roads."""

    async def lines(
        self, places: Sequence[tuple[float, float]], mode: TravelMode = TravelMode.VAN
    ) -> list[RoadLine | None]:
        """Return the line from each place to the next, or None without a road.

        Places are latitudes and longitudes.
        """
        ...
