"""Operations of visitors who buy at a locker screen."""

from haulier.contexts.identity.public import require_client
from haulier.contexts.lockers.screens.actions import act_as_screen
from haulier.contexts.lockers.screens.rules import LOCKER_SCREEN_UNKNOWN
from haulier.contexts.lockers.shop.actions import CABINET, Buyer, make_link, reserve_piece
from haulier.contexts.lockers.shop.contract import BuyAtScreen, ListScreenGoods, ScreenGoods, ScreenPurchase
from haulier.contexts.lockers.shop.queries import get_walk_in_customer, list_offers
from haulier.contexts.lockers.shop.rules import SHOP_GUESTS_OFF, SHOP_SOLD_OUT
from haulier.contexts.lockers.shop.serializers import offer_record, purchase_record
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.rendering.qr_svg import qr_svg

ANYBODY = {Account.PUBLIC}
GOODS_PATH = "/v1/locker-screen/goods"


@reads(
    "list_screen_goods",
    audience=ANYBODY,
    interfaces=(Rest("POST", GOODS_PATH),),
    limits=(RateLimit(600, 3600, ("address",)),),
    errors=(LOCKER_SCREEN_UNKNOWN,),
)
async def list_screen_goods(call: Call, request: ListScreenGoods) -> ScreenGoods:
    """List the products on sale at a screen.

    Prices include tax.
    """
    own, screen = await act_as_screen(call, request.screen_key)
    client = await require_client(own.work, own.client_id)
    goods = [offer_record(row) for row in await list_offers(own, screen.site_id)]
    return ScreenGoods(client_code=client.code, goods=goods)


@writes(
    "buy_at_locker_screen",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", f"{GOODS_PATH}/purchases"),),
    limits=(RateLimit(120, 3600, ("address",)),),
    errors=(LOCKER_SCREEN_UNKNOWN, NOT_FOUND, SHOP_GUESTS_OFF, SHOP_SOLD_OUT),
)
async def buy_at_locker_screen(call: Call, request: BuyAtScreen) -> ScreenPurchase:
    """Buy a product at a locker screen.

    The item is reserved. The buyer pays with the link on their phone, and the door opens automatically. Unpaid items
    return to sale after the reservation time.
    """
    own, screen = await act_as_screen(call, request.screen_key, lock=True)
    buyer = Buyer(channel=CABINET, customer_id=await get_walk_in_customer(own))
    row = await reserve_piece(own, screen.site_id, request.shop_product_id, buyer)
    own.add_audit_subjects("locker_screen", screen.id)
    link = await make_link(own, row.id)
    pay_url = f"{own.app.base_url}/pay#{link}"
    return ScreenPurchase(purchase=purchase_record(own, row), link=link, pay_url=pay_url, pay_qr=qr_svg(pay_url))
