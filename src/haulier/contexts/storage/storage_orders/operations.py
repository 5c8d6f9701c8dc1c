"""Customers quote, order, pay and cancel storage."""

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.storage.storage_orders.actions.money import give_payment_back, pay_balance
from haulier.contexts.storage.storage_orders.actions.orders import create_order, require_order, take_step
from haulier.contexts.storage.storage_orders.actions.quotes import KeptStorageQuote, quote_wish
from haulier.contexts.storage.storage_orders.contract.orders import (
    CreatedStorageOrder,
    CreateStorageOrder,
    ListStorageOrders,
    QuoteStorageOrder,
    StorageOrderAnswer,
    StorageOrderList,
    StorageOrderRef,
    StorageQuote,
)
from haulier.contexts.storage.storage_orders.contract.tariffs import STORAGE
from haulier.contexts.storage.storage_orders.operations.answers import list_orders, load_detail
from haulier.contexts.storage.storage_orders.queries.orders import get_visible_order
from haulier.contexts.storage.storage_orders.rules.lifecycle import (
    NOTHING_OWED,
    STORAGE_ORDER_LIFE,
    STORAGE_QUOTE_EXPIRED,
    STORAGE_STEP_REFUSED,
    StorageOrderStep,
)
from haulier.contexts.storage.storage_orders.serializers import quote_record
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import Account, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible

CUSTOMER = frozenset({Account.CUSTOMER})
PATH = "/v1/customer/storage-orders"
ORDER_PATH = f"{PATH}/{{storage_order_id}}"


@reads(
    "quote_storage_order",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    doors=(
        Rest("POST", f"{PATH}/calculate-price"),
        GraphQL("quoteStorageOrder"),
        Mcp("quote_storage_order", title="Quote storage"),
    ),
    prepare=quote_wish,
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
    doors=(
        Rest("POST", PATH),
        GraphQL("createStorageOrder"),
        Mcp("create_storage_order", title="Order storage"),
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
    doors=(
        Rest("GET", PATH),
        GraphQL("customerStorageOrders"),
        Mcp("list_storage_orders", title="List your orders for storage"),
    ),
)
async def list_storage_orders(call: Call, request: ListStorageOrders) -> StorageOrderList:
    """List your storage orders, newest first."""
    return await list_orders(call, request, customer_id=call.actor or 0)


@reads(
    "get_storage_order",
    audience=CUSTOMER,
    scopes={Scope.STORAGE_READ},
    doors=(
        Rest("GET", ORDER_PATH),
        GraphQL("customerStorageOrder"),
        Mcp("get_storage_order", title="Show your order for storage"),
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
    doors=(
        Rest("POST", f"{ORDER_PATH}/pay"),
        GraphQL("payStorageOrder"),
        Mcp("pay_storage_order", title="Pay for storage"),
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
    allowed_where={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.CANCEL)},
    audience=CUSTOMER,
    scopes={Scope.STORAGE_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", f"{ORDER_PATH}/cancel"),
        GraphQL("cancelStorageOrder"),
        Mcp("cancel_storage_order", title="Cancel storage"),
    ),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED),
)
async def cancel_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Cancel a storage order without stock.

    None of its packages may be in stock yet. Payments are refunded to your credit.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    ended = await take_step(call, row, StorageOrderStep.CANCEL, ended_at=call.now, owed_minor=0, paid_minor=0)
    await give_payment_back(call, row)
    return StorageOrderAnswer(storage_order=await load_detail(call, ended))
