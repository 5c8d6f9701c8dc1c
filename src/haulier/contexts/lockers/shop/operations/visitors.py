"""Operations for buyers without an account: guests, and visitors at a locker."""

from haulier.contexts.lockers.devices.actions.credentials import act_as_device
from haulier.contexts.lockers.devices.rules import DEVICE_UNKNOWN
from haulier.contexts.lockers.shop.actions.purchases import (
    CABINET,
    GUEST,
    Buyer,
    expire_purchase,
    make_link,
    reserve_piece,
)
from haulier.contexts.lockers.shop.contract.purchases import (
    LinkedShopPurchase,
    ReserveAsGuest,
    ReserveAtCabinet,
    ShopCode,
    ShopLink,
    ShopPurchaseAnswer,
)
from haulier.contexts.lockers.shop.operations.purchases import make_code_of
from haulier.contexts.lockers.shop.queries import get_purchase, get_walk_in_customer, open_link, visit_shop
from haulier.contexts.lockers.shop.rules import (
    SHOP_GUESTS_OFF,
    SHOP_LINK_INVALID,
    SHOP_SOLD_OUT,
    SHOP_STEP_REFUSED,
    EndReason,
    ShopStatus,
)
from haulier.contexts.lockers.shop.serializers import purchase_record
from haulier.contexts.lockers.shop.store import purchases as store
from haulier.contexts.lockers.shop.store.tables import ShopPurchaseRow
from haulier.contexts.lockers.sites.queries import find_cabinet_of_device, get_site
from haulier.kernel.call import Call
from haulier.kernel.operations.client_keys import CLIENT_KEY_REUSED, require_same_content
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

ANYBODY = frozenset({Account.PUBLIC})
RESERVING = (RateLimit(30, 3600, ("address",)), RateLimit(600, 3600, ("client_code",)))
WITH_LINK = (RateLimit(120, 60, ("address",)),)


@writes(
    "reserve_shop_item_as_guest",
    replayable=False,
    audience=ANYBODY,
    doors=(Rest("POST", "/v1/shops/{clientCode}/purchases"), GraphQL("reserveShopItemAsGuest")),
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
    doors=(Rest("POST", "/v1/device/shop-purchases"),),
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
    doors=(Rest("POST", "/v1/shop-links/purchase"), GraphQL("linkedShopPurchase")),
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
    doors=(Rest("POST", "/v1/shop-links/code"), GraphQL("renewLinkedShopCode")),
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
    doors=(Rest("POST", "/v1/shop-links/cancel"), GraphQL("cancelLinkedShopPurchase")),
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
