"""Operations on locker sites."""

from haulier.contexts.lockers.sites.actions import PLACE_FIELDS, place_values
from haulier.contexts.lockers.sites.contract import (
    CreateLockerSite,
    FindLockerSites,
    FreeBoxes,
    ListLockerSites,
    LockerSiteAnswer,
    LockerSiteDetail,
    LockerSiteList,
    LockerSiteRef,
    LockerSiteSummary,
    NearbyLockerSite,
    NearbyLockerSites,
    UpdateLockerSite,
)
from haulier.contexts.lockers.sites.queries import find_sites_near, get_site
from haulier.contexts.lockers.sites.rules import is_open_at
from haulier.contexts.lockers.sites.serializers import cabinet_record, site_fields
from haulier.contexts.lockers.sites.store import boxes as box_store
from haulier.contexts.lockers.sites.store import sites as store
from haulier.contexts.lockers.sites.store.tables import FreeCountRow, LockerSiteRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record

SITES_PATH, SITE_PATH = "/v1/lockers/sites", "/v1/lockers/sites/{site_id}"


@writes(
    "create_locker_site",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", SITES_PATH), GraphQL("createLockerSite")),
    errors=(NOT_FOUND,),
)
async def create_locker_site(call: Call, request: CreateLockerSite) -> LockerSiteAnswer:
    """Create a locker site."""
    values = request.model_dump(mode="json")
    if request.point_of_interest_id is not None:
        values |= await place_values(call, request.point_of_interest_id, request, name=request.name)
    id = await LockerSiteRow.insert(call.work, **{**values, "retired": False, "created_at": call.now})
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
    """Update or retire a locker site.

    Omitted fields stay unchanged.
    """
    site = await get_site(call, request.site_id, lock=True)
    # `exclude_none` would also drop empty parts of opening hours.
    values = {
        name: value for name, value in request.model_dump(mode="json", exclude={"site_id"}).items() if value is not None
    }
    point = request.point_of_interest_id or site.point_of_interest_id
    if point is not None and values.keys() & {"point_of_interest_id", *PLACE_FIELDS}:
        values |= await place_values(call, point, request, name=request.name or site.name)
    await LockerSiteRow.update(call.work, request.site_id, values)
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
    """Retrieve a locker site.

    Includes its lockers and the number of free compartments by size.
    """
    return await _answer(call, request.site_id)


@reads(
    "list_locker_sites",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", SITES_PATH), GraphQL("lockerSites")),
)
async def list_locker_sites(call: Call, request: ListLockerSites) -> LockerSiteList:
    """List locker sites by name.

    Includes the number of free and unusable compartments.
    """
    rows, total = await store.list_site_rows(
        call.work, retired=request.retired, limit=request.per_page, offset=request.offset
    )
    counts = await box_store.count_free_boxes(call.work, [row.id for row in rows])
    shown = [_summary(call, row, [each for each in counts if each.site_id == row.id]) for row in rows]
    return LockerSiteList(total=total, page=request.page, per_page=request.per_page, sites=shown)


@reads(
    "find_locker_sites",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/lockers/nearby"), GraphQL("nearbyLockerSites")),
)
async def find_locker_sites(call: Call, request: FindLockerSites) -> NearbyLockerSites:
    """Find locker sites near a place.

    Returns sites with a free compartment of the requested size, nearest first.
    """
    near = await find_sites_near(
        call, (request.lat, request.lng), radius_m=request.radius_m, size=request.size, low=request.low
    )
    found = [
        record(
            NearbyLockerSite,
            row,
            **site_fields(call, row),
            distance_m=round(metres),
            open_now=is_open,
            free=free,
        )
        for metres, row, free in near
        if ((is_open := is_open_at(row.opening_hours, call.now, call.time_zone)) or not request.open_now)
    ]
    return NearbyLockerSites(sites=found[: request.limit])


def _summary(call: Call, row: LockerSiteRow, counts: list[FreeCountRow]) -> LockerSiteSummary:
    return record(
        LockerSiteSummary,
        row,
        **site_fields(call, row),
        boxes=sum(each.boxes for each in counts),
        free=sum(each.free for each in counts),
        out_of_use=sum(each.out_of_use for each in counts),
    )


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
