"""Corrections are always posted; reservations that no longer hold are released."""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.shortages.actions import LostPieces, record_shortages
from haulier.contexts.warehouse.stock.actions.movements import Locations, write_movements
from haulier.contexts.warehouse.stock.actions.reserved import free_reserved
from haulier.contexts.warehouse.stock.contract import ReleasedReservation
from haulier.contexts.warehouse.stock.rules.movements import LevelKey, NewMovement
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import reservations as reservation_store
from haulier.contexts.warehouse.stock.store.tables import LevelRow, MovementRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def post_corrections(
    call: Call,
    movements: Sequence[NewMovement],
    locations: Locations,
    *,
    source: str,
    counted: bool = False,
    path: str | None = None,
) -> tuple[Sequence[MovementRow], list[ReleasedReservation]]:
    """Write what was found, release reservations that no longer hold, newest first, and open a shortage for each.

    `counted` never refuses: it ignores capacity, and takes at most the pieces that the books still have.
    """
    taken = [each.level(each.from_location_id) for each in movements if each.from_location_id is not None]
    levels = await level_store.get_levels(call.work, taken)
    # Lock in the order of picks, which lock reservations before levels.
    await reservation_store.lock_reservations_on(call.work, [level.id for level in levels.values()])
    levels = await level_store.get_levels(call.work, taken, lock=True)
    if counted:
        movements = _limit_to_books(movements, {key: level.on_hand for key, level in levels.items()})
    rows = await write_movements(call, movements, locations, check_room=not counted, from_reserved=True, path=path)
    released = await _release_excess(call, await level_store.get_levels(call.work, taken), source)
    return rows, released


def _limit_to_books(movements: Sequence[NewMovement], on_hand: Mapping[LevelKey, int]) -> list[NewMovement]:
    limited: list[NewMovement] = []
    for each in movements:
        if each.from_location_id is None:
            limited.append(each)
        elif (left := min(each.quantity, on_hand.get(each.level(each.from_location_id), 0))) > 0:
            limited.append(replace(each, quantity=left))
    return limited


async def _release_excess(call: Call, levels: Mapping[LevelKey, LevelRow], source: str) -> list[ReleasedReservation]:
    excess = {row.id: row.reserved - max(0, row.on_hand) for row in levels.values() if row.reserved > row.on_hand}
    products = {row.id: row.product_id for row in levels.values()}
    rows = await reservation_store.lock_reservations_on(call.work, list(excess))
    freed: dict[int, int] = {}
    lost: Counter[tuple[int, str, int]] = Counter()
    for row in rows:
        if pieces := min(row.quantity, excess[row.level_id]):
            freed[row.id] = pieces
            excess[row.level_id] -= pieces
            lost[row.warehouse_id, row.reference, products[row.level_id]] += pieces
    await free_reserved(call, [row for row in rows if row.id in freed], freed)
    shortages = await record_shortages(
        call,
        [
            LostPieces(warehouse_id=warehouse, reference=reference, product_id=product, quantity=pieces)
            for (warehouse, reference, product), pieces in sorted(lost.items())
        ],
        source,
    )
    known = await get_product_rows(call, {row.product_id for row in shortages})
    return [record(ReleasedReservation, row, shortage_id=row.id, sku=known[row.product_id].sku) for row in shortages]
