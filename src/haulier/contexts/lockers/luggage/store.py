"""Tables of the luggage relay.

A bag in a locker has a compartment in the form of a parcel at either end.
"""

from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, String
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
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX

STATUS_MAX, SERVICE_MAX = 20, 40


class LuggageTermsRow(Record, table="luggage_settings", items=[Unique("client_id")]):
    """Settings of the luggage relay."""

    pay_minutes: int
    free_cancel_hours: int
    late_refund_percent: int
    pick_days: int
    claim_days: int
    liability_minor: BigInt


settings = LuggageTermsRow.table


class LuggageRow(
    Record,
    table="luggage_booking",
    items=[
        Unique("client_id", "tracking_number"),
        Index("ix_luggage_booking_customer", "client_id", "customer_id", "id"),
        Index("ix_luggage_booking_status", "client_id", "status", "id"),
        Index("ix_luggage_booking_driver", "client_id", "driver_id", "id"),
        Index("ix_luggage_booking_from", "client_id", "from_site_id"),
        Index("ix_luggage_booking_to", "client_id", "to_site_id"),
        Index("ix_luggage_booking_sold", "client_id", "sold_on"),
    ],
):
    """A booking.

    `door_stuck`: a compartment did not open during drop-off, and no other was free.
    """

    customer_id: Reference
    driver_id: Reference | None
    tracking_number: Annotated[str, Column("tracking_number", String(40), nullable=False, info=VOLATILE)]
    service_code: Annotated[str, String(SERVICE_MAX)]
    form_values: dict[str, Any]
    status: Annotated[str, String(STATUS_MAX)]
    end_reason: Annotated[str, String(STATUS_MAX)] | None
    traveller_name: Annotated[str, String(NAME_MAX)]
    traveller_email: Annotated[str, String(EMAIL_MAX)] | None
    traveller_phone: Annotated[str, String(PHONE_MAX)] | None
    language: Annotated[str, String(10)] | None
    travel_reference: Annotated[str, String(TRAVEL_MAX)] | None
    note: Annotated[str, String(NOTE_MAX)]
    origin: dict[str, Any]
    destination: dict[str, Any]
    from_site_id: Reference | None
    to_site_id: Reference | None
    drop_from: datetime
    drop_until: datetime
    pick_from: datetime
    pick_until: datetime | None
    bag_count: int
    price_minor: BigInt
    price_lines: list[dict[str, Any]]
    refunded_minor: BigInt
    currency: Annotated[str, String(3)]
    transfer_id: Reference | None
    pay_until: datetime
    pin_sha256: Annotated[bytes | None, Column("pin_sha256", LargeBinary(32), info=VOLATILE)]
    pin_nonce: Annotated[bytes | None, Column("pin_nonce", LargeBinary(16), info=VOLATILE)]
    wrong_pins: int
    pin_rests_until: datetime | None
    late: bool
    door_stuck: bool
    sold_on: date | None
    created_at: datetime
    paid_at: datetime | None
    received_at: datetime | None
    arrived_at: datetime | None
    ended_at: datetime | None


bookings = LuggageRow.table

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


class LuggageHandoverRow(
    Record, table="luggage_handover", items=[Index("ix_luggage_handover_booking", "client_id", "booking_id", "id")]
):
    """A link of the custody chain."""

    booking_id: Reference
    tag: Annotated[str, Column("tag", String(TAG_MAX), nullable=False, info=VOLATILE)]
    step: Annotated[str, String(STATUS_MAX)]
    holder: Annotated[str, String(STATUS_MAX)]
    user_id: Reference | None
    proof: Annotated[str, String(STATUS_MAX)] | None
    note: Annotated[str, String(NOTE_MAX)] | None
    at: datetime


handovers = LuggageHandoverRow.table
personal_data(
    handovers,
    RecordKind.LUGGAGE_BOOKINGS,
    by={"user_id": PersonKey.USER},
    erased={"note": None},
    plain=("tag", "step", "holder", "proof"),
)


class LuggageClaimRow(
    Record,
    table="luggage_claim",
    items=[
        Index("ix_luggage_claim_booking", "client_id", "booking_id"),
        Index("ix_luggage_claim_customer", "client_id", "customer_id", "id"),
        Index("ix_luggage_claim_status", "client_id", "status", "id"),
    ],
):
    """A claim.

    `about` is the tag of the bag, or empty for all bags.
    """

    booking_id: Reference
    customer_id: Reference
    kind: Annotated[str, String(STATUS_MAX)]
    about: Annotated[str, Column("about", String(TAG_MAX), nullable=False, info=VOLATILE)]
    status: Annotated[str, String(STATUS_MAX)]
    note: Annotated[str, String(NOTE_MAX)]
    reason: Annotated[str, String(NOTE_MAX)] | None
    refunded_minor: BigInt
    compensation_minor: BigInt
    currency: Annotated[str, String(3)]
    created_at: datetime
    ended_at: datetime | None


claims = LuggageClaimRow.table
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
