"""The tables of cartons and packing plans."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import NAME_MAX


class CartonRow(Record, table="carton", items=[UniqueConstraint("client_id", "code")]):
    """A kind of carton."""

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
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


cartons = CartonRow.table
plain_columns(cartons, "code", "name")


class FillingRow(Record, table="packing_filling", items=[UniqueConstraint("client_id", "code")]):
    """A filling.

    The default filling is the one with the latest `default_since`: so two that become it at once need no lock.
    """

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    unit_mm3: int
    unit_g: int
    unit_cost_minor: int
    fragile_cushion_mm: int
    wall_cushion_mm: int
    default_since: datetime | None
    active: bool
    created_at: datetime
    updated_at: datetime


fillings = FillingRow.table
plain_columns(fillings, "code", "name")


class PackingPlanRow(
    Record,
    table="packing_plan",
    items=[
        UniqueConstraint("client_id", "subject", "subject_id", "digest"),
        Index("ix_packing_plan_subject", "client_id", "subject", "subject_id", "id"),
    ],
):
    """A plan that was committed.

    `problem` and `plan` are the solver's own documents; `digest` names both.
    """

    subject: Annotated[str, String(10)]
    subject_id: Reference
    digest: Annotated[str, String(64)]
    input_hash: Annotated[str, String(64)]
    problem: dict[str, Any]
    plan: dict[str, Any]
    pieces: int
    outer_volume_mm3: BigInt
    cartons: int
    cost_minor: BigInt
    created_at: datetime
    created_by: Reference | None
    replaced_at: datetime | None


packing_plans = PackingPlanRow.table
plain_columns(packing_plans, "subject", "digest", "input_hash", "problem", "plan")
