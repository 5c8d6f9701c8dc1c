"""Return of routes that a disabled driver has not started."""

from haulier.contexts.fleet.events import DriverDisabled
from haulier.contexts.fleet.public import get_driver_row
from haulier.contexts.routes.routes.actions.driver_assignment import return_routes_of_driver
from haulier.kernel.background.events import subscriber
from haulier.kernel.call import Call


@subscriber(DriverDisabled)
async def return_routes_of_disabled_driver(call: Call, event: DriverDisabled) -> None:
    """Unassign the routes that a disabled driver has not started.

    Handling the event twice changes nothing more.
    """
    driver = await get_driver_row(call, event.driver_id)
    if driver is not None and not driver.active:
        await return_routes_of_driver(call, driver.id)
