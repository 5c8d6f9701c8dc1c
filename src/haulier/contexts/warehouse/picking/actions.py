"""Writes of picking for other families."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from haulier.contexts.warehouse.picking import store
from haulier.contexts.warehouse.picking.contract import PackStock
from haulier.contexts.warehouse.picking.errors import CARTON_PACKED, PACK_EXCEEDS_PICKED
from haulier.contexts.warehouse.picking.rules import FetchedPieces, HeldPieces, UsedPieces, use_up
from haulier.contexts.warehouse.ports import PackingPlans, PlannedCarton
from haulier.contexts.warehouse.products.queries import find_products_by_sku
from haulier.contexts.warehouse.stock.actions import free_reserved, load_known_products, reserve_levels
from haulier.contexts.warehouse.stock.errors import PIECES_NOT_TOLD_APART, UNKNOWN_SKU
from haulier.contexts.warehouse.stock.queries import (
    ReservedRow,
    get_stock_levels,
    lock_reservations_of,
    read_level_ids,
)
from haulier.contexts.warehouse.stock.rules import LevelKey
from haulier.contexts.warehouse.warehouses.contract import STAGING_KINDS
from haulier.contexts.warehouse.warehouses.queries import get_location_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found

Pieces = Counter[tuple[int, str, str]]
"""Number of items by product, lot and serial number."""


async def choose_carton(call: Call, request: PackStock) -> tuple[int | None, PlannedCarton | None]:
    """Return the packing plan and its next or requested carton.

    None if only items are named. Raises `NOT_FOUND`, `PACKING_PLAN_STALE`, `CARTON_PACKED`, and `INVALID_REQUEST` if
    nothing says what to pack.
    """
    plan_id, plans = request.packing_plan_id, call.app.find_adapter(PackingPlans)
    if plans and plan_id is None and not request.lines:
        plan_id = await plans.find_plan(call, request.reference)
    if plan_id is None:
        if request.carton is not None or not request.lines:
            raise INVALID_REQUEST.for_fields(FieldError("lines", "field.nothing_to_pack"))
        return None, None
    if plans is None:
        raise record_not_found(packing_plan_id=plan_id)
    cartons = await plans.load_cartons(call, plan_id)
    packed = await store.list_packed_cartons(call.work, plan_id)
    if request.carton is None:
        left = [carton for carton in cartons if carton.number not in packed]
        if not left:
            raise CARTON_PACKED(carton=len(cartons))
        return plan_id, left[0]
    if request.carton > len(cartons):
        raise record_not_found(carton=request.carton)
    if request.carton in packed:
        raise CARTON_PACKED(carton=request.carton)
    return plan_id, cartons[request.carton - 1]


async def pieces_to_pack(call: Call, request: PackStock, carton: PlannedCarton | None, free: Pieces) -> Pieces:
    """Return the items of a package, of those that are picked and in none yet.

    Raises `UNKNOWN_SKU`, `PACK_EXCEEDS_PICKED`, `INVALID_REQUEST` for items that are not those of the carton, and
    `PIECES_NOT_TOLD_APART` where the carton could have items of several lots or serial numbers.
    """
    if carton and not request.lines:
        return await _planned_pieces(call, carton, free)
    named: Counter[str] = Counter()
    for line in request.lines:
        named[line.sku] += line.quantity
    if carton and named != carton.pieces:
        raise INVALID_REQUEST.for_fields(FieldError("lines", "field.not_the_carton", {"carton": carton.number}))
    products = await load_known_products(call, [line.sku for line in request.lines])
    packed: Pieces = Counter()
    for line in request.lines:
        packed[products[line.sku].id, line.lot or "", line.serial or ""] += line.quantity
    skus = {product.id: sku for sku, product in products.items()}
    for what, pieces in packed.items():
        if pieces > free[what]:
            raise PACK_EXCEEDS_PICKED(sku=skus[what[0]], count=free[what])
    return packed


async def _planned_pieces(call: Call, carton: PlannedCarton, free: Pieces) -> Pieces:
    products = await find_products_by_sku(call, set(carton.pieces))
    if unknown := sorted(carton.pieces.keys() - products.keys()):
        fault = FieldError("packing_plan_id", "unknown_sku", {"sku": unknown[0]})
        raise UNKNOWN_SKU.for_fields(fault, sku=unknown[0])
    packed: Pieces = Counter()
    for sku, pieces in carton.pieces.items():
        fitting = {what: count for what, count in free.items() if what[0] == products[sku].id}
        if sum(fitting.values()) < pieces:
            raise PACK_EXCEEDS_PICKED(sku=sku, count=sum(fitting.values()))
        if len(fitting) > 1 and sum(fitting.values()) > pieces:
            raise PIECES_NOT_TOLD_APART.for_fields(FieldError("lines", "pieces_not_told_apart", {"sku": sku}), sku=sku)
        left = pieces
        for what, count in fitting.items():
            packed[what] = min(count, left)
            left -= packed[what]
    return packed


async def lock_reserved(call: Call, fetched: Sequence[FetchedPieces]) -> Sequence[ReservedRow]:
    """Lock reservations and their waves for picked items.

    Locks precede moves, in the same order as confirming picks and releasing stock.
    """
    warehouses = {each.warehouse_id for each in fetched}
    references = {each.reference for each in fetched}
    if not references:
        return []
    await store.lock_waves_of(call.work, warehouses, references)
    return await lock_reservations_of(call, warehouses, references)


async def use_reserved(call: Call, rows: Sequence[ReservedRow], fetched: Sequence[FetchedPieces]) -> None:
    """Use up reservations for picked items; items that were moved stay reserved."""
    if not rows:
        return
    used = use_up(await _held(call, rows), fetched)
    gone = used.taken + used.replaced
    await _confirm_tasks(call, used)
    await free_reserved(call, [row for row in rows if gone[row.id]], gone)
    staged = [(fetch, pieces) for fetch, pieces in zip(fetched, used.fetched, strict=True) if fetch.to_location_id]
    levels = await read_level_ids(call, {_target(fetch) for fetch, _ in staged})
    more: defaultdict[int, Counter[tuple[str, int]]] = defaultdict(Counter)
    for fetch, pieces in staged:
        if pieces:
            more[fetch.warehouse_id][fetch.reference, levels[_target(fetch)]] += pieces
    for warehouse_id, reserved in more.items():
        await reserve_levels(call, warehouse_id, reserved)


def _target(fetch: FetchedPieces) -> LevelKey:
    return fetch.level._replace(location_id=fetch.to_location_id or 0)


async def _held(call: Call, rows: Sequence[ReservedRow]) -> list[HeldPieces]:
    levels = await get_stock_levels(call, [row.level_id for row in rows])
    locations = await get_location_rows(call, {level.location_id for level in levels.values()})
    return [
        HeldPieces(
            id=row.id,
            warehouse_id=row.warehouse_id,
            reference=row.reference,
            level=LevelKey(level.location_id, level.product_id, level.lot, level.serial, level.condition),
            quantity=row.quantity,
            waiting=locations[level.location_id].kind in STAGING_KINDS,
        )
        for row in rows
        for level in (levels[row.level_id],)
    ]


async def _confirm_tasks(call: Call, used: UsedPieces) -> None:
    tasks = await store.list_tasks_of(call.work, [*{*used.taken, *used.replaced}])
    done: Mapping[int, tuple[int, int]] = {
        task.id: (picked, min(used.replaced[task.reservation_id], left - picked))
        for task in tasks
        for left in (task.quantity - task.picked - task.short,)
        for picked in (min(used.taken[task.reservation_id], left),)
    }
    await store.confirm_tasks(call.work, done)
