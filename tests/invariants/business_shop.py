"""The locker shop of the demo client: items, purchases in every state, and links."""

from typing import Any

from tests.contexts.lockers.shop.makers import Shop, make_shop
from tests.invariants.dry_run_steps import PHOTO
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.lockers.shop.actions import CREDIT, make_link, pay_purchase, release_purchase
from haulier.contexts.lockers.shop.queries import get_purchase
from haulier.kernel.call import call_as_system
from haulier.kernel.values.money import Money


async def locker_shop(app: App, mark: str) -> dict[str, Any]:
    """Create records of every kind for the shop, and return the ids by field name."""
    shop = await make_shop(app, pieces=6, boxes=9, site=mark, code=mark, name=mark, description=mark, tax_name=mark)
    picture = {"shop_product_id": shop.product_id, "picture": {**PHOTO, "name": mark}}
    await app.answer("admin", "set_shop_picture", picture)
    asked = {**shop.wanted, "quantity": 2, "note": mark}
    task = (await app.answer("admin", "create_restock_task", asked)).task
    ready, reserved = await shop.reserve("customer2"), await shop.reserve()
    link = await _pay(app, ready.id, "customer")
    await shop.reserve_as_guest()
    blocked, free = await _make_blocked_item(app, shop)
    return {
        "site_id": shop.cabinet.site_id,
        "shop_product_id": shop.product_id,
        "restock_task_id": task.id,
        "shop_purchase_id": ready.id,
        "reserved_purchase_id": reserved.id,
        "link": link,
        "blocked_item_id": blocked,
        "shop_item_id": free,
        "walk_in_customer_id": app.ids["customer2"],
    }


async def _pay(app: App, purchase_id: int, other: str) -> str:
    """Pay a purchase, give another customer enough credit, and return a payment link."""
    client_id = app.clients["demo"]
    async with app.database.write(client_id) as work:
        call = await call_as_system(app.application, client_id, work)
        row = await get_purchase(call, purchase_id, lock=True)
        for customer_id in (row.customer_id, app.ids[other]):
            money = Money(row.shelf_price_minor, row.shelf_currency)
            await billing.top_up(call, customer_id, money, key=f"shop:{customer_id}")
        await release_purchase(call, await pay_purchase(call, row, CREDIT))
        return await make_link(call, purchase_id)


async def _make_blocked_item(app: App, shop: Shop) -> tuple[int, int]:
    """Return an item that is blocked after a compartment fault, and one for sale."""
    first, second, *_ = await shop.items(status="available")
    boxes = (await app.answer("admin", "list_locker_boxes", {"site_id": shop.cabinet.site_id})).boxes
    box = next(each.id for each in boxes if each.number == first.box)
    for state in ("disabled", "ready"):
        await app.answer("admin", "update_locker_box", {"box_id": box, "state": state})
    return first.id, second.id
