"""The board as routes see it: what planners do with a route moves the line for it, in the same transaction."""

from collections.abc import Collection
from typing import Any

from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.closing import close_postings
from haulier.contexts.dispatch.route_board.rules import ClaimOutcome, Closing
from haulier.contexts.dispatch.route_board.succession import pass_on
from haulier.contexts.dispatch.routes.ports import Ending
from haulier.kernel.call import Call


class BoardLine:
    """The line of drivers that the board keeps for each route."""

    async def listed(self, call: Call, route_id: int) -> bool:
        """Whether a route is on the board."""
        return route_id in await store.live(call.work, [route_id])

    async def freed(self, call: Call, route: Any) -> None:
        """The office took a route back from its driver."""
        await pass_on(call, route, ClaimOutcome.FREED)

    async def over(self, call: Call, route_ids: Collection[int], why: Ending) -> None:
        """Routes leave the board, and every claim to them ends."""
        await close_postings(call, route_ids, Closing(why.value))
