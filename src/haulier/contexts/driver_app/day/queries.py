"""Drivers' answers to their routes, for other contexts."""

from collections.abc import Collection, Sequence

from haulier.contexts.driver_app.day import store
from haulier.contexts.driver_app.day.store import RouteAnswerRow
from haulier.kernel.call import Call


async def list_route_answers(call: Call, route_ids: Collection[int]) -> Sequence[RouteAnswerRow]:
    """Return the drivers' answers to these routes, oldest first."""
    return await store.list_route_answers(call.work, route_ids)
