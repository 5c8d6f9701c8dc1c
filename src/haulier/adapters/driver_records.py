"""Driver records of user accounts, for the identity context."""

from haulier.contexts.fleet import public as fleet
from haulier.kernel.call import Call


class StoredDriverRecords:
    """Driver records from the fleet context."""

    async def get_driver_id(self, call: Call, user_id: int) -> int | None:
        """Return the ID of the driver with this user account, or None."""
        driver = await fleet.get_driver_row_by_user(call, user_id)
        return driver and driver.id
