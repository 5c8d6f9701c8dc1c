"""Free windows, visible reservations, and personal data in their tables."""

from datetime import date, datetime, timedelta

from msgspec import Struct

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.actions import find_delivery_zone
from haulier.contexts.booking.reservations.store import (
    ReservationRow,
    booking_patterns,
    booking_zones,
    reservations,
    waiting_entries,
)
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found

plain_columns(booking_zones, "name", "postal_prefixes", "kind", "address")
plain_columns(waiting_entries, "postal_code", "status")
plain_columns(booking_patterns, "weekdays", "starts", "ends")
personal_data(
    reservations,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER, "customer_id": PersonKey.USER},
    erased={"reason": None, "fee_waiver_reason": None},
    plain=("postal_code", "outcome", "code"),
)


async def get_visible_reservation(call: Call, reservation_id: int, *, lock: bool = False) -> ReservationRow:
    """Return a reservation. Customers see their own. Raises `NOT_FOUND`."""
    row = await (ReservationRow.lock if lock else ReservationRow.get)(call.work, reservation_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(reservation_id=reservation_id)
    return row


class FreeWindow(Struct, frozen=True, kw_only=True):
    """Window with a free place."""

    id: int
    day: date
    starts_at: datetime
    ends_at: datetime


async def list_free_windows(call: Call, postal_code: str, *, days: int, limit: int) -> list[FreeWindow]:
    """Return bookable free windows at a postal code, soonest first.

    At most `limit` windows within a number of days are returned. Windows with a price are left out.
    """
    zone_id = await find_delivery_zone(call, postal_code)
    if zone_id is None:
        return []
    span = (call.today, call.today + timedelta(days=days))
    rows, _ = await store.list_booking_windows(call.work, span, [zone_id], bookable_at=call.now, limit=limit, offset=0)
    ids = [row.id for row in rows]
    taken = await store.count_taken_places(call.work, ids, call.now)
    waits = await store.count_waiting(call.work, ids)
    return [
        FreeWindow(
            id=row.id, day=row.day, starts_at=call.local_time(row.starts_at), ends_at=call.local_time(row.ends_at)
        )
        for row in rows
        if taken.get(row.id, 0) + waits.get(row.id, 0) < row.capacity and not row.price_minor
    ]
