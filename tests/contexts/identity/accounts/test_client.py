"""The client's own profile."""

from typing import Any

from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.identity import public
from haulier.kernel.operations.enums import Feature, Module


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


@for_every(
    ("operation", "values"),
    [
        ("update_client", {"name": "Mine"}),
        ("set_module", {"module": "broker_order_assignments", "enabled": False}),
        ("set_feature", {"feature": "order_chat", "enabled": True}),
        ("set_price_visibility", {"customer_id": 1, "hidden": []}),
    ],
)
async def test_only_admins_update_the_business(app: App, operation: str, values: dict[str, Any]) -> None:
    assert code(await app.call(None, operation, values)) == (401, "UNAUTHENTICATED")
    assert code(await app.call("employee", operation, values)) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_every_signed_in_user_can_read_the_business(app: App) -> None:
    for who in ("admin", "employee", "contractor", "driver", "customer"):
        client = (await app.answer(who, "get_client")).client
        assert (client.code, client.time_zone, client.currency) == ("demo", "America/Toronto", "CAD")
    assert (await app.answer("rival", "get_client")).client.code == "rival"


async def test_settings_apply_only_to_this_client(app: App) -> None:
    changed = {"name": "Northern Vans", "time_zone": "America/St_Johns", "currency": "USD", "country": "CA"}
    client = (await app.answer("admin", "update_client", changed)).client
    assert {name: getattr(client, name) for name in changed} == changed
    assert (await app.answer("rival", "get_client")).client.time_zone == "Europe/Paris"
    assert (await app.answer("admin", "update_client")).client == client


async def test_the_currency_cannot_change_once_there_are_orders(app: App) -> None:
    assert (await app.call("admin", "update_client", {"currency": "USD"})).error is None
    place = {"name": "A", "address": "1 Main", "city": "Toronto", "country": "CA"}
    await app.answer("admin", "create_order", {"consignee": place})
    assert code(await app.call("admin", "update_client", {"currency": "EUR"})) == (409, "CURRENCY_FIXED")
    assert (await app.call("admin", "update_client", {"currency": "USD", "name": "Same"})).error is None
    assert (await app.call("rival", "update_client", {"currency": "CHF"})).error is None


async def test_the_email_language_can_be_set_and_survives_other_changes(app: App) -> None:
    assert (await app.answer("admin", "get_client")).client.language == "en"
    await app.answer("admin", "update_client", {"language": "zh-Hant"})
    assert (await app.answer("admin", "update_client", {"name": "Other"})).client.language == "zh-Hant"
    assert (await app.call("admin", "update_client", {"language": "tlh"})).status == 422


async def test_a_module_disabled_by_the_operator_stays_disabled(app: App) -> None:
    chat = {"feature": "order_chat", "enabled": True}
    await app.answer("admin", "set_feature", chat)
    await revoke(app, revoked=True)
    assert (await app.answer("admin", "get_client")).client.features == []
    refused = await app.call("admin", "set_feature", chat)
    assert (code(refused), refused.error and refused.error["feature_enabled"]) == ((409, "FEATURE_REVOKED"), False)
    assert (await app.call("rival", "set_feature", chat)).error is None
    await revoke(app, revoked=False)
    assert (await app.answer("admin", "get_client")).client.features == ["order_chat"]


async def revoke(app: App, *, revoked: bool) -> None:
    async with app.database.write(None) as work:
        await public.set_feature_revoked(work, app.clients["demo"], Feature.ORDER_CHAT, revoked=revoked)


async def test_an_unknown_time_zone_is_refused_in_the_callers_language(app: App) -> None:
    wrong = {"time_zone": "Mars/Olympus", "currency": "QQQ", "country": "QX"}
    result = await app.call("admin", "update_client", wrong, accept_language="de")
    faults = {fault["field"]: fault["message"] for fault in (result.error or {})["errors"]}
    assert (result.status, faults.keys()) == (422, wrong.keys())
    assert faults["time_zone"] == "Mars/Olympus ist keine IANA-Zeitzone. Geben Sie einen Namen wie Europe/Berlin an."


async def test_modules_are_switched_individually(app: App) -> None:
    on = await app.answer("admin", "set_feature", {"feature": "sms_marketing", "enabled": True})
    on = await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": True})
    assert on.client.features == ["order_chat", "sms_marketing"]
    off = await app.answer("admin", "set_feature", {"feature": "sms_marketing", "enabled": False})
    assert off.client.features == ["order_chat"]


async def test_a_disabled_module_is_unavailable_from_the_next_call(app: App) -> None:
    module = Module.BROKER_ORDER_ASSIGNMENTS
    await app.answer("admin", "set_module", {"module": module.value, "enabled": False})
    async with app.database.read(None) as work:
        principal = await app.application.identity.identify(work, app.tokens["admin"], app.clock.now)
    assert principal.business
    assert module not in principal.business.modules


async def test_a_customer_cannot_see_prices_of_hidden_families(app: App) -> None:
    hidden = ["label_service", "local_delivery"]
    await app.answer("admin", "set_price_visibility", {"customer_id": app.ids["customer"], "hidden": hidden})
    assert (await app.answer("customer", "who_am_i")).hidden_prices == hidden
    assert (await app.answer("customer2", "who_am_i")).hidden_prices == []
    await app.answer("admin", "set_price_visibility", {"customer_id": app.ids["customer"], "hidden": []})
    assert (await app.answer("customer", "who_am_i")).hidden_prices == []


async def test_prices_are_hidden_only_from_customers_of_the_client(app: App) -> None:
    for who, refusal in (("driver", (409, "NOT_A_CUSTOMER")), ("rival_customer", (404, "NOT_FOUND"))):
        values = {"customer_id": app.ids[who], "hidden": ["label_service"]}
        assert code(await app.call("admin", "set_price_visibility", values)) == refusal
