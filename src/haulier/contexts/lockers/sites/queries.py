"""Sites, lockers and compartments for other families."""

from collections.abc import Collection, Sequence
from math import cos, radians

from haulier.contexts.lockers.sites import store
from haulier.contexts.lockers.sites.rules import rank_of
from haulier.contexts.lockers.sites.store import FreeCountRow, LockerBoxRow, LockerCabinetRow, LockerSiteRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.geography import LatLng, great_circle_m

METRES_A_DEGREE = 111_000
"""Metres per degree, slightly below the shortest degree of latitude so that bounds cover the radius."""
LOOKED_AT = 400
"""Number of nearest sites to check within the bounds."""
NearSite = tuple[float, LockerSiteRow, int]
"""Distance in metres, site and number of free compartments."""


async def get_site(call: Call, site_id: int, *, lock: bool = False) -> LockerSiteRow:
    """A site of this client. Raises `NOT_FOUND`."""
    row = await (LockerSiteRow.lock if lock else LockerSiteRow.get)(call.work, site_id)
    if row is None:
        raise record_not_found(site_id=site_id)
    return row


async def get_site_names(call: Call, site_ids: Collection[int]) -> dict[int, str]:
    """Return the names of sites, in one statement."""
    return {row.id: row.name for row in await store.list_site_names(call.work, site_ids)}


async def get_cabinet(call: Call, cabinet_id: int) -> LockerCabinetRow:
    """A cabinet of this client. Raises `NOT_FOUND`."""
    row = await LockerCabinetRow.get(call.work, cabinet_id)
    if row is None:
        raise record_not_found(cabinet_id=cabinet_id)
    return row


async def get_box(call: Call, box_id: int, *, lock: bool = False) -> LockerBoxRow:
    """A box of this client. Raises `NOT_FOUND`."""
    row = await (LockerBoxRow.lock if lock else LockerBoxRow.get)(call.work, box_id)
    if row is None:
        raise record_not_found(box_id=box_id)
    return row


async def find_box_of_cabinet(call: Call, cabinet_id: int, number: int, *, lock: bool = False) -> LockerBoxRow | None:
    """Return a compartment of a locker by number, or None."""
    return await store.find_box_by_number(call.work, cabinet_id, number, lock=lock)


async def find_cabinet_of_device(call: Call, device_id: int) -> LockerCabinetRow | None:
    """Return the locker of a device, or None."""
    return await LockerCabinetRow.find_by(call.work, device_id=device_id)


async def find_sites_near(call: Call, place: LatLng, *, radius_m: int, size: str, low: bool = False) -> list[NearSite]:
    """Find the sites near a place with a suitable free compartment, nearest first."""
    rows = await _list_sites_around(call, place, radius_m)
    measured = [(great_circle_m(place, (row.lat, row.lng)), row) for row in rows]
    near = sorted(((metres, row) for metres, row in measured if metres <= radius_m), key=lambda pair: pair[0])
    free: dict[int, int] = {}
    for count in await store.count_free_boxes(call.work, [row.id for _, row in near], low=low):
        if rank_of(count.size) >= rank_of(size):
            free[count.site_id] = free.get(count.site_id, 0) + count.free
    return [(metres, row, free[row.id]) for metres, row in near if free.get(row.id)]


async def list_cabinets(call: Call, site_id: int) -> Sequence[LockerCabinetRow]:
    """The cabinets of a site, by code."""
    return await store.list_cabinets_of_site(call.work, site_id)


async def count_free_boxes(call: Call, site_id: int, *, low: bool = False) -> Sequence[FreeCountRow]:
    """Count all and free compartments of a site by size."""
    return await store.count_free_boxes(call.work, [site_id], low=low)


async def _list_sites_around(call: Call, place: LatLng, radius_m: int) -> list[LockerSiteRow]:
    lat, lng = place
    narrow = max(cos(radians(lat)), 0.01)
    tall = radius_m / METRES_A_DEGREE
    wide = tall / narrow
    bounds = {"south": lat - tall, "north": lat + tall, "west": lng - wide, "east": lng + wide}
    return list(await store.list_sites_around(call.work, lat=lat, lng=lng, narrow=narrow, **bounds, most=LOOKED_AT))
