"""Tables of zones, windows, reservations and waiting lists."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Boolean, Column, Date, Index, Integer, String, UniqueConstraint

from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, REASON_MAX

ADDRESS_MAX, CODE_LENGTH = 300, 6

booking_zones = tenant_table(
    "booking_zone",
    Column("name", String(NAME_MAX), nullable=False),
    Column("postal_prefixes", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("address", String(ADDRESS_MAX)),
    Column("check_in_before_min", Integer, nullable=False),
    Column("grace_min", Integer, nullable=False),
    Column("no_show_fee_minor", BigInteger),
    Column("no_show_refund", Boolean, nullable=False),
    Column("offer_min", Integer, nullable=False),
    UniqueConstraint("client_id", "name"),
)
booking_patterns = tenant_table(
    "booking_pattern",
    Column("zone_id", Id, nullable=False),
    Column("weekdays", Json, nullable=False),
    Column("starts", String(8), nullable=False),
    Column("ends", String(8), nullable=False),
    Column("capacity", Integer, nullable=False),
    Column("cut_off_min", Integer, nullable=False),
    Column("price_minor", BigInteger),
    Column("first_day", Date, nullable=False),
    Column("last_day", Date),
    Column("made_until", Date),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
)
booking_windows = tenant_table(
    "booking_window",
    Column("zone_id", Id, nullable=False),
    Column("pattern_id", Id),
    Column("day", Date, nullable=False),
    Column("starts_at", UTCDateTime, nullable=False),
    Column("ends_at", UTCDateTime, nullable=False),
    Column("cut_off_at", UTCDateTime, nullable=False),
    Column("capacity", Integer, nullable=False),
    Column("price_minor", BigInteger),
    Column("closed", Boolean, nullable=False),
    UniqueConstraint("client_id", "zone_id", "starts_at", "ends_at"),
    Index("ix_booking_window_day", "client_id", "day", "zone_id"),
)
reservations = tenant_table(
    "reservation",
    Column("window_id", Id, nullable=False),
    Column("postal_code", String(20), nullable=False),
    Column("customer_id", Id),
    Column("order_id", Id),
    Column("held_at", UTCDateTime, nullable=False),
    Column("held_by", Id),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("confirmed_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Column("outcome", String(20)),
    Column("reason", String(REASON_MAX)),
    Column("code", String(CODE_LENGTH), info=VOLATILE),
    Column("checked_in_at", UTCDateTime),
    Column("checked_in_by", Id),
    Column("charged_minor", BigInteger),
    Column("charge_transfer_id", Id),
    Column("fee_minor", BigInteger),
    Column("fee_transfer_id", Id),
    Column("fee_waived_at", UTCDateTime),
    Column("fee_waiver_reason", String(REASON_MAX)),
    UniqueConstraint("client_id", "code"),
    Index("ix_reservation_window", "client_id", "window_id", "outcome"),
    Index("ix_reservation_customer", "client_id", "customer_id", "id"),
)
partial_unique_index("uq_reservation_order", "order_id IS NOT NULL AND outcome IS NULL", reservations.c.order_id)
"""An order has at most one active reservation, also under concurrency."""
waiting_entries = tenant_table(
    "waiting_entry",
    Column("window_id", Id, nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("postal_code", String(20), nullable=False),
    Column("status", String(20), nullable=False),
    Column("joined_at", UTCDateTime, nullable=False),
    Column("reservation_id", Id),
    Column("offered_until", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_waiting_entry_window", "client_id", "window_id", "status", "id"),
    Index("ix_waiting_entry_customer", "client_id", "customer_id", "id"),
    Index("ix_waiting_entry_reservation", "client_id", "reservation_id"),
)
partial_unique_index(
    "uq_waiting_entry_live",
    "status IN ('waiting', 'offered')",
    waiting_entries.c.window_id,
    waiting_entries.c.customer_id,
)
"""A customer waits at most once for a window, also under concurrency."""


class BookingZoneRow(Row):
    """Delivery zone, or place for visits.

    `no_show_fee_minor` is in minor units of the business's currency.
    """

    id: int
    name: str
    postal_prefixes: list[str]
    kind: str
    address: str | None
    check_in_before_min: int
    grace_min: int
    no_show_fee_minor: int | None
    no_show_refund: bool
    offer_min: int


class BookingPatternRow(Row):
    """Pattern. `starts` and `ends` are local times of day such as `10:00`."""

    id: int
    zone_id: int
    weekdays: list[int]
    starts: str
    ends: str
    capacity: int
    cut_off_min: int
    price_minor: int | None
    first_day: date
    last_day: date | None
    made_until: date | None
    ended_at: datetime | None


class BookingWindowRow(Row):
    """Window. `price_minor` is in minor units of the business's currency."""

    id: int
    zone_id: int
    pattern_id: int | None
    day: date
    starts_at: datetime
    ends_at: datetime
    cut_off_at: datetime
    capacity: int
    price_minor: int | None
    closed: bool


class ReservationRow(Row):
    """Reservation.

    `outcome` is None while it is held, confirmed, checked in, or expired but not yet marked. `charged_minor` is the
    price paid from credit and not refunded. `fee_minor` is the no-show fee, due while `fee_transfer_id` and
    `fee_waived_at` are None.
    """

    id: int
    window_id: int
    postal_code: str
    customer_id: int | None
    order_id: int | None
    held_at: datetime
    expires_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None
    outcome: str | None
    reason: str | None
    code: str | None
    checked_in_at: datetime | None
    charged_minor: int | None
    charge_transfer_id: int | None
    fee_minor: int | None
    fee_transfer_id: int | None
    fee_waived_at: datetime | None
    fee_waiver_reason: str | None


class WaitingEntryRow(Row):
    """Waiting list entry."""

    id: int
    window_id: int
    customer_id: int
    postal_code: str
    status: str
    joined_at: datetime
    reservation_id: int | None
    offered_until: datetime | None
    ended_at: datetime | None
