"""Writes of compartments and sites, within the caller's transaction."""

from collections.abc import Collection, Mapping
from typing import Any

from haulier.contexts.lockers.events import LockerBoxChanged
from haulier.contexts.lockers.sites import store
from haulier.contexts.lockers.sites.rules import BoxState, rank_of
from haulier.contexts.lockers.sites.store import LockerBoxRow, LockerSiteRow
from haulier.contexts.places.public import PointRow, get_points
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found

PLACE_FIELDS = ("address", "lat", "lng", "opening_hours")
"""Fields that a site takes from its point of interest."""


async def place_values(call: Call, point_id: int, request: Request, *, name: str | None) -> dict[str, Any]:
    """Return the columns of a site at a point of interest.

    Raises `NOT_FOUND`, or `INVALID_REQUEST` for fields of the point.
    """
    own = [field for field in PLACE_FIELDS if field in request.model_fields_set and getattr(request, field) is not None]
    if own:
        raise INVALID_REQUEST.for_fields(*(FieldError(field, "field.of_point_of_interest") for field in own))
    point = (await get_points(call, [point_id])).get(point_id)
    if point is None:
        raise record_not_found(point_of_interest_id=point_id)
    return {"name": name or point.name, **_place_of(point)}


async def on_points_changed(call: Call, point_ids: Collection[int] | None = None) -> None:
    """Update sites from their points of interest. Idempotent.

    Without ids, all points are used. Sites of a deleted point keep the last values.
    """
    wanted = await store.list_linked_points(call.work) if point_ids is None else point_ids
    points = await get_points(call, wanted)
    for site in await store.list_sites_at_points(call.work, wanted):
        point = points.get(site.point_of_interest_id or 0)
        values = _place_of(point) if point else {"point_of_interest_id": None}
        changed = {name: value for name, value in values.items() if value != getattr(site, name)}
        await LockerSiteRow.update(call.work, site.id, changed)


def _place_of(point: PointRow) -> dict[str, Any]:
    return {
        "address": point.address or "",
        "lat": point.lat,
        "lng": point.lng,
        "opening_hours": point.opening_hours,
    }


async def lock_free_box(
    call: Call, site_id: int, size: str, *, low: bool, lease_id: int | None = None
) -> LockerBoxRow | None:
    """Lock and return the smallest suitable free compartment of a site, or None."""
    return await store.lock_free_box(call.work, site_id, rank_of(size), low=low, lease_id=lease_id)


async def set_box_state(call: Call, box: LockerBoxRow, state: BoxState, fault: str | None) -> None:
    """Disable or re-enable a compartment."""
    await LockerBoxRow.update(call.work, box.id, {"state": state.value, "fault": fault})
    await store.update_usable(call.work, box.site_id)
    if state != box.state:
        await call.publish(LockerBoxChanged(box_id=box.id, site_id=box.site_id, state=state.value))


async def record_doors(call: Call, cabinet_id: int, doors: Mapping[int, bool]) -> None:
    """Record the door sensors of a locker by compartment number."""
    for is_open in (True, False):
        numbers = [number for number, said in doors.items() if said is is_open]
        await store.set_doors(call.work, cabinet_id, numbers, is_open=is_open)
