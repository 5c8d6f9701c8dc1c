"""The tables of cartons and packing plans."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import NAME_MAX

cartons = tenant_table(
    "carton",
    Column("code", String(CODE_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("inner_length_mm", Integer, nullable=False),
    Column("inner_width_mm", Integer, nullable=False),
    Column("inner_height_mm", Integer, nullable=False),
    Column("outer_length_mm", Integer, nullable=False),
    Column("outer_width_mm", Integer, nullable=False),
    Column("outer_height_mm", Integer, nullable=False),
    Column("tare_g", Integer, nullable=False),
    Column("payload_g", Integer, nullable=False),
    Column("cost_minor", Integer, nullable=False),
    Column("stock", Integer),
    Column("active", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "code"),
)
plain_columns(cartons, "code", "name")

fillings = tenant_table(
    "packing_filling",
    Column("code", String(CODE_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("unit_mm3", Integer, nullable=False),
    Column("unit_g", Integer, nullable=False),
    Column("unit_cost_minor", Integer, nullable=False),
    Column("fragile_cushion_mm", Integer, nullable=False),
    Column("wall_cushion_mm", Integer, nullable=False),
    Column("default_since", UTCDateTime),
    Column("active", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "code"),
)
"""The default filling is the one with the latest `default_since`: so two that become it at once need no lock."""
plain_columns(fillings, "code", "name")

packing_plans = tenant_table(
    "packing_plan",
    Column("subject", String(10), nullable=False),
    Column("subject_id", Id, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("input_hash", String(64), nullable=False),
    Column("problem", Json, nullable=False),
    Column("plan", Json, nullable=False),
    Column("pieces", Integer, nullable=False),
    Column("outer_volume_mm3", BigInteger, nullable=False),
    Column("cartons", Integer, nullable=False),
    Column("cost_minor", BigInteger, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("created_by", Id),
    Column("replaced_at", UTCDateTime),
    UniqueConstraint("client_id", "subject", "subject_id", "digest"),
    Index("ix_packing_plan_subject", "client_id", "subject", "subject_id", "id"),
)
"""`problem` and `plan` are the solver's own documents; `digest` names both."""
plain_columns(packing_plans, "subject", "digest", "input_hash", "problem", "plan")


class CartonRow(Row):
    """A kind of carton."""

    id: int
    code: str
    name: str
    inner_length_mm: int
    inner_width_mm: int
    inner_height_mm: int
    outer_length_mm: int
    outer_width_mm: int
    outer_height_mm: int
    tare_g: int
    payload_g: int
    cost_minor: int
    stock: int | None
    active: bool
    created_at: datetime
    updated_at: datetime


class FillingRow(Row):
    """A filling."""

    id: int
    code: str
    name: str
    unit_mm3: int
    unit_g: int
    unit_cost_minor: int
    fragile_cushion_mm: int
    wall_cushion_mm: int
    default_since: datetime | None
    active: bool
    created_at: datetime
    updated_at: datetime


class PackingPlanRow(Row):
    """A plan that was committed."""

    id: int
    subject: str
    subject_id: int
    digest: str
    input_hash: str
    problem: dict[str, Any]
    plan: dict[str, Any]
    pieces: int
    outer_volume_mm3: int
    cartons: int
    cost_minor: int
    created_at: datetime
    created_by: int | None
    replaced_at: datetime | None
