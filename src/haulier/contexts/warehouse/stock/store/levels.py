"""Tables and statements of stock: levels."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, Date, String, bindparam, case, func, or_, select, update

from haulier.contexts.custom_fields.public import FilterPlan, ResourceKind, matching_records
from haulier.contexts.warehouse.products.store import products
from haulier.contexts.warehouse.stock.contract import Condition
from haulier.contexts.warehouse.stock.rules import LevelKey
from haulier.contexts.warehouse.stock.store.tables import LevelRow, levels
from haulier.contexts.warehouse.warehouses.contract import LocationKind
from haulier.contexts.warehouse.warehouses.store import locations
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class SumRow(Row):
    """Quantity of a product in a warehouse."""

    product_id: int
    warehouse_id: int
    on_hand: int
    reserved: int
    available: int


class ShownLevelRow(LevelRow):
    """A level with its location's code, and the items that can be reserved today."""

    available: int
    location: str


class FreeLevelRow(Row):
    """Items of a product that can be reserved, and where they stand."""

    id: int
    product_id: int
    on_hand: int
    reserved: int
    expires_on: date | None
    walk_order: int


def _is(column: Column[Any]) -> ColumnElement[bool]:
    return column == bindparam(f"of_{column.name}", type_=column.type)


_change = (
    update(levels)
    .where(*(_is(levels.c[name]) for name in LevelKey._fields))
    .values(on_hand=levels.c.on_hand + bindparam("change", type_=BigInteger))
)
_date = (
    update(levels)
    .where(*(_is(levels.c[name]) for name in LevelKey._fields))
    .values(
        expires_on=case(
            ((levels.c.on_hand > 0) & (levels.c.expires_on <= bindparam("day", type_=Date)), levels.c.expires_on),
            else_=bindparam("day", type_=Date),
        )
    )
)
_lock = select(levels).where(*(_is(levels.c[name]) for name in LevelKey._fields)).with_for_update()
_touched = select(levels).where(in_param(levels.c.location_id, "locations"), in_param(levels.c.product_id, "products"))
_lock_touched = _touched.order_by(levels.c.id).with_for_update()
_with_locations = levels.join(
    locations, (locations.c.client_id == levels.c.client_id) & (locations.c.id == levels.c.location_id)
)
_on_locations = (
    select(levels)
    .select_from(_with_locations)
    .where(in_param(levels.c.location_id, "locations"), levels.c.on_hand != 0)
    .order_by(locations.c.walk_order, locations.c.code, levels.c.id)
    .limit(bindparam("page_size"))
)
_on_locations_of = _on_locations.where(in_param(levels.c.product_id, "products"))
_reserve = (
    update(levels)
    .where(levels.c.id == bindparam("level"))
    .values(reserved=levels.c.reserved + bindparam("change", type_=BigInteger))
)
_pieces_of_serials = (
    select(levels.c.product_id, levels.c.serial, func.sum(levels.c.on_hand).label("pieces"))
    .where(in_param(levels.c.product_id, "products"), in_param(levels.c.serial, "serials"))
    .group_by(levels.c.product_id, levels.c.serial)
    .having(func.sum(levels.c.on_hand) > 1)
)
_filled = (
    select(levels.c.location_id, func.sum(levels.c.on_hand).label("pieces"))
    .where(in_param(levels.c.location_id, "locations"))
    .group_by(levels.c.location_id)
)
_usable = (
    (levels.c.condition == Condition.GOOD)
    & locations.c.blocked.is_(False)
    & (locations.c.kind != LocationKind.QUARANTINE)
)
_reservable = (
    _usable
    & (levels.c.on_hand > levels.c.reserved)
    & or_(levels.c.expires_on.is_(None), levels.c.expires_on >= bindparam("today", type_=Date))
)
"""The one condition for items that can be reserved today."""
_available = case((_reservable, levels.c.on_hand - levels.c.reserved), else_=0)
_sums = (
    select(
        levels.c.product_id,
        levels.c.warehouse_id,
        func.sum(levels.c.on_hand).label("on_hand"),
        func.sum(levels.c.reserved).label("reserved"),
        func.sum(_available).label("available"),
    )
    .select_from(_with_locations)
    .where(in_param(levels.c.product_id, "products"))
    .where(or_(bindparam("warehouse", type_=BigInteger).is_(None), levels.c.warehouse_id == bindparam("warehouse")))
    .group_by(levels.c.product_id, levels.c.warehouse_id)
    .order_by(levels.c.product_id, levels.c.warehouse_id)
)
_free = (
    select(
        levels.c.id,
        levels.c.product_id,
        levels.c.on_hand,
        levels.c.reserved,
        levels.c.expires_on,
        locations.c.walk_order,
    )
    .select_from(_with_locations)
    .where(in_param(levels.c.product_id, "products"), levels.c.warehouse_id == bindparam("warehouse"), _reservable)
    .order_by(levels.c.id)
    .with_for_update(of=levels)
)


async def change_levels(
    work: UnitOfWork,
    changes: Mapping[LevelKey, int],
    warehouses: Mapping[int, int],
    expiry: Mapping[LevelKey, date],
) -> dict[LevelKey, LevelRow]:
    """Add changes to levels and return the updated levels.

    `warehouses` maps locations to warehouses. `expiry` has the day of incoming pieces: on a level that is not empty,
    the earliest day counts. Uses four statements, whatever the number of levels.
    """
    new = [
        {**key._asdict(), "warehouse_id": warehouses[key.location_id], "expires_on": expiry.get(key), "on_hand": 0}
        for key in changes
    ]
    await work.insert_new(levels, [{**row, "reserved": 0} for row in new])
    await work.run_many(
        _date,
        [{f"of_{name}": value for name, value in key._asdict().items()} | {"day": day} for key, day in expiry.items()],
    )
    await work.run_many(
        _change,
        [
            {f"of_{name}": value for name, value in key._asdict().items()} | {"change": by}
            for key, by in changes.items()
        ],
    )
    return await get_levels(work, changes)


async def get_levels(work: UnitOfWork, keys: Collection[LevelKey], *, lock: bool = False) -> dict[LevelKey, LevelRow]:
    """Return levels by key; those that never had items are left out."""
    if not keys:
        return {}
    rows = await work.all(
        _lock_touched if lock else _touched,
        LevelRow,
        locations=list({key.location_id for key in keys}),
        products=list({key.product_id for key in keys}),
    )
    by_key = {LevelKey(row.location_id, row.product_id, row.lot, row.serial, row.condition): row for row in rows}
    return {key: by_key[key] for key in keys if key in by_key}


async def lock_level(work: UnitOfWork, key: LevelKey, warehouse_id: int) -> int:
    """Lock a level, created if missing, and return its items."""
    empty = {"warehouse_id": warehouse_id, "expires_on": None, "on_hand": 0, "reserved": 0}
    await work.insert_new(levels, [{**key._asdict(), **empty}])
    row = await work.first(_lock, LevelRow, **{f"of_{name}": value for name, value in key._asdict().items()})
    return row.on_hand if row else 0


async def list_levels_on(
    work: UnitOfWork, location_ids: Collection[int], product_ids: Collection[int] | None, *, limit: int
) -> Sequence[LevelRow]:
    """Return levels with items on locations, in walking order."""
    statement = _on_locations if product_ids is None else _on_locations_of
    products = {} if product_ids is None else {"products": list(product_ids)}
    return await work.all(statement, LevelRow, locations=list(location_ids), page_size=limit, **products)


async def serials_twice(work: UnitOfWork, products: Collection[int], serials: Collection[str]) -> list[str]:
    """Return the serial numbers that are in stock more than once."""
    if not serials:
        return []
    rows = await work.all(_pieces_of_serials, products=list(products), serials=list(serials))
    return sorted(row.serial for row in rows)


async def pieces_on_locations(work: UnitOfWork, location_ids: Collection[int]) -> dict[int, int]:
    """Return the number of items by location."""
    if not location_ids:
        return {}
    return {row.location_id: int(row.pieces) for row in await work.all(_filled, locations=list(location_ids))}


async def sum_levels(
    work: UnitOfWork, products: Collection[int], warehouse_id: int | None, today: date
) -> Sequence[SumRow]:
    """Return the quantity of each product by warehouse."""
    if not products:
        return []
    return await work.all(_sums, SumRow, products=list(products), warehouse=warehouse_id, today=today)


async def lock_free_levels(
    work: UnitOfWork, products: Collection[int], warehouse_id: int, today: date
) -> Sequence[FreeLevelRow]:
    """Lock and return levels that can be reserved: good, not blocked, not expired."""
    return await work.all(_free, FreeLevelRow, products=list(products), warehouse=warehouse_id, today=today)


async def change_reserved(work: UnitOfWork, changes: Mapping[int, int]) -> None:
    """Add to what is reserved of levels, by their ids."""
    await work.run_many(_reserve, [{"level": level, "change": by} for level, by in sorted(changes.items())])


_shown = (
    select(levels, _available.label("available"), locations.c.code.label("location"))
    .select_from(_with_locations)
    .where(or_(levels.c.on_hand != 0, levels.c.reserved != 0))
)


async def list_level_rows(
    work: UnitOfWork,
    wanted: Mapping[str, Any],
    *,
    expires_before: date | None,
    location_kind: LocationKind | None,
    today: date,
    after: int,
    limit: int,
) -> Sequence[ShownLevelRow]:
    """Return levels that are not empty and matching column values, after one, by id."""
    page = _shown.where(levels.c.id > bindparam("after", type_=BigInteger))
    page = page.where(*(levels.c[name] == value for name, value in wanted.items()))
    if expires_before is not None:
        page = page.where(levels.c.expires_on < expires_before)
    if location_kind is not None:
        page = page.where(locations.c.kind == location_kind)
    return await work.all(page.order_by(levels.c.id).limit(limit), ShownLevelRow, after=after, today=today)


async def search_level_rows(
    work: UnitOfWork,
    *,
    product_ids: Collection[int],
    location_ids: Collection[int],
    code: str | None,
    warehouse_id: int | None,
    today: date,
    limit: int,
) -> Sequence[ShownLevelRow]:
    """Return levels of products, on locations, or with a lot or serial number.

    Ordered by warehouse and walking order.
    """
    wanted = [in_param(levels.c.product_id, "products"), in_param(levels.c.location_id, "locations")]
    given: dict[str, Any] = {"products": list(product_ids), "locations": list(location_ids)}
    if code is not None:
        wanted += [levels.c.serial == bindparam("code"), levels.c.lot == bindparam("code")]
        given["code"] = code
    page = _shown.where(or_(*wanted))
    if warehouse_id is not None:
        page = page.where(levels.c.warehouse_id == warehouse_id)
    page = page.order_by(levels.c.warehouse_id, locations.c.walk_order, locations.c.code, levels.c.id)
    return await work.all(page.limit(limit), ShownLevelRow, today=today, **given)


_in_stock = (
    select(func.coalesce(func.sum(_available), 0))
    .select_from(_with_locations)
    .where(levels.c.client_id == products.c.client_id, levels.c.product_id == products.c.id)
    .where(or_(bindparam("warehouse", type_=BigInteger).is_(None), levels.c.warehouse_id == bindparam("warehouse")))
    .correlate(products)
    .scalar_subquery()
)
_short = (
    select(products.c.sku)
    .where(products.c.reorder_below > 0, products.c.archived.is_(False), products.c.reorder_below > _in_stock)
    .where(products.c.sku > bindparam("after", type_=String))
    .order_by(products.c.sku)
    .limit(bindparam("page_size"))
)


async def list_short_skus(
    work: UnitOfWork, *, warehouse_id: int | None, by_fields: FilterPlan, today: date, after: str, limit: int
) -> list[str]:
    """Return SKUs of products below their reorder level, in order, after one."""
    fitting = matching_records(ResourceKind.PRODUCT, products.c.id, by_fields) if by_fields else []
    rows = await work.all(_short.where(*fitting), warehouse=warehouse_id, today=today, after=after, page_size=limit)
    return [row[0] for row in rows]


SHELVES_MAX = 1000
"""Maximum number of locations per call; later ones in walking order are not suggested."""


class ShelfRow(Row):
    """A location and how many items stand there."""

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
    """Return locations with room, in walking order.

    Up to `SHELVES_MAX` of all, and as many of `homes` and their zones.
    """
    wanted = {"warehouse": warehouse_id, "kinds": sorted(kinds)}
    found = {row.id: row for row in await work.all(_by_walk, ShelfRow, **wanted)}
    if homes:
        zones = [row.zone for row in await work.all(_zones, homes=list(homes))]
        near = await work.all(_in_zones, ShelfRow, homes=list(homes), zones=zones or [""], **wanted)
        found |= {row.id: row for row in near}
    return list(found.values())
