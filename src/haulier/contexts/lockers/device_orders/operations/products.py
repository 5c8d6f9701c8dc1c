"""Catalogue of devices and its stock."""

from typing import Any

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.device_orders.contract.products import (
    STOCK_MAX,
    ChangeDeviceStock,
    DeviceProductAnswer,
    DeviceProductList,
    DeviceProductRef,
    ListDeviceProducts,
    SetDeviceProduct,
)
from haulier.contexts.lockers.device_orders.queries import get_visible_product
from haulier.contexts.lockers.device_orders.rules import DEVICE_STOCK_REFUSED
from haulier.contexts.lockers.device_orders.serializers import product_record
from haulier.contexts.lockers.device_orders.store import products as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/device-products"
PRODUCT_PATH = f"{PATH}/{{product_code}}"
READERS = OFFICE | {Account.CUSTOMER}


@writes(
    "set_device_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", PRODUCT_PATH), GraphQL("setDeviceProduct")),
)
async def set_device_product(call: Call, request: SetDeviceProduct) -> DeviceProductAnswer:
    """Create or update a device product.

    Existing orders keep their prices.
    """
    values: dict[str, Any] = {
        **request.model_dump(exclude={"product_code"}),
        "currency": call.business.currency,
        "updated_at": call.now,
    }
    if not await store.insert_product(call.work, {**values, "product_code": request.product_code}):
        await store.update_product(call.work, request.product_code, values)
    return await _changed(call, request.product_code)


@reads(
    "list_device_products",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("deviceProducts")),
)
async def list_device_products(call: Call, request: ListDeviceProducts) -> DeviceProductList:
    """List the products in the device catalogue.

    Ordered by code, with price and stock.
    """
    wanted = request.model_dump(include={"kind", "active"}, exclude_none=True)
    if is_customer(call):
        wanted["active"] = True
    rows, counted = await store.list_product_rows(
        call.work, wanted, in_stock=request.in_stock, limit=request.per_page, offset=request.offset
    )
    return DeviceProductList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        products=[product_record(call, row) for row in rows],
    )


@reads(
    "get_device_product",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PRODUCT_PATH), GraphQL("deviceProduct")),
    errors=(NOT_FOUND,),
)
async def get_device_product(call: Call, request: DeviceProductRef) -> DeviceProductAnswer:
    """Retrieve a product from the device catalogue."""
    return DeviceProductAnswer(product=product_record(call, await get_visible_product(call, request.product_code)))


@writes(
    "change_device_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PRODUCT_PATH}/stock"), GraphQL("changeDeviceStock")),
    errors=(NOT_FOUND, DEVICE_STOCK_REFUSED),
)
async def change_device_stock(call: Call, request: ChangeDeviceStock) -> DeviceProductAnswer:
    """Adjust the stock of a device product.

    The change is added to the stock, or subtracted if negative. Stock reserved by confirmed orders is already deducted.
    """
    row = await store.get_product_row(call.work, request.product_code, lock=True)
    if row is None:
        raise record_not_found(product_code=request.product_code)
    if not 0 <= row.stock + request.change <= STOCK_MAX:
        raise DEVICE_STOCK_REFUSED(stock=row.stock, change=request.change, most=STOCK_MAX)
    await store.move_stock(call.work, {row.id: request.change})
    return await _changed(call, request.product_code)


async def _changed(call: Call, product_code: str) -> DeviceProductAnswer:
    row = await get_visible_product(call, product_code)
    call.add_audit_subjects("device_product", row.id)
    return DeviceProductAnswer(product=product_record(call, row))
