"""Statements on what room locations have."""

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, func, or_, select

from haulier.contexts.warehouse.stock.store.tables import levels
from haulier.contexts.warehouse.warehouses.contract import LocationKind
from haulier.contexts.warehouse.warehouses.store.tables import locations
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

SHELVES_MAX = 1000
"""So many locations are looked at for one call: what is further than that on the walk is not suggested."""


class ShelfRow(Row):
    """A location and how many pieces stand there."""

    id: int
    code: str
    zone: str | None
    kind: LocationKind
    walk_order: int
    capacity: int | None
    pieces: int


class HomeRow(Row):
    """A location on which a product stands."""

    product_id: int
    location_id: int


_pieces = (
    select(func.coalesce(func.sum(levels.c.on_hand), 0))
    .where(levels.c.client_id == locations.c.client_id, levels.c.location_id == locations.c.id)
    .correlate(locations)
    .scalar_subquery()
)
_shelves = (
    select(
        locations.c.id,
        locations.c.code,
        locations.c.zone,
        locations.c.kind,
        locations.c.walk_order,
        locations.c.capacity,
        _pieces.label("pieces"),
    )
    .where(locations.c.warehouse_id == bindparam("warehouse"), locations.c.blocked.is_(False))
    .where(in_param(locations.c.kind, "kinds"))
    .where(or_(locations.c.capacity.is_(None), locations.c.capacity > _pieces))
)
_by_walk = _shelves.order_by(locations.c.walk_order, locations.c.code).limit(SHELVES_MAX)
_in_zones = _by_walk.where(or_(in_param(locations.c.id, "homes"), in_param(locations.c.zone, "zones")))
_zones = select(locations.c.zone).where(in_param(locations.c.id, "homes"), locations.c.zone.is_not(None)).distinct()
_homes = (
    select(levels.c.product_id, levels.c.location_id)
    .where(levels.c.warehouse_id == bindparam("warehouse"), in_param(levels.c.product_id, "products"))
    .where(levels.c.on_hand > 0)
    .distinct()
)


async def list_home_rows(work: UnitOfWork, warehouse_id: int, products: Collection[int]) -> Sequence[HomeRow]:
    """Where products stand in a warehouse."""
    return await work.all(_homes, HomeRow, warehouse=warehouse_id, products=list(products))


async def list_shelf_rows(
    work: UnitOfWork, warehouse_id: int, kinds: Collection[str], homes: Collection[int]
) -> Sequence[ShelfRow]:
    """Locations of these kinds that have room, in walking order: of all, and of `homes` and their zones, so many each."""
    wanted = {"warehouse": warehouse_id, "kinds": sorted(kinds)}
    found = {row.id: row for row in await work.all(_by_walk, ShelfRow, **wanted)}
    if homes:
        zones = [row.zone for row in await work.all(_zones, homes=list(homes))]
        near = await work.all(_in_zones, ShelfRow, homes=list(homes), zones=zones or [""], **wanted)
        found |= {row.id: row for row in near}
    return list(found.values())
