"""Reads of assignments, for the other families of this context."""

from collections.abc import Collection

from haulier.contexts.routes.assignments import store
from haulier.kernel.call import Call


async def get_order_holders(call: Call, order_ids: Collection[int]) -> dict[int, int]:
    """The contractor (user id) who holds each order; an order that nobody holds is absent."""
    return await store.get_order_holders(call, order_ids)


async def list_held_order_ids(call: Call, contractor_id: int | None = None) -> list[int]:
    """The orders that a contractor holds, or that anybody does."""
    return await store.list_held_order_ids(call, contractor_id)
