"""A client's rules for its drivers' app: at most one row a client."""

from typing import Any

from msgspec import convert
from sqlalchemy import Boolean, Column, Integer, String, UniqueConstraint, select

from haulier.contexts.driver_app.policy.rules import LoadingPolicy, RiderPolicy
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

rider_policies = tenant_table(
    "rider_policy",
    Column("photo_required", Boolean, nullable=False),
    Column("signature_required", Boolean, nullable=False),
    Column("recipient_required", Boolean, nullable=False),
    Column("max_distance_m", Integer),
    Column("position_every_s", Integer, nullable=False),
    Column("positions_kept_days", Integer, nullable=False),
    Column("offer_seconds", Integer, nullable=False),
    Column("offer_radius_m", Integer, nullable=False),
    Column("riders_per_round", Integer, nullable=False),
    Column("rounds_max", Integer, nullable=False),
    Column("loading_check", String(10), nullable=False, server_default=LoadingPolicy.IGNORE.value),
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
plain_columns(rider_policies, "loading_check")
_policy = select(*(rider_policies.c[name] for name in RiderPolicy.__struct_fields__))


async def get_rider_policy(work: UnitOfWork) -> RiderPolicy | None:
    """The client's rules, or None where the client set none."""
    row: Any = await work.first(_policy)
    return None if row is None else convert(row._asdict(), RiderPolicy)


async def upsert_rider_policy(work: UnitOfWork, **values: Any) -> None:
    """Write the client's rules."""
    await work.upsert(rider_policies, (), **values)
