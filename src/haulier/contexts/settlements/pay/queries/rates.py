"""Who is paid for a route, and by which rate."""

from datetime import date

from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.settlements.pay import store
from haulier.contexts.settlements.pay.rules import Payee, PayeeKind, find_rate
from haulier.contexts.settlements.pay.store import PayRateRow
from haulier.kernel.call import Call


def payee_of_driver(driver: DriverRow) -> Payee:
    """Who is paid for what a driver does: the contractor they drive for, or they themselves."""
    if driver.contractor_id is not None:
        return Payee(PayeeKind.CONTRACTOR, driver.contractor_id)
    return Payee(PayeeKind.DRIVER, driver.id)


async def get_rate_in_force(call: Call, payee: Payee, day: date) -> PayRateRow | None:
    """The rate that pays somebody on a day, or None."""
    return find_rate(await store.list_rates_for(call.work, payee.kind.value, payee.id), payee.id, day)


async def quote_pay(call: Call, driver: DriverRow, stops: int) -> int | None:
    """What a driver would be paid for a route of so many stops today, without its kilometres; None without a rate.

    Nothing is told to the drivers of a contractor, who is paid instead of them.
    """
    payee = payee_of_driver(driver)
    if payee.kind is not PayeeKind.DRIVER:
        return None
    rate = await get_rate_in_force(call, payee, call.today)
    return rate and rate.per_route_minor + stops * rate.per_stop_minor
