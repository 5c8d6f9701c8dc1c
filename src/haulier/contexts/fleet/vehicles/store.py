"""The table of vehicles."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, Column, Index, String, bindparam, func, or_, select

from haulier.contexts.fleet.drivers.rules import skill_columns, skill_pattern
from haulier.contexts.fleet.vehicles.rules import SERVICE_NOTICE_M
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import contains
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX
from haulier.solvers.routing.travel import TravelMode

Amount = Annotated[int, BigInteger]


class VehicleRow(Record, table="vehicle", items=[Index(None, "client_id", "contractor_id")]):
    """A vehicle.

    `contractor_id` is None for vehicles of the client itself; a limit of None is unlimited.
    """

    contractor_id: Reference | None
    name: Annotated[str, String(NAME_MAX)]
    plate: Annotated[str, String(20)] | None
    travel_mode: Annotated[str, Column("travel_mode", String(20), nullable=False, server_default=TravelMode.VAN.value)]
    depot_id: Reference | None
    capacity_weight_g: Amount | None
    capacity_volume_cm3: Amount | None
    capacity_parcels: int | None
    skills: list[str]
    skill_words: Annotated[str, String(4000)]
    """Skills separated by line breaks, so that both databases can search for one."""
    cost_per_km_minor: Amount
    cost_per_hour_minor: Amount
    cost_fixed_minor: Amount
    speed_percent: int
    max_stops: int | None
    max_distance_m: int | None
    max_time_s: int | None
    odometer_m: Amount | None
    odometer_on: date | None
    next_service_on: date | None
    next_service_at_m: Amount | None
    retired_at: datetime | None
    created_at: datetime


vehicles = VehicleRow.table
plain_columns(vehicles, "name", "plate", "travel_mode", "skills", "skill_words")
_FILTERS = {
    "contractor": vehicles.c.contractor_id == bindparam("contractor"),
    "own": vehicles.c.contractor_id.is_(None),
    "depot": vehicles.c.depot_id == bindparam("depot"),
    "skill": contains(vehicles.c.skill_words, "skill"),
    "travel_mode": vehicles.c.travel_mode == bindparam("travel_mode"),
    "in_use": vehicles.c.retired_at.is_(None),
    "service_until": or_(
        vehicles.c.next_service_on <= bindparam("service_until"),
        vehicles.c.next_service_at_m <= vehicles.c.odometer_m + SERVICE_NOTICE_M,
    ),
}
VALUELESS_FILTERS = {"own", "in_use"}
"""Filters without a value."""


async def insert_vehicle(work: UnitOfWork, *, skills: Sequence[str], **values: Any) -> int:
    """Insert a vehicle and return its id."""
    return await VehicleRow.insert(work, **values, **skill_columns(skills))


async def update_vehicle_row(work: UnitOfWork, vehicle_id: int, values: Mapping[str, Any]) -> None:
    """Set columns of a vehicle."""
    await VehicleRow.update(
        work, vehicle_id, {**values, **skill_columns(values["skills"])} if "skills" in values else values
    )


async def list_vehicle_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[VehicleRow], int]:
    """Return a page of vehicles by name, and the number that match.

    Filters: the keys of `_FILTERS`.
    """
    params = {name: value for name, value in filters.items() if name not in VALUELESS_FILTERS}
    params |= {name: skill_pattern(params[name]) for name in ("skill",) if name in params}
    clauses = (_FILTERS[name] for name in filters)
    return await VehicleRow.list_page(work, *clauses, order_by=[vehicles.c.name], limit=limit, offset=offset, **params)


async def count_vehicle_rows(work: UnitOfWork, filters: Mapping[str, Any]) -> int:
    """Return the number of vehicles that match. Filters: the keys of `_FILTERS`."""
    params = {name: value for name, value in filters.items() if name not in VALUELESS_FILTERS}
    counted = select(func.count()).select_from(vehicles).where(*(_FILTERS[name] for name in filters))
    return int(await work.value(counted, **params))
