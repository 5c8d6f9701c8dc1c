"""Pieces that were fetched with a scanner use up what was reserved, and tasks follow."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from haulier.contexts.warehouse.picking.rules import FetchedPieces, HeldPieces, UsedPieces, use_up
from haulier.contexts.warehouse.picking.store import waves as store
from haulier.contexts.warehouse.stock.actions.reserved import free_reserved, reserve_levels
from haulier.contexts.warehouse.stock.queries import (
    ReservedRow,
    get_stock_levels,
    lock_reservations_of,
    read_level_ids,
)
from haulier.contexts.warehouse.stock.rules.movements import LevelKey
from haulier.contexts.warehouse.warehouses.contract import STAGING_KINDS
from haulier.contexts.warehouse.warehouses.queries import get_location_rows
from haulier.kernel.call import Call


async def lock_reserved(call: Call, fetched: Sequence[FetchedPieces]) -> Sequence[ReservedRow]:
    """What is reserved for what pieces were fetched for, locked with its waves until the call ends.

    # Why before anything is moved: whoever confirms picks or sets stock free locks in this order, too.
    """
    warehouses = {each.warehouse_id for each in fetched}
    references = {each.reference for each in fetched}
    if not references:
        return []
    await store.lock_waves_of(call.work, warehouses, references)
    return await lock_reservations_of(call, warehouses, references)


async def use_reserved(call: Call, rows: Sequence[ReservedRow], fetched: Sequence[FetchedPieces]) -> None:
    """Let pieces that were fetched and moved use up what is reserved. Those put somewhere stay reserved there."""
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
