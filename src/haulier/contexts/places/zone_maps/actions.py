"""Changing drafts of zone maps, and publishing them."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from msgspec import json

from haulier.contexts.places.ports import ZONES_CHANNEL
from haulier.contexts.places.zone_maps import store
from haulier.contexts.places.zone_maps.contract import MAX_ZONES, PutZone
from haulier.contexts.places.zone_maps.errors import ZONE_MAP_ARCHIVED, ZONE_MAP_FULL
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.geojson import area_of, points_of
from haulier.kernel.values.polygons import box_around

TERMS = ("surcharge_minor", "surcharge_percent", "driver_ids", "depot_ids", "advisory")
COMPARED = ("name", "rule", "priority", "colour", "terms", "geometry")
MapRow = store.MapRow
ZoneRow = store.ZoneRow


async def lock_open_map(call: Call, zone_map_id: int) -> MapRow:
    """Lock and return a map whose draft can be changed.

    Raises `NOT_FOUND` and `ZONE_MAP_ARCHIVED`.
    """
    row = await store.get_map_row(call.work, zone_map_id, lock=True)
    if row is None:
        raise record_not_found(zone_map_id=zone_map_id)
    if row.archived:
        raise ZONE_MAP_ARCHIVED()
    return row


async def create_map_of_import(call: Call, name: str | None) -> int:
    """Create the map of an import that names none. Returns its id."""
    today = call.local_time(call.now).date().isoformat()
    values = {"name": name or call.translate("zone_map_of_import", day=today), "description": None}
    return await store.insert_map(call.work, values, call.now)


async def find_drafted(call: Call, row: MapRow, codes: list[str]) -> dict[str, ZoneRow]:
    """Zones of a draft by their codes."""
    return await store.get_zone_rows_by_code(call.work, row.id, codes, row.version + 1)


async def upsert_zone_row(call: Call, row: MapRow, zone: PutZone, known: ZoneRow | None) -> bool:
    """Put a zone into the draft; returns False if it is unchanged.

    `known` is the existing zone of that code.
    """
    draft, values = row.version + 1, _zone_columns(zone)
    if known and known.digest == values["digest"]:
        return False
    if known:
        await store.end_zone(call.work, known, draft)
    await store.insert_zone(call.work, {**values, "zone_map_id": row.id, "since": draft, "until": None})
    return True


def _zone_columns(zone: PutZone) -> dict[str, Any]:
    area = area_of(zone.geometry)
    west, south, east, north = area.box if area else box_around(points_of(zone.geometry))
    content: Mapping[str, Any] = {
        **zone.model_dump(mode="json", include={"name", "rule", "priority", "colour"}),
        "terms": _terms(zone),
        "geometry": zone.geometry,
    }
    return {
        **content,
        "code": zone.code,
        "area_m2": area.area_m2 if area else 0.0,
        "west": west,
        "south": south,
        "east": east,
        "north": north,
        "digest": blake2b(json.encode(content), digest_size=16).hexdigest(),
    }


def _terms(zone: PutZone) -> dict[str, Any]:
    """Return the values of a zone besides its rule.

    Defaults are left out, so that zones from before the advisory field compare equal.
    """
    terms = zone.model_dump(include=set(TERMS))
    return terms if zone.advisory else {name: value for name, value in terms.items() if name != "advisory"}


async def publish_draft(call: Call, row: MapRow, note: str | None) -> None:
    """Make the draft the version in force, everywhere. Raises `ZONE_MAP_FULL`."""
    number = row.version + 1
    count = await store.count_zones(call.work, row.id, number)
    if count > MAX_ZONES:
        raise ZONE_MAP_FULL(zones=count, most=MAX_ZONES)
    await store.update_map(call.work, row.id, {"version": number, "updated_at": call.now})
    version = {"zone_map_id": row.id, "number": number, "note": note, "zones": count}
    await store.insert_version(call.work, {**version, "published_at": call.now, "published_by": call.actor})
    call.work.notify(ZONES_CHANNEL, str(call.client_id))
