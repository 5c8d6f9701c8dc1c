"""Reads of pay for other families."""

from datetime import date
from itertools import groupby

from haulier.contexts.analytics.public import Truths
from haulier.contexts.fleet.public import DriverRow, get_driver_row
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.settlements.pay import store
from haulier.contexts.settlements.pay.contract import PayStatement, StatementSum
from haulier.contexts.settlements.pay.rules import EarningKind, Payee, PayeeKind, find_rate, week_of
from haulier.contexts.settlements.pay.serializers import earning_record
from haulier.contexts.settlements.pay.store import PayRateRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


async def require_payee(call: Call, kind: PayeeKind, payee_id: int) -> str:
    """Return the name of a contractor or driver, including former ones.

    Raises `INVALID_REQUEST` for any other id.
    """
    if kind is PayeeKind.DRIVER:
        driver = await get_driver_row(call, payee_id)
        name = driver.name if driver else None
    else:
        user = (await get_users_by_id(call, [payee_id])).get(payee_id)
        name = user.name if user and user.account is Account.CONTRACTOR else None
    if name is None:
        raise INVALID_REQUEST.for_fields(FieldError("payee_id", "field.payee_unknown"))
    return name


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


async def load_statement(call: Call, payee: Payee, name: str, day: date) -> PayStatement:
    """Return the statement of the week that contains a day."""
    monday, sunday = week_of(day)
    rows = await store.list_earnings_between(call.work, payee.kind.value, payee.id, monday, sunday)
    lines = [earning_record(call, row) for row in rows]
    by_kind = groupby(sorted(lines, key=lambda line: line.kind), key=lambda line: line.kind)
    return PayStatement(
        payee_kind=payee.kind,
        payee_id=payee.id,
        payee_name=name,
        monday=monday,
        sunday=sunday,
        currency=call.business.currency,
        total_minor=sum(line.amount_minor for line in lines),
        sums=[
            StatementSum(
                kind=EarningKind(kind),
                count=len(of_kind),
                quantity=sum(line.quantity for line in of_kind),
                amount_minor=sum(line.amount_minor for line in of_kind),
            )
            for kind, group in by_kind
            for of_kind in [list(group)]
        ],
        lines=lines,
    )


def pay_sum_truths() -> Truths:
    """Return earnings as entries of sums."""
    return store.pay_sum_truths()
