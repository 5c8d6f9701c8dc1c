"""Reads of the overview for other families."""

from collections.abc import Collection
from datetime import date, timedelta

from msgspec import Struct

from haulier.contexts.analytics.public import Dimension, Truths
from haulier.contexts.control_tower.overview.contract import GetOrdersInsights, ReportPeriod
from haulier.contexts.control_tower.overview.rules import PERIOD_MAX_DAYS, is_reportable
from haulier.contexts.fleet.public import get_driver_rows
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.public import order_sum_truths
from haulier.contexts.settlements.public import pay_sum_truths
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

DEFAULT_DAYS = timedelta(days=29)


def report_days(call: Call, request: ReportPeriod | GetOrdersInsights) -> tuple[date, date]:
    """Return the first and last day of a report.

    Raises `INVALID_REQUEST` for a period that is inverted or too long.
    """
    last = request.date_to or call.today
    first = request.date_from or last - DEFAULT_DAYS
    if not is_reportable(first, last):
        raise INVALID_REQUEST.for_fields(FieldError("date_from", "field.report_period", {"days": PERIOD_MAX_DAYS}))
    return first, last


def own_contractor_id(call: Call) -> int | None:
    """Return the caller's contractor id, which limits their records; None for staff."""
    return call.actor if call.principal.account is Account.CONTRACTOR else None


class ReportSubject(Struct, frozen=True):
    """A customer, driver or contractor of a report. Drivers may have no account."""

    name: str
    user_id: int | None


async def load_subjects(call: Call, dimension: Dimension, ids: Collection[int]) -> dict[int, ReportSubject]:
    """Return drivers by id, or customers and contractors by account id."""
    known = [id for id in ids if id]
    if dimension is Dimension.DRIVER:
        drivers = await get_driver_rows(call, known)
        return {id: ReportSubject(driver.name, driver.user_id) for id, driver in drivers.items()}
    users = await get_users_by_id(call, known)
    return {id: ReportSubject(user.name, id) for id, user in users.items()}


async def load_names(call: Call, dimension: Dimension, ids: Collection[int]) -> dict[int, str]:
    """Return the names of the customers, drivers or contractors of a report."""
    return {id: subject.name for id, subject in (await load_subjects(call, dimension, ids)).items()}


def sum_truths() -> Truths:
    """Return the correct entries of each measure, from the records."""
    return {**order_sum_truths(), **pay_sum_truths()}
