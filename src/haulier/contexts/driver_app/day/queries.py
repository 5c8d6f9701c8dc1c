"""What drivers answered to their routes, as others read it."""

from collections.abc import Collection, Sequence

from haulier.contexts.driver_app.day import store
from haulier.contexts.driver_app.day.store import RouteAnswerRow
from haulier.kernel.call import Call


async def list_route_answers(call: Call, route_ids: Collection[int]) -> Sequence[RouteAnswerRow]:
    """What drivers answered to these routes, oldest first."""
    return await store.list_route_answers(call.work, route_ids)
