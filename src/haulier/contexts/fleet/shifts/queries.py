"""Working profiles as other contexts read them."""

from collections.abc import Collection

from haulier.contexts.fleet.shifts import store
from haulier.contexts.fleet.shifts.store import WorkingProfileRow
from haulier.kernel.call import Call

# Routes without a vehicle take the driver's, in the same statement.
working_profiles = store.working_profiles


async def get_working_profile_rows(call: Call, driver_ids: Collection[int]) -> dict[int, WorkingProfileRow]:
    """Profiles by driver; a driver without one is absent."""
    return await store.get_working_profile_rows(call.work, driver_ids)
