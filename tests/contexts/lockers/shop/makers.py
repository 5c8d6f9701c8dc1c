"""Setup of locker shop tests: a product in compartments, buyers and cards."""

from typing import Any

from tests.contexts.lockers.makers import Cabinet, make_cabinet
from tests.contexts.lockers.shop.examples import TEA
from tests.support.app import App


class Shop:
    """A locker bank with compartments that contain a product."""

    def __init__(self, app: App, cabinet: Cabinet, product_id: int) -> None:
        self.app, self.cabinet, self.product_id = app, cabinet, product_id

    @property
    def wanted(self) -> dict[str, Any]:
        return {"site_id": self.cabinet.site_id, "shop_product_id": self.product_id}

    async def fill(self, pieces: int = 1, **terms: Any) -> None:
        """Fill compartments with items."""
        asked = {**self.wanted, "quantity": pieces}
        task = (await self.app.answer("admin", "create_restock_task", asked)).task
        for _ in range(pieces):
            await self.app.answer("admin", "restock_shop_box", {"restock_task_id": task.id, **terms})
            await self.cabinet.does()

    async def reserve(self, who: str = "customer") -> Any:
        return (await self.app.answer(who, "reserve_shop_item", self.wanted)).purchase

    async def buy(self, who: str = "customer") -> Any:
        """A purchase that is paid from credit, and whose code was sent."""
        purchase = await self.reserve(who)
        await self.app.answer(who, "buy_reserved_shop_item", {"shop_purchase_id": purchase.id}, confirmed=True)
        await self.app.work_off()
        return await self.now(purchase.id)

    async def reserve_as_guest(self) -> Any:
        asked = {"clientCode": "demo", "email": "guest@example.com", **self.wanted}
        return await self.app.answer(None, "reserve_shop_item_as_guest", asked)

    async def now(self, purchase_id: int) -> Any:
        asked = {"shop_purchase_id": purchase_id}
        return (await self.app.answer("admin", "get_shop_purchase", asked)).purchase

    async def code(self, purchase_id: int, who: str = "customer") -> str:
        return (await self.app.answer(who, "renew_shop_code", {"shop_purchase_id": purchase_id})).code

    async def open_with(self, code: str, outcome: str = "done") -> None:
        """Enter a code; the door reports an outcome, or nothing if it is empty."""
        verdict = await self.cabinet.says("present_locker_code", code=code)
        assert verdict.accepted
        if outcome:
            await self.cabinet.says("report_device_command", command_id=verdict.command.id, outcome=outcome)

    async def items(self, **asked: Any) -> list[Any]:
        return (await self.app.answer("admin", "list_shop_items", asked)).items

    async def offered(self) -> int:
        """Return the number of items publicly on sale."""
        asked = {"clientCode": "demo", "site_id": self.cabinet.site_id}
        return sum(each.available for each in (await self.app.answer(None, "list_shop_offers", asked)).offers)


async def make_shop(app: App, pieces: int = 1, boxes: int = 3, *, site: str | None = None, **product: Any) -> Shop:
    """Create a shop with items of tea; guest purchases use the account `customer2`."""
    named = {"name": site} if site else {}
    cabinet = await make_cabinet(app, [{"size": "s", "count": boxes}], **named)
    made = (await app.answer("admin", "create_shop_product", {**TEA, **product})).product
    await app.answer("admin", "set_shop_settings", {"walk_in_customer_id": app.ids["customer2"]})
    shop = Shop(app, cabinet, made.id)
    if pieces:
        await shop.fill(pieces)
    return shop
