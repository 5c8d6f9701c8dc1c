"""Shipping rules: the list, tests with orders, dry runs and the log."""

import asyncio
from typing import Any

import pytest
from tests.contexts.shipping.makers import make_platform_account
from tests.support.app import App

from haulier.contexts.shipping.shipping_rules import store
from haulier.contexts.shipping.shipping_rules.actions import record_rule_choice
from haulier.contexts.shipping.shipping_rules.contract import MAX_RULES
from haulier.contexts.shipping.shipping_rules.queries import RuleChoice, choose_by_rules, shipping_facts_of
from haulier.kernel.call import call_as_system
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

BERLIN = {"name": "Ada", "address": "Hauptstr. 5", "city": "Berlin", "postal_code": "10115", "country": "DE"}
RULES = "/v1/shipping/rules"


async def make_order(app: App, **changes: Any) -> int:
    values = {
        "consignee": BERLIN,
        "packages": [{"weight_g": 12_000}],
        "goods_value_minor": 60_000,
        "goods_currency": "EUR",
        "fulfilment": "carrier",
        **changes,
    }
    return (await app.answer("admin", "create_order", values)).order.id


async def make_rule(
    app: App, outcome: dict[str, Any], who: str = "admin", name: str = "Rule", **conditions: Any
) -> int:
    values = {"name": name, "conditions": conditions, "outcome": outcome}
    return (await app.answer(who, "create_shipping_rule", values)).rule.id


async def ship_by_rules(app: App, order_id: int) -> RuleChoice:
    """Choose for an order and log the choice, as a shipment does."""
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        choice = await choose_by_rules(call, await shipping_facts_of(call, order_id))
        await record_rule_choice(call, choice)
        return choice


async def faults(app: App, operation: str, values: dict[str, Any]) -> dict[str, str]:
    error = (await app.call("admin", operation, values)).error
    assert error
    return {each["field"]: each["code"] for each in error["errors"]}


async def test_a_rule_is_shown_as_text_and_as_its_settings(app: App) -> None:
    account = await make_platform_account(app, name="DHL")
    conditions: dict[str, Any] = {
        "countries": ["DE", "AT"],
        "weight_to_g": 5_000,
        "value_from_minor": 10_000,
        "value_currency": "EUR",
    }
    outcome: dict[str, Any] = {
        "account_id": account,
        "service": "ground",
        "signature_required": True,
        "label_format": "zpl",
    }
    made = await app.rest("admin", "POST", RULES, {"name": "Small", "conditions": conditions, "outcome": outcome})
    assert made.status_code == 201
    rule = made.json()["rule"]
    assert (rule["position"], rule["enabled"], rule["problem"], rule["times_matched"]) == (1, True, None, 0)
    assert {name: rule["conditions"][name] for name in conditions} == conditions
    assert {name: rule["outcome"][name] for name in outcome} == outcome
    assert rule["conditions_text"] == (
        "When the country is Germany or Austria, the weight is up to 5 kg, and the goods are worth at least €100.00"
    )
    assert rule["outcome_text"] == "DHL Ground, with signature, label as ZPL"
    assert (await app.rest("employee", "GET", f"{RULES}/{rule['id']}")).json()["rule"] == rule
    assert (await app.rest("employee", "GET", RULES)).json()["rules"] == [rule]


async def test_rules_belong_to_their_business(app: App) -> None:
    rule = await make_rule(app, {"hold_reason": "Look at it."})
    assert (await app.rest("rival", "GET", RULES)).json()["rules"] == []
    for method, body in (("GET", None), ("PATCH", {"name": "Mine"}), ("DELETE", None)):
        assert (await app.rest("rival", method, f"{RULES}/{rule}", body)).status_code == 404
    account = await make_platform_account(app, "rival")
    assert await faults(app, "create_shipping_rule", {"name": "X", "outcome": {"account_id": account}}) == {
        "outcome.account_id": "SHIPPING_RULE_PROBLEM"
    }
    assert (await app.rest("rival", "PUT", f"{RULES}/order", {"rule_ids": [rule]})).status_code == 409
    assert (await app.rest("customer", "GET", RULES)).status_code == 403


async def test_a_rule_can_be_partly_updated_and_deleted(app: App) -> None:
    rule = await make_rule(app, {"hold_reason": "Look at it."}, countries=["DE"])
    await app.answer("admin", "update_shipping_rule", {"shipping_rule_id": rule, "enabled": False})
    changed = await app.answer(
        "admin", "update_shipping_rule", {"shipping_rule_id": rule, "conditions": {"weight_from_g": 1}}
    )
    assert (changed.rule.enabled, changed.rule.conditions.countries) == (False, [])
    assert changed.rule.outcome.hold_reason == "Look at it."
    await app.answer("admin", "delete_shipping_rule", {"shipping_rule_id": rule})
    listed = await app.answer("admin", "list_shipping_rules")
    assert (listed.rules, listed.version) == ([], 4)


@pytest.mark.parametrize(
    ("outcome", "conditions", "field"),
    [
        ({"account_id": 99}, {}, "outcome.account_id"),
        ({"account_id": "$account", "service": "overnight"}, {}, "outcome.service"),
        ({"package_preset_id": 99}, {}, "outcome.package_preset_id"),
        ({"hold_reason": "x"}, {"custom_fields": [{"name": "color", "values": ["red"]}]}, "conditions.custom_fields"),
        ({"hold_reason": "x"}, {"customer_ids": [10_000]}, "conditions.customer_ids"),
    ],
)
async def test_a_rule_can_refer_only_to_existing_records(
    app: App, outcome: dict[str, Any], conditions: dict[str, Any], field: str
) -> None:
    account = await make_platform_account(app)
    named = {name: account if value == "$account" else value for name, value in outcome.items()}
    values = {"name": "X", "outcome": named, "conditions": conditions}
    assert list(await faults(app, "create_shipping_rule", values)) == [field]


async def test_closing_an_account_breaks_its_rules_and_they_are_skipped(app: App) -> None:
    account, other = await make_platform_account(app, name="Vans"), await make_platform_account(app, name="Bikes")
    broken, whole = await make_rule(app, {"account_id": account}), await make_rule(app, {"account_id": other})
    await app.answer("admin", "close_carrier_account", {"account_id": account})
    rules = (await app.answer("admin", "list_shipping_rules")).rules
    assert [rule.problem for rule in rules] == ["The carrier account no longer exists.", None]
    tested = await app.answer("admin", "test_shipping_rules", {"country": "DE"})
    assert (tested.choice.account_id, tested.matched_rule_ids) == (other, [whole])
    assert tested.rules[0].explanation == "Rule 1 is skipped. The carrier account no longer exists."
    await app.answer("admin", "update_shipping_rule", {"shipping_rule_id": broken, "enabled": False, "name": "Old"})


async def test_a_disabled_service_breaks_its_rules(app: App) -> None:
    account = await make_platform_account(app)
    await make_rule(app, {"account_id": account, "service": "express"})
    await app.answer("admin", "update_carrier_account", {"account_id": account, "services_off": ["express"]})
    (rule,) = (await app.answer("admin", "list_shipping_rules")).rules
    assert rule.problem == "The carrier account does not offer the service."


async def test_the_rules_can_be_tested_on_an_order_with_an_explanation(app: App) -> None:
    account = await make_platform_account(app, name="UPS")
    preset = {"name": "Large box", "length_mm": 600, "width_mm": 400, "height_mm": 400}
    box = (await app.answer("admin", "create_package_preset", preset)).package_preset.id
    valuable: dict[str, Any] = {"value_from_minor": 50_000, "value_currency": "EUR"}
    await make_rule(app, {"insurance": "on", "signature_required": True}, **valuable)
    await make_rule(app, {"account_id": account, "service": "express"}, weight_to_g=5_000)
    await make_rule(app, {"account_id": account, "service": "ground", "package_preset_id": box}, weight_from_g=10_000)
    tested = await app.answer("admin", "test_shipping_rules", {"order_id": await make_order(app)})
    assert tested.explanation == [
        "Rule 1 adds insurance because the goods are worth €600.00.",
        "Rule 1 requires a signature because the goods are worth €600.00.",
        "Rule 3 chose UPS Ground because the order weighs 12 kg.",
        "Rule 3 chose the package “Large box” because the order weighs 12 kg.",
    ]
    assert tested.rules[1].explanation == (
        "Rule 2 did not match because the order weighs 12 kg. It applies when the weight is up to 5 kg."
    )
    choice = tested.choice
    assert (choice.account, choice.carrier, choice.service, choice.service_name) == ("UPS", "HOUSE", "ground", "Ground")
    assert (choice.package_preset_id, choice.insurance, choice.signature_required) == (box, True, True)


async def test_given_facts_override_those_of_the_order(app: App) -> None:
    await make_rule(app, {"hold_reason": "Heavy"}, weight_from_g=10_000, countries=["DE"])
    order = {"order_id": await make_order(app)}
    assert (await app.answer("admin", "test_shipping_rules", order)).choice.hold_reason == "Heavy"
    light = await app.answer("admin", "test_shipping_rules", {**order, "weight_g": 100})
    assert light.choice.hold_reason is None
    assert (await app.call("admin", "test_shipping_rules", {"order_id": 999})).error["code"] == "NOT_FOUND"  # type: ignore[index]


async def test_an_order_is_matched_by_items_customer_and_custom_fields(app: App) -> None:
    field = {"kind": "order", "name": "fragile", "value_schema": {"type": "boolean"}}
    await app.answer("admin", "create_custom_field", field)
    customer = app.ids["customer"]
    conditions: dict[str, Any] = {
        "skus": ["MUG"],
        "customer_ids": [customer],
        "custom_fields": [{"name": "fragile", "values": ["true"]}],
        "packages_from": 2,
        "order_types": ["D"],
        "services": ["standard"],
        "postal_prefixes": ["10"],
    }
    rule = await make_rule(app, {"hold_reason": "Pack it well."}, **conditions)
    order = await make_order(
        app,
        customer_id=customer,
        custom_fields={"fragile": True},
        items=[{"sku": "MUG", "description": "Mug"}],
        packages=[{"weight_g": 500, "quantity": 2}],
    )
    tested = await app.answer("admin", "test_shipping_rules", {"order_id": order})
    assert tested.matched_rule_ids == [rule]
    assert "“fragile” is true" in tested.explanation[0]


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
async def test_every_rule_sentence_is_translated(app: App, language: str) -> None:
    account = await make_platform_account(app)
    field = {"kind": "order", "name": "color", "value_schema": {"type": "string"}}
    await app.answer("admin", "create_custom_field", field)
    conditions: dict[str, Any] = {
        "countries": ["DE", "AT", "CH", "FR", "IT", "ES", "PL"],
        "postal_prefixes": ["10"],
        "weight_from_g": 100,
        "weight_to_g": 12_000,
        "value_from_minor": 1,
        "value_to_minor": 90_000,
        "value_currency": "EUR",
        "packages_from": 1,
        "packages_to": 9,
        "order_types": ["D"],
        "services": ["standard"],
        "customer_ids": [app.ids["customer"]],
        "skus": ["MUG"],
        "custom_fields": [{"name": "color", "values": ["red"]}],
    }
    outcome: dict[str, Any] = {
        "account_id": account,
        "insurance": "on",
        "insurance_from_minor": 10_000,
        "insurance_currency": "EUR",
        "signature_required": False,
        "hold_reason": "Look",
        "label_format": "pdf",
    }
    await make_rule(app, outcome, **conditions)
    await make_rule(app, {"insurance": "off"})
    order = await make_order(
        app,
        customer_id=app.ids["customer"],
        items=[{"sku": "MUG", "description": "Mug"}],
        custom_fields={"color": "red"},
    )
    for values in ({"order_id": order}, {}, {"country": "DE", "weight_g": 1}):
        tested = await app.rest("admin", "POST", f"{RULES}/test", values, headers={"Accept-Language": language})
        rules = await app.rest("admin", "GET", RULES, headers={"Accept-Language": language})
        assert "shipping_rule." not in tested.text + rules.text
        assert "{" not in "".join(rule["explanation"] for rule in tested.json()["rules"])
        if language != "en":
            assert not any("Rule" in line or " the " in line for line in tested.json()["explanation"])


async def test_rules_are_reordered_by_listing_all_of_them(app: App) -> None:
    first, second, third = [await make_rule(app, {"hold_reason": "x"}, name=name) for name in "abc"]
    moved = await app.rest("admin", "PUT", f"{RULES}/order", {"rule_ids": [third, first, second]})
    assert [rule["name"] for rule in moved.json()["rules"]] == ["c", "a", "b"]
    for rule_ids in ([first, second], [first, second, third, 99]):
        refused = await app.rest("admin", "PUT", f"{RULES}/order", {"rule_ids": rule_ids})
        assert (refused.status_code, refused.json()["code"]) == (409, "SHIPPING_RULES_CHANGED")
    repeated = {"rule_ids": [first, first, third]}
    assert await faults(app, "reorder_shipping_rules", repeated) == {"rule_ids": "SHIPPING_RULES_REPEATED"}
    late = await make_rule(app, {"hold_reason": "x"}, name="d")
    assert (await app.answer("admin", "list_shipping_rules")).rules[-1].id == late


async def test_of_parallel_reorders_of_one_version_one_succeeds(app: App) -> None:
    ids = [await make_rule(app, {"hold_reason": "x"}, name=f"{n}") for n in range(4)]
    version = (await app.answer("admin", "list_shipping_rules")).version
    orders = [[*ids[n:], *ids[:n]] for n in range(1, 4)]
    results = await asyncio.gather(
        *(
            app.call("admin", "reorder_shipping_rules", {"rule_ids": order, "expected_version": version})
            for order in orders
        )
    )
    assert [result.error["code"] for result in results if result.error] == ["SHIPPING_RULES_CHANGED"] * 2
    winner = next(order for order, result in zip(orders, results, strict=True) if not result.error)
    listed = await app.answer("admin", "list_shipping_rules")
    assert ([rule.id for rule in listed.rules], listed.version) == (winner, version + 1)


async def test_rules_created_in_parallel_get_different_positions(app: App) -> None:
    await asyncio.gather(*(make_rule(app, {"hold_reason": "x"}, name=f"{n}") for n in range(5)))
    listed = await app.answer("admin", "list_shipping_rules")
    assert ([rule.position for rule in listed.rules], listed.version) == ([1, 2, 3, 4, 5], 5)
    async with app.database.read(app.clients["demo"]) as work:
        assert [row.position for row in await store.list_rule_rows(work)] == [1, 2, 3, 4, 5]


async def test_a_business_has_a_limited_number_of_rules(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_RULES == 200
    monkeypatch.setattr("haulier.contexts.shipping.shipping_rules.actions.MAX_RULES", 1)
    await make_rule(app, {"hold_reason": "x"})
    values = {"name": "X", "outcome": {"hold_reason": "x"}}
    assert await faults(app, "create_shipping_rule", values) == {"name": "TOO_MANY_SHIPPING_RULES"}


async def test_a_dry_run_counts_matching_recent_orders(app: App) -> None:
    account = await make_platform_account(app)
    await make_order(app)
    app.clock.forward(days=10)
    heavy, light = await make_order(app), await make_order(app, packages=[{"weight_g": 100}])
    app.clock.forward(minutes=1)
    await make_rule(app, {"signature_required": True}, weight_from_g=10_000)
    await make_rule(app, {"account_id": account}, weight_from_g=10_000)
    await make_rule(app, {"account_id": account}, weight_from_g=12_000)
    counted = await app.answer("admin", "dry_run_shipping_rules", {"days": 7})
    assert (counted.orders, counted.matched, counted.without_service, counted.truncated) == (2, 1, 1, False)
    assert counted.text == "1 of 2 orders would have matched."
    assert [(rule.matched, rule.decided, rule.order_ids) for rule in counted.rules] == [
        (1, 1, [heavy]),
        (1, 1, [heavy]),
        (1, 0, []),
    ]
    tried = await app.answer("admin", "dry_run_shipping_rules", {"days": 7, "conditions": {"weight_to_g": 1_000}})
    assert (tried.matched, tried.orders, tried.rules) == (1, 2, [])
    assert light > heavy
    assert (await app.answer("admin", "dry_run_shipping_rules", {"days": 30})).orders == 3


async def test_shipped_orders_are_logged_and_counted(app: App) -> None:
    account = await make_platform_account(app, name="UPS")
    rule = await make_rule(app, {"account_id": account, "service": "ground"}, name="Heavy")
    unused = await make_rule(app, {"account_id": account}, name="Never")
    order = await make_order(app)
    choice = await ship_by_rules(app, order)
    assert (choice.account_id, choice.service, choice.matched_rule_ids) == (account, "ground", (rule, unused))
    entries = (await app.rest("admin", "GET", f"{RULES}/log?order_id={order}")).json()
    assert entries["total"] == 1
    (entry,) = entries["entries"]
    assert (entry["shipping_rule_id"], entry["rule_name"], entry["order_id"]) == (rule, "Heavy", order)
    assert (entry["decided"], entry["outcome_text"]) == (["account_id"], "UPS Ground")
    first, second = (await app.answer("admin", "list_shipping_rules")).rules
    assert (first.times_matched, second.times_matched, second.last_matched_at) == (1, 0, None)
    assert first.last_matched_at is not None
    await app.answer("admin", "delete_shipping_rule", {"shipping_rule_id": rule})
    assert (await app.answer("admin", "list_shipping_rule_log", {"shipping_rule_id": rule})).total == 1
    assert (await app.answer("rival", "list_shipping_rule_log")).total == 0


async def test_orders_shipped_in_parallel_are_all_counted(app: App) -> None:
    await make_rule(app, {"hold_reason": "x"})
    orders = [await make_order(app) for _ in range(4)]
    await asyncio.gather(*(ship_by_rules(app, order) for order in orders))
    (rule,) = (await app.answer("admin", "list_shipping_rules")).rules
    assert rule.times_matched == 4


async def test_the_log_keeps_its_newest_entries(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_rule(app, {"hold_reason": "x"})
    monkeypatch.setattr("haulier.contexts.shipping.shipping_rules.store.LOG_MAX", 2)
    orders = [await make_order(app) for _ in range(3)]
    for order in orders:
        await ship_by_rules(app, order)
    kept = (await app.answer("admin", "list_shipping_rule_log")).entries
    assert [entry.order_id for entry in kept] == [orders[2], orders[1]]


async def test_package_presets_can_be_created_updated_and_deleted(app: App) -> None:
    path = "/v1/shipping/package-presets"
    size = {"length_mm": 400, "width_mm": 300, "height_mm": 200, "empty_weight_g": 250, "carrier_package": "FlatRate"}
    made = await app.rest("admin", "POST", path, {"name": "Medium", **size})
    preset = made.json()["package_preset"]
    assert {name: preset[name] for name in size} == size
    assert (await app.rest("admin", "POST", path, {"name": "Medium", **size})).status_code == 409
    one = f"{path}/{preset['id']}"
    changed = await app.rest("admin", "PATCH", one, {"height_mm": 150, "carrier_package": None})
    assert (changed.json()["package_preset"]["height_mm"], changed.json()["package_preset"]["carrier_package"]) == (
        150,
        None,
    )
    assert (await app.rest("rival", "GET", one)).status_code == 404
    rule = await make_rule(app, {"package_preset_id": preset["id"]})
    assert (await app.rest("admin", "DELETE", one)).status_code == 200
    assert (await app.rest("admin", "GET", path)).json()["package_presets"] == []
    assert (await app.answer("admin", "get_shipping_rule", {"shipping_rule_id": rule})).rule.problem == (
        "The package preset no longer exists."
    )
