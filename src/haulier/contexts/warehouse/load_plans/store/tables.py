"""The tables of load spaces and load plans."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import NAME_MAX

load_spaces = tenant_table(
    "load_space",
    Column("code", String(CODE_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("length_mm", Integer, nullable=False),
    Column("width_mm", Integer, nullable=False),
    Column("height_mm", Integer, nullable=False),
    Column("payload_g", Integer, nullable=False),
    Column("tare_g", Integer, nullable=False),
    Column("cost_minor", Integer, nullable=False),
    Column("stock", Integer, nullable=False),
    Column("target_utilization_percent", Integer, nullable=False),
    Column("layout", Json, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "code"),
)
"""`layout` has the doors, obstacles, axles, balance and reach as they were given."""
plain_columns(load_spaces, "code", "name", "kind", "layout")

load_space_vehicles = tenant_table(
    "load_space_vehicle",
    Column("vehicle_id", Id, nullable=False),
    Column("load_space_id", Id, nullable=False),
    UniqueConstraint("client_id", "vehicle_id"),
    Index("ix_load_space_vehicle_space", "client_id", "load_space_id"),
)
"""Which vehicle looks like which load space inside."""

load_plans = tenant_table(
    "load_plan",
    Column("route_id", Id, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("input_hash", String(64), nullable=False),
    Column("problem", Json, nullable=False),
    Column("plan", Json, nullable=False),
    Column("pieces", Integer, nullable=False),
    Column("left_over", Integer, nullable=False),
    Column("spaces_used", Integer, nullable=False),
    Column("cost_minor", BigInteger, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("created_by", Id),
    Column("replaced_at", UTCDateTime),
    UniqueConstraint("client_id", "route_id", "digest"),
    Index("ix_load_plan_route", "client_id", "route_id", "id"),
)
"""`problem` and `plan` are the solver's own documents; `digest` names both."""
plain_columns(load_plans, "digest", "input_hash", "problem", "plan")


class LoadSpaceRow(Row):
    """A load space."""

    id: int
    code: str
    name: str
    kind: str
    length_mm: int
    width_mm: int
    height_mm: int
    payload_g: int
    tare_g: int
    cost_minor: int
    stock: int
    target_utilization_percent: int
    layout: dict[str, Any]
    active: bool
    created_at: datetime
    updated_at: datetime


class LoadSpaceVehicleRow(Row):
    """A vehicle and its load space."""

    vehicle_id: int
    load_space_id: int


class LoadPlanRow(Row):
    """A plan that was committed."""

    id: int
    route_id: int
    digest: str
    input_hash: str
    problem: dict[str, Any]
    plan: dict[str, Any]
    pieces: int
    left_over: int
    spaces_used: int
    cost_minor: int
    created_at: datetime
    created_by: int | None
    replaced_at: datetime | None
