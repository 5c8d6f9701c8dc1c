"""Reads of zone maps for other families."""

from datetime import UTC, datetime, timedelta

from msgspec import Struct

from haulier.contexts.places.ports import ZoneMemory
from haulier.contexts.places.zone_maps import store
from haulier.contexts.places.zone_maps.rules import (
    NO_ZONES,
    IndexedZone,
    ZoneIndex,
    ZoneRule,
    ZoneSurcharge,
    find_zone_effects,
)
from haulier.kernel.call import Call
from haulier.kernel.values.geography import LatLng

_TICK = timedelta(microseconds=1)
_NOW = datetime(9000, 1, 1, tzinfo=UTC)
"""Moment for reading the zones in force. Clocks of several nodes may differ."""
MAX_PAST = 20
"""Maximum number of earlier states read. Older moments use the oldest of them."""


class PublishedZones(Struct):
    """The zones in force, and when others were published lately, in order."""

    index: ZoneIndex
    publications: tuple[datetime, ...] = ()


class PastZones(Struct, frozen=True):
    """Zones that were in force until a moment."""

    index: ZoneIndex
    replaced_at: datetime


class ZoneSurcharges(Struct, frozen=True):
    """Surcharges by place.

    Of the zones in force, and of those that open quotes rely on.
    """

    current: ZoneIndex
    past: tuple[PastZones, ...] = ()

    def at(self, place: LatLng | None, moment: datetime | None = None) -> ZoneSurcharge | None:
        """The surcharge at a place, by the zones in force now or at a moment."""
        index = self.current
        if moment is not None:
            index = next((past.index for past in self.past if moment < past.replaced_at), self.current)
        return find_zone_effects(index, place).surcharge if place and index.count else None


NO_SURCHARGES = ZoneSurcharges(NO_ZONES)


async def get_zone_index(call: Call) -> ZoneIndex:
    """Return the zones of this client that are in force.

    Cached: no statement until a new version is published.
    """
    return (await _published(call)).index


async def get_zone_surcharges(call: Call, since: datetime | None = None) -> ZoneSurcharges:
    """Return the surcharges in force.

    With `since`, also those that were in force after that moment.
    """
    published = await _published(call)
    replaced = [at for at in published.publications if since is not None and at > since][-MAX_PAST:]
    past = [PastZones(await _read_index(call, at - _TICK), at) for at in replaced]
    return ZoneSurcharges(published.index, tuple(past))


async def _published(call: Call) -> PublishedZones:
    async def read_stamp() -> int:
        return await store.get_published_stamp(call.work)

    async def read() -> PublishedZones:
        publications = await store.list_publications(call.work, call.now - timedelta(days=2))
        return PublishedZones(await _read_index(call, _NOW), tuple(publications))

    return await call.app.adapter(ZoneMemory).get(call.client_id, read_stamp, read)


async def _read_index(call: Call, moment: datetime) -> ZoneIndex:
    return ZoneIndex(
        IndexedZone(
            zone_map_id=row.zone_map_id,
            code=row.code,
            name=row.name,
            rule=ZoneRule(row.rule),
            priority=row.priority,
            terms=row.terms,
            box=(row.west, row.south, row.east, row.north),
            area_m2=row.area_m2,
            geometry=row.geometry,
        )
        for row in await store.list_published_zones(call.work, moment)
        if row.area_m2 > 0
    )
