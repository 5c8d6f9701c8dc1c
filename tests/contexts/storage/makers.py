"""Storage to try things on: a tariff, orders, and packages in stock."""

from datetime import timedelta
from typing import Any

from tests.contexts.storage.examples import BOX, TARIFF
from tests.contexts.warehouse.makers import make_warehouse, some_locations
from tests.support.app import App

from haulier.contexts.identity import public as access
from haulier.kernel.operations.enums import Account


def today(app: App, days: int = 0) -> str:
    """A day from today on, as the clock of the tests has it."""
    return str((app.clock() + timedelta(days=days)).date())


async def make_tariff(app: App, **changes: Any) -> None:
    """A storage service, 0.50 a day for a package unless said otherwise."""
    await app.answer("admin", "set_storage_tariff", {**TARIFF, **changes})


def wish(app: App, packages: int = 2, days: int = 30, **changes: Any) -> dict[str, Any]:
    """Boxes for some days from tomorrow on."""
    asked = {"service_code": "boxes", "start_date": today(app, 1), "days": days}
    return {**asked, "packages": [{**BOX, "quantity": packages}], **changes}


async def make_order(app: App, who: str = "customer", **changes: Any) -> Any:
    """An order for storage."""
    return (await app.answer(who, "create_storage_order", {"storage": wish(app, **changes)})).storage_order


async def make_shelf(app: App, code: str = "YYZ") -> int:
    """A location of a new warehouse."""
    (shelf,) = await some_locations(app, await make_warehouse(app, code), "A-01")
    return shelf


async def stored(app: App, order_id: int, location_id: int, count: int = 1, **words: Any) -> list[int]:
    """Packages that came for an order, which is confirmed where it was not; their ids."""
    order = await order_now(app, order_id)
    if order.status == "pending":
        await app.answer("admin", "confirm_storage_order", {"storage_order_id": order_id})
    came = {"storage_order_id": order_id, "packages": [{**BOX, "location_id": location_id, **words}] * count}
    answer = await app.answer("admin", "receive_stored_packages", came)
    return [package.id for package in answer.received]


async def order_now(app: App, order_id: int) -> Any:
    """An order as the office sees it now."""
    return (await app.answer("admin", "get_customer_storage_order", {"storage_order_id": order_id})).storage_order


async def later(app: App, days: int) -> None:
    """Some days pass, with their jobs; whose token ended in them has another one."""
    app.clock.forward(days=days)
    await app.work_off()
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        for role, account in (("admin", Account.CLIENT_ADMIN), ("customer", Account.CUSTOMER)):
            app.tokens[role] = await access.issue_token(
                work, client_id=app.clients["demo"], user_id=app.ids[role], account=account, now=app.clock()
            )


async def refusal(app: App, who: str, operation: str, values: dict[str, Any]) -> tuple[int, str]:
    """The status and code of a call that is refused."""
    answer = await app.call(who, operation, values, confirmed=True)
    assert answer.error
    return answer.status, answer.error["code"]
