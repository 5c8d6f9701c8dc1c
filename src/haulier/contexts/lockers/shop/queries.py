"""Visible products, items, purchases and links, and the shop settings."""

from collections.abc import Sequence

from pydantic import SecretStr

from haulier.contexts.identity.public import get_client_id_by_code
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.shop import store
from haulier.contexts.lockers.shop.rules import (
    SHOP_GUESTS_OFF,
    SHOP_LINK_INVALID,
    ShopTerms,
)
from haulier.contexts.lockers.shop.store import (
    RestockTaskRow,
    ShopItemRow,
    ShopOfferRow,
    ShopProductRow,
    ShopPurchaseRow,
)
from haulier.kernel.call import Call, call_for_anybody
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.ids import hash_token

OFFERS_MAX = 200
_OPEN_TO_ALL = "items for sale are public"


async def get_product(call: Call, product_id: int) -> ShopProductRow:
    """Return a product of this client. Raises `NOT_FOUND`."""
    row = await ShopProductRow.get(call.work, product_id)
    if row is None:
        raise record_not_found(shop_product_id=product_id)
    return row


async def get_item(call: Call, item_id: int, *, lock: bool = False) -> ShopItemRow:
    """Return an item of this client. Raises `NOT_FOUND`."""
    row = await store.get_item_row(call.work, item_id, lock=lock)
    if row is None:
        raise record_not_found(shop_item_id=item_id)
    return row


async def get_task(call: Call, task_id: int, *, lock: bool = False) -> RestockTaskRow:
    """Return a restock task of this client. Raises `NOT_FOUND`."""
    row = await store.get_task_row(call.work, task_id, lock=lock)
    if row is None:
        raise record_not_found(restock_task_id=task_id)
    return row


async def get_purchase(call: Call, purchase_id: int, *, lock: bool = False) -> ShopPurchaseRow:
    """Return a purchase. Customers see only their own. Raises `NOT_FOUND`.

    With a lock, the parcel of its compartment is locked first, as for opening doors.
    """
    row = await store.get_purchase_row(call.work, purchase_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(shop_purchase_id=purchase_id)
    if not lock:
        return row
    await get_parcel(call, row.parcel_id, lock=True)
    locked = await store.get_purchase_row(call.work, purchase_id, lock=True)
    assert locked is not None
    return locked


async def list_offers(call: Call, site_id: int) -> Sequence[ShopOfferRow]:
    """List the products on sale at a site."""
    return await store.list_offer_rows(call.work, site_id, call.today, OFFERS_MAX)


async def get_settings(call: Call) -> ShopTerms:
    """Return the settings of the locker shop."""
    row = await store.get_settings_row(call.work)
    return ShopTerms() if row is None else record(ShopTerms, row)


class ShopAtScreens:
    """Implements the port `ScreenSales`."""

    async def sell_to_visitors(self, call: Call) -> bool:
        """Return True if guests may buy."""
        return (await get_settings(call)).walk_in_customer_id is not None


async def get_walk_in_customer(call: Call) -> int:
    """Return the customer account for guest purchases. Raises `SHOP_GUESTS_OFF`."""
    customer_id = (await get_settings(call)).walk_in_customer_id
    if customer_id is None:
        raise SHOP_GUESTS_OFF()
    return customer_id


async def visit_shop(call: Call, client_code: str) -> Call:
    """Return a public call at the shop of a business. Raises `NOT_FOUND`."""
    client_id = await get_client_id_by_code(call.work, client_code)
    if client_id is None:
        raise NOT_FOUND()
    return await call_for_anybody(call, client_id, _OPEN_TO_ALL)


async def open_link(call: Call, link: SecretStr, *, lock: bool = False) -> tuple[Call, ShopPurchaseRow]:
    """Return the call for a link holder and their purchase.

    Raises `SHOP_LINK_INVALID`.
    """
    found = await store.find_link(call.work, hash_token(link.get_secret_value()))
    if found is None or found.expires_at <= call.now:
        raise SHOP_LINK_INVALID()
    own = await call_for_anybody(call, found.client_id, _OPEN_TO_ALL)
    return own, await get_purchase(own, found.purchase_id, lock=lock)
