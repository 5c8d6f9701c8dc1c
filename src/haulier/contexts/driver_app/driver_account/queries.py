"""The driver who calls."""

from haulier.contexts.fleet.public import DriverRow, get_driver_row_by_user
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import declare_error

NO_DRIVER_RECORD = declare_error("no_driver_record", 403)


async def get_calling_driver(call: Call) -> DriverRow:
    """Return the calling driver.

    Raises `NO_DRIVER_RECORD` for an account without a driver.
    """
    driver = await get_driver_row_by_user(call, call.actor or 0)
    if driver is None:
        raise NO_DRIVER_RECORD()
    return driver
