"""The board as routes see it: what planners do with a route moves the line for it, in the same transaction."""

from collections.abc import Collection
from typing import Any

from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.closing import close_postings
from haulier.contexts.dispatch.route_board.rules import ClaimOutcome, Closing, why_not_withdraw
from haulier.contexts.dispatch.route_board.succession import pass_on, posting_state
from haulier.contexts.dispatch.routes.ports import Ending
from haulier.kernel.call import Call
from haulier.kernel.errors import Refusal


class BoardLine:
    """The line of drivers that the board keeps for each route."""

    async def listed(self, call: Call, route_id: int) -> bool:
        """Whether a route is on the board."""
        return route_id in await store.live(call.work, [route_id])

    async def why_not_give_back(self, call: Call, route_id: int, driver_id: int) -> Refusal | None:
        """The deadline of a claim holds by whichever door its driver gives the route back."""
        held = any(each.driver_id == driver_id and each.won_at for each in await store.line(call.work, [route_id]))
        posting = await store.latest(call.work, route_id) if held else None
        return posting and why_not_withdraw(posting_state(call, posting), call.now)

    async def freed(self, call: Call, route: Any, *, by_driver: bool = False) -> None:
        """The office took a route back from its driver, or the driver gave it back."""
        await pass_on(call, route, ClaimOutcome.WITHDRAWN if by_driver else ClaimOutcome.FREED)

    async def over(self, call: Call, route_ids: Collection[int], why: Ending) -> None:
        """Routes leave the board, and every claim to them ends."""
        await close_postings(call, route_ids, Closing(why.value))
