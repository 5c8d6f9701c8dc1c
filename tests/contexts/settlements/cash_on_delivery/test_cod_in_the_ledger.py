"""Cash on delivery in the ledger: owners and balances."""

from typing import Any

from tests.contexts.billing.ledger.makers import faults
from tests.support.app import App
from tests.support.transport import make_order, make_started_route


async def make_cod_stop(app: App, **words: Any) -> dict[str, Any]:
    order_id = await make_order(app, cod_minor=2500, **words)
    route = await make_started_route(app, [order_id])
    return {"route_id": route.id, "stop_id": route.stops[0].id, "order_id": order_id, "driver_id": route.driver_id}


async def balances(app: App) -> dict[str, int]:
    found = (await app.answer("admin", "list_ledger_accounts")).accounts
    assert await faults(app) == []
    return {one.kind: one.balance_minor for one in found if one.balance_minor}


async def test_collected_cash_is_owed_by_the_driver_and_due_to_the_customer(app: App) -> None:
    stop = await make_cod_stop(app, customer_id=app.ids["customer"])
    taken = [{"method": "cash", "amount_minor": 2000}, {"method": "card", "amount_minor": 500}]
    delivery = {"route_id": stop["route_id"], "stop_id": stop["stop_id"], "cod": taken}
    await app.answer("driver", "rider_deliver", delivery)
    assert await balances(app) == {"driver_cash": 2000, "bank": 500, "cod_payable": 2500}
    carried = (await app.answer("admin", "list_driver_cash")).drivers
    assert [(one.driver_id, one.balance_minor) for one in carried] == [(stop["driver_id"], 2000)]
    counted = {"driver_id": stop["driver_id"], "counted_minor": 1900, "reason": "A note was torn."}
    await app.answer("admin", "hand_in_cash", counted)
    assert await balances(app) == {"cash": 1900, "adjustments": -100, "bank": 500, "cod_payable": 2500}


async def test_a_reversed_entry_is_reversed_in_the_ledger(app: App) -> None:
    stop = await make_cod_stop(app)
    delivery = {"route_id": stop["route_id"], "stop_id": stop["stop_id"], "cod": [], "cod_reason": "Forgot."}
    await app.answer("driver", "rider_deliver", delivery)
    paid = {"order_id": stop["order_id"], "method": "cash", "amount_minor": 2500}
    entry = (await app.answer("admin", "record_cod_payment", paid)).entry
    assert await balances(app) == {"cash": 2500, "revenue": 2500}
    await app.answer("admin", "reverse_cod_entry", {"entry_id": entry.id, "reason": "Typed twice."})
    assert await balances(app) == {}
