"""Maps and zones as answers and as features."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import msgspec

from haulier.contexts.places.zone_maps.actions import COMPARED, TERMS, MapRow, ZoneRow
from haulier.contexts.places.zone_maps.contract import Zone, ZoneDifference, ZoneFeature, ZoneMap
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def map_record(call: Call, row: MapRow, draft_changes: int) -> ZoneMap:
    """A map as its answer."""
    return record(
        ZoneMap,
        row,
        draft_changes=draft_changes,
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )


def zone_record(row: ZoneRow) -> Zone:
    """A zone as its answer."""
    terms: dict[str, Any] = {"advisory": False} | {name: row.terms[name] for name in TERMS if name in row.terms}
    return record(Zone, row, **terms, area_km2=round(row.area_m2 / 1e6, 3), since_version=row.since)


def zone_feature(row: ZoneRow) -> ZoneFeature:
    """A zone as a Feature."""
    properties: dict[str, Any] = msgspec.to_builtins(zone_record(row))
    geometry = properties.pop("geometry")
    return ZoneFeature(id=properties.pop("code"), geometry=geometry, properties=properties)


def zone_differences(rows: Iterable[ZoneRow], after: int) -> Iterator[ZoneDifference]:
    """Yield the differences of a later version.

    Compares the zones that only one of two versions has, by code.
    """
    for code, pair in groupby(rows, key=lambda row: row.code):
        sides = {row.since <= after and (row.until is None or row.until > after): row for row in pair}
        old, new = sides.get(False), sides.get(True)
        if old is None or new is None:
            yield ZoneDifference(code=code, change="added" if new else "removed", fields=[])
        elif old.digest != new.digest:
            yield ZoneDifference(code=code, change="changed", fields=list(_changed_fields(old, new)))


def _changed_fields(old: ZoneRow, new: ZoneRow) -> Iterator[str]:
    for name in COMPARED:
        if name == "terms":
            yield from (term for term in TERMS if old.terms.get(term) != new.terms.get(term))
        elif getattr(old, name) != getattr(new, name):
            yield name
