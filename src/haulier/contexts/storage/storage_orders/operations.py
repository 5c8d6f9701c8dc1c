"""Operations on storage orders."""

from datetime import timedelta
from typing import Any

from msgspec import to_builtins

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.storage.storage_orders import store
from haulier.contexts.storage.storage_orders.actions import (
    KeptStorageQuote,
    apply_step,
    charge_next_month,
    charge_until,
    create_order,
    pay_balance,
    refund_payment,
    require_order,
    store_quote,
)
from haulier.contexts.storage.storage_orders.contract import (
    DAYS_MAX,
    PACKAGES_MAX,
    STORAGE,
    CreatedStorageOrder,
    CreateStorageOrder,
    GetStorageOverview,
    ListCustomerStorageOrders,
    ListStorageOrders,
    QuoteStorageOrder,
    ReceivedPackages,
    ReceiveStoredPackages,
    SetStorageTariff,
    StorageOrderAnswer,
    StorageOrderConfig,
    StorageOrderDetail,
    StorageOrderList,
    StorageOrderRef,
    StorageOverview,
    StorageQuote,
    StorageTariffAnswer,
    StorageTariffList,
)
from haulier.contexts.storage.storage_orders.queries import get_visible_order, list_tariffs, terms_of
from haulier.contexts.storage.storage_orders.rules import (
    NOTHING_OWED,
    QUOTE_LIFE,
    STORAGE_NOT_EMPTY,
    STORAGE_ORDER_LIFE,
    STORAGE_QUOTE_EXPIRED,
    STORAGE_STEP_REFUSED,
    StorageOrderStatus,
    StorageOrderStep,
    first_of_next_month,
    next_storage_status,
)
from haulier.contexts.storage.storage_orders.serializers import (
    order_detail,
    order_summary,
    quote_record,
    stored_goods,
    tariff_record,
)
from haulier.contexts.storage.storage_orders.store import StorageOrderRow, TariffRow
from haulier.contexts.storage.stored_packages.actions import receive_packages
from haulier.contexts.storage.stored_packages.queries import count_packages_in_stock, list_packages_of_orders
from haulier.contexts.storage.stored_packages.serializers import package_record
from haulier.contexts.warehouse.public import LOCATION_NOT_USABLE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND, PRICE_HIDDEN, record_not_found
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields


async def list_orders(call: Call, request: ListStorageOrders, **own: Any) -> StorageOrderList:
    """Return a page of orders, newest first."""
    wanted = request.model_dump(include={"status", "order_ref", "customer_id"}, exclude_none=True) | own
    rows, counted = await store.list_order_rows(
        call.work,
        wanted,
        start_from=request.start_from,
        start_to=request.start_to,
        limit=request.per_page,
        offset=request.offset,
    )
    return StorageOrderList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        storage_orders=[order_summary(call, row) for row in rows],
    )


async def load_detail(call: Call, row: StorageOrderRow) -> StorageOrderDetail:
    """Return an order with all details."""
    charges = await store.list_charge_rows(call.work, row.id)
    return order_detail(call, row, charges, await count_packages_in_stock(call, row.id))


CUSTOMER = frozenset({Account.CUSTOMER})
CUSTOMERS_PATH = "/v1/customer/storage-orders"
ORDER_PATH = f"{CUSTOMERS_PATH}/{{storage_order_id}}"


@reads(
    "quote_storage_order",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("POST", f"{CUSTOMERS_PATH}/calculate-price"),
        GraphQL("quoteStorageOrder"),
        Mcp("quote_storage_order", title="Quote a storage order"),
    ),
    prepare=store_quote,
    errors=(NOT_FOUND,),
)
async def quote_storage_order(call: Call, request: QuoteStorageOrder) -> StorageQuote:
    """Quote the price of storage.

    An order created with the `quote_id` has this price until the quote expires.
    """
    quote: KeptStorageQuote = call.prepared
    return quote_record(call, quote)


@writes(
    "create_storage_order",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", CUSTOMERS_PATH),
        GraphQL("createStorageOrder"),
        Mcp("create_storage_order", title="Create a storage order"),
    ),
    errors=(NOT_FOUND, STORAGE_QUOTE_EXPIRED, CONFLICT),
)
async def create_storage_order(call: Call, request: CreateStorageOrder) -> CreatedStorageOrder:
    """Create a storage order.

    Uses a quoted price or today's. Each quote creates one order: repeating the call returns that order.
    """
    row, existing = await create_order(call, request)
    return CreatedStorageOrder(storage_order=await load_detail(call, row), existing=existing)


@reads(
    "list_storage_orders",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", CUSTOMERS_PATH),
        GraphQL("customerStorageOrders"),
        Mcp("list_storage_orders", title="List your storage orders"),
    ),
)
async def list_storage_orders(call: Call, request: ListStorageOrders) -> StorageOrderList:
    """List your storage orders, newest first."""
    return await list_orders(call, request, customer_id=call.actor or 0)


@reads(
    "get_storage_order",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", ORDER_PATH),
        GraphQL("customerStorageOrder"),
        Mcp("get_storage_order", title="Get a storage order"),
    ),
    errors=(NOT_FOUND,),
)
async def get_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Retrieve one of your storage orders.

    Includes its cost to date.
    """
    row = await get_visible_order(call, request.storage_order_id)
    return StorageOrderAnswer(storage_order=await load_detail(call, row))


@writes(
    "pay_storage_order",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", f"{ORDER_PATH}/pay"),
        GraphQL("payStorageOrder"),
        Mcp("pay_storage_order", title="Pay a storage order"),
    ),
    errors=(NOT_FOUND, PRICE_HIDDEN, NOTHING_OWED, CREDIT_INSUFFICIENT),
)
async def pay_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Pay a storage order from your credit.

    The full amount due is charged, or nothing.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    require_price_visible(call.principal.hidden_prices, STORAGE)
    await pay_balance(call, row)
    call.add_audit_subjects("storage_order", row.id)
    return StorageOrderAnswer(storage_order=await load_detail(call, await require_order(call, row.id)))


@writes(
    "cancel_storage_order",
    available_when={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.CANCEL)},
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", f"{ORDER_PATH}/cancel"),
        GraphQL("cancelStorageOrder"),
        Mcp("cancel_storage_order", title="Cancel a storage order"),
    ),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED),
)
async def cancel_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Cancel a storage order without stock.

    None of its packages may be in stock yet. Payments are refunded to your credit.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    ended = await apply_step(call, row, StorageOrderStep.CANCEL, ended_at=call.now, owed_minor=0, paid_minor=0)
    await refund_payment(call, row)
    return StorageOrderAnswer(storage_order=await load_detail(call, ended))


OFFICE_PATH = "/v1/storage/orders"
OFFICE_ORDER_PATH = f"{OFFICE_PATH}/{{storage_order_id}}"


@reads(
    "list_customer_storage_orders",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", OFFICE_PATH), GraphQL("storageOrders")),
)
async def list_customer_storage_orders(call: Call, request: ListCustomerStorageOrders) -> StorageOrderList:
    """List storage orders of customers, newest first."""
    return await list_orders(call, request)


@reads(
    "get_storage_overview",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/storage/overview"), GraphQL("storageOverview")),
)
async def get_storage_overview(call: Call, request: GetStorageOverview) -> StorageOverview:
    """Get goods in storage by customer.

    Returns packages, the day of the oldest, the cost of this month, and the next monthly charge.
    """
    rows, total = await store.list_stored_customers(
        call.work, customer_id=request.customer_id, limit=request.per_page, offset=request.offset
    )
    orders = await store.list_stored_orders(call.work, {row.customer_id for row in rows})
    packages = await list_packages_of_orders(call, [order.id for order in orders])
    return StorageOverview(
        total=total,
        page=request.page,
        per_page=request.per_page,
        month_start=call.today.replace(day=1),
        next_charge_on=first_of_next_month(call.today),
        customers=[stored_goods(call, row, orders, packages) for row in rows],
    )


@reads(
    "get_customer_storage_order",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", OFFICE_ORDER_PATH), GraphQL("storageOrder")),
    errors=(NOT_FOUND,),
)
async def get_customer_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Retrieve a storage order of a customer.

    Includes its cost to date.
    """
    row = await get_visible_order(call, request.storage_order_id)
    return StorageOrderAnswer(storage_order=await load_detail(call, row))


@writes(
    "confirm_storage_order",
    available_when={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.CONFIRM)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFICE_ORDER_PATH}/confirm"), GraphQL("confirmStorageOrder")),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED),
)
async def confirm_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Confirm a storage order.

    Its packages can be received from now on.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    changed = await apply_step(call, row, StorageOrderStep.CONFIRM, confirmed_at=call.now)
    return StorageOrderAnswer(storage_order=await load_detail(call, changed))


@writes(
    "receive_stored_packages",
    available_when={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.RECEIVE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFICE_ORDER_PATH}/packages"), GraphQL("receiveStoredPackages")),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED, LOCATION_NOT_USABLE),
)
async def receive_stored_packages(call: Call, request: ReceiveStoredPackages) -> ReceivedPackages:
    """Receive packages of a storage order.

    The packages enter stock with weight and dimensions. Storage fees start on this day.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    next_storage_status(StorageOrderStep.RECEIVE, row.status)
    received = await receive_packages(call, row.customer_id, row.id, request.packages)
    changed = await apply_step(call, row, StorageOrderStep.RECEIVE)
    if row.status != StorageOrderStatus.STORED:
        await charge_next_month(call, row.id)
    return ReceivedPackages(
        storage_order=await load_detail(call, changed), received=[package_record(call, each) for each in received]
    )


@writes(
    "close_storage_order",
    available_when={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.CLOSE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFICE_ORDER_PATH}/close"), GraphQL("closeStorageOrder")),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED, STORAGE_NOT_EMPTY),
)
async def close_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Close a storage order.

    All packages must have left. Outstanding fees are charged.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    next_storage_status(StorageOrderStep.CLOSE, row.status)
    if stored := await count_packages_in_stock(call, row.id):
        raise STORAGE_NOT_EMPTY(stored=stored)
    charged = await charge_until(call, row, call.today + timedelta(days=1))
    changed = await apply_step(call, charged, StorageOrderStep.CLOSE, ended_at=call.now)
    return StorageOrderAnswer(storage_order=await load_detail(call, changed))


@reads(
    "get_storage_order_config",
    audience={Account.CUSTOMER},
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", "/v1/customer/storage-orders/config"),
        GraphQL("customerStorageOrderConfig"),
        Mcp("get_storage_order_config", title="Get options for storage orders"),
    ),
)
async def get_storage_order_config(call: Call, request: EmptyRequest) -> StorageOrderConfig:
    """Retrieve the options for storage orders.

    Returns the available storage services, their prices and the limits of an order.
    """
    return StorageOrderConfig(
        services=[tariff_record(row) for row in await list_tariffs(call, offered=True)],
        quote_hours=int(QUOTE_LIFE.total_seconds()) // 3600,
        packages_max=PACKAGES_MAX,
        days_max=DAYS_MAX,
    )


@reads(
    "list_storage_tariffs",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/storage/tariffs"), GraphQL("storageTariffs")),
)
async def list_storage_tariffs(call: Call, request: EmptyRequest) -> StorageTariffList:
    """List storage services and their tariffs.

    Ordered by code.
    """
    return StorageTariffList(tariffs=[tariff_record(row) for row in await list_tariffs(call, offered=False)])


@writes(
    "set_storage_tariff",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", "/v1/storage/tariffs/{service_code}"), GraphQL("setStorageTariff")),
)
async def set_storage_tariff(call: Call, request: SetStorageTariff) -> StorageTariffAnswer:
    """Create or update a storage tariff.

    Sets the price of a storage service from now on. Existing orders and quotes keep their tariff.
    """
    await store.upsert_tariff(
        call.work,
        service_code=request.service_code,
        name=request.name,
        terms=to_builtins(terms_of(request, call.business.currency)),
        active=request.active,
        updated_at=call.now,
    )
    row = await TariffRow.find_by(call.work, service_code=request.service_code)
    if row is None:
        raise record_not_found(service_code=request.service_code)
    call.add_audit_subjects("storage_tariff", row.id)
    return StorageTariffAnswer(tariff=tariff_record(row))
