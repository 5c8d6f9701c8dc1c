"""Operations on lockers and the use of their compartments."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta

from haulier.contexts.lockers.cabinets import store
from haulier.contexts.lockers.cabinets.contract import (
    GetLockerOccupancy,
    ListLockerCabinets,
    LockerCabinetDetail,
    LockerCabinetList,
    LockerOccupancy,
    LockerUse,
)
from haulier.contexts.lockers.cabinets.rules import count_uses, days_of_stays
from haulier.contexts.lockers.cabinets.store import CabinetBoxRow, CountedUseRow, PlacedCabinetRow, WantedCabinets
from haulier.contexts.lockers.devices.rules import SILENCE, is_online
from haulier.contexts.lockers.sites.contract import LockerBox
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.lockers.sites.rules import use_of
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record


@reads(
    "list_locker_cabinets",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/lockers/cabinets"), GraphQL("lockerCabinets")),
)
async def list_locker_cabinets(call: Call, request: ListLockerCabinets) -> LockerCabinetList:
    """List lockers with their compartments.

    Ordered by site and code, with the state of each compartment and of the device.
    """
    filters = request.model_dump(include={"site_id", "search", "needs_attention", "retired"})
    wanted = WantedCabinets(**filters, quiet_before=call.now - SILENCE)
    rows = await store.list_cabinet_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    total, offline = await store.count_cabinets(call.work, wanted)
    inside: defaultdict[int, list[CabinetBoxRow]] = defaultdict(list)
    for box in await store.list_boxes_of_cabinets(call.work, [row.id for row in rows]):
        inside[box.cabinet_id].append(box)
    return LockerCabinetList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        cabinets=[_cabinet(call, row, inside[row.id]) for row in rows],
        totals=_total_use(await store.count_box_uses(call.work, wanted)),
        offline=offline,
    )


def _cabinet(call: Call, row: PlacedCabinetRow, inside: Sequence[CabinetBoxRow]) -> LockerCabinetDetail:
    uses = [use_of(each.state, each.parcel_status, leased=each.lease_id is not None) for each in inside]
    return record(
        LockerCabinetDetail,
        row,
        created_at=call.local_time(row.created_at),
        device_online=is_online(row.device_seen_at, row.gone_at, call.now),
        device_seen_at=call.local_time(row.device_seen_at),
        counts=count_uses(uses),
        boxes=[record(LockerBox, each, use=use.value) for each, use in zip(inside, uses, strict=True)],
    )


def _total_use(rows: Sequence[CountedUseRow]) -> LockerUse:
    uses = ([use_of(row.state, row.parcel_status, leased=row.leased)] * row.boxes for row in rows)
    return count_uses(use for each in uses for use in each)


@reads(
    "get_locker_occupancy",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/lockers/sites/{site_id}/occupancy"), GraphQL("lockerOccupancy")),
    errors=(NOT_FOUND,),
)
async def get_locker_occupancy(call: Call, request: GetLockerOccupancy) -> LockerOccupancy:
    """Get the daily occupancy of a site.

    Returns the peak of taken compartments, deposits and removals. A compartment is taken from its reservation.
    """
    site = await get_site(call, request.site_id)
    first = call.today - timedelta(days=request.days - 1)
    since, until = call.span_of_days(first, call.today)
    stays = await store.list_stays(call.work, site.id, since, until)
    return LockerOccupancy(
        site_id=site.id,
        boxes=await store.count_boxes_of_site(call.work, site.id),
        days=days_of_stays(stays, first, call.today, call.time_zone),
    )
