"""Reads of cash on delivery for other families."""

from collections.abc import Collection, Sequence
from datetime import date

from haulier.contexts.fleet.public import DriverRow, get_driver_rows
from haulier.contexts.settlements.cash_on_delivery import store
from haulier.contexts.settlements.cash_on_delivery.contract import DriverCash, MyCash
from haulier.contexts.settlements.cash_on_delivery.rules import CodPosition, add_up
from haulier.contexts.settlements.cash_on_delivery.serializers import cod_entry_record
from haulier.contexts.settlements.cash_on_delivery.store import DriverCashRow
from haulier.kernel.call import Call


async def get_cod_position(call: Call, order_id: int) -> CodPosition:
    """Return the sums of an order's entries."""
    return add_up(await store.list_entries_of_orders(call.work, [order_id]))


async def load_driver_cash(call: Call, driver: DriverRow) -> DriverCash:
    """Return the cash that a driver carries."""
    row = (await store.get_driver_cash_rows(call.work, [driver.id])).get(driver.id)
    return _driver_cash(call, driver.id, driver.name, row)


async def list_driver_cash(call: Call, visible: Collection[int] | None = None) -> list[DriverCash]:
    """Return the cash of every driver who has ever collected any.

    If `visible` is given, only those drivers are included.
    """
    rows: Sequence[DriverCashRow] = [
        row for row in await store.list_driver_cash_rows(call.work) if visible is None or row.driver_id in visible
    ]
    drivers = await get_driver_rows(call, [row.driver_id for row in rows])
    return [
        _driver_cash(call, row.driver_id, drivers[row.driver_id].name if row.driver_id in drivers else "", row)
        for row in rows
    ]


class StoredCashCarried:
    """Implementation of the routes context's cash port, based on entries."""

    async def get_cash_carried(self, call: Call, driver_ids: Collection[int]) -> int:
        """Return the total cash balance of these drivers in minor units."""
        rows = await store.get_driver_cash_rows(call.work, list(driver_ids)) if driver_ids else {}
        return sum(row.collected + row.difference - row.handed_in for row in rows.values())


def _driver_cash(call: Call, driver_id: int, name: str, row: DriverCashRow | None) -> DriverCash:
    collected, handed_in, difference = (row.collected, row.handed_in, row.difference) if row else (0, 0, 0)
    return DriverCash(
        driver_id=driver_id,
        driver_name=name,
        currency=call.business.currency,
        collected_minor=collected,
        handed_in_minor=handed_in,
        difference_minor=difference,
        balance_minor=collected + difference - handed_in,
    )


async def load_own_cash(call: Call, driver: DriverRow, day: date) -> MyCash:
    """Return a driver's cash balance and the entries of a day."""
    rows = await store.list_entries_of_driver_day(call.work, driver.id, day)
    return MyCash(
        cash=await load_driver_cash(call, driver), day=day, entries=[cod_entry_record(call, row) for row in rows]
    )
