"""Operations on counts."""

from haulier.contexts.warehouse.counts import store
from haulier.contexts.warehouse.counts.contract import (
    COUNT_LINES_MAX,
    CountedPieces,
    CreateStockCount,
    FinishStockCount,
    GetStockCount,
    ListStockCounts,
    RecordStockCount,
    RecountStock,
    StockCountAnswer,
    StockCountDetail,
    StockCountList,
    StockCountPosted,
    StockCountRef,
    StockCountState,
)
from haulier.contexts.warehouse.counts.errors import (
    NOT_IN_STOCK_COUNT,
    NOTHING_TO_COUNT,
    STOCK_COUNT_INCOMPLETE,
    STOCK_COUNT_STATE,
    STOCK_COUNT_TOO_LARGE,
    STOCK_COUNT_UNDERWAY,
)
from haulier.contexts.warehouse.counts.serializers import (
    count_records,
    find_count,
    is_hidden,
    line_records,
    load_count,
)
from haulier.contexts.warehouse.counts.store import StockCountLineRow, StockCountRow, refresh_expected
from haulier.contexts.warehouse.events import StockCountApproved
from haulier.contexts.warehouse.products.queries import ProductRow, get_product_rows
from haulier.contexts.warehouse.stock.actions import (
    check_lot_days,
    load_known_products,
    load_locations,
    post_corrections,
    publish_shortages,
    require_distinguishable,
)
from haulier.contexts.warehouse.stock.contract import MovementKind, StockPieces
from haulier.contexts.warehouse.stock.errors import (
    LOCATION_ELSEWHERE,
    LOT_EXPIRY_DIFFERS,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.queries import list_levels_on, read_levels
from haulier.contexts.warehouse.stock.rules import LevelKey, NewMovement
from haulier.contexts.warehouse.stock.serializers import moved
from haulier.contexts.warehouse.warehouses.queries import get_location_rows, get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import make_cursor, parse_cursor

COUNTS_PATH = "/v1/wms/counts"
COUNT_PATH = f"{COUNTS_PATH}/{{count_id}}"


@writes(
    "create_stock_count",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", COUNTS_PATH), GraphQL("createStockCount")),
    errors=(
        *(NOT_FOUND, UNKNOWN_SKU, LOCATION_ELSEWHERE, NOTHING_TO_COUNT),
        *(STOCK_COUNT_UNDERWAY, STOCK_COUNT_TOO_LARGE),
    ),
)
async def create_stock_count(call: Call, request: CreateStockCount) -> StockCountAnswer:
    """Create a stock count.

    Uncounted and longest uncounted locations come first. A location is in one open count at most.
    """
    warehouse = await get_warehouse(call, request.warehouse_id)
    location_ids = await _choose_locations(call, request)
    skus = sorted(request.skus or ())
    products = await load_known_products(call, skus, path="skus.{at}.") if skus else {}
    levels = await list_levels_on(
        call, location_ids, {product.id for product in products.values()} or None, limit=COUNT_LINES_MAX + 1
    )
    if len(levels) > COUNT_LINES_MAX:
        raise STOCK_COUNT_TOO_LARGE(count=COUNT_LINES_MAX)
    id, underway = await store.insert_count(
        call.work,
        location_ids,
        warehouse_id=warehouse.id,
        state=StockCountState.OPEN,
        blind=request.blind,
        note=request.note,
        created_at=call.now,
        created_by=call.actor,
    )
    if underway:
        codes = sorted(row.code for row in (await get_location_rows(call, underway)).values())
        raise STOCK_COUNT_UNDERWAY(location=codes[0])
    names = (*LevelKey._fields, "expires_on")
    rows = [{name: getattr(row, name) for name in names} | {"expected": row.on_hand} for row in levels]
    await store.insert_lines(call.work, id, rows)
    call.add_audit_subjects("stock_count", id)
    return await load_count(call, id)


async def _choose_locations(call: Call, request: CreateStockCount) -> list[int]:
    wanted: dict[str, list[int] | list[str]] = {"warehouse_id": [request.warehouse_id]}
    if request.location_ids is not None:
        for row in (await load_locations(call, request.location_ids)).values():
            if row.warehouse_id != request.warehouse_id:
                raise LOCATION_ELSEWHERE(location=row.code)
        wanted["id"] = sorted(request.location_ids)
    if request.zone is not None:
        wanted["zone"] = [request.zone]
    chosen = await store.choose_locations(call.work, wanted, request.locations)
    if not chosen:
        raise NOTHING_TO_COUNT()
    return chosen


@reads(
    "list_stock_counts",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", COUNTS_PATH), GraphQL("stockCounts")),
)
async def list_stock_counts(call: Call, request: ListStockCounts) -> StockCountList:
    """List counts, newest first."""
    wanted = request.model_dump(include={"warehouse_id", "state"}, exclude_none=True)
    rows, total = await store.list_count_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = await count_records(call, rows)
    return StockCountList(total=total, page=request.page, per_page=request.per_page, counts=shown)


@reads(
    "get_stock_count",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", COUNT_PATH), GraphQL("stockCount")),
    errors=(NOT_FOUND,),
)
async def get_stock_count(call: Call, request: GetStockCount) -> StockCountDetail:
    """Get a stock count with its lines.

    The quantities in the books are hidden while a blind count is open.
    """
    count = await find_count(call, request.count_id)
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await store.list_line_rows(
        call.work,
        count.id,
        after=after,
        limit=request.per_page + 1,
        # The differences of a blind count would reveal the quantities in the books.
        differences=request.differences and not is_hidden(count),
    )
    page = rows[: request.per_page]
    return StockCountDetail(
        count=(await count_records(call, [count]))[0],
        lines=await line_records(call, count, page),
        next_cursor=make_cursor(page[-1].id) if len(rows) > request.per_page else None,
    )


@writes(
    "record_stock_count",
    available_when={"state": StockCountState.OPEN.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{COUNT_PATH}/lines"), GraphQL("recordStockCount")),
    errors=(NOT_FOUND, UNKNOWN_SKU, PIECES_NOT_TOLD_APART, STOCK_COUNT_STATE, NOT_IN_STOCK_COUNT, LOT_EXPIRY_DIFFERS),
)
async def record_stock_count(call: Call, request: RecordStockCount) -> StockCountAnswer:
    """Record counted lines of a stock count.

    Up to 200 lines per call. A line that is counted again replaces the earlier result.
    """
    count = await _lock(call, request.count_id, StockCountState.OPEN)
    products = await load_known_products(call, [line.sku for line in request.lines])
    require_distinguishable([_pieces(line) for line in request.lines], products)
    places = await store.list_count_location_ids(call.work, count.id)
    locations = await load_locations(call, {line.location_id for line in request.lines})
    for line in request.lines:
        if line.location_id not in places:
            raise NOT_IN_STOCK_COUNT(location=locations[line.location_id].code)
    dated = [(products[line.sku].id, line.lot or "", line.expires_on) for line in request.lines]
    await check_lot_days(call, dated, "lines.{at}.")
    found = {_key(line, products): line for line in request.lines}
    await _write_found(call, count.id, {key: line.quantity for key, line in found.items()}, found)
    call.add_audit_subjects("stock_count", count.id)
    return await load_count(call, count.id)


def _pieces(line: CountedPieces) -> StockPieces:
    """Return the items as a movement names them; an empty line counts as one item."""
    named = line.model_dump(include={"sku", "lot", "serial", "condition"})
    return StockPieces.model_validate({**named, "quantity": max(1, line.quantity)})


def _key(line: CountedPieces, products: dict[str, ProductRow]) -> LevelKey:
    product = products[line.sku].id
    return LevelKey(line.location_id, product, line.lot or "", line.serial or "", line.condition)


async def _write_found(
    call: Call, count_id: int, found: dict[LevelKey, int], lines: dict[LevelKey, CountedPieces]
) -> None:
    # Read the books now: later movements change both sides, so the difference stays right.
    books = await read_levels(call, found)
    rows = [
        {**key._asdict(), "expires_on": lines[key].expires_on, "expected": books.get(key, 0)} for key in sorted(lines)
    ]
    await store.insert_lines(call.work, count_id, rows)
    await store.record_lines(call.work, count_id, {key: (books.get(key, 0), found[key]) for key in found}, call.now)


@writes(
    "finish_stock_count",
    available_when={"state": StockCountState.OPEN.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{COUNT_PATH}/finish"), GraphQL("finishStockCount")),
    errors=(NOT_FOUND, STOCK_COUNT_STATE, STOCK_COUNT_INCOMPLETE),
)
async def finish_stock_count(call: Call, request: FinishStockCount) -> StockCountAnswer:
    """Finish counting and submit the differences for approval."""
    count = await _lock(call, request.count_id, StockCountState.OPEN)
    rest = await store.list_line_rows(call.work, count.id, limit=10 * COUNT_LINES_MAX, uncounted=True)
    if rest and not request.rest_is_gone:
        raise STOCK_COUNT_INCOMPLETE(count=len(rest))
    gone = {LevelKey(row.location_id, row.product_id, row.lot, row.serial, row.condition): 0 for row in rest}
    await _write_found(call, count.id, gone, {})
    await refresh_expected(call.work, [count.id])
    await store.update_count_state(call.work, count.id, StockCountState.COUNTED)
    call.add_audit_subjects("stock_count", count.id)
    return await load_count(call, count.id)


@writes(
    "recount_stock",
    available_when={"state": StockCountState.COUNTED.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{COUNT_PATH}/recount"), GraphQL("recountStock")),
    errors=(NOT_FOUND, STOCK_COUNT_STATE),
)
async def recount_stock(call: Call, request: RecountStock) -> StockCountAnswer:
    """Reopen a count to repeat counted lines.

    Repeats the lines that differ from the books, or all lines.
    """
    count = await _lock(call, request.count_id, StockCountState.COUNTED)
    await store.clear_counted(call.work, count.id, all=request.all)
    await store.update_count_state(call.work, count.id, StockCountState.OPEN)
    call.add_audit_subjects("stock_count", count.id)
    return await load_count(call, count.id)


async def _lock(call: Call, count_id: int, state: StockCountState) -> StockCountRow:
    count = await find_count(call, count_id, lock=True)
    if count.state != state:
        raise STOCK_COUNT_STATE(state=count.state)
    return count


DECISIONS_COUNT_PATH = "/v1/wms/counts/{count_id}"
DIFFERENCES_MAX = 10 * COUNT_LINES_MAX


@writes(
    "approve_stock_count",
    available_when={"state": StockCountState.COUNTED.value},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{DECISIONS_COUNT_PATH}/approve"), GraphQL("approveStockCount")),
    errors=(NOT_FOUND, STOCK_COUNT_STATE, SERIAL_IN_STOCK),
)
async def approve_stock_count(call: Call, request: StockCountRef) -> StockCountPosted:
    """Post the differences of a stock count.

    All differences are posted in one transaction. Requires an admin account. Reservations whose stock is gone are
    released, newest first: `released` lists them, and each becomes a stock shortage.
    """
    count = await find_count(call, request.count_id, lock=True)
    if count.state != StockCountState.COUNTED:
        raise STOCK_COUNT_STATE(state=count.state)
    await refresh_expected(call.work, [count.id])
    lines = await store.list_line_rows(call.work, count.id, limit=DIFFERENCES_MAX, differences=True)
    movements = [_difference(call, line) for line in lines]
    locations = await load_locations(call, {line.location_id for line in lines})
    rows, released = await post_corrections(call, movements, locations, source=f"COUNT-{count.id}", counted=True)
    products = await get_product_rows(call, {line.product_id for line in lines})
    lost = [(products[line.product_id], -_change(line)) for line in lines if _change(line) < 0]
    await publish_shortages(call, lost)
    await store.decide_count(call.work, count.id, StockCountState.APPROVED, call.now, call.actor)
    call.add_audit_subjects("stock_count", count.id)
    await call.publish(
        StockCountApproved(count_id=count.id, warehouse_id=count.warehouse_id, differences=len(movements))
    )
    answer = await load_count(call, count.id)
    return StockCountPosted(count=answer.count, movements=(await moved(call, rows)).movements, released=released)


@writes(
    "reject_stock_count",
    available_when={"state": frozenset({StockCountState.OPEN, StockCountState.COUNTED})},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{DECISIONS_COUNT_PATH}/reject"), GraphQL("rejectStockCount")),
    errors=(NOT_FOUND, STOCK_COUNT_STATE),
)
async def reject_stock_count(call: Call, request: StockCountRef) -> StockCountAnswer:
    """Reject a stock count without posting anything.

    Also works for a count that was never finished.
    """
    count = await find_count(call, request.count_id, lock=True)
    if count.state not in {StockCountState.OPEN, StockCountState.COUNTED}:
        raise STOCK_COUNT_STATE(state=count.state)
    await store.decide_count(call.work, count.id, StockCountState.REJECTED, call.now, call.actor)
    call.add_audit_subjects("stock_count", count.id)
    return await load_count(call, count.id)


def _change(line: StockCountLineRow) -> int:
    return (line.counted or 0) - line.expected


def _difference(call: Call, line: StockCountLineRow) -> NewMovement:
    change = _change(line)
    return NewMovement(
        kind=MovementKind.COUNT,
        product_id=line.product_id,
        quantity=abs(change),
        from_location_id=line.location_id if change < 0 else None,
        to_location_id=line.location_id if change > 0 else None,
        lot=line.lot,
        serial=line.serial,
        condition=line.condition,
        expires_on=line.expires_on,
        reference=f"COUNT-{line.count_id}",
        occurred_at=call.now,
        key=f"count-line:{line.id}",
    )
