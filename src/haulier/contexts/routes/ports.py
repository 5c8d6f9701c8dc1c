"""The standby queue of a route, a port of routes. The driver route board, a higher context, implements it."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Protocol

from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, declare_error

ROUTE_ON_BOARD = declare_error("route_on_board", 409)


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
