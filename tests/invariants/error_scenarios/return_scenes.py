"""Errors of returns: not accepted, already started, and lockers without room."""

from typing import Any

from tests.contexts.lockers.examples import SITE
from tests.contexts.lockers.makers import make_cabinet
from tests.contexts.lockers.return_makers import Keeper, allow_returns, make_keeper, returning
from tests.contexts.recipients.makers import make_awaited_order
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import set_order

from haulier.contexts.orders.public import OrderStatus


async def scene(app: App) -> dict[str, Any]:
    """Create deliveries with started, possible and impossible returns, and sites."""
    await allow_returns(app)
    await make_cabinet(app)
    bare = (await app.answer("admin", "create_locker_site", {**SITE, "name": "A hall without boxes"})).site
    busy, idle, erased = [await make_keeper(app) for _ in range(3)]
    await busy.begins()
    (sent,) = (await app.answer("admin", "list_recipient_returns", {})).returns
    await set_order(app, sent.return_order_id, status=OrderStatus.PICKED_UP.value)
    await set_order(app, erased.order.id, consignee={"name": ""})
    waiting = Keeper(app, await make_awaited_order(app))
    await waiting.opens()
    keepers = {"busy": busy, "idle": idle, "erased": erased, "waiting": waiting}
    return {"bare_site": bare.id, **{f"{name}_access": each.access for name, each in keepers.items()}}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    mine = {name: {"access": ids[f"{name}_access"]} for name in ("busy", "idle", "erased", "waiting")}
    found: dict[tuple[str, str], Any] = {
        ("create_delivery_return", "NOT_FOUND"): (None, {**mine["idle"], **returning(2**40)}),
        ("create_delivery_return", "NO_FREE_BOX"): (None, {**mine["idle"], **returning(ids["bare_site"])}),
        ("create_delivery_return", "RETURN_BEGUN"): (None, {**mine["busy"], **returning()}),
        ("create_delivery_return", "RETURN_NOT_OFFERED"): (None, {**mine["waiting"], **returning()}),
        ("create_delivery_return", "RETURN_REFUSED"): (None, {**mine["erased"], **returning()}),
    }
    for name in ("renew_return_code", "cancel_return"):
        found[name, "NOT_FOUND"] = (None, mine["idle"])
        found[name, "RETURN_UNDER_WAY"] = (None, mine["busy"])
    guessed = {"access": "hldelivery_guessed_guessed"}
    words = {
        "get_delivery_return": {},
        "create_delivery_return": returning(),
        "renew_return_code": {},
        "cancel_return": {},
    }
    for name, said in words.items():
        found[name, "DELIVERY_ACCESS_INVALID"] = (None, {**guessed, **said})
    return found
