"""What routes ask of whoever keeps a line of drivers for them: the driver route board, which stands on routes itself."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Protocol

from haulier.kernel.call import Call
from haulier.kernel.errors import Refusal, problem

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

    async def why_not_give_back(self, call: Call, route_id: int, driver_id: int) -> Refusal | None:
        """Why a driver who took a route from the board cannot give it back any more, or None."""
        ...

    async def freed(self, call: Call, route: Any, *, by_driver: bool = False) -> None:
        """A route was taken from its driver, or given back: it goes to the first in line, in the same transaction."""
        ...

    async def over(self, call: Call, route_ids: Collection[int], why: Ending) -> None:
        """Nobody waits for these routes any more, in the same transaction."""
        ...
