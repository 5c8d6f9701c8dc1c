"""The driver who calls."""

from typing import Any

from haulier.contexts.fleet.drivers import store as driver_store
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import declare_error

NO_DRIVER_RECORD = declare_error("no_driver_record", 403)


async def get_calling_driver(call: Call) -> Any:
    """The driver who calls. Raises `NO_DRIVER_RECORD` for an account that no driver is linked to."""
    row = await driver_store.get_driver_row_by_user(call.work, call.actor or 0)
    if row is None:
        raise NO_DRIVER_RECORD()
    return row
