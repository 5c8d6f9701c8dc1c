"""Standby queue for the routes context, updated in the same transaction."""

from collections.abc import Collection

from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.actions.posting_closure import close_postings
from haulier.contexts.marketplace.route_board.actions.standby_queue import promote_next_in_line
from haulier.contexts.marketplace.route_board.queries import to_board_posting
from haulier.contexts.marketplace.route_board.rules import BoardClosingReason, ClaimOutcome, check_claim_withdrawal
from haulier.contexts.routes.public import RouteRow, StandbyEndReason
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


class BoardStandbyQueue:
    """Standby queue of each route on the board."""

    async def is_on_board(self, call: Call, route_id: int) -> bool:
        """Return True if a route is on the board."""
        return route_id in await store.get_live_postings(call.work, [route_id])

    async def check_give_back(self, call: Call, route_id: int, driver_id: int) -> OperationError | None:
        """Return the reason why the driver cannot return the route, or None.

        The withdrawal deadline may have passed.
        """
        held = any(
            claim.driver_id == driver_id and claim.won_at
            for claim in await store.list_open_claims(call.work, [route_id])
        )
        posting = await store.get_latest_posting(call.work, route_id) if held else None
        return posting and check_claim_withdrawal(to_board_posting(call, posting), call.now)

    async def promote_next(self, call: Call, route: RouteRow, *, by_driver: bool = False) -> None:
        """Promote the next driver after staff or the driver freed a route."""
        await promote_next_in_line(call, route, ClaimOutcome.WITHDRAWN if by_driver else ClaimOutcome.FREED)

    async def close(self, call: Call, route_ids: Collection[int], why: StandbyEndReason) -> None:
        """Take routes off the board and end all their claims."""
        await close_postings(call, route_ids, BoardClosingReason(why.value))
