"""Orders on demand as other families read them."""

from haulier.contexts.driver_app.offers import store
from haulier.kernel.call import Call


async def is_rider_available(call: Call, driver_id: int) -> bool:
    """Return True if on-demand orders are offered to this driver."""
    return (await store.get_rider_duties(call.work, [driver_id])).get(driver_id, False)
