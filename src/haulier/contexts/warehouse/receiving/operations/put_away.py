"""Goods go to where they are kept."""

from collections import defaultdict
from collections.abc import Iterator

from haulier.contexts.warehouse.products.queries import ProductRow
from haulier.contexts.warehouse.receiving.contract import (
    PutAwayPieces,
    PutAwayQuestion,
    PutAwaySuggestion,
    PutAwaySuggestions,
    PutStockAway,
)
from haulier.contexts.warehouse.receiving.errors import NO_ROOM_TO_PUT_AWAY
from haulier.contexts.warehouse.receiving.rules.put_away import Shelf, suggest_shelves
from haulier.contexts.warehouse.stock.actions.lines import (
    load_known_products,
    load_locations,
    load_products,
    pieces_of,
    require_within,
)
from haulier.contexts.warehouse.stock.actions.movements import write_movements
from haulier.contexts.warehouse.stock.contract import Condition, MovementKind, StockMoved
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_ELSEWHERE,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    PIECES_NOT_TOLD_APART,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.queries import ShelfRow, find_homes, list_shelves
from haulier.contexts.warehouse.stock.rules.movements import NewMovement
from haulier.contexts.warehouse.stock.serializers import moved
from haulier.contexts.warehouse.warehouses.contract import LocationKind
from haulier.contexts.warehouse.warehouses.queries import get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

KEPT_ON = {
    Condition.GOOD: {LocationKind.STORAGE, LocationKind.PICKING},
    Condition.DAMAGED: {LocationKind.QUARANTINE},
}
PUT_AWAY_PATH = "/v1/wms/warehouses/{warehouse_id}/put-aways"


@reads(
    "suggest_put_away",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", f"{PUT_AWAY_PATH}/suggestions"), GraphQL("putAwaySuggestions")),
    errors=(NOT_FOUND, UNKNOWN_SKU),
)
async def suggest_put_away(call: Call, request: PutAwayQuestion) -> PutAwaySuggestions:
    """Say where pieces of a product have room: good ones on storage and picking locations, damaged ones in quarantine."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    products = await load_known_products(call, [request.sku], path="")
    rooms = await _load_rooms(call, warehouse.id, products)
    chosen, missing = rooms.take(products[request.sku].id, request.condition, request.quantity)
    return PutAwaySuggestions(
        suggestions=[
            PutAwaySuggestion(
                location_id=shelf.location_id,
                code=shelf.code,
                zone=shelf.zone,
                quantity=pieces,
                same_product=shelf.location_id in rooms.homes[products[request.sku].id],
            )
            for shelf, pieces in chosen
        ],
        without_room=missing,
    )


@writes(
    "put_stock_away",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PUT_AWAY_PATH), GraphQL("putStockAway")),
    errors=(
        *(NOT_FOUND, UNKNOWN_SKU, PIECES_NOT_TOLD_APART, LOCATION_NOT_USABLE, LOCATION_FULL, LOCATION_ELSEWHERE),
        *(INSUFFICIENT_STOCK, NO_ROOM_TO_PUT_AWAY),
    ),
)
async def put_stock_away(call: Call, request: PutStockAway) -> StockMoved:
    """Put goods where they are kept: where a line says, or where it is suggested. All lines, or none."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    products = await load_products(call, request.lines)
    rooms = await _load_rooms(call, warehouse.id, products)
    ways = [(line, to, pieces) for line in request.lines for to, pieces in _targets(line, products[line.sku], rooms)]
    filled = {to for _, to, _ in ways}
    locations = await load_locations(call, filled | {line.from_location_id for line in request.lines}, filled=filled)
    await require_within(call, warehouse.id, locations)
    movements = [
        NewMovement(
            kind=MovementKind.PUT_AWAY,
            product_id=products[line.sku].id,
            from_location_id=line.from_location_id,
            to_location_id=to,
            reference=request.reference,
            occurred_at=call.now,
            **pieces_of(line, pieces),
        )
        for line, to, pieces in ways
    ]
    return await moved(call, await write_movements(call, movements, locations))


class _Rooms:
    """What room locations have, less what a call has put there so far."""

    def __init__(self, shelves: list[ShelfRow], homes: dict[int, set[int]]) -> None:
        self.homes: defaultdict[int, set[int]] = defaultdict(set, homes)
        self._shelves = shelves
        self._taken: defaultdict[int, int] = defaultdict(int)

    def take(
        self, product_id: int, condition: Condition, wanted: int, *, but: int | None = None
    ) -> tuple[list[tuple[Shelf, int]], int]:
        """Where pieces go, and how many find no room."""
        shelves = list(self._free(condition, but))
        chosen, missing = suggest_shelves(shelves, self.homes[product_id], wanted)
        for shelf, pieces in chosen:
            self._taken[shelf.location_id] += pieces
        return chosen, missing

    def _free(self, condition: Condition, but: int | None) -> Iterator[Shelf]:
        for row in self._shelves:
            if row.kind in KEPT_ON[condition] and row.id != but:
                room = None if row.capacity is None else row.capacity - int(row.pieces) - self._taken[row.id]
                yield Shelf(row.id, row.code, row.zone, row.walk_order, room)


async def _load_rooms(call: Call, warehouse_id: int, products: dict[str, ProductRow]) -> _Rooms:
    homes = await find_homes(call, warehouse_id, {product.id for product in products.values()})
    kinds = frozenset[LocationKind]().union(*KEPT_ON.values())
    return _Rooms(list(await list_shelves(call, warehouse_id, kinds, frozenset[int]().union(*homes.values()))), homes)


def _targets(line: PutAwayPieces, product: ProductRow, rooms: _Rooms) -> list[tuple[int, int]]:
    if line.to_location_id is not None:
        return [(line.to_location_id, line.quantity)] if line.to_location_id != line.from_location_id else []
    chosen, missing = rooms.take(product.id, line.condition, line.quantity, but=line.from_location_id)
    if missing:
        raise NO_ROOM_TO_PUT_AWAY(sku=line.sku, count=missing)
    return [(shelf.location_id, pieces) for shelf, pieces in chosen]
