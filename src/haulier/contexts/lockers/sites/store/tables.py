"""Tables of sites, lockers, compartments and occupancy.

A unique index allows one live parcel per compartment.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, LargeBinary, String, UniqueConstraint

from haulier.contexts.lockers.sites.contract import ADDRESS_MAX, CODE_MAX, FAULT_MAX
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data, plain_columns, retained
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

sites = tenant_table(
    "locker_site",
    Column("name", String(NAME_MAX), nullable=False),
    Column("point_of_interest_id", Id),
    Column("address", String(ADDRESS_MAX), nullable=False),
    Column("lat", Float, nullable=False),
    Column("lng", Float, nullable=False),
    Column("opening_hours", Json),
    Column("accessibility", Json, nullable=False),
    Column("access_notes", String(NOTE_MAX)),
    Column("retired", Boolean, nullable=False),
    Column("storage_free_days", Integer),
    Column("storage_day_minor", BigInteger),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_locker_site_place", "client_id", "lat", "lng"),
    Index("ix_locker_site_point_of_interest", "client_id", "point_of_interest_id"),
)
plain_columns(sites, "name", "address", "lat", "lng", "opening_hours", "accessibility", "access_notes")

cabinets = tenant_table(
    "locker_cabinet",
    Column("site_id", Id, nullable=False),
    Column("code", String(CODE_MAX), nullable=False),
    Column("device_id", Id),
    Column("retired", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "site_id", "code"),
    UniqueConstraint("client_id", "device_id"),
)
plain_columns(cabinets, "code")

boxes = tenant_table(
    "locker_box",
    Column("site_id", Id, nullable=False),
    Column("cabinet_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("size", String(2), nullable=False),
    Column("size_rank", Integer, nullable=False),
    Column("low", Boolean, nullable=False),
    Column("usable", Boolean, nullable=False),
    Column("state", String(10), nullable=False),
    Column("fault", String(FAULT_MAX)),
    Column("door_open", Boolean),
    Column("lease_id", Id),
    UniqueConstraint("client_id", "cabinet_id", "number"),
    Index("ix_locker_box_site", "client_id", "site_id", "size_rank"),
    Index("ix_locker_box_lease", "client_id", "lease_id"),
)
"""`usable`: ready, and neither its locker nor its site is retired. `lease_id` is the rental with exclusive use."""
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


class LockerSiteRow(Row):
    """A site."""

    id: int
    name: str
    point_of_interest_id: int | None
    address: str
    lat: float
    lng: float
    opening_hours: dict[str, Any] | None
    accessibility: list[str]
    access_notes: str | None
    retired: bool
    storage_free_days: int | None
    storage_day_minor: int | None
    created_at: datetime


class SiteNameRow(Row):
    """Name of a site."""

    id: int
    name: str


class LockerCabinetRow(Row):
    """A cabinet."""

    id: int
    site_id: int
    code: str
    device_id: int | None
    retired: bool
    created_at: datetime


class LockerBoxRow(Row):
    """A box."""

    id: int
    site_id: int
    cabinet_id: int
    number: int
    size: str
    size_rank: int
    low: bool
    usable: bool
    state: str
    fault: str | None
    door_open: bool | None
    lease_id: int | None


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
