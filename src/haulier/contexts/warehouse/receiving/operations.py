"""Advices: announced, received, closed."""

from collections import Counter

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, register_file_access, save_upload
from haulier.contexts.warehouse.products.queries import find_products_by_sku
from haulier.contexts.warehouse.receiving.contract import (
    AddStockAdvicePhoto,
    CreateStockAdvice,
    ListStockAdvices,
    ReceiveStockAdvice,
    StockAdviceAnswer,
    StockAdviceList,
    StockAdviceReceived,
    StockAdviceRef,
)
from haulier.contexts.warehouse.receiving.errors import (
    STOCK_ADVICE_CLOSED,
    STOCK_ADVICE_EXCEEDED,
    STOCK_ADVICE_TAKEN,
)
from haulier.contexts.warehouse.receiving.rules.advices import first_exceeded
from haulier.contexts.warehouse.receiving.serializers import advice_records
from haulier.contexts.warehouse.receiving.store import advices as store
from haulier.contexts.warehouse.receiving.store.tables import StockAdvicePhotoRow, StockAdviceRow
from haulier.contexts.warehouse.stock.actions.lines import load_known_products, require_within
from haulier.contexts.warehouse.stock.actions.movements import receive_pieces
from haulier.contexts.warehouse.stock.contract import Condition, MovementKind
from haulier.contexts.warehouse.stock.errors import (
    LOCATION_ELSEWHERE,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    LOT_EXPIRY_DIFFERS,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.serializers import moved
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
    """Photos of what came are the office's alone."""
    return False


@writes(
    "create_stock_advice",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", ADVICES_PATH), GraphQL("createStockAdvice")),
    errors=(NOT_FOUND, UNKNOWN_SKU, STOCK_ADVICE_TAKEN),
)
async def create_stock_advice(call: Call, request: CreateStockAdvice) -> StockAdviceAnswer:
    """Announce goods that a supplier will send."""
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
    doors=(Rest("GET", ADVICES_PATH), GraphQL("stockAdvices")),
)
async def list_stock_advices(call: Call, request: ListStockAdvices) -> StockAdviceList:
    """List advices, the newest first."""
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
    doors=(Rest("GET", ADVICE_PATH), GraphQL("stockAdvice")),
    errors=(NOT_FOUND,),
)
async def get_stock_advice(call: Call, request: StockAdviceRef) -> StockAdviceAnswer:
    """Show an advice: what was announced, came, is damaged, is missing, and came beyond."""
    return StockAdviceAnswer(advice=(await advice_records(call, [await _find(call, request.advice_id)]))[0])


@writes(
    "receive_stock_advice",
    allowed_where={"closed_at": None},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ADVICE_PATH}/receipts"), GraphQL("receiveStockAdvice")),
    errors=(
        *(NOT_FOUND, UNKNOWN_SKU, PIECES_NOT_TOLD_APART, LOCATION_NOT_USABLE, LOCATION_FULL, LOCATION_ELSEWHERE),
        *(SERIAL_IN_STOCK, LOT_EXPIRY_DIFFERS, STOCK_ADVICE_CLOSED, STOCK_ADVICE_EXCEEDED),
    ),
)
async def receive_stock_advice(call: Call, request: ReceiveStockAdvice) -> StockAdviceReceived:
    """Receive goods of an advice, whole or in part: all lines of the call, or none."""
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
    allowed_where={"closed_at": None},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ADVICE_PATH}/close"), GraphQL("closeStockAdvice")),
    errors=(NOT_FOUND, STOCK_ADVICE_CLOSED),
)
async def close_stock_advice(call: Call, request: StockAdviceRef) -> StockAdviceAnswer:
    """Wait for nothing more of an advice. What is missing stays missing."""
    advice = await _lock_open(call, request.advice_id)
    await StockAdviceRow.update(call.work, advice.id, {"closed_at": call.now})
    return await _load(call, advice.id)


@writes(
    "add_stock_advice_photo",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    doors=(Rest("POST", f"{ADVICE_PATH}/photos"), GraphQL("addStockAdvicePhoto")),
    errors=(NOT_FOUND,),
)
async def add_stock_advice_photo(call: Call, request: AddStockAdvicePhoto) -> StockAdviceAnswer:
    """Keep a photo of what came of an advice, such as of damaged pieces. Also once it is closed."""
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
