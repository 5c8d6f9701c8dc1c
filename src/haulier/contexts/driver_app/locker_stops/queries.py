"""Reads of locker stops for other families."""

from collections.abc import Sequence
from datetime import date

from haulier.contexts.driver_app.handovers.contract import HandoverLocker, OpenTime
from haulier.contexts.lockers.deliveries.rules import PUT_IN
from haulier.contexts.lockers.public import (
    LockerDeliveryRow,
    LockerDeliveryStatus,
    get_locker_deliveries,
    was_put_in_locker,
)
from haulier.contexts.lockers.sites.rules import times_open_on
from haulier.contexts.routes.public import StopRow
from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

INTO_LOCKERS = {LockerDeliveryStatus.PLANNED} | PUT_IN


class StoredLockerHandovers:
    """Implements the port `LockerHandovers`."""

    async def load(self, call: Call, stops: Sequence[tuple[StopRow, date]]) -> dict[int, HandoverLocker]:
        """The lockers of stops on a day, by the id of the stop."""
        rows = await get_locker_deliveries(call, {stop.order_id for stop, _ in stops})
        return {
            stop.id: _to_handover(call, day, row)
            for stop, day in stops
            if stop.kind == StopKind.DELIVERY
            and (row := rows.get(stop.order_id)) is not None
            and row.status in INTO_LOCKERS
        }

    async def was_put_in(self, call: Call, order_id: int) -> bool:
        """Return True if the parcel of an order is in a locker."""
        return await was_put_in_locker(call, order_id)


def _to_handover(call: Call, day: date, row: LockerDeliveryRow) -> HandoverLocker:
    """The locker of a delivery that goes, or went, into one."""
    times = times_open_on(row.opening_hours, day, call.time_zone)
    return record(
        HandoverLocker,
        row,
        locker_parcel_id=row.parcel_id,
        open_times=None if times is None else [OpenTime(opens_at=opens, closes_at=closes) for opens, closes in times],
        code_made_at=call.local_time(row.code_made_at),
    )
