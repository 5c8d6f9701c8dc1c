"""Operations on the locker shop: purchases."""

from typing import Any

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.lockers.devices.actions.credentials import act_as_device
from haulier.contexts.lockers.devices.rules import DEVICE_UNKNOWN
from haulier.contexts.lockers.parcels.actions.steps import issue_code
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.shop import store
from haulier.contexts.lockers.shop.actions import (
    CABINET,
    CREDIT,
    CUSTOMER,
    GUEST,
    Buyer,
    expire_purchase,
    is_being_opened,
    make_link,
    pay_purchase,
    refund_purchase,
    reserve_piece,
)
from haulier.contexts.lockers.shop.contract import (
    GetShopSales,
    LinkedShopPurchase,
    ListShopPurchases,
    RefundShopPurchase,
    ReserveAsGuest,
    ReserveAtCabinet,
    ReserveShopItem,
    ShopCode,
    ShopLink,
    ShopPurchaseAnswer,
    ShopPurchaseDetailAnswer,
    ShopPurchaseList,
    ShopPurchaseRef,
    ShopSales,
    ShopSalesReport,
)
from haulier.contexts.lockers.shop.queries import get_purchase, get_walk_in_customer, open_link, visit_shop
from haulier.contexts.lockers.shop.rules import (
    LIVE,
    SHOP_GUESTS_OFF,
    SHOP_LIFE,
    SHOP_LINK_INVALID,
    SHOP_SOLD_OUT,
    SHOP_STEP_REFUSED,
    EndReason,
    ShopStatus,
    ShopStep,
)
from haulier.contexts.lockers.shop.serializers import purchase_detail, purchase_record
from haulier.contexts.lockers.shop.store import ShopPurchaseRow
from haulier.contexts.lockers.sites.queries import find_cabinet_of_device, get_site
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED, require_same_content
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

PURCHASES_PATH = "/v1/lockers/shop-purchases"
PURCHASE_PATH = f"{PURCHASES_PATH}/{{shop_purchase_id}}"
CUSTOMERS = frozenset({Account.CUSTOMER})
EITHER = OFFICE | CUSTOMERS
REPORT_DAYS_MAX = 366
FILTERS = {"status", "channel", "site_id", "customer_id", "taken_after_refund"}


@writes(
    "reserve_shop_item",
    audience=CUSTOMERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", PURCHASES_PATH), GraphQL("reserveShopItem")),
    errors=(NOT_FOUND, SHOP_SOLD_OUT),
)
async def reserve_shop_item(call: Call, request: ReserveShopItem) -> ShopPurchaseDetailAnswer:
    """Reserve a shop product for a few minutes.

    Pay within this time from your credit or with `create_payment`.
    """
    site = await get_site(call, request.site_id)
    buyer = Buyer(channel=CUSTOMER, customer_id=call.actor or 0)
    row = await reserve_piece(call, site.id, request.shop_product_id, buyer)
    return ShopPurchaseDetailAnswer(purchase=purchase_detail(call, row))


@writes(
    "buy_reserved_shop_item",
    available_when={"status": SHOP_LIFE.allowing(ShopStep.PAY)},
    audience=CUSTOMERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{PURCHASE_PATH}/buy"), GraphQL("buyReservedShopItem")),
    errors=(NOT_FOUND, SHOP_STEP_REFUSED, CREDIT_INSUFFICIENT),
)
async def buy_reserved_shop_item(call: Call, request: ShopPurchaseRef) -> ShopPurchaseDetailAnswer:
    """Pay a reserved purchase from your credit.

    The code is sent by email. If the compartment doesn't open, the payment is refunded.
    """
    row = await get_purchase(call, request.shop_purchase_id, lock=True)
    row = await pay_purchase(call, row, CREDIT)
    return ShopPurchaseDetailAnswer(purchase=purchase_detail(call, row))


@writes(
    "cancel_shop_purchase",
    available_when={"status": LIVE},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PURCHASE_PATH}/cancel"), GraphQL("cancelShopPurchase")),
    errors=(NOT_FOUND, SHOP_STEP_REFUSED),
)
async def cancel_shop_purchase(call: Call, request: ShopPurchaseRef) -> ShopPurchaseDetailAnswer:
    """Cancel a locker purchase.

    Releases a reservation, or refunds a paid purchase that was not collected. It can't be cancelled once the door is
    opening.
    """
    row = await get_purchase(call, request.shop_purchase_id, lock=True)
    if row.status == ShopStatus.RESERVED:
        await expire_purchase(call, row, EndReason.CANCELLED)
    elif row.status == ShopStatus.COLLECTED or await is_being_opened(call, row):
        raise SHOP_STEP_REFUSED(step="cancel", status=row.status)
    else:
        await refund_purchase(call, row, EndReason.CANCELLED)
    return await _answer(call, row.id)


@writes(
    "renew_shop_code",
    available_when={"status": ShopStatus.READY.value},
    replayable=False,
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PURCHASE_PATH}/code"), GraphQL("renewShopCode")),
    errors=(NOT_FOUND, SHOP_STEP_REFUSED),
)
async def renew_shop_code(call: Call, request: ShopPurchaseRef) -> ShopCode:
    """Issue a new code for a paid purchase.

    The code opens the compartment once. The previous code stops working.
    """
    row = await get_purchase(call, request.shop_purchase_id, lock=True)
    return ShopCode(code=await make_code_of(call, row), purchase=purchase_record(call, row))


async def make_code_of(call: Call, row: ShopPurchaseRow) -> str:
    """Create a new code for a purchase whose row is locked.

    Raises `SHOP_STEP_REFUSED` unless the compartment awaits its buyer.
    """
    if row.status != ShopStatus.READY:
        raise SHOP_STEP_REFUSED(step="renew_code", status=row.status)
    call.add_audit_subjects("shop_purchase", row.id)
    return await issue_code(call, await get_parcel(call, row.parcel_id))


@reads(
    "list_shop_purchases",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PURCHASES_PATH), GraphQL("shopPurchases")),
)
async def list_shop_purchases(call: Call, request: ListShopPurchases) -> ShopPurchaseList:
    """List locker purchases, newest first.

    Customers see only their own; staff see all.
    """
    wanted: dict[str, Any] = request.model_dump(include=FILTERS, exclude_none=True)
    if request.shop_product_id is not None:
        wanted["product_id"] = request.shop_product_id
    if call.principal.account is Account.CUSTOMER:
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_purchase_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = [purchase_detail(call, row) for row in rows]
    return ShopPurchaseList(**total_fields(counted), page=request.page, per_page=request.per_page, purchases=shown)


@reads(
    "get_shop_purchase",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PURCHASE_PATH), GraphQL("shopPurchase")),
    errors=(NOT_FOUND,),
)
async def get_shop_purchase(call: Call, request: ShopPurchaseRef) -> ShopPurchaseDetailAnswer:
    """Retrieve a locker purchase."""
    return await _answer(call, request.shop_purchase_id)


@writes(
    "refund_shop_purchase",
    available_when={"status": SHOP_LIFE.allowing(ShopStep.REFUND)},
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{PURCHASE_PATH}/refund"), GraphQL("refundShopPurchase")),
    errors=(NOT_FOUND, SHOP_STEP_REFUSED),
)
async def refund_shop_purchase(call: Call, request: RefundShopPurchase) -> ShopPurchaseDetailAnswer:
    """Refund a locker purchase once.

    Also possible after collection. The refund goes to the credit, or to the card of a guest.
    """
    row = await get_purchase(call, request.shop_purchase_id, lock=True)
    await refund_purchase(call, row, EndReason.OFFICE, request.reason)
    return await _answer(call, row.id)


@reads(
    "get_shop_sales",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/lockers/shop-sales"), GraphQL("shopSales")),
)
async def get_shop_sales(call: Call, request: GetShopSales) -> ShopSalesReport:
    """Report on sales of the locker shop.

    Groups the sales of a period by product, site or day, with tax and later refunds.
    """
    if not 0 <= (request.date_to - request.date_from).days <= REPORT_DAYS_MAX:
        raise INVALID_REQUEST.for_fields(FieldError("date_to", "field.shop_days"))
    rows = await store.list_sales_rows(
        call.work, request.by, request.date_from, request.date_to, site_id=request.site_id, most=request.limit
    )
    return ShopSalesReport(sales=[record(ShopSales, row, sales_currency=row.currency) for row in rows])


async def _answer(call: Call, purchase_id: int) -> ShopPurchaseDetailAnswer:
    row = await get_purchase(call, purchase_id)
    return ShopPurchaseDetailAnswer(purchase=purchase_detail(call, row))


ANYBODY = frozenset({Account.PUBLIC})
RESERVING = (RateLimit(30, 3600, ("address",)), RateLimit(600, 3600, ("client_code",)))
WITH_LINK = (RateLimit(120, 60, ("address",)),)


@writes(
    "reserve_shop_item_as_guest",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/shops/{clientCode}/purchases"), GraphQL("reserveShopItemAsGuest")),
    limits=RESERVING,
    errors=(NOT_FOUND, SHOP_GUESTS_OFF, SHOP_SOLD_OUT),
)
async def reserve_shop_item_as_guest(call: Call, request: ReserveAsGuest) -> LinkedShopPurchase:
    """Reserve a shop product as a guest.

    No account is needed. The returned link is used to pay by card.
    """
    own = await visit_shop(call, request.client_code)
    buyer = Buyer(channel=GUEST, customer_id=await get_walk_in_customer(own), email=request.email)
    site = await get_site(own, request.site_id)
    row = await reserve_piece(own, site.id, request.shop_product_id, buyer)
    return await _linked(own, row)


@writes(
    "reserve_shop_item_at_cabinet",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/device/shop-purchases"),),
    errors=(DEVICE_UNKNOWN, NOT_FOUND, SHOP_GUESTS_OFF, SHOP_SOLD_OUT, CLIENT_KEY_REUSED),
)
async def reserve_shop_item_at_cabinet(call: Call, request: ReserveAtCabinet) -> LinkedShopPurchase:
    """Reserve a product for a locker visitor.

    The visitor pays by card with the link, and the door opens automatically. The same frame again returns the same
    purchase with a new link. A different product with a used frame number is rejected.
    """
    own, device = await act_as_device(call, request.credential, lock=True)
    row = await store.find_purchase_of_frame(own.work, device.id, request.sequence)
    if row is None:
        cabinet = await find_cabinet_of_device(own, device.id)
        if cabinet is None:
            raise record_not_found(device_id=device.id)
        buyer = Buyer(
            channel=CABINET,
            customer_id=await get_walk_in_customer(own),
            email=request.email,
            device_id=device.id,
            frame_sequence=request.sequence,
        )
        row = await reserve_piece(own, cabinet.site_id, request.shop_product_id, buyer)
    sent, stored = {"shop_product_id": request.shop_product_id}, {"shop_product_id": row.product_id}
    require_same_content("sequence", str(request.sequence), sent, stored)
    return await _linked(own, row)


@reads(
    "get_linked_shop_purchase",
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/shop-links/purchase"), GraphQL("linkedShopPurchase")),
    limits=WITH_LINK,
    errors=(SHOP_LINK_INVALID,),
)
async def get_linked_shop_purchase(call: Call, request: ShopLink) -> ShopPurchaseAnswer:
    """Retrieve a purchase by its link.

    Includes the payment status, the location of the compartment and the pickup deadline.
    """
    own, row = await open_link(call, request.link)
    return ShopPurchaseAnswer(purchase=purchase_record(own, row))


@writes(
    "renew_linked_shop_code",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/shop-links/code"), GraphQL("renewLinkedShopCode")),
    limits=WITH_LINK,
    errors=(SHOP_LINK_INVALID, SHOP_STEP_REFUSED),
)
async def renew_linked_shop_code(call: Call, request: ShopLink) -> ShopCode:
    """Issue a new code for a linked purchase.

    The purchase must be paid. The code opens the compartment once. The previous code stops working.
    """
    own, row = await open_link(call, request.link, lock=True)
    return ShopCode(code=await make_code_of(own, row), purchase=purchase_record(own, row))


@writes(
    "cancel_linked_shop_purchase",
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/shop-links/cancel"), GraphQL("cancelLinkedShopPurchase")),
    limits=WITH_LINK,
    errors=(SHOP_LINK_INVALID, SHOP_STEP_REFUSED),
)
async def cancel_linked_shop_purchase(call: Call, request: ShopLink) -> ShopPurchaseAnswer:
    """Cancel an unpaid purchase by its link.

    The item goes back on sale. Repeating the call changes nothing.
    """
    own, row = await open_link(call, request.link, lock=True)
    if row.status != ShopStatus.EXPIRED:
        if row.status != ShopStatus.RESERVED:
            raise SHOP_STEP_REFUSED(step="cancel", status=row.status)
        await expire_purchase(own, row, EndReason.CANCELLED)
    return ShopPurchaseAnswer(purchase=purchase_record(own, await get_purchase(own, row.id)))


async def _linked(call: Call, row: ShopPurchaseRow) -> LinkedShopPurchase:
    return LinkedShopPurchase(purchase=purchase_record(call, row), link=await make_link(call, row.id))
