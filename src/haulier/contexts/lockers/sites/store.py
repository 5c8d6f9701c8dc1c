"""Tables of sites, lockers, compartments and occupancy.

A unique index allows one live parcel per compartment.
"""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, String, UniqueConstraint

from haulier.contexts.lockers.sites.contract import ADDRESS_MAX, CODE_MAX, FAULT_MAX
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import (
    VOLATILE,
    Id,
    Json,
    UTCDateTime,
    announce_writes,
    partial_unique_index,
    tenant_table,
)
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX

LOCKERS_CHANNEL = "lockers"
"""Channel that notifies a business of changes at its sites."""
REFERENCE_MAX, EMAIL_MAX, PHONE_MAX = 80, 254, 50


class LockerSiteRow(
    Record,
    table="locker_site",
    items=[
        Index("ix_locker_site_place", "client_id", "lat", "lng"),
        Index("ix_locker_site_point_of_interest", "client_id", "point_of_interest_id"),
    ],
):
    """A site."""

    name: Annotated[str, String(NAME_MAX)]
    point_of_interest_id: Reference | None
    address: Annotated[str, String(ADDRESS_MAX)]
    lat: float
    lng: float
    opening_hours: dict[str, Any] | None
    accessibility: list[str]
    access_notes: Annotated[str, String(NOTE_MAX)] | None
    retired: bool
    storage_free_days: int | None
    storage_day_minor: BigInt | None
    created_at: datetime


sites = LockerSiteRow.table
plain_columns(sites, "name", "address", "lat", "lng", "opening_hours", "accessibility", "access_notes")


class LockerCabinetRow(
    Record,
    table="locker_cabinet",
    items=[UniqueConstraint("client_id", "site_id", "code"), UniqueConstraint("client_id", "device_id")],
):
    """A cabinet."""

    site_id: Reference
    code: Annotated[str, String(CODE_MAX)]
    device_id: Reference | None
    retired: bool
    created_at: datetime


cabinets = LockerCabinetRow.table
plain_columns(cabinets, "code")


class LockerBoxRow(
    Record,
    table="locker_box",
    items=[
        UniqueConstraint("client_id", "cabinet_id", "number"),
        Index("ix_locker_box_site", "client_id", "site_id", "size_rank"),
        Index("ix_locker_box_lease", "client_id", "lease_id"),
    ],
):
    """A box.

    `usable`: ready, and neither its locker nor its site is retired. `lease_id` is the rental with exclusive use.
    """

    site_id: Reference
    cabinet_id: Reference
    number: int
    size: Annotated[str, String(2)]
    size_rank: int
    low: bool
    usable: bool
    state: Annotated[str, String(10)]
    fault: Annotated[str, String(FAULT_MAX)] | None
    door_open: bool | None
    lease_id: Reference | None


boxes = LockerBoxRow.table
plain_columns(boxes, "size", "state", "fault")

parcels = tenant_table(
    "locker_parcel",
    Column("site_id", Id, nullable=False),
    Column("box_id", Id, nullable=False),
    Column("kind", String(10), nullable=False, server_default="delivery"),
    Column("status", String(12), nullable=False),
    Column("customer_id", Id),
    Column("order_id", Id),
    Column("lease_id", Id),
    Column("reference", String(REFERENCE_MAX)),
    Column("recipient_name", String(NAME_MAX)),
    Column("recipient_email", String(EMAIL_MAX)),
    Column("recipient_phone", String(PHONE_MAX)),
    Column("language", String(10)),
    Column("code_sha256", LargeBinary(32), info=VOLATILE),
    Column("code_nonce", LargeBinary(16), info=VOLATILE),
    Column("code_made_at", UTCDateTime),
    Column("reminded_at", UTCDateTime),
    Column("until", UTCDateTime, nullable=False),
    Column("keep_days", Integer, nullable=False),
    Column("end_reason", String(REASON_MAX)),
    Column("home", Json),
    Column("fee_minor", BigInteger),
    Column("fee_charged", Boolean),
    Column("reserved_at", UTCDateTime, nullable=False),
    Column("deposited_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_locker_parcel_site", "client_id", "site_id", "status"),
    Index("ix_locker_parcel_customer", "client_id", "customer_id"),
    Index("ix_locker_parcel_order", "client_id", "order_id"),
    Index("ix_locker_parcel_lease", "client_id", "lease_id"),
)
"""`home` is the pickup address of an order without the locker. `fee_minor` is the storage fee at the end."""
partial_unique_index("uq_locker_parcel_box", "ended_at IS NULL", parcels.c.box_id)
partial_unique_index(
    "uq_locker_parcel_code", "ended_at IS NULL AND code_sha256 IS NOT NULL", parcels.c.site_id, parcels.c.code_sha256
)
plain_columns(parcels, "kind", "status", "language", "code_sha256", "code_nonce", "end_reason")
personal_data(
    parcels,
    RecordKind.LOCKER_PARCELS,
    by={
        "customer_id": PersonKey.USER,
        "order_id": PersonKey.ORDER,
        "recipient_email": PersonKey.EMAIL,
        "recipient_phone": PersonKey.PHONE,
    },
    erased={
        "recipient_name": ERASED,
        "recipient_email": None,
        "recipient_phone": None,
        "reference": None,
        "home": None,
    },
    in_use=parcels.c.ended_at.is_(None),
    secret=frozenset({"code_sha256", "code_nonce"}),
)
retained(RecordKind.LOCKER_PARCELS, parcels.c.ended_at, default_days=365, minimum_days=30)

for _table in (sites, cabinets, parcels):
    announce_writes(_table, LOCKERS_CHANNEL)
# Doors are excluded: every heartbeat writes them, and real moves are notified where they are recorded.
announce_writes(boxes, LOCKERS_CHANNEL, silent_columns={"door_open"})


class SiteNameRow(Row):
    """Name of a site."""

    id: int
    name: str


class OccupiedBoxRow(LockerBoxRow):
    """A compartment with its parcel."""

    parcel_id: int | None


class FreeCountRow(Row):
    """Number of all and free compartments of a site in one size."""

    site_id: int
    size: str
    boxes: int
    free: int
    out_of_use: int
