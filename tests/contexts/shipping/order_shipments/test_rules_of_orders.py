"""Shipping rules decide how an order is shipped."""

from tests.contexts.shipping.makers import make_parcelo_account, make_platform_account
from tests.contexts.shipping.order_shipments.makers import make_order_to_ship, refusal, ship
from tests.support.app import App


async def test_a_rule_chooses_account_service_and_signature(app: App) -> None:
    carrier = await make_parcelo_account(app)
    house = await make_platform_account(app)
    accounts = (await app.answer("admin", "list_carrier_accounts")).accounts
    parcelo = next(account.id for account in accounts if account.id != house)
    outcome = {"account_id": parcelo, "service": "next_day", "signature_required": True}
    rule = {"name": "Canada", "conditions": {"countries": ["CA"]}, "outcome": outcome}
    await app.answer("admin", "create_shipping_rule", rule)
    shipped = await ship(app, await make_order_to_ship(app))
    assert (shipped.choice, shipped.shipment.service, carrier.shipments[-1].signature) == ("rules", "next_day", True)
    assert any("Canada" in line for line in shipped.explanation)
    log = await app.answer("admin", "list_shipping_rule_log")
    assert [entry.rule_name for entry in log.entries] == ["Canada"]


async def test_a_rule_that_holds_an_order_yields_to_a_named_service(app: App) -> None:
    await make_parcelo_account(app)
    rule = {"name": "Review", "conditions": {"countries": ["CA"]}, "outcome": {"hold_reason": "Check the address"}}
    await app.answer("admin", "create_shipping_rule", rule)
    order_id = await make_order_to_ship(app)
    assert await refusal(app, order_id) == "ORDER_HELD_BY_RULE"
    assert (await ship(app, order_id, service="next_day")).choice == "service"
