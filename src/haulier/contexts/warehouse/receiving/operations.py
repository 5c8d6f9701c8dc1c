"""Operations on receiving."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, register_file_access, save_upload
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku
from haulier.contexts.warehouse.receiving import store
from haulier.contexts.warehouse.receiving.contract import (
    AddStockAdvicePhoto,
    CreateStockAdvice,
    ListStockAdvices,
    PutAwayPieces,
    PutAwayQuestion,
    PutAwaySuggestion,
    PutAwaySuggestions,
    PutStockAway,
    ReceiveStockAdvice,
    StockAdviceAnswer,
    StockAdviceList,
    StockAdviceReceived,
    StockAdviceRef,
)
from haulier.contexts.warehouse.receiving.errors import (
    NO_ROOM_TO_PUT_AWAY,
    STOCK_ADVICE_CLOSED,
    STOCK_ADVICE_EXCEEDED,
    STOCK_ADVICE_TAKEN,
)
from haulier.contexts.warehouse.receiving.rules import Shelf, first_exceeded, suggest_shelves
from haulier.contexts.warehouse.receiving.serializers import advice_records
from haulier.contexts.warehouse.receiving.store import StockAdvicePhotoRow, StockAdviceRow
from haulier.contexts.warehouse.stock.actions import (
    load_known_products,
    load_locations,
    load_products,
    pieces_of,
    receive_pieces,
    require_within,
    write_movements,
)
from haulier.contexts.warehouse.stock.contract import Condition, MovementKind, StockMoved
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_ELSEWHERE,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    LOT_EXPIRY_DIFFERS,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.queries import ShelfRow, find_homes, list_shelves
from haulier.contexts.warehouse.stock.rules import NewMovement
from haulier.contexts.warehouse.stock.serializers import moved
from haulier.contexts.warehouse.warehouses.contract import LocationKind
from haulier.contexts.warehouse.warehouses.queries import get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

ADVICES_PATH = "/v1/wms/advices"
ADVICE_PATH = f"{ADVICES_PATH}/{{advice_id}}"


@register_file_access("stock_advice", Scope.WMS_READ)
async def may_see_advice(call: Call, advice_id: int) -> bool:
    """Return True for staff: photos of received goods are not for others."""
    return False


@writes(
    "create_stock_advice",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", ADVICES_PATH), GraphQL("createStockAdvice")),
    errors=(NOT_FOUND, UNKNOWN_SKU, STOCK_ADVICE_TAKEN),
)
async def create_stock_advice(call: Call, request: CreateStockAdvice) -> StockAdviceAnswer:
    """Announce a delivery from a supplier."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    products = await load_known_products(call, [line.sku for line in request.lines])
    expected: Counter[int] = Counter()
    for line in request.lines:
        expected[products[line.sku].id] += line.quantity
    try:
        async with call.work.savepoint():
            id = await store.insert_advice(
                call.work,
                expected,
                warehouse_id=warehouse.id,
                reference=request.reference,
                supplier=request.supplier,
                expected_on=request.expected_on,
                created_at=call.now,
                closed_at=None,
            )
    except UniqueConflict:
        raise STOCK_ADVICE_TAKEN(reference=request.reference) from None
    return await _load(call, id)


@reads(
    "list_stock_advices",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", ADVICES_PATH), GraphQL("stockAdvices")),
)
async def list_stock_advices(call: Call, request: ListStockAdvices) -> StockAdviceList:
    """List inbound shipments, newest first."""
    wanted = request.model_dump(include={"warehouse_id", "reference"}, exclude_none=True)
    rows, total = await store.list_advice_rows(
        call.work, wanted, open=request.open, limit=request.per_page, offset=request.offset
    )
    shown = await advice_records(call, rows)
    return StockAdviceList(total=total, page=request.page, per_page=request.per_page, advices=shown)


@reads(
    "get_stock_advice",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", ADVICE_PATH), GraphQL("stockAdvice")),
    errors=(NOT_FOUND,),
)
async def get_stock_advice(call: Call, request: StockAdviceRef) -> StockAdviceAnswer:
    """Get an inbound shipment.

    Returns announced, received, damaged, missing and surplus items.
    """
    return StockAdviceAnswer(advice=(await advice_records(call, [await _find(call, request.advice_id)]))[0])


@writes(
    "receive_stock_advice",
    available_when={"closed_at": None},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ADVICE_PATH}/receipts"), GraphQL("receiveStockAdvice")),
    errors=(
        *(NOT_FOUND, UNKNOWN_SKU, PIECES_NOT_TOLD_APART, LOCATION_NOT_USABLE, LOCATION_FULL, LOCATION_ELSEWHERE),
        *(SERIAL_IN_STOCK, LOT_EXPIRY_DIFFERS, STOCK_ADVICE_CLOSED, STOCK_ADVICE_EXCEEDED),
    ),
)
async def receive_stock_advice(call: Call, request: ReceiveStockAdvice) -> StockAdviceReceived:
    """Receive goods of an inbound shipment.

    Partial receipts are possible. All lines of the call are recorded, or none.
    """
    advice = await _lock_open(call, request.advice_id)
    rows = await receive_pieces(call, request.lines, kind=MovementKind.RECEIVE, reference=advice.reference)
    await require_within(call, advice.warehouse_id, {line.location_id for line in request.lines})
    products = await find_products_by_sku(call, {line.sku for line in request.lines})
    came: Counter[int] = Counter()
    damaged: Counter[int] = Counter()
    for line in request.lines:
        came[products[line.sku].id] += line.quantity
        damaged[products[line.sku].id] += line.quantity if line.condition == Condition.DAMAGED else 0
    lines = await store.list_advice_line_rows(call.work, [advice.id])
    still = {line.product_id: line.expected - line.received for line in lines}
    exceeded = first_exceeded(came, still)
    if exceeded is not None and not request.accept_over:
        sku = next(sku for sku, product in products.items() if product.id == exceeded)
        raise STOCK_ADVICE_EXCEEDED(sku=sku, count=max(0, still.get(exceeded, 0)))
    await store.add_advice_lines(call.work, advice.id, dict.fromkeys(came.keys() - still.keys(), 0))
    await store.add_received(call.work, advice.id, {product: (came[product], damaged[product]) for product in came})
    answer = await _load(call, advice.id)
    return StockAdviceReceived(advice=answer.advice, movements=(await moved(call, rows)).movements)


@writes(
    "close_stock_advice",
    available_when={"closed_at": None},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ADVICE_PATH}/close"), GraphQL("closeStockAdvice")),
    errors=(NOT_FOUND, STOCK_ADVICE_CLOSED),
)
async def close_stock_advice(call: Call, request: StockAdviceRef) -> StockAdviceAnswer:
    """Close an inbound shipment.

    Missing goods stay missing.
    """
    advice = await _lock_open(call, request.advice_id)
    await StockAdviceRow.update(call.work, advice.id, {"closed_at": call.now})
    return await _load(call, advice.id)


@writes(
    "add_stock_advice_photo",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    interfaces=(Rest("POST", f"{ADVICE_PATH}/photos"), GraphQL("addStockAdvicePhoto")),
    errors=(NOT_FOUND,),
)
async def add_stock_advice_photo(call: Call, request: AddStockAdvicePhoto) -> StockAdviceAnswer:
    """Add a photo of received goods.

    Possible after the inbound shipment is closed, too.
    """
    advice = await _find(call, request.advice_id)
    upload = request.photo
    file_id = await save_upload(call, upload, about=f"stock_advice:{advice.id}")
    await StockAdvicePhotoRow.insert(call.work, advice_id=advice.id, file_id=file_id)
    return await _load(call, advice.id)


async def _find(call: Call, advice_id: int, *, lock: bool = False) -> StockAdviceRow:
    row = await (StockAdviceRow.lock if lock else StockAdviceRow.get)(call.work, advice_id)
    if row is None:
        raise record_not_found(advice_id=advice_id)
    return row


async def _lock_open(call: Call, advice_id: int) -> StockAdviceRow:
    advice = await _find(call, advice_id, lock=True)
    if advice.closed_at is not None:
        raise STOCK_ADVICE_CLOSED(reference=advice.reference)
    return advice


async def _load(call: Call, advice_id: int) -> StockAdviceAnswer:
    call.add_audit_subjects("stock_advice", advice_id)
    return StockAdviceAnswer(advice=(await advice_records(call, [await _find(call, advice_id)]))[0])


KEPT_ON = {
    Condition.GOOD: {LocationKind.STORAGE, LocationKind.PICKING},
    Condition.B_GRADE: {LocationKind.STORAGE},
    Condition.DAMAGED: {LocationKind.QUARANTINE},
}
PUT_AWAY_PATH = "/v1/wms/warehouses/{warehouse_id}/put-aways"


@reads(
    "suggest_put_away",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", f"{PUT_AWAY_PATH}/suggestions"), GraphQL("putAwaySuggestions")),
    errors=(NOT_FOUND, UNKNOWN_SKU),
)
async def suggest_put_away(call: Call, request: PutAwayQuestion) -> PutAwaySuggestions:
    """Suggest locations for putting items away.

    Good items go to storage and picking locations, B-grade ones to storage, damaged ones to quarantine.
    """
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
    interfaces=(Rest("POST", PUT_AWAY_PATH), GraphQL("putStockAway")),
    errors=(
        *(NOT_FOUND, UNKNOWN_SKU, PIECES_NOT_TOLD_APART, LOCATION_NOT_USABLE, LOCATION_FULL, LOCATION_ELSEWHERE),
        *(INSUFFICIENT_STOCK, NO_ROOM_TO_PUT_AWAY),
    ),
)
async def put_stock_away(call: Call, request: PutStockAway) -> StockMoved:
    """Put goods away.

    Uses the given locations, or suggested ones. All lines are recorded, or none.
    """
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
    """Free capacity of locations during a call."""

    def __init__(self, shelves: list[ShelfRow], homes: dict[int, set[int]]) -> None:
        self.homes: defaultdict[int, set[int]] = defaultdict(set, homes)
        self._shelves = shelves
        self._taken: defaultdict[int, int] = defaultdict(int)

    def take(
        self, product_id: int, condition: Condition, wanted: int, *, but: int | None = None
    ) -> tuple[list[tuple[Shelf, int]], int]:
        """Return the chosen locations, and the number of items without room."""
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
