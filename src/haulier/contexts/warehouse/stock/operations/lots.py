"""Corrections of lots."""

from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.stock.contract import CorrectStockLot, StockLot, StockLotAnswer
from haulier.contexts.warehouse.stock.store import lots as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found


@writes(
    "correct_stock_lot",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", "/v1/wms/products/{product_id}/lots/{lot}"), GraphQL("correctStockLot")),
    errors=(NOT_FOUND,),
)
async def correct_stock_lot(call: Call, request: CorrectStockLot) -> StockLotAnswer:
    """Correct a lot's expiry day, wherever its pieces stand. Requires an admin account.

    The audit entry stores the new day and the reason.
    """
    products = await get_product_rows(call, {request.product_id})
    if request.product_id not in products:
        raise record_not_found(product_id=request.product_id)
    key = (request.product_id, request.lot)
    recorded = await store.lock_lots(call.work, [key])
    if key not in recorded:
        raise record_not_found(lot=request.lot)
    await store.set_lot_days(call.work, {key: request.expires_on})
    call.add_audit_subjects("product", request.product_id)
    lot = StockLot(
        product_id=request.product_id,
        sku=products[request.product_id].sku,
        lot=request.lot,
        expires_on=request.expires_on,
    )
    return StockLotAnswer(lot=lot, previous=recorded[key])
