"""Operations on imports of products and stock."""

from haulier.contexts.warehouse.stock_imports.actions import begin_import, read_table_rows
from haulier.contexts.warehouse.stock_imports.contract import (
    GetStockImport,
    ImportProducts,
    ImportStock,
    ListStockImports,
    StockImportAnswer,
    StockImportDetail,
    StockImportKind,
    StockImportList,
    StockImportRef,
)
from haulier.contexts.warehouse.stock_imports.errors import STOCK_IMPORT_IS_OVER
from haulier.contexts.warehouse.stock_imports.serializers import find_import, import_record, load_import, outcome_record
from haulier.contexts.warehouse.stock_imports.store import stock_imports
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

MAX_BODY_BYTES = 48_000_000
IMPORTS_PATH = "/v1/wms/imports"
IMPORT_PATH = f"{IMPORTS_PATH}/{{stock_import_id}}"


@writes(
    "import_products",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/products/imports"), GraphQL("importProducts")),
    body_limit_bytes=MAX_BODY_BYTES,
    prepare=read_table_rows,
)
async def import_products(call: Call, request: ImportProducts) -> StockImportAnswer:
    """Import products from CSV or XLSX.

    Runs in the background. A row with a known SKU updates that product and keeps omitted fields; other rows add
    products. A faulty row does not stop the others.
    """
    return await begin_import(call, StockImportKind.PRODUCTS, call.prepared)


@writes(
    "import_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/stock/imports"), GraphQL("importStock")),
    errors=(CLIENT_KEY_REUSED,),
    body_limit_bytes=MAX_BODY_BYTES,
    prepare=read_table_rows,
)
async def import_stock(call: Call, request: ImportStock) -> StockImportAnswer:
    """Import stock from CSV or XLSX.

    Runs in the background and adds received stock or replaces quantities. A faulty row does not stop the others.
    """
    added = request.mode == "add"
    kind = StockImportKind.RECEIVED_STOCK if added else StockImportKind.COUNTED_STOCK
    return await begin_import(call, kind, call.prepared, request.reference)


@reads(
    "list_stock_imports",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", IMPORTS_PATH), GraphQL("stockImports")),
)
async def list_stock_imports(call: Call, request: ListStockImports) -> StockImportList:
    """List stock imports, newest first.

    Outcomes are stored for 30 days.
    """
    headers, total = await stock_imports.list_import_headers(
        call.work, request.kind, limit=request.per_page, offset=request.offset
    )
    counts = await stock_imports.count_rows_by_state(call.work, [header.id for header in headers])
    return StockImportList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        imports=[import_record(call, header, counts[header.id]) for header in headers],
    )


@reads(
    "get_stock_import",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", IMPORT_PATH), GraphQL("stockImport")),
    errors=(NOT_FOUND,),
)
async def get_stock_import(call: Call, request: GetStockImport) -> StockImportDetail:
    """Get a stock import and its row outcomes."""
    header = await find_import(call, request.stock_import_id)
    counts = (await stock_imports.count_rows_by_state(call.work, [header.id]))[header.id]
    rows = await stock_imports.list_import_rows(
        call.work, header.id, request.state, limit=request.per_page, offset=request.offset
    )
    return StockImportDetail(
        total=counts.get(request.state, 0) if request.state else header.rows,
        page=request.page,
        per_page=request.per_page,
        stock_import=import_record(call, header, counts),
        outcomes=[outcome_record(call, row) for row in rows],
    )


@writes(
    "cancel_stock_import",
    available_when={"finished_at": None},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{IMPORT_PATH}/cancel"), GraphQL("cancelStockImport")),
    errors=(NOT_FOUND, STOCK_IMPORT_IS_OVER),
)
async def cancel_stock_import(call: Call, request: StockImportRef) -> StockImportAnswer:
    """Cancel a stock import.

    Written rows are kept, the others are skipped.
    """
    header = await find_import(call, request.stock_import_id, lock=True)
    if header.finished_at:
        raise STOCK_IMPORT_IS_OVER()
    await stock_imports.cancel_import(call.work, header.id, call.now)
    call.add_audit_subjects("stock_import", header.id)
    return await load_import(call, header.id)
