"""The board as routes see it: what planners do with a route moves the line for it, in the same transaction."""

from collections.abc import Collection
from typing import Any

from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.actions.posting_closure import close_postings
from haulier.contexts.marketplace.route_board.actions.standby_queue import promote_next_in_line, to_board_posting
from haulier.contexts.marketplace.route_board.rules import BoardClosingReason, ClaimOutcome, check_claim_withdrawal
from haulier.contexts.routes.ports import StandbyEndReason
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


class BoardStandbyQueue:
    """The line of drivers that the board keeps for each route."""

    async def is_on_board(self, call: Call, route_id: int) -> bool:
        """Whether a route is on the board."""
        return route_id in await store.get_live_postings(call.work, [route_id])

    async def check_give_back(self, call: Call, route_id: int, driver_id: int) -> OperationError | None:
        """The deadline of a claim holds by whichever door its driver gives the route back."""
        held = any(
            each.driver_id == driver_id and each.won_at for each in await store.list_open_claims(call.work, [route_id])
        )
        posting = await store.get_latest_posting(call.work, route_id) if held else None
        return posting and check_claim_withdrawal(to_board_posting(call, posting), call.now)

    async def promote_next(self, call: Call, route: Any, *, by_driver: bool = False) -> None:
        """The office took a route back from its driver, or the driver gave it back."""
        await promote_next_in_line(call, route, ClaimOutcome.WITHDRAWN if by_driver else ClaimOutcome.FREED)

    async def close(self, call: Call, route_ids: Collection[int], why: StandbyEndReason) -> None:
        """Routes leave the board, and every claim to them ends."""
        await close_postings(call, route_ids, BoardClosingReason(why.value))
