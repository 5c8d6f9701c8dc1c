"""Contractor rules and planning pools, over the database."""

from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import DAY, make_order, make_started_route, set_order, some_orders, status_and_code

from haulier.kernel.operations.enums import Module


async def pool(app: App, who: str, **words: Any) -> list[int]:
    return [order.order_id for order in (await app.answer(who, "planning_pool", words)).orders]


async def make_rule(app: App, to: str = "contractor", **words: Any) -> int:
    asked = {"contractor_id": app.ids[to], "name": "All", **words}
    return (await app.answer("admin", "create_contractor_rule", asked)).rule.id


@pytest.mark.parametrize("operation", ["list_contractor_rules", "planning_pool"])
async def test_pools_and_rules_are_for_planners(app: App, operation: str) -> None:
    assert status_and_code(await app.call(None, operation)) == (401, "UNAUTHENTICATED")
    for who in ("driver", "customer"):
        assert status_and_code(await app.call(who, operation)) == (403, "ACCOUNT_NOT_ALLOWED")


@for_every("who", ["employee", "contractor", "driver", "customer"])
async def test_only_admins_create_rules(app: App, who: str) -> None:
    rule_id = await make_rule(app)
    body = {"contractor_id": app.ids["contractor"], "name": "Mine"}
    assert status_and_code(await app.call(who, "create_contractor_rule", body)) == (403, "ACCOUNT_NOT_ALLOWED")
    assert status_and_code(await app.call(who, "update_contractor_rule", {"rule_id": rule_id})) == (
        403,
        "ACCOUNT_NOT_ALLOWED",
    )
    assert status_and_code(await app.call(who, "delete_contractor_rule", {"rule_id": rule_id})) == (
        403,
        "ACCOUNT_NOT_ALLOWED",
    )


async def test_another_clients_rule_is_not_found(app: App) -> None:
    rule_id = await make_rule(app)
    assert (await app.answer("rival", "list_contractor_rules")).total == 0
    for operation in ("update_contractor_rule", "delete_contractor_rule"):
        assert status_and_code(await app.call("rival", operation, {"rule_id": rule_id})) == (404, "NOT_FOUND")
    body = {"contractor_id": app.ids["contractor"], "name": "Theirs"}
    assert status_and_code(await app.call("rival", "create_contractor_rule", body)) == (422, "INVALID_REQUEST")


async def test_a_rule_can_be_created_updated_and_deleted(app: App) -> None:
    rule_id = await make_rule(
        app, postal_prefixes=["M5"], max_weight_g=900, order_types=["D"], weekdays=[1, 3], skills=["cold"]
    )
    changed = await app.answer(
        "admin", "update_contractor_rule", {"rule_id": rule_id, "max_weight_g": None, "active": False}
    )
    assert (changed.rule.max_weight_g, changed.rule.active, changed.rule.postal_prefixes) == (None, False, ["M5"])
    listed = await app.answer("contractor", "list_contractor_rules", {"contractor_id": app.ids["contractor2"]})
    assert [(rule.id, rule.weekdays, rule.skills) for rule in listed.rules] == [(rule_id, [1, 3], ["cold"])]
    assert (await app.answer("contractor2", "list_contractor_rules")).total == 0
    assert (
        await app.answer("admin", "delete_contractor_rule", {"rule_id": rule_id})
    ).message == "The rule was deleted."
    assert status_and_code(await app.call("admin", "delete_contractor_rule", {"rule_id": rule_id})) == (
        404,
        "NOT_FOUND",
    )


async def test_a_failed_order_is_pending_once_its_vehicle_is_back(app: App) -> None:
    await make_rule(app)
    order_id = await make_order(app)
    route = await make_started_route(app, [order_id])
    failure = {"stop_id": route.stops[0].id, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("driver", "fail_stop", {"route_id": route.id, **failure})
    options = (await app.answer("admin", "get_build_route_options", {"day": DAY})).orders_waiting
    assert ([await pool(app, who) for who in ("employee", "contractor")], options) == ([[], []], 0)
    await app.answer("driver", "return_route_to_depot", {"route_id": route.id})
    options = (await app.answer("admin", "get_build_route_options", {"day": DAY})).orders_waiting
    assert ([await pool(app, who) for who in ("employee", "contractor")], options) == ([[order_id]] * 2, 1)


async def test_an_assigned_order_leaves_all_other_pools_and_returns_when_revoked(app: App) -> None:
    await make_rule(app)
    await make_rule(app, to="contractor2")
    order_id = await make_order(app)
    assert [await pool(app, who) for who in ("employee", "contractor", "contractor2")] == [[order_id]] * 3
    body = {"order_ids": [order_id], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", body)
    assert [await pool(app, who) for who in ("employee", "contractor", "contractor2")] == [[], [order_id], []]
    assert (await app.answer("contractor", "planning_pool")).orders[0].held
    await app.answer("contractor", "release_broker_order_assignment", {"order_id": order_id})
    assert [await pool(app, who) for who in ("employee", "contractor", "contractor2")] == [[order_id]] * 3
    assert not (await app.answer("contractor", "planning_pool")).orders[0].held


async def test_a_contractor_without_rules_has_only_held_orders(app: App) -> None:
    held, _ = await make_order(app), await make_order(app)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [held], "broker_id": app.ids["contractor"]})
    assert await pool(app, "contractor") == [held]
    assert await pool(app, "admin", contractor_id=app.ids["contractor"]) == [held]
    assert await pool(app, "contractor2", contractor_id=app.ids["contractor"]) == []


async def test_rules_match_by_zone_type_weight_skill_and_day(app: App) -> None:
    await make_rule(app, postal_prefixes=["M5V"], order_types=["D"], max_weight_g=2000, weekdays=[3], skills=["cold"])
    good = await make_order(app, skills=["cold"])
    for words in (
        {"postal_code": "K1A 0B1"},
        {"type": "P"},
        {"packages": [{"weight_g": 2001}]},
        {"skills": ["adr"]},
        {"scheduled_date": "2026-06-11"},
    ):
        await make_order(app, **words)
    assert await pool(app, "contractor") == [good]


async def test_held_carrier_and_finished_orders_are_in_no_pool(app: App) -> None:
    for values in ({"status": 2}, {"fulfilment": "carrier"}, {"third_party_held": True}, {"status": 6}):
        await set_order(app, await make_order(app), **values)
    failed = await make_order(app)
    await set_order(app, failed, status=7)
    assert await pool(app, "admin") == [failed]


async def test_a_pool_is_paged_and_can_be_limited_to_days(app: App) -> None:
    ids = await some_orders(app, 5)
    await set_order(app, ids[0], scheduled_date=None)
    late = await make_order(app, scheduled_date="2026-07-01")
    answer = await app.answer("admin", "planning_pool", {"per_page": 2, "page": 2, "date_to": DAY})
    assert (answer.total, answer.complete, [order.order_id for order in answer.orders]) == (5, True, ids[2:4])
    assert await pool(app, "admin", date_from="2026-06-30") == [ids[0], late]


async def test_without_the_module_all_orders_belong_to_the_office(app: App) -> None:
    order_id = await make_order(app)
    app.application.modules_missing = frozenset(Module)
    assert await pool(app, "admin") == [order_id]
