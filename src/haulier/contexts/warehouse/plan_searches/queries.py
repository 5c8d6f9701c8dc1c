"""Searches by id."""

from haulier.contexts.warehouse.plan_searches import store
from haulier.contexts.warehouse.plan_searches.store import SearchRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def get_search_row(call: Call, plan_search_id: int, *, lock: bool = False) -> SearchRow:
    """A search of this client. Raises `NOT_FOUND`."""
    row = await store.get_search(call.work, plan_search_id, lock=lock)
    if row is None:
        raise record_not_found(plan_search_id=plan_search_id)
    return row
