"""Operations on restocking and items in compartments."""

from datetime import timedelta
from typing import Any

from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.parcels.rules import LOCKER_WITHOUT_DEVICE, NO_FREE_BOX
from haulier.contexts.lockers.shop.actions.stock import fill_box, put_on_sale, take_out
from haulier.contexts.lockers.shop.contract.stock import (
    CreateRestockTask,
    FillShopBox,
    ListRestockTasks,
    ListShopItems,
    RestockTaskAnswer,
    RestockTaskList,
    RestockTaskRef,
    ShopItemAnswer,
    ShopItemDoor,
    ShopItemList,
    ShopItemRef,
)
from haulier.contexts.lockers.shop.queries import get_item, get_product, get_task
from haulier.contexts.lockers.shop.rules import RESTOCK_TASK_CLOSED, SHOP_ITEM_IN_USE, ItemStatus, RestockStatus
from haulier.contexts.lockers.shop.serializers import item_record, task_record
from haulier.contexts.lockers.shop.store import items as store
from haulier.contexts.lockers.sites.queries import get_site
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Request, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

TASKS_PATH = "/v1/lockers/restock-tasks"
TASK_PATH = f"{TASKS_PATH}/{{restock_task_id}}"
ITEMS_PATH = "/v1/lockers/shop-items"
ITEM_PATH = f"{ITEMS_PATH}/{{shop_item_id}}"


@writes(
    "create_restock_task",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", TASKS_PATH), GraphQL("createRestockTask")),
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
    doors=(Rest("GET", TASKS_PATH), GraphQL("restockTasks")),
)
async def list_restock_tasks(call: Call, request: ListRestockTasks) -> RestockTaskList:
    """List restock tasks, newest first."""
    rows, counted = await store.list_task_rows(
        call.work, _wanted(request, "status"), limit=request.per_page, offset=request.offset
    )
    shown = [task_record(call, row) for row in rows]
    return RestockTaskList(**total_fields(counted), page=request.page, per_page=request.per_page, tasks=shown)


@writes(
    "fill_shop_box",
    allowed_where={"status": RestockStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{TASK_PATH}/fill"), GraphQL("fillShopBox")),
    errors=(NOT_FOUND, RESTOCK_TASK_CLOSED, NO_FREE_BOX, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE),
)
async def fill_shop_box(call: Call, request: FillShopBox) -> ShopItemDoor:
    """Open a free compartment for restocking.

    The next item of the task is put on sale once the locker reports that the door opened. If the door is stuck, the item
    gets another free compartment, or the call can be repeated.
    """
    item_id, command = await fill_box(call, request.restock_task_id, request.expires_on)
    return ShopItemDoor(item=item_record(call, await get_item(call, item_id)), command=command_record(call, command))


@writes(
    "cancel_restock_task",
    allowed_where={"status": RestockStatus.OPEN.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", f"{TASK_PATH}/cancel"), GraphQL("cancelRestockTask")),
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
    doors=(Rest("GET", ITEMS_PATH), GraphQL("shopItems")),
)
async def list_shop_items(call: Call, request: ListShopItems) -> ShopItemList:
    """List items in compartments, earliest expiry first.

    `expiring_days` selects items close to or past their expiry.
    """
    by = None if request.expiring_days is None else call.today + timedelta(days=request.expiring_days)
    rows, counted = await store.list_item_rows(
        call.work, _wanted(request, "status"), expiring_by=by, limit=request.per_page, offset=request.offset
    )
    shown = [item_record(call, row) for row in rows]
    return ShopItemList(**total_fields(counted), page=request.page, per_page=request.per_page, items=shown)


@writes(
    "take_shop_item_out",
    allowed_where={"status": frozenset({ItemStatus.AVAILABLE, ItemStatus.BLOCKED})},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ITEM_PATH}/take-out"), GraphQL("takeShopItemOut")),
    errors=(NOT_FOUND, SHOP_ITEM_IN_USE, DEVICE_NOT_USABLE),
)
async def take_shop_item_out(call: Call, request: ShopItemRef) -> ShopItemDoor:
    """Open a compartment to remove an item.

    The item must not be part of a purchase. It is taken off sale immediately.
    """
    command = await take_out(call, request.shop_item_id)
    item = await get_item(call, request.shop_item_id)
    return ShopItemDoor(item=item_record(call, item), command=command_record(call, command))


@writes(
    "put_shop_item_on_sale",
    allowed_where={"status": ItemStatus.BLOCKED.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", f"{ITEM_PATH}/put-on-sale"), GraphQL("putShopItemOnSale")),
    errors=(NOT_FOUND, SHOP_ITEM_IN_USE),
)
async def put_shop_item_on_sale(call: Call, request: ShopItemRef) -> ShopItemAnswer:
    """Put a blocked item back on sale.

    Use this after an inspection, once the compartment works.
    """
    await put_on_sale(call, request.shop_item_id)
    return ShopItemAnswer(item=item_record(call, await get_item(call, request.shop_item_id)))


def _wanted(request: Request, *names: str) -> dict[str, Any]:
    wanted = request.model_dump(include={*names, "site_id", "shop_product_id"}, exclude_none=True)
    product_id = wanted.pop("shop_product_id", None)
    return {**wanted, **({"product_id": product_id} if product_id else {})}


async def _task_answer(call: Call, task_id: int) -> RestockTaskAnswer:
    call.add_audit_subjects("restock_task", task_id)
    return RestockTaskAnswer(task=task_record(call, await get_task(call, task_id)))
