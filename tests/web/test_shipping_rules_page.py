"""Shipping rules pages: sentences, switches, moves, editor and dry run."""

import re
from typing import Any

import pytest
from tests.contexts.shipping.makers import make_platform_account
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text, send_form

RULES, EDIT = "/desk/shipping-rules", "/desk/shipping-rules/edit"
BERLIN = {"name": "Ada", "address": "Hauptstr. 5", "city": "Berlin", "postal_code": "10115", "country": "DE"}


async def make_rule(app: App, name: str, **values: Any) -> int:
    asked = {"name": name, "outcome": {"signature_required": True}, **values}
    return (await app.answer("admin", "create_shipping_rule", asked)).rule.id


async def the_rules(app: App) -> list[Any]:
    return (await app.answer("admin", "list_shipping_rules")).rules


async def test_rules_are_shown_as_sentences(app: App) -> None:
    account = await make_platform_account(app, name="DHL")
    await make_rule(app, "Small", conditions={"countries": ["DE", "AT"]}, outcome={"account_id": account})
    page = await get_page(app, RULES, "admin")
    assert "When the country is Germany or Austria" in page_text(page)
    assert Checked(page.text).faults == []
    await app.answer("admin", "close_carrier_account", {"account_id": account}, confirmed=True)
    assert "The carrier account no longer exists." in page_text(await get_page(app, RULES, "admin"))


async def test_a_business_without_rules_is_shown_an_example(app: App) -> None:
    page = await get_page(app, RULES, "admin")
    assert "No shipping rules" in page_text(page)
    assert f'href="{EDIT}"' in page.text


async def test_a_rule_can_be_switched_and_moved_in_place(app: App) -> None:
    first, second = await make_rule(app, "First"), await make_rule(app, "Second")
    done = await send_form(app, RULES, "admin", shipping_rule_id=str(first), step="disable")
    assert done.headers["location"].endswith(f"#rule-{first}")
    await send_form(app, RULES, "admin", shipping_rule_id=str(first), step="down")
    assert [(rule.id, rule.enabled) for rule in await the_rules(app)] == [(second, True), (first, False)]
    stale = await send_form(app, RULES, "admin", shipping_rule_id=str(first), step="up", version="1")
    assert stale.status_code == 409
    assert "has changed" in page_text(stale)
    await send_form(app, RULES, "admin", shipping_rule_id=str(second), step="up")
    assert [rule.id for rule in await the_rules(app)] == [second, first]


@pytest.mark.parametrize("fields", [{"csrf": "wrong"}, {"shipping_rule_id": "x"}])
async def test_a_forged_or_broken_form_changes_nothing(app: App, fields: dict[str, str]) -> None:
    rule = await make_rule(app, "First")
    values = {"shipping_rule_id": str(rule), "step": "disable", **fields}
    assert (await send_form(app, RULES, "admin", **values)).status_code in {403, 404}
    assert (await the_rules(app))[0].enabled


async def test_a_dry_run_counts_orders_by_rule(app: App) -> None:
    await make_rule(app, "Heavy", conditions={"weight_from_g": 10_000})
    for weight in (12_000, 500):
        await app.answer("admin", "create_order", {"consignee": BERLIN, "packages": [{"weight_g": weight}]})
    app.clock.forward(minutes=1)
    text = page_text(await get_page(app, f"{RULES}?days=7", "admin"))
    assert "1 of 2 orders would have matched." in text
    assert "Matches 1 order" in text


async def test_a_rule_is_entered_in_common_units(app: App) -> None:
    account = await make_platform_account(app, name="Vans")
    fields = {
        "name": "Light",
        "conditions.countries~": "Germany\nAustria",
        "conditions.weight_to_g~": "5",
        "conditions.value_from_minor~": "250.00",
        "carrier": f"{account}:ground",
        "outcome.signature_required": "true",
        "step": "save",
    }
    saved = await send_form(app, EDIT, "admin", **fields)
    assert saved.status_code == 303
    (rule,) = await the_rules(app)
    assert (rule.conditions.countries, rule.conditions.weight_to_g) == (["DE", "AT"], 5_000)
    assert (rule.conditions.value_from_minor, rule.conditions.value_currency) == (25_000, "CAD")
    assert (rule.outcome.account_id, rule.outcome.service, rule.outcome.signature_required) == (account, "ground", True)
    page = await get_page(app, f"{EDIT}?shipping_rule_id={rule.id}", "admin")
    assert Checked(page.text).faults == []
    assert f'value="{account}:ground" selected' in page.text
    fields["name"] = "Lighter"
    del fields["outcome.signature_required"]
    await send_form(app, EDIT, "admin", **fields, shipping_rule_id=str(rule.id))
    (rule,) = await the_rules(app)
    assert (rule.name, rule.outcome.signature_required) == ("Lighter", None)


async def test_missing_values_are_reported_on_the_form(app: App) -> None:
    empty = await send_form(app, EDIT, "admin", name="Nothing", step="save")
    assert empty.status_code == 422
    assert "Set at least one setting" in page_text(empty)
    unread = await send_form(app, EDIT, "admin", **{"name": "X", "conditions.weight_to_g~": "heavy", "step": "save"})
    assert unread.status_code == 422
    assert re.search(r'aria-invalid="true"', unread.text)
    assert await the_rules(app) == []


async def test_matching_orders_are_counted_before_a_rule_is_saved(app: App) -> None:
    await app.answer("admin", "create_order", {"consignee": BERLIN})
    app.clock.forward(minutes=1)
    counted = await send_form(app, EDIT, "admin", **{"conditions.countries~": "Germany", "step": "count"})
    assert "1 of 1 order would have matched." in page_text(counted)
    assert await the_rules(app) == []


async def test_conditions_hidden_in_the_editor_are_kept(app: App) -> None:
    await app.answer(
        "admin", "create_custom_field", {"kind": "order", "name": "color", "value_schema": {"type": "string"}}
    )
    conditions = {
        "custom_fields": [{"name": "color", "values": ["red"]}],
        "value_to_minor": 100,
        "value_currency": "EUR",
    }
    rule = await make_rule(app, "Red", conditions=conditions)
    fields = {"name": "Red", "conditions.value_to_minor~": "2", "outcome.hold_reason": "Look", "step": "save"}
    await send_form(app, EDIT, "admin", **fields, shipping_rule_id=str(rule))
    (kept,) = await the_rules(app)
    assert [field.name for field in kept.conditions.custom_fields] == ["color"]
    assert (kept.conditions.value_to_minor, kept.conditions.value_currency) == (200, "EUR")


async def test_customers_and_other_businesses_find_no_rules(app: App) -> None:
    rule = await make_rule(app, "Mine")
    assert (await get_page(app, RULES, "customer")).status_code in {403, 404}
    assert (await get_page(app, f"{EDIT}?shipping_rule_id={rule}", "rival")).status_code == 404
    assert "Mine" not in (await get_page(app, RULES, "rival")).text
