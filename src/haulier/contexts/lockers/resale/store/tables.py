"""Tables of rental offers, rentals, payments and allotted compartments."""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import BigInteger, Column, Date, Index, Integer, String

from haulier.contexts.lockers.resale.contract import LEASE_REF_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX


class LockerOfferRow(
    Record,
    table="locker_offer",
    items=[
        Index("ix_locker_offer_status", "client_id", "status"),
        Index("ix_locker_offer_site", "client_id", "site_id"),
    ],
):
    """An offer."""

    site_id: Reference
    name: Annotated[str, String(NAME_MAX)]
    status: Annotated[str, String(12)]
    size: Annotated[str, String(2)]
    boxes: int
    min_boxes: int
    min_days: int
    max_days: int
    day_minor: BigInt
    setup_minor: BigInt
    currency: Annotated[str, String(3)]
    hold_minutes: int
    withdraw_hours: int
    terms: Annotated[str, String(NOTE_MAX)]
    created_at: datetime
    ended_at: datetime | None


offers = LockerOfferRow.table
plain_columns(offers, "name", "status", "size", "currency", "terms")

leases = tenant_table(
    "locker_lease",
    Column("offer_id", Id, nullable=False),
    Column("site_id", Id, nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("status", String(12), nullable=False),
    Column("lease_ref", String(LEASE_REF_MAX)),
    Column("size", String(2), nullable=False),
    Column("boxes", Integer, nullable=False),
    Column("days", Integer, nullable=False),
    Column("day_minor", BigInteger, nullable=False),
    Column("setup_minor", BigInteger, nullable=False),
    Column("price_minor", BigInteger, nullable=False),
    Column("paid_minor", BigInteger, nullable=False),
    Column("refunded_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("withdraw_hours", Integer, nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("held_until", UTCDateTime, nullable=False),
    Column("paid_at", UTCDateTime),
    Column("ends_at", UTCDateTime),
    Column("suspended_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_locker_lease_customer", "client_id", "customer_id"),
    Index("ix_locker_lease_offer", "client_id", "offer_id", "status"),
    Index("ix_locker_lease_site", "client_id", "site_id"),
    Index("ix_locker_lease_status", "client_id", "status"),
)
plain_columns(leases, "status", "size", "currency", "reason")

entries = tenant_table(
    "locker_lease_entry",
    Column("lease_id", Id, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("boxes", Integer, nullable=False),
    Column("days", Integer, nullable=False),
    Column("day_minor", BigInteger, nullable=False),
    Column("amount_minor", BigInteger, nullable=False),
    Column("refunded_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("transfer_id", Id),
    Column("starts_at", UTCDateTime, nullable=False),
    Column("ends_at", UTCDateTime, nullable=False),
    Column("booked_on", Date, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_locker_lease_entry_lease", "client_id", "lease_id"),
    Index("ix_locker_lease_entry_booked", "client_id", "booked_on"),
)
"""`amount_minor` is negative for refunds. `refunded_minor` is the refunded part of a payment."""
plain_columns(entries, "kind", "currency")


class AllotmentRow(
    Record, table="locker_allotment", items=[Index("ix_locker_allotment_lease", "client_id", "lease_id")]
):
    """An allotted compartment.

    `out_since` is the start of an outage without a replacement.
    """

    lease_id: Reference
    box_id: Reference
    since: datetime
    out_since: datetime | None
    ended_at: datetime | None


allotments = AllotmentRow.table
partial_unique_index("uq_locker_allotment_box", "ended_at IS NULL", allotments.c.box_id)

personal_data(
    leases,
    RecordKind.LOCKER_LEASES,
    by={"customer_id": PersonKey.USER},
    erased={"lease_ref": None},
    in_use=leases.c.ended_at.is_(None),
)
retained(
    RecordKind.LOCKER_LEASES,
    leases.c.ended_at,
    default_days=1095,
    minimum_days=30,
    children=(entries.c.lease_id, allotments.c.lease_id),
)


class LockerLeaseRow(Row):
    """A rental with the name of its offer."""

    id: int
    offer_id: int
    offer_name: str
    site_id: int
    customer_id: int
    status: str
    lease_ref: str | None
    size: str
    boxes: int
    days: int
    day_minor: int
    setup_minor: int
    price_minor: int
    paid_minor: int
    refunded_minor: int
    currency: str
    withdraw_hours: int
    reason: str | None
    created_at: datetime
    held_until: datetime
    paid_at: datetime | None
    ends_at: datetime | None
    suspended_at: datetime | None
    ended_at: datetime | None


class LeaseEntryRow(Row):
    """A payment or refund of a rental."""

    id: int
    lease_id: int
    offer_id: int
    customer_id: int
    kind: str
    boxes: int
    days: int
    day_minor: int
    amount_minor: int
    refunded_minor: int
    currency: str
    transfer_id: int | None
    starts_at: datetime
    ends_at: datetime
    booked_on: date
    created_at: datetime


class LeasedBoxRow(Row):
    """A rented compartment with its content."""

    box_id: int
    cabinet: str
    box: int
    size: str
    low: bool
    state: str
    since: datetime
    out_since: datetime | None
    parcel_id: int | None


class LeaseUsageRow(Row):
    """Use and revenue of a rental."""

    id: int
    offer_id: int
    offer_name: str
    customer_id: int
    status: str
    boxes: int
    currency: str


class LetBoxesRow(Row):
    """Number of rented or free compartments of an offer."""

    id: int
    boxes: int


class LeaseSumRow(Row):
    """Payments and refunds of a rental in a period."""

    lease_id: int
    paid_minor: int
    refunded_minor: int


class LeaseParcelsRow(Row):
    """Parcels deposited in a period, or inside now, by rental."""

    lease_id: int
    parcels: int
    in_boxes: int
