"""A client's rules for its drivers' app: at most one row a client."""

from typing import Any

from sqlalchemy import Boolean, Column, Integer, UniqueConstraint, select, update

from haulier.contexts.driver_app.policy.rules import RiderPolicy
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
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
BOOLEAN_COLUMNS = {column.name for column in rider_policies.columns if isinstance(column.type, Boolean)}
_one = select(*(rider_policies.c[name] for name in RiderPolicy.__struct_fields__))


async def load_rider_policy(work: UnitOfWork) -> RiderPolicy:
    """The client's rules, or what holds where nothing was set."""
    row = await work.first(_one)
    if row is None:
        return RiderPolicy()
    told = {name: getattr(row, name) for name in RiderPolicy.__struct_fields__}
    return RiderPolicy(**{name: bool(value) if name in BOOLEAN_COLUMNS else value for name, value in told.items()})


async def upsert_rider_policy(work: UnitOfWork, **values: Any) -> None:
    """Write the client's rules."""
    if not await work.run(update(rider_policies).values(**values)):
        await work.insert(rider_policies, **values)
