"""Tables of zones, windows, reservations and waiting lists."""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import Column, Index, String, UniqueConstraint

from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.tables import VOLATILE, partial_unique_index
from haulier.kernel.operations.fields import NAME_MAX, REASON_MAX

ADDRESS_MAX, CODE_LENGTH = 300, 6


class BookingZoneRow(Record, table="booking_zone", items=[UniqueConstraint("client_id", "name")]):
    """Delivery zone, or place for visits.

    `no_show_fee_minor` is in minor units of the business's currency.
    """

    name: Annotated[str, String(NAME_MAX)]
    postal_prefixes: list[str]
    created_at: datetime
    kind: Annotated[str, String(20)]
    address: Annotated[str, String(ADDRESS_MAX)] | None
    check_in_before_min: int
    grace_min: int
    no_show_fee_minor: BigInt | None
    no_show_refund: bool
    offer_min: int


booking_zones = BookingZoneRow.table


class BookingPatternRow(Record, table="booking_pattern"):
    """Pattern. `starts` and `ends` are local times of day such as `10:00`."""

    zone_id: Reference
    weekdays: list[int]
    starts: Annotated[str, String(8)]
    ends: Annotated[str, String(8)]
    capacity: int
    cut_off_min: int
    price_minor: BigInt | None
    first_day: date
    last_day: date | None
    made_until: date | None
    created_at: datetime
    ended_at: datetime | None


booking_patterns = BookingPatternRow.table


class BookingWindowRow(
    Record,
    table="booking_window",
    items=[
        UniqueConstraint("client_id", "zone_id", "starts_at", "ends_at"),
        Index("ix_booking_window_day", "client_id", "day", "zone_id"),
    ],
):
    """Window. `price_minor` is in minor units of the business's currency."""

    zone_id: Reference
    pattern_id: Reference | None
    day: date
    starts_at: datetime
    ends_at: datetime
    cut_off_at: datetime
    capacity: int
    price_minor: BigInt | None
    closed: bool


booking_windows = BookingWindowRow.table


class ReservationRow(
    Record,
    table="reservation",
    items=[
        UniqueConstraint("client_id", "code"),
        Index("ix_reservation_window", "client_id", "window_id", "outcome"),
        Index("ix_reservation_customer", "client_id", "customer_id", "id"),
    ],
):
    """Reservation.

    `outcome` is None while it is held, confirmed, checked in, or expired but not yet marked. `charged_minor` is the
    price paid from credit and not refunded. `fee_minor` is the no-show fee, due while `fee_transfer_id` and
    `fee_waived_at` are None.
    """

    window_id: Reference
    postal_code: Annotated[str, String(20)]
    customer_id: Reference | None
    order_id: Reference | None
    held_at: datetime
    held_by: Reference | None
    expires_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None
    outcome: Annotated[str, String(20)] | None
    reason: Annotated[str, String(REASON_MAX)] | None
    code: Annotated[str | None, Column("code", String(CODE_LENGTH), info=VOLATILE)]
    checked_in_at: datetime | None
    checked_in_by: Reference | None
    charged_minor: BigInt | None
    charge_transfer_id: Reference | None
    fee_minor: BigInt | None
    fee_transfer_id: Reference | None
    fee_waived_at: datetime | None
    fee_waiver_reason: Annotated[str, String(REASON_MAX)] | None


reservations = ReservationRow.table
partial_unique_index("uq_reservation_order", "order_id IS NOT NULL AND outcome IS NULL", reservations.c.order_id)
"""An order has at most one active reservation, also under concurrency."""


class WaitingEntryRow(
    Record,
    table="waiting_entry",
    items=[
        Index("ix_waiting_entry_window", "client_id", "window_id", "status", "id"),
        Index("ix_waiting_entry_customer", "client_id", "customer_id", "id"),
        Index("ix_waiting_entry_reservation", "client_id", "reservation_id"),
    ],
):
    """Waiting list entry."""

    window_id: Reference
    customer_id: Reference
    postal_code: Annotated[str, String(20)]
    status: Annotated[str, String(20)]
    joined_at: datetime
    reservation_id: Reference | None
    offered_until: datetime | None
    ended_at: datetime | None


waiting_entries = WaitingEntryRow.table
partial_unique_index(
    "uq_waiting_entry_live",
    "status IN ('waiting', 'offered')",
    waiting_entries.c.window_id,
    waiting_entries.c.customer_id,
)
"""A customer waits at most once for a window, also under concurrency."""
