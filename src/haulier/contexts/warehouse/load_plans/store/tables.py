"""The tables of load spaces and load plans."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import NAME_MAX


class LoadSpaceRow(Record, table="load_space", items=[UniqueConstraint("client_id", "code")]):
    """A load space.

    `layout` has the doors, obstacles, axles, balance and reach as they were given.
    """

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    kind: Annotated[str, String(10)]
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


load_spaces = LoadSpaceRow.table
plain_columns(load_spaces, "code", "name", "kind", "layout")


class LoadSpaceVehicleRow(
    Record,
    table="load_space_vehicle",
    items=[
        UniqueConstraint("client_id", "vehicle_id"),
        Index("ix_load_space_vehicle_space", "client_id", "load_space_id"),
    ],
):
    """A vehicle and its load space.

    Which vehicle looks like which load space inside.
    """

    vehicle_id: Reference
    load_space_id: Reference


load_space_vehicles = LoadSpaceVehicleRow.table


class LoadPlanRow(
    Record,
    table="load_plan",
    items=[
        UniqueConstraint("client_id", "route_id", "digest"),
        Index("ix_load_plan_route", "client_id", "route_id", "id"),
    ],
):
    """A plan that was committed.

    `problem` and `plan` are the solver's own documents; `digest` names both.
    """

    route_id: Reference
    digest: Annotated[str, String(64)]
    input_hash: Annotated[str, String(64)]
    problem: dict[str, Any]
    plan: dict[str, Any]
    pieces: int
    left_over: int
    spaces_used: int
    cost_minor: BigInt
    created_at: datetime
    created_by: Reference | None
    replaced_at: datetime | None


load_plans = LoadPlanRow.table
plain_columns(load_plans, "digest", "input_hash", "problem", "plan")
