"""Which driver signs in with an account, for a port of identity."""

from haulier.contexts.fleet import public as fleet
from haulier.kernel.call import Call


class StoredDriverRecords:
    """Answers from the table of drivers."""

    async def get_driver_id(self, call: Call, user_id: int) -> int | None:
        """The id of the driver who signs in with this account, or None."""
        driver = await fleet.get_driver_row_by_user(call, user_id)
        return driver and driver.id
