"""Tables of the luggage relay.

A bag in a locker has a compartment in the form of a parcel at either end.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Date, Index, Integer, LargeBinary, String
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.lockers.luggage.contract.bookings import TAG_MAX, TRAVEL_MAX
from haulier.contexts.lockers.sites.store.tables import EMAIL_MAX, PHONE_MAX
from haulier.kernel.data.personal_data import (
    ERASED,
    PersonKey,
    RecordKind,
    personal_data,
    plain_columns,
    redacted,
    retained,
)
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX

STATUS_MAX, SERVICE_MAX = 20, 40

settings = tenant_table(
    "luggage_settings",
    Column("pay_minutes", Integer, nullable=False),
    Column("free_cancel_hours", Integer, nullable=False),
    Column("late_refund_percent", Integer, nullable=False),
    Column("pick_days", Integer, nullable=False),
    Column("claim_days", Integer, nullable=False),
    Column("liability_minor", BigInteger, nullable=False),
    Unique("client_id"),
)

bookings = tenant_table(
    "luggage_booking",
    Column("customer_id", Id, nullable=False),
    Column("driver_id", Id),
    Column("tracking_number", String(40), nullable=False, info=VOLATILE),
    Column("service_code", String(SERVICE_MAX), nullable=False),
    Column("form_values", Json, nullable=False),
    Column("status", String(STATUS_MAX), nullable=False),
    Column("end_reason", String(STATUS_MAX)),
    Column("traveller_name", String(NAME_MAX), nullable=False),
    Column("traveller_email", String(EMAIL_MAX)),
    Column("traveller_phone", String(PHONE_MAX)),
    Column("language", String(10)),
    Column("travel_reference", String(TRAVEL_MAX)),
    Column("note", String(NOTE_MAX), nullable=False),
    Column("origin", Json, nullable=False),
    Column("destination", Json, nullable=False),
    Column("from_site_id", Id),
    Column("to_site_id", Id),
    Column("drop_from", UTCDateTime, nullable=False),
    Column("drop_until", UTCDateTime, nullable=False),
    Column("pick_from", UTCDateTime, nullable=False),
    Column("pick_until", UTCDateTime),
    Column("bag_count", Integer, nullable=False),
    Column("price_minor", BigInteger, nullable=False),
    Column("price_lines", Json, nullable=False),
    Column("refunded_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("transfer_id", Id),
    Column("pay_until", UTCDateTime, nullable=False),
    Column("pin_sha256", LargeBinary(32), info=VOLATILE),
    Column("pin_nonce", LargeBinary(16), info=VOLATILE),
    Column("wrong_pins", Integer, nullable=False),
    Column("pin_rests_until", UTCDateTime),
    Column("late", Boolean, nullable=False),
    Column("door_stuck", Boolean, nullable=False),
    Column("sold_on", Date),
    Column("created_at", UTCDateTime, nullable=False),
    Column("paid_at", UTCDateTime),
    Column("received_at", UTCDateTime),
    Column("arrived_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Unique("client_id", "tracking_number"),
    Index("ix_luggage_booking_customer", "client_id", "customer_id", "id"),
    Index("ix_luggage_booking_status", "client_id", "status", "id"),
    Index("ix_luggage_booking_driver", "client_id", "driver_id", "id"),
    Index("ix_luggage_booking_from", "client_id", "from_site_id"),
    Index("ix_luggage_booking_to", "client_id", "to_site_id"),
    Index("ix_luggage_booking_sold", "client_id", "sold_on"),
)
"""`door_stuck`: a compartment did not open during drop-off, and no other was free."""

bags = tenant_table(
    "luggage_bag",
    Column("booking_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("tag", String(TAG_MAX), nullable=False, info=VOLATILE),
    Column("size", String(2), nullable=False),
    Column("description", String(NAME_MAX)),
    Column("status", String(STATUS_MAX), nullable=False),
    Column("damaged", Boolean, nullable=False),
    Column("photo_id", Id),
    Column("drop_parcel_id", Id),
    Column("pick_parcel_id", Id),
    Column("scanned_by", Id),
    Column("ended_at", UTCDateTime),
    Unique("client_id", "booking_id", "number"),
    Index("ix_luggage_bag_tag", "client_id", "tag"),
    Index("ix_luggage_bag_drop", "client_id", "drop_parcel_id"),
    Index("ix_luggage_bag_pick", "client_id", "pick_parcel_id"),
)
"""`drop_parcel_id` and `pick_parcel_id` are the parcels of its compartments at either end. `scanned_by` is the user who
had the door opened.
"""
partial_unique_index("uq_luggage_bag_tag", "ended_at IS NULL", bags.c.tag)
plain_columns(bags, "tag", "size", "description", "status")

handovers = tenant_table(
    "luggage_handover",
    Column("booking_id", Id, nullable=False),
    Column("tag", String(TAG_MAX), nullable=False, info=VOLATILE),
    Column("step", String(STATUS_MAX), nullable=False),
    Column("holder", String(STATUS_MAX), nullable=False),
    Column("user_id", Id),
    Column("proof", String(STATUS_MAX)),
    Column("note", String(NOTE_MAX)),
    Column("at", UTCDateTime, nullable=False),
    Index("ix_luggage_handover_booking", "client_id", "booking_id", "id"),
)
personal_data(
    handovers,
    RecordKind.LUGGAGE_BOOKINGS,
    by={"user_id": PersonKey.USER},
    erased={"note": None},
    plain=("tag", "step", "holder", "proof"),
)

claims = tenant_table(
    "luggage_claim",
    Column("booking_id", Id, nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("kind", String(STATUS_MAX), nullable=False),
    Column("about", String(TAG_MAX), nullable=False, info=VOLATILE),
    Column("status", String(STATUS_MAX), nullable=False),
    Column("note", String(NOTE_MAX), nullable=False),
    Column("reason", String(NOTE_MAX)),
    Column("refunded_minor", BigInteger, nullable=False),
    Column("compensation_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Index("ix_luggage_claim_booking", "client_id", "booking_id"),
    Index("ix_luggage_claim_customer", "client_id", "customer_id", "id"),
    Index("ix_luggage_claim_status", "client_id", "status", "id"),
)
"""`about` is the tag of the bag, or empty for all bags."""
partial_unique_index(
    "uq_luggage_claim_open", "status IN ('open', 'accepted')", claims.c.booking_id, claims.c.kind, claims.c.about
)
plain_columns(claims, "kind", "about", "status", "currency")
personal_data(
    bookings,
    RecordKind.LUGGAGE_BOOKINGS,
    by={
        "customer_id": PersonKey.USER,
        "traveller_name": PersonKey.NAME,
        "traveller_email": PersonKey.EMAIL,
        "traveller_phone": PersonKey.PHONE,
    },
    erased={
        "traveller_name": ERASED,
        "traveller_email": None,
        "traveller_phone": None,
        "travel_reference": None,
        "note": ERASED,
        "form_values": lambda row, keys: redacted(row.form_values),
        "origin": lambda row, keys: redacted(row.origin),
        "destination": lambda row, keys: redacted(row.destination),
    },
    in_use=bookings.c.ended_at.is_(None),
    plain=(
        *("tracking_number", "service_code", "status", "end_reason"),
        *("language", "price_lines", "currency", "pin_sha256", "pin_nonce"),
    ),
    secret=frozenset({"pin_sha256", "pin_nonce"}),
)
personal_data(
    claims,
    RecordKind.LUGGAGE_BOOKINGS,
    by={"customer_id": PersonKey.USER},
    erased={"note": ERASED, "reason": None},
    in_use=claims.c.ended_at.is_(None),
)
retained(
    RecordKind.LUGGAGE_BOOKINGS,
    bookings.c.ended_at,
    default_days=1095,
    minimum_days=30,
    children=(bags.c.booking_id, handovers.c.booking_id, claims.c.booking_id),
)


class LuggageRow(Row):
    """A booking."""

    id: int
    customer_id: int
    driver_id: int | None
    tracking_number: str
    service_code: str
    form_values: dict[str, Any]
    status: str
    end_reason: str | None
    traveller_name: str
    traveller_email: str | None
    traveller_phone: str | None
    language: str | None
    travel_reference: str | None
    note: str
    origin: dict[str, Any]
    destination: dict[str, Any]
    from_site_id: int | None
    to_site_id: int | None
    drop_from: datetime
    drop_until: datetime
    pick_from: datetime
    pick_until: datetime | None
    bag_count: int
    price_minor: int
    price_lines: list[dict[str, Any]]
    refunded_minor: int
    currency: str
    transfer_id: int | None
    pay_until: datetime
    pin_sha256: bytes | None
    pin_nonce: bytes | None
    wrong_pins: int
    pin_rests_until: datetime | None
    late: bool
    door_stuck: bool
    created_at: datetime
    paid_at: datetime | None
    received_at: datetime | None
    arrived_at: datetime | None
    ended_at: datetime | None


class LuggageBagRow(Row):
    """A bag and its compartments at either end."""

    id: int
    booking_id: int
    number: int
    tag: str
    size: str
    description: str | None
    status: str
    damaged: bool
    photo_id: int | None
    drop_parcel_id: int | None
    pick_parcel_id: int | None
    scanned_by: int | None
    ended_at: datetime | None
    cabinet: str | None
    box: int | None
    """Number of the compartment that holds the bag, or is reserved for it."""


class LuggageHandoverRow(Row):
    """A link of the custody chain."""

    tag: str
    step: str
    holder: str
    user_id: int | None
    proof: str | None
    note: str | None
    at: datetime


class LuggageClaimRow(Row):
    """A claim."""

    id: int
    booking_id: int
    customer_id: int
    kind: str
    about: str
    status: str
    note: str
    reason: str | None
    refunded_minor: int
    compensation_minor: int
    currency: str
    created_at: datetime
    ended_at: datetime | None


class LuggageTermsRow(Row):
    """Settings of the luggage relay."""

    pay_minutes: int
    free_cancel_hours: int
    late_refund_percent: int
    pick_days: int
    claim_days: int
    liability_minor: int


class LuggageSumsRow(Row):
    """Luggage relayed with a service, on a day or to a destination."""

    key: str
    currency: str
    bookings: int
    bags: int
    gross_minor: int
    refunded_minor: int
    collected: int
    late: int
    lost: int
    cancelled: int
