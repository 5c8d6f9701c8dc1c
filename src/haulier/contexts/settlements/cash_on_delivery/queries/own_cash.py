"""Driver's own cash for the driver app."""

from datetime import date

from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.settlements.cash_on_delivery import store
from haulier.contexts.settlements.cash_on_delivery.contract import MyCash
from haulier.contexts.settlements.cash_on_delivery.queries.positions import load_driver_cash
from haulier.contexts.settlements.cash_on_delivery.serializers import cod_entry_record
from haulier.kernel.call import Call


async def load_own_cash(call: Call, driver: DriverRow, day: date) -> MyCash:
    """Return a driver's cash balance and the entries of a day."""
    rows = await store.list_entries_of_driver_day(call.work, driver.id, day)
    return MyCash(
        cash=await load_driver_cash(call, driver), day=day, entries=[cod_entry_record(call, row) for row in rows]
    )
