"""Operations on the locker shop: products."""

from base64 import b64encode
from datetime import timedelta
from typing import Any

from haulier.contexts.documents.public import (
    FILE_BODY_LIMIT_BYTES,
    get_file_content,
    get_file_facts,
    register_file_access,
    save_upload,
)
from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.parcels.rules import LOCKER_WITHOUT_DEVICE, NO_FREE_BOX
from haulier.contexts.lockers.shop import store
from haulier.contexts.lockers.shop.actions import fill_box, put_on_sale, remove_item
from haulier.contexts.lockers.shop.contract import (
    CreateRestockTask,
    CreateShopProduct,
    ListRestockTasks,
    ListShopItems,
    ListShopOffers,
    ListShopProducts,
    RestockShopBox,
    RestockTaskAnswer,
    RestockTaskList,
    RestockTaskRef,
    SetShopPicture,
    SetShopSettings,
    ShopItemAnswer,
    ShopItemDoor,
    ShopItemList,
    ShopItemRef,
    ShopOfferList,
    ShopPicture,
    ShopPictureRef,
    ShopProductAnswer,
    ShopProductList,
    ShopProductRef,
    ShopSettings,
    UpdateShopProduct,
)
from haulier.contexts.lockers.shop.queries import get_item, get_product, get_settings, get_task, list_offers, visit_shop
from haulier.contexts.lockers.shop.rules import (
    RESTOCK_TASK_CLOSED,
    SHOP_ITEM_IN_USE,
    SHOP_PRODUCT_CODE_TAKEN,
    ItemStatus,
    RestockStatus,
)
from haulier.contexts.lockers.shop.serializers import item_record, offer_record, product_record, task_record
from haulier.contexts.lockers.shop.store import ShopProductRow
from haulier.contexts.lockers.sites.queries import get_site
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, RateLimit, Request, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

PRODUCTS_PATH = "/v1/lockers/shop-products"
PRODUCT_PATH = f"{PRODUCTS_PATH}/{{shop_product_id}}"
SETTINGS_PATH = "/v1/lockers/shop-settings"
PICTURE_SUBJECT = "shop_product"
ANYBODY = frozenset({Account.PUBLIC})
LOOKING = (RateLimit(600, 60, ("address",)),)


@register_file_access(PICTURE_SUBJECT, Scope.WMS_READ)
async def may_see_picture(call: Call, product_id: int) -> bool:
    """Check that the caller is staff. Buyers use `get_shop_picture`."""
    return False


@writes(
    "create_shop_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PRODUCTS_PATH), GraphQL("createShopProduct")),
    errors=(SHOP_PRODUCT_CODE_TAKEN,),
)
async def create_shop_product(call: Call, request: CreateShopProduct) -> ShopProductAnswer:
    """Create a product in the locker shop."""
    currency = request.shelf_currency or call.business.currency
    values = {**request.model_dump(), "shelf_currency": currency, "retired": False, "created_at": call.now}
    try:
        async with call.savepoint():
            product_id = await ShopProductRow.insert(call.work, **values)
    except UniqueConflict:
        raise SHOP_PRODUCT_CODE_TAKEN(code=request.code) from None
    return await _answer(call, product_id)


@writes(
    "update_shop_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", PRODUCT_PATH), GraphQL("updateShopProduct")),
    errors=(NOT_FOUND,),
)
async def update_shop_product(call: Call, request: UpdateShopProduct) -> ShopProductAnswer:
    """Update a product in the locker shop.

    Omitted fields stay unchanged. Retired products are not for sale.
    """
    product = await get_product(call, request.shop_product_id)
    values = request.model_dump(exclude={"shop_product_id"}, exclude_none=True)
    await store.update_product(call.work, product.id, values)
    return await _answer(call, product.id)


@reads(
    "list_shop_products",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PRODUCTS_PATH), GraphQL("shopProducts")),
)
async def list_shop_products(call: Call, request: ListShopProducts) -> ShopProductList:
    """List the products of the locker shop.

    Ordered by name.
    """
    rows, total = await store.list_product_rows(
        call.work, retired=request.retired, search=request.search, limit=request.per_page, offset=request.offset
    )
    shown = [product_record(call, row) for row in rows]
    return ShopProductList(total=total, page=request.page, per_page=request.per_page, products=shown)


@reads(
    "get_shop_product",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PRODUCT_PATH), GraphQL("shopProduct")),
    errors=(NOT_FOUND,),
)
async def get_shop_product(call: Call, request: ShopProductRef) -> ShopProductAnswer:
    """Retrieve a product of the locker shop."""
    return await _answer(call, request.shop_product_id)


@writes(
    "set_shop_picture",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    interfaces=(Rest("POST", f"{PRODUCT_PATH}/picture"), GraphQL("setShopPicture")),
    errors=(NOT_FOUND,),
)
async def set_shop_picture(call: Call, request: SetShopPicture) -> ShopProductAnswer:
    """Set the picture of a shop product.

    The picture is public.
    """
    product, upload = await get_product(call, request.shop_product_id), request.picture
    file_id = await save_upload(call, upload, about=f"{PICTURE_SUBJECT}:{product.id}")
    await store.update_product(call.work, product.id, {"picture_id": file_id})
    return await _answer(call, product.id)


@reads(
    "get_shop_picture",
    audience=ANYBODY,
    interfaces=(Rest("GET", "/v1/shops/{clientCode}/products/{shop_product_id}/picture"), GraphQL("shopPicture")),
    limits=LOOKING,
    errors=(NOT_FOUND,),
)
async def get_shop_picture(call: Call, request: ShopPictureRef) -> ShopPicture:
    """Retrieve the public picture of a product."""
    own = await visit_shop(call, request.client_code)
    product = await get_product(own, request.shop_product_id)
    facts = await get_file_facts(own, [product.picture_id]) if product.picture_id else {}
    file = facts.get(product.picture_id or 0)
    if file is None or product.retired:
        raise record_not_found(shop_product_id=product.id)
    content = await get_file_content(own, product.picture_id or 0)
    return ShopPicture(media_type=file.media_type, content=b64encode(content).decode())


@reads(
    "list_shop_offers",
    audience=ANYBODY,
    interfaces=(Rest("GET", "/v1/shops/{clientCode}/offers"), GraphQL("shopOffers")),
    limits=LOOKING,
    errors=(NOT_FOUND,),
)
async def list_shop_offers(call: Call, request: ListShopOffers) -> ShopOfferList:
    """List the products on sale at a site.

    Public. Prices include tax.
    """
    own = await visit_shop(call, request.client_code)
    site = await get_site(own, request.site_id)
    return ShopOfferList(site_id=site.id, offers=[offer_record(row) for row in await list_offers(own, site.id)])


@reads(
    "get_shop_settings",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("shopSettings")),
)
async def get_shop_settings(call: Call, request: EmptyRequest) -> ShopSettings:
    """Retrieve the settings of the locker shop."""
    return record(ShopSettings, await get_settings(call))


@writes(
    "set_shop_settings",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setShopSettings")),
    errors=(NOT_FOUND,),
)
async def set_shop_settings(call: Call, request: SetShopSettings) -> ShopSettings:
    """Update the settings of the locker shop.

    Covers the reservation and pickup times, and the customer account for guest purchases.
    """
    walk_in = request.walk_in_customer_id
    if walk_in is not None and await get_user_of_account(call, walk_in, Account.CUSTOMER) is None:
        raise record_not_found(customer_id=walk_in)
    await store.write_settings(call.work, request.model_dump())
    return record(ShopSettings, await get_settings(call))


async def _answer(call: Call, product_id: int) -> ShopProductAnswer:
    row = await get_product(call, product_id)
    call.add_audit_subjects("shop_product", row.id)
    return ShopProductAnswer(product=product_record(call, row))


TASKS_PATH = "/v1/lockers/restock-tasks"
TASK_PATH = f"{TASKS_PATH}/{{restock_task_id}}"
ITEMS_PATH = "/v1/lockers/shop-items"
ITEM_PATH = f"{ITEMS_PATH}/{{shop_item_id}}"


@writes(
    "create_restock_task",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", TASKS_PATH), GraphQL("createRestockTask")),
    errors=(NOT_FOUND,),
)
async def create_restock_task(call: Call, request: CreateRestockTask) -> RestockTaskAnswer:
    """Create a restock task.

    The task fills compartments of a site with a product.
    """
    site, product = await get_site(call, request.site_id), await get_product(call, request.shop_product_id)
    values = request.model_dump(include={"quantity", "due_on", "note"})
    task_id = await store.insert_task(
        call.work, {**values, "site_id": site.id, "product_id": product.id, "created_at": call.now}
    )
    return await _task_answer(call, task_id)


@reads(
    "list_restock_tasks",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", TASKS_PATH), GraphQL("restockTasks")),
)
async def list_restock_tasks(call: Call, request: ListRestockTasks) -> RestockTaskList:
    """List restock tasks, newest first."""
    rows, counted = await store.list_task_rows(
        call.work, _given_values(request, "status"), limit=request.per_page, offset=request.offset
    )
    shown = [task_record(call, row) for row in rows]
    return RestockTaskList(**total_fields(counted), page=request.page, per_page=request.per_page, tasks=shown)


@writes(
    "restock_shop_box",
    available_when={"status": RestockStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{TASK_PATH}/fill"), GraphQL("restockShopBox")),
    errors=(NOT_FOUND, RESTOCK_TASK_CLOSED, NO_FREE_BOX, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE),
)
async def restock_shop_box(call: Call, request: RestockShopBox) -> ShopItemDoor:
    """Open a free compartment for restocking.

    The next item of the task is put on sale once the locker reports that the door opened. If the door is stuck, the item
    gets another free compartment, or the call can be repeated.
    """
    item_id, command = await fill_box(call, request.restock_task_id, request.expires_on)
    return ShopItemDoor(item=item_record(call, await get_item(call, item_id)), command=command_record(call, command))


@writes(
    "cancel_restock_task",
    available_when={"status": RestockStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{TASK_PATH}/cancel"), GraphQL("cancelRestockTask")),
    errors=(NOT_FOUND, RESTOCK_TASK_CLOSED),
)
async def cancel_restock_task(call: Call, request: RestockTaskRef) -> RestockTaskAnswer:
    """Cancel a restock task.

    No further compartments are filled. Items already in compartments stay on sale.
    """
    task = await get_task(call, request.restock_task_id, lock=True)
    if task.status != RestockStatus.OPEN:
        raise RESTOCK_TASK_CLOSED(filled=task.filled, quantity=task.quantity)
    closed = {"status": RestockStatus.CANCELLED.value, "closed_at": call.now}
    await store.update_task(call.work, task.id, closed)
    return await _task_answer(call, task.id)


@reads(
    "list_shop_items",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", ITEMS_PATH), GraphQL("shopItems")),
)
async def list_shop_items(call: Call, request: ListShopItems) -> ShopItemList:
    """List items in compartments, earliest expiry first.

    `expiring_days` selects items close to or past their expiry.
    """
    by = None if request.expiring_days is None else call.today + timedelta(days=request.expiring_days)
    rows, counted = await store.list_item_rows(
        call.work, _given_values(request, "status"), expiring_by=by, limit=request.per_page, offset=request.offset
    )
    shown = [item_record(call, row) for row in rows]
    return ShopItemList(**total_fields(counted), page=request.page, per_page=request.per_page, items=shown)


@writes(
    "withdraw_shop_item",
    available_when={"status": frozenset({ItemStatus.AVAILABLE, ItemStatus.BLOCKED})},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ITEM_PATH}/withdraw"), GraphQL("withdrawShopItem")),
    errors=(NOT_FOUND, SHOP_ITEM_IN_USE, DEVICE_NOT_USABLE),
)
async def withdraw_shop_item(call: Call, request: ShopItemRef) -> ShopItemDoor:
    """Open a compartment to remove an item.

    The item must not be part of a purchase. It is taken off sale immediately.
    """
    command = await remove_item(call, request.shop_item_id)
    item = await get_item(call, request.shop_item_id)
    return ShopItemDoor(item=item_record(call, item), command=command_record(call, command))


@writes(
    "put_shop_item_on_sale",
    available_when={"status": ItemStatus.BLOCKED.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{ITEM_PATH}/put-on-sale"), GraphQL("putShopItemOnSale")),
    errors=(NOT_FOUND, SHOP_ITEM_IN_USE),
)
async def put_shop_item_on_sale(call: Call, request: ShopItemRef) -> ShopItemAnswer:
    """Put a blocked item back on sale.

    Use this after an inspection, once the compartment works.
    """
    await put_on_sale(call, request.shop_item_id)
    return ShopItemAnswer(item=item_record(call, await get_item(call, request.shop_item_id)))


def _given_values(request: Request, *names: str) -> dict[str, Any]:
    wanted = request.model_dump(include={*names, "site_id", "shop_product_id"}, exclude_none=True)
    product_id = wanted.pop("shop_product_id", None)
    return {**wanted, **({"product_id": product_id} if product_id else {})}


async def _task_answer(call: Call, task_id: int) -> RestockTaskAnswer:
    call.add_audit_subjects("restock_task", task_id)
    return RestockTaskAnswer(task=task_record(call, await get_task(call, task_id)))
