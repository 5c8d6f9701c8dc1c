"""Which drivers a caller may see."""

from typing import Any

from haulier.contexts.fleet.drivers import store
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND


async def get_visible_driver(call: Call, driver_id: int) -> Any:
    """The row of a driver whom the caller may see. Raises `NOT_FOUND`."""
    row = await store.get_driver_row(call.work, driver_id)
    owner = {Account.CONTRACTOR: "contractor_id", Account.DRIVER: "user_id"}.get(call.principal.account)
    if row is None or (owner and getattr(row, owner) != call.actor):
        raise NOT_FOUND()
    return row
