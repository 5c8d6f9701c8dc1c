"""What the zones at a place mean there: which of those that overlap counts."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.places.zone_maps.rules.kinds import ZoneRule
from haulier.contexts.places.zone_maps.rules.zone_index import IndexedZone, ZoneIndex
from haulier.kernel.values.geography import LatLng


class Closure(StrEnum):
    """Why orders to a place are refused, and left out of plans."""

    NO_GO = "no_go"
    OUTSIDE = "outside_service_area"


class ZoneSurcharge(Struct, frozen=True):
    """What an order costs more: an amount in minor units, and a share of its base price in percent."""

    amount_minor: int = 0
    percent: int = 0


class ZoneEffects(Struct, frozen=True, kw_only=True):
    """What zones mean for orders at a place. Drivers and depots of None: all of them."""

    closure: Closure | None = None
    closure_is_advisory: bool = False
    """Whether orders are taken all the same, with a warning. Plans leave them out."""
    surcharge: ZoneSurcharge | None = None
    driver_ids: frozenset[int] | None = None
    depot_ids: frozenset[int] | None = None


def find_zone_effects(index: ZoneIndex, place: LatLng) -> ZoneEffects:
    """What the published zones mean for orders at a place."""
    zones = index.zones_at(place)
    closure, advisory = _closure(index, zones)
    return ZoneEffects(
        closure=closure,
        closure_is_advisory=advisory,
        surcharge=_surcharge(zones),
        driver_ids=_named(zones, ZoneRule.DRIVER_TERRITORY, "driver_ids"),
        depot_ids=_named(zones, ZoneRule.DEPOT_CATCHMENT, "depot_ids"),
    )


def may_drive_to(index: ZoneIndex, effects: ZoneEffects, driver_id: int) -> bool:
    """Whether territories let a driver take orders at the place of these effects."""
    if effects.driver_ids is not None:
        return driver_id in effects.driver_ids
    return driver_id not in index.territory_drivers


def _closure(index: ZoneIndex, zones: Sequence[IndexedZone]) -> tuple[Closure | None, bool]:
    """Why nobody goes there, and whether that is advice. A no-go zone counts unless a service area of higher priority lies
    upon it, and is advice if each of its priority is; outside all service areas is, if each of them is.
    """
    deciding = [zone for zone in zones if zone.rule in (ZoneRule.NO_GO, ZoneRule.SERVICE_AREA)]
    highest = [zone for zone in deciding if zone.priority == deciding[0].priority]
    if barred := [zone for zone in highest if zone.rule is ZoneRule.NO_GO]:
        return Closure.NO_GO, all(zone.is_advisory for zone in barred)
    if deciding or ZoneRule.SERVICE_AREA not in index.rules:
        return None, False
    return Closure.OUTSIDE, not index.has_binding_service_area


def _surcharge(zones: Sequence[IndexedZone]) -> ZoneSurcharge | None:
    """That of the zone that counts first; surcharges do not add up."""
    first = next((zone for zone in zones if zone.rule is ZoneRule.SURCHARGE), None)
    return first and ZoneSurcharge(first.terms.get("surcharge_minor", 0), first.terms.get("surcharge_percent", 0))


def _named(zones: Sequence[IndexedZone], rule: ZoneRule, field: str) -> frozenset[int] | None:
    """Whom the zones of the highest priority name, all together; None without such a zone."""
    own = [zone for zone in zones if zone.rule is rule]
    highest = [zone for zone in own if zone.priority == own[0].priority]
    return frozenset(id for zone in highest for id in zone.terms.get(field, ())) if own else None
