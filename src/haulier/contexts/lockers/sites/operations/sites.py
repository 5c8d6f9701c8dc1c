"""Sites: created, changed, retired, shown, listed, and found near a place."""

from math import cos, radians

from haulier.contexts.lockers.sites.contract import (
    CreateLockerSite,
    FindLockerSites,
    FreeBoxes,
    ListLockerSites,
    LockerSiteAnswer,
    LockerSiteDetail,
    LockerSiteList,
    LockerSiteRef,
    NearbyLockerSite,
    NearbyLockerSites,
    UpdateLockerSite,
)
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.lockers.sites.rules import is_open_at, rank_of
from haulier.contexts.lockers.sites.serializers import cabinet_record, site_fields, site_record
from haulier.contexts.lockers.sites.store import boxes as box_store
from haulier.contexts.lockers.sites.store import sites as store
from haulier.contexts.lockers.sites.store.tables import FreeCountRow, LockerSiteRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.geography import great_circle_m

SITES_PATH, SITE_PATH = "/v1/lockers/sites", "/v1/lockers/sites/{site_id}"
METRES_A_DEGREE = 111_000
"""A little less than the shortest degree of latitude, so that the bounds hold all that is within the radius."""
LOOKED_AT = 400
"""Of the sites in the bounds, the nearest so many are looked at."""


@writes(
    "create_locker_site",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", SITES_PATH), GraphQL("createLockerSite")),
)
async def create_locker_site(call: Call, request: CreateLockerSite) -> LockerSiteAnswer:
    """Add a place at which there are lockers."""
    values = request.model_dump(mode="json", exclude={"opening_hours"})
    hours = request.opening_hours.model_dump(mode="json") if request.opening_hours else None
    id = await store.insert_site(
        call.work, {**values, "opening_hours": hours, "retired": False, "created_at": call.now}
    )
    return await _answer(call, id)


@writes(
    "update_locker_site",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", SITE_PATH), GraphQL("updateLockerSite")),
    errors=(NOT_FOUND,),
)
async def update_locker_site(call: Call, request: UpdateLockerSite) -> LockerSiteAnswer:
    """Change what is named of a site, or retire it; the rest stays."""
    await get_site(call, request.site_id, lock=True)
    values = request.model_dump(mode="json", exclude={"site_id"}, exclude_none=True)
    await store.update_site(call.work, request.site_id, values)
    if request.retired is not None:
        await box_store.settle_usable(call.work, request.site_id)
    return await _answer(call, request.site_id)


@reads(
    "get_locker_site",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", SITE_PATH), GraphQL("lockerSite")),
    errors=(NOT_FOUND,),
)
async def get_locker_site(call: Call, request: LockerSiteRef) -> LockerSiteAnswer:
    """Show a site, its cabinets, and how many boxes of each size are free now."""
    return await _answer(call, request.site_id)


@reads(
    "list_locker_sites",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", SITES_PATH), GraphQL("lockerSites")),
)
async def list_locker_sites(call: Call, request: ListLockerSites) -> LockerSiteList:
    """List the sites, by name."""
    rows, total = await store.list_site_rows(
        call.work, retired=request.retired, limit=request.per_page, offset=request.offset
    )
    shown = [site_record(call, row) for row in rows]
    return LockerSiteList(total=total, page=request.page, per_page=request.per_page, sites=shown)


@reads(
    "find_locker_sites",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/lockers/nearby"), GraphQL("nearbyLockerSites")),
)
async def find_locker_sites(call: Call, request: FindLockerSites) -> NearbyLockerSites:
    """Find the sites near a place that have a box of a size free now, the nearest first."""
    place = (request.lat, request.lng)
    measured = [(great_circle_m(place, (row.lat, row.lng)), row) for row in await _around(call, request)]
    near = sorted(((metres, row) for metres, row in measured if metres <= request.radius_m), key=lambda pair: pair[0])
    free = await _free_by_site(call, [row for _, row in near], request)
    found = [
        record(
            NearbyLockerSite,
            row,
            **site_fields(call, row),
            distance_m=round(metres),
            open_now=is_open,
            free=free[row.id],
        )
        for metres, row in near
        if free.get(row.id)
        and ((is_open := is_open_at(row.opening_hours, call.now, call.time_zone)) or not request.open_now)
    ]
    return NearbyLockerSites(sites=found[: request.limit])


async def _around(call: Call, request: FindLockerSites) -> list[LockerSiteRow]:
    narrow = max(cos(radians(request.lat)), 0.01)
    tall = request.radius_m / METRES_A_DEGREE
    wide = tall / narrow
    rows = await store.list_sites_around(
        call.work,
        lat=request.lat,
        lng=request.lng,
        narrow=narrow,
        south=request.lat - tall,
        north=request.lat + tall,
        west=request.lng - wide,
        east=request.lng + wide,
        most=LOOKED_AT,
    )
    return list(rows)


async def _free_by_site(call: Call, rows: list[LockerSiteRow], request: FindLockerSites) -> dict[int, int]:
    free: dict[int, int] = {}
    for count in await box_store.count_free_boxes(call.work, [row.id for row in rows], low=request.low):
        if rank_of(count.size) >= rank_of(request.size):
            free[count.site_id] = free.get(count.site_id, 0) + count.free
    return free


async def _answer(call: Call, site_id: int) -> LockerSiteAnswer:
    row = await get_site(call, site_id)
    counts: list[FreeCountRow] = list(await box_store.count_free_boxes(call.work, [row.id]))
    cabinets = await store.list_cabinets_of_site(call.work, row.id)
    call.add_audit_subjects("locker_site", row.id)
    return LockerSiteAnswer(
        site=record(
            LockerSiteDetail,
            row,
            **site_fields(call, row),
            open_now=is_open_at(row.opening_hours, call.now, call.time_zone),
            cabinets=[cabinet_record(call, each) for each in cabinets],
            free=[record(FreeBoxes, count) for count in counts],
        )
    )
