"""Postings and drivers of the route board, in the form that the rules need."""

from collections.abc import Sequence
from datetime import date

from msgspec import convert

from haulier.contexts.fleet.public import DriverRow, get_driver_rows, lock_drivers
from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.rules import BoardAdmission, BoardCandidate, BoardPosting
from haulier.contexts.marketplace.route_board.store import BoardDriverRuleRow, PostingRow
from haulier.kernel.call import Call


def local_today(call: Call) -> date:
    """Return today's date in the business's time zone."""
    return call.today


def to_board_posting(call: Call, row: PostingRow) -> BoardPosting:
    """Return a posting in the form that the rules need."""
    return BoardPosting(
        day=row.day,
        opens_at=call.local_time(row.opens_at),
        closes_at=call.local_time(row.closes_at),
        withdraw_until=call.local_time(row.withdraw_until),
        claims_per_day=row.claims_per_day,
        standby_max=row.standby_max,
        admission=convert(row.admission, BoardAdmission),
        closed=row.closed_at is not None,
    )


def to_board_candidate(call: Call, driver: DriverRow, rule: BoardDriverRuleRow | None, held: int = 0) -> BoardCandidate:
    """Return a driver in the form that the rules need.

    `held` is the number of board routes that the driver has on the day.
    """
    return BoardCandidate(
        driver_id=driver.id,
        contractor_id=driver.contractor_id,
        skills=frozenset(driver.skills),
        active=driver.active,
        zones=frozenset(rule.zones if rule else ()),
        blocked_until=call.local_time(rule.blocked_until) if rule else None,
        claims_per_day=rule.claims_per_day if rule else None,
        held=held,
    )


async def load_board_candidates(call: Call, posting: PostingRow, driver_ids: Sequence[int]) -> list[BoardCandidate]:
    """Lock and return drivers in order, with their routes on a posting's day."""
    # All calls lock drivers after their route, to avoid deadlocks, and before counting routes, so that concurrent
    # claims cannot exceed the daily limit.
    await lock_drivers(call, driver_ids)
    drivers = await get_driver_rows(call, driver_ids)
    rules = await store.get_board_driver_rules(call.work, driver_ids)
    held = await store.count_held_routes(call.work, driver_ids, posting.day)
    return [
        to_board_candidate(call, drivers[id], rules.get(id), held.get(id, 0))
        for id in dict.fromkeys(driver_ids)
        if id in drivers
    ]
