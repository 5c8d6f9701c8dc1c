"""Expiry days: a lot has one; pieces without a lot have the earliest of their location."""

from collections.abc import Sequence
from datetime import date

from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.stock.errors import LOT_EXPIRY_DIFFERS
from haulier.contexts.warehouse.stock.rules.movements import LevelKey, NewMovement
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import lots as store
from haulier.contexts.warehouse.stock.store.lots import LotKey
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import FieldError


async def settle_expiry(call: Call, movements: Sequence[NewMovement], path: str | None) -> dict[LevelKey, date]:
    """Record the expiry days of new lots, and return the day of each level that receives pieces.

    Raises `LOT_EXPIRY_DIFFERS` for another day than recorded; `path` is where a movement stands in the request. Without a
    path nothing is refused, and the earlier day counts: scans that were made offline have happened.
    """
    coming = [each for each in movements if each.to_location_id is not None]
    of_lots = await _settle_lots(call, coming, path)
    sources = await _source_days(call, [each for each in coming if not each.lot and each.expires_on is None])
    days: dict[LevelKey, date] = {}
    for each in coming:
        day = of_lots.get((each.product_id, each.lot)) if each.lot else each.expires_on or sources.get(_source(each))
        if day is not None:
            target = each.level(each.to_location_id or 0)
            days[target] = min(day, days.get(target, day))
    return days


async def _settle_lots(call: Call, coming: Sequence[NewMovement], path: str | None) -> dict[LotKey, date]:
    named = sorted({(each.product_id, each.lot) for each in coming if each.lot})
    given: dict[LotKey, date] = {}
    for each in coming:
        if each.lot and each.expires_on:
            key = (each.product_id, each.lot)
            given[key] = (
                given.get(key, each.expires_on)
                if path is not None
                else min(each.expires_on, given.get(key, each.expires_on))
            )
    if given:
        await store.insert_lots(call.work, given)
    recorded = await store.lock_lots(call.work, named)
    if path is not None:
        await _require_days(call, [(each.product_id, each.lot, each.expires_on) for each in coming], recorded, path)
        return recorded
    earlier = {key: day for key, day in given.items() if day < recorded[key]}
    await store.set_lot_days(call.work, earlier)
    return recorded | earlier


async def check_lot_days(call: Call, lines: Sequence[tuple[int, str, date | None]], path: str) -> None:
    """Raise `LOT_EXPIRY_DIFFERS` for a line (product, lot, day) that names another day than its lot has."""
    named = sorted({(product, lot) for product, lot, day in lines if lot and day})
    await _require_days(call, lines, await store.lock_lots(call.work, named), path)


async def _require_days(
    call: Call, lines: Sequence[tuple[int, str, date | None]], recorded: dict[LotKey, date], path: str
) -> None:
    for at, (product, lot, day) in enumerate(lines):
        known = recorded.get((product, lot))
        if day is not None and known is not None and day != known:
            sku = (await get_product_rows(call, {product}))[product].sku
            told = {"lot": lot, "sku": sku, "day": known.isoformat()}
            fault = FieldError(f"{path.format(at=at)}expires_on", "lot_expiry_differs", told)
            raise LOT_EXPIRY_DIFFERS.for_fields(fault, **told)


async def _source_days(call: Call, moved: Sequence[NewMovement]) -> dict[LevelKey | None, date]:
    keys = {key for each in moved if (key := _source(each))}
    rows = await level_store.get_levels(call.work, keys)
    return {key: row.expires_on for key, row in rows.items() if row.expires_on}


def _source(movement: NewMovement) -> LevelKey | None:
    return None if movement.from_location_id is None else movement.level(movement.from_location_id)
