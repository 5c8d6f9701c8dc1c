"""What routes ask of whoever keeps a line of drivers for them: the driver route board, which stands on routes itself."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Protocol

from haulier.kernel.call import Call
from haulier.kernel.errors import problem

ROUTE_ON_BOARD = problem("route_on_board", 409)


class Ending(StrEnum):
    """Why nobody needs to wait for a route any more: a planner gave it to a driver, cancelled it, or merged it."""

    ASSIGNED = "assigned"
    CANCELLED = "cancelled"
    MERGED = "merged"


class Line(Protocol):
    """Drivers who have routes from a board, or wait for them."""

    async def listed(self, call: Call, route_id: int) -> bool:
        """Whether drivers can still line up for a route."""
        ...

    async def freed(self, call: Call, route: Any) -> None:
        """A route was taken from its driver: it goes to the first in line, in the same transaction."""
        ...

    async def over(self, call: Call, route_ids: Collection[int], why: Ending) -> None:
        """Nobody waits for these routes any more, in the same transaction."""
        ...
