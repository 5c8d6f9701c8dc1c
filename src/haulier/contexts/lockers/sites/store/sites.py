"""Statements on sites and cabinets."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, Float, bindparam, func, select, update

from haulier.contexts.lockers.sites.store.tables import (
    LockerCabinetRow,
    LockerSiteRow,
    SiteNameRow,
    cabinets,
    sites,
)
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_names = select(sites.c.id, sites.c.name).where(in_param(sites.c.id, "sites"))
_wanted = sites.c.retired.is_(False) | bindparam("all", type_=Boolean)
_list = (
    select(sites)
    .where(_wanted)
    .order_by(sites.c.name, sites.c.id)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(sites).where(_wanted)
_far_north = (sites.c.lat - bindparam("lat", type_=Float)) * (sites.c.lat - bindparam("lat", type_=Float))
_far_east = (sites.c.lng - bindparam("lng", type_=Float)) * bindparam("narrow", type_=Float)
_around = (
    select(sites)
    .where(
        sites.c.retired.is_(False),
        sites.c.lat.between(bindparam("south", type_=Float), bindparam("north", type_=Float)),
        sites.c.lng.between(bindparam("west", type_=Float), bindparam("east", type_=Float)),
    )
    .order_by(_far_north + _far_east * _far_east)
    .limit(bindparam("most"))
)
_at_points = select(sites).where(in_param(sites.c.point_of_interest_id, "points")).order_by(sites.c.id)
_linked_points = (
    select(sites.c.point_of_interest_id)
    .where(sites.c.point_of_interest_id.is_not(None))
    .distinct()
    .order_by("point_of_interest_id")
)
_cabinets = select(cabinets).where(cabinets.c.site_id == bindparam("site")).order_by(cabinets.c.code)


async def list_site_names(work: UnitOfWork, site_ids: Collection[int]) -> Sequence[SiteNameRow]:
    """The names of some sites."""
    return await work.all(_names, SiteNameRow, sites=list(site_ids)) if site_ids else []


async def list_site_rows(
    work: UnitOfWork, *, retired: bool, limit: int, offset: int
) -> tuple[Sequence[LockerSiteRow], int]:
    """A page of sites, by name, and how many there are."""
    rows = await work.all(_list, LockerSiteRow, all=retired, page_size=limit, skipped=offset)
    return rows, await work.value(_count, all=retired)


async def list_sites_around(work: UnitOfWork, **bounds: float) -> Sequence[LockerSiteRow]:
    """The sites within bounds that are in use, about the nearest first."""
    return await work.all(_around, LockerSiteRow, **bounds)


async def list_sites_at_points(work: UnitOfWork, points: Collection[int]) -> Sequence[LockerSiteRow]:
    """The sites at some points of interest, the retired ones too."""
    return await work.all(_at_points, LockerSiteRow, points=list(points)) if points else []


async def list_linked_points(work: UnitOfWork) -> list[int]:
    """The points of interest at which there are sites."""
    return [row.point_of_interest_id for row in await work.all(_linked_points)]


async def update_cabinet(work: UnitOfWork, cabinet_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of a locker.

    Raises `UniqueConflict` for a device of another locker.
    """
    if values:
        changed = update(cabinets).where(cabinets.c.id == bindparam("cabinet")).values(**values)
        await work.run(changed, cabinet=cabinet_id)


async def list_cabinets_of_site(work: UnitOfWork, site_id: int) -> Sequence[LockerCabinetRow]:
    """The cabinets of a site, by code."""
    return await work.all(_cabinets, LockerCabinetRow, site=site_id)
