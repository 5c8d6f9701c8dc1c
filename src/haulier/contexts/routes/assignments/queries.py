"""Reads of assignments, for the other families of this context."""

from collections.abc import Collection

from haulier.contexts.routes.assignments import store
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Module


async def get_order_holders(call: Call, order_ids: Collection[int]) -> dict[int, int]:
    """Return the contractor (user id) that holds each order.

    Orders without a holder are absent.
    """
    return await store.get_order_holders(call, order_ids)


async def list_held_order_ids(call: Call, contractor_id: int | None = None) -> list[int]:
    """Return the orders held by a contractor, or by any contractor."""
    return await store.list_held_order_ids(call, contractor_id)


async def get_contractor_capacity(call: Call, contractor_id: int) -> int | None:
    """Return a contractor's daily order limit.

    None without a limit, or if the module is not installed.
    """
    if Module.BROKER_ORDER_ASSIGNMENTS in call.app.modules_missing:
        return None
    return await store.get_capacity(call.work, contractor_id)
