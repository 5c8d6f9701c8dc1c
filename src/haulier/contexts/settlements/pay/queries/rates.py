"""Lookup of the payee and rate of a route."""

from datetime import date

from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.settlements.pay import store
from haulier.contexts.settlements.pay.rules import Payee, PayeeKind, find_rate
from haulier.contexts.settlements.pay.store import PayRateRow
from haulier.kernel.call import Call


def payee_of_driver(driver: DriverRow) -> Payee:
    """Return the payee for a driver's work: the contractor or the driver."""
    if driver.contractor_id is not None:
        return Payee(PayeeKind.CONTRACTOR, driver.contractor_id)
    return Payee(PayeeKind.DRIVER, driver.id)


async def get_rate_in_force(call: Call, payee: Payee, day: date) -> PayRateRow | None:
    """Return the rate that applies to a payee on a day, or None."""
    return find_rate(await store.list_rates_for(call.work, payee.kind.value, payee.id), payee.id, day)


async def quote_pay(call: Call, driver: DriverRow, stops: int) -> int | None:
    """Return a driver's pay for a route with this many stops today.

    Kilometres are not included. Return None if there is no rate. Drivers of contractors get none, since the
    contractor is paid instead.
    """
    payee = payee_of_driver(driver)
    if payee.kind is not PayeeKind.DRIVER:
        return None
    rate = await get_rate_in_force(call, payee, call.today)
    return rate and rate.per_route_minor + stops * rate.per_stop_minor
