"""Routes on the board: posted, visible to eligible drivers, and withdrawn."""

from typing import Any

import pytest
from tests.contexts.marketplace.route_board.makers import (
    call_about_route,
    list_board_route_ids,
    list_claim_history,
    make_free_route,
    make_posted_route,
    read_board_route,
    two_drivers,
)
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_driver, make_order, make_route, status_and_code

OFFICE = ["post_route_to_board", "update_board_terms", "remove_route_from_board"]


@for_every("operation", [*OFFICE, "set_board_driver_rule", "list_board_driver_rules"])
async def test_the_board_is_managed_by_planners(app: App, operation: str) -> None:
    fields = app.application.registry[operation].request.model_fields
    body = {name: 1 for name in ("route_id", "driver_id") if name in fields}
    assert status_and_code(await app.call(None, operation, body)) == (401, "UNAUTHENTICATED")
    for who in ("driver", "customer"):
        assert status_and_code(await app.call(who, operation, body)) == (403, "ACCOUNT_NOT_ALLOWED")


@for_every("operation", OFFICE)
async def test_only_the_planner_of_a_route_can_post_it(app: App, operation: str) -> None:
    hers = await make_route(app, who="contractor")
    assert status_and_code(await call_about_route(app, "admin", operation, hers)) == (403, "ROUTE_NOT_YOURS_TO_PLAN")
    for who in ("contractor2", "rival"):
        assert status_and_code(await call_about_route(app, who, operation, hers)) == (404, "NOT_FOUND")


async def test_posting_publishes_a_route_with_its_terms(app: App) -> None:
    route_id = await make_free_route(app, published=False, name="North")
    terms = {"withdraw_until": "2026-06-10T18:00:00Z", "standby_max": 2, "note": "Late withdrawals cost a day."}
    posted = (await call_about_route(app, "admin", "post_route_to_board", route_id, **terms)).answer.board_route
    assert (posted.status, posted.name, posted.stops_total, posted.standby_max) == ("open", "North", 1, 2)
    assert (posted.note, posted.withdraw_until.hour) == ("Late withdrawals cost a day.", 14)
    assert (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.published
    assert status_and_code(await call_about_route(app, "admin", "post_route_to_board", route_id)) == (
        409,
        "ROUTE_ON_BOARD",
    )


async def test_only_routes_with_stops_and_without_a_driver_can_be_posted(app: App) -> None:
    driven = await make_free_route(app, driver_id=await make_driver(app))
    assert status_and_code(await call_about_route(app, "admin", "post_route_to_board", driven)) == (
        409,
        "ROUTE_HAS_DRIVER",
    )
    assert status_and_code(await call_about_route(app, "admin", "post_route_to_board", await make_route(app))) == (
        409,
        "ROUTE_EMPTY",
    )
    cancelled = await make_free_route(app)
    await app.answer("admin", "cancel_route", {"route_id": cancelled})
    assert status_and_code(await call_about_route(app, "admin", "post_route_to_board", cancelled)) == (
        409,
        "ROUTE_CANNOT",
    )
    early = {"opens_at": "2026-06-10T15:00:00Z", "closes_at": "2026-06-10T14:30:00Z"}
    outcome = await call_about_route(app, "admin", "post_route_to_board", await make_free_route(app), **early)
    assert outcome.error["errors"][0]["field"] == "closes_at"


async def test_requirements_of_orders_apply_to_drivers_by_default(app: App) -> None:
    route_id = await make_route(app, order_ids=[await make_order(app, skills=["cold"]), await make_order(app)])
    posted = (await call_about_route(app, "admin", "post_route_to_board", route_id)).answer.board_route
    assert posted.rules.skills == ["cold"]
    await make_driver(app, user="driver")
    assert await list_board_route_ids(app) == []
    changed = (await call_about_route(app, "admin", "update_board_terms", route_id, skills=[])).answer.board_route
    assert changed.rules.skills == []
    assert await list_board_route_ids(app) == [route_id]


async def test_drivers_see_only_routes_open_to_them(app: App) -> None:
    dan, eve = await two_drivers(app)
    await app.answer("admin", "set_board_driver_rule", {"driver_id": dan, "zones": ["north"]})
    everybody = await make_posted_route(app)
    north = await make_posted_route(app, zones=["north"])
    hers = await make_posted_route(app, driver_ids=[eve])
    partners = await make_posted_route(app, own_drivers=False, contractor_ids=[app.ids["contractor"]])
    assert await list_board_route_ids(app, "driver") == [everybody, north]
    assert await list_board_route_ids(app, "driver2") == [everybody, hers]
    for route_id in (hers, partners):
        assert status_and_code(await call_about_route(app, "driver", "get_board_route", route_id)) == (404, "NOT_FOUND")
        assert status_and_code(await call_about_route(app, "driver", "claim_route", route_id)) == (404, "NOT_FOUND")
    assert await list_board_route_ids(app, "admin") == [partners, hers, north, everybody]
    assert (await list_board_route_ids(app, "contractor"), await list_board_route_ids(app, "rival")) == ([], [])


async def test_drivers_see_no_addresses_or_rules_before_claiming(app: App) -> None:
    await make_driver(app, user="driver")
    route_id = await make_posted_route(app)
    body = (await app.rest("driver", "GET", f"/v1/route-board/routes/{route_id}")).json()["board_route"]
    assert body["stops_total"] == 1
    assert body.keys().isdisjoint({"rules", "driver_id", "stops", "closing"})
    assert "100 Queen" not in str(body)


async def test_a_drivers_board_is_paged(app: App) -> None:
    await make_driver(app, user="driver")
    routes = [await make_posted_route(app) for _ in range(3)]
    page = await app.answer("driver", "list_route_board", {"per_page": 2, "page": 2})
    assert (page.total, [route.route_id for route in page.board_routes]) == (3, routes[2:])


async def test_a_contractors_driver_can_claim_routes_the_client_opens_to_them(app: App) -> None:
    theirs = await make_driver(app, user="driver", contractor_id=app.ids["contractor"])
    closed, opened = await make_posted_route(app), await make_posted_route(app, contractor_ids=[app.ids["contractor"]])
    assert await list_board_route_ids(app) == [opened]
    assert status_and_code(await call_about_route(app, "driver", "claim_route", closed)) == (404, "NOT_FOUND")
    assert status_and_code(await call_about_route(app, "driver", "claim_route", opened)) == (200, None)
    assert await list_claim_history(app, opened) == [(theirs, "held")]
    mine = await app.answer("contractor", "list_route_claims")
    assert [claim.driver_id for claim in mine.claims] == [theirs]


async def test_a_withdrawn_route_stays_with_its_driver_who_can_still_return_it(app: App) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app)
    for who in ("driver", "driver2"):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    off = (await call_about_route(app, "admin", "remove_route_from_board", route_id)).answer.board_route
    assert (off.status, off.closing, off.driver_id) == ("closed", "taken_off", dan)
    assert await list_claim_history(app, route_id) == [(dan, "held"), (eve, "closed")]
    assert (await list_board_route_ids(app), await list_board_route_ids(app, "admin", live=False)) == ([], [route_id])
    assert status_and_code(await call_about_route(app, "admin", "remove_route_from_board", route_id)) == (
        404,
        "NOT_FOUND",
    )
    assert status_and_code(await call_about_route(app, "driver2", "claim_route", route_id)) == (404, "NOT_FOUND")
    assert status_and_code(await call_about_route(app, "driver", "withdraw_from_route", route_id)) == (200, None)
    assert (await list_claim_history(app, route_id))[0] == (dan, "withdrawn")
    assert (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.status == "draft"
    assert status_and_code(await call_about_route(app, "admin", "post_route_to_board", route_id)) == (200, None)


async def given_away(app: App, route_id: int) -> Any:
    body = {"route_id": route_id, "driver_id": await make_driver(app, name="Zed")}
    return await app.answer("admin", "assign_route_driver", body)


async def cancelled(app: App, route_id: int) -> Any:
    return await app.answer("admin", "cancel_route", {"route_id": route_id})


async def merged(app: App, route_id: int) -> Any:
    depot_id = (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route.depot_id
    target = await make_free_route(app, depot_id=depot_id)
    return await app.answer("admin", "merge_routes", {"route_id": target, "route_ids": [route_id]})


@pytest.mark.parametrize(
    ("happens", "closing"), [(given_away, "assigned"), (cancelled, "cancelled"), (merged, "merged")]
)
async def test_ending_a_route_ends_every_claim_to_it(app: App, happens: Any, closing: str) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app)
    for who in ("driver", "driver2"):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    await happens(app, route_id)
    assert await list_claim_history(app, route_id) == [(dan, "closed"), (eve, "closed")]
    board = await read_board_route(app, route_id)
    assert (board.status, board.closing) == ("closed", closing)
    assert await list_board_route_ids(app) == []


async def test_a_posted_route_cannot_be_made_private(app: App) -> None:
    route_id = await make_posted_route(app)
    assert status_and_code(await call_about_route(app, "admin", "unpublish_route", route_id)) == (409, "ROUTE_ON_BOARD")
    await call_about_route(app, "admin", "remove_route_from_board", route_id)
    assert status_and_code(await call_about_route(app, "admin", "unpublish_route", route_id)) == (200, None)


async def test_rules_for_individual_drivers_are_stored_and_listed(app: App) -> None:
    dan, eve = await two_drivers(app)
    rule = {"driver_id": eve, "blocked_until": "2026-06-12T00:00:00Z", "block_reason": "no-show", "claims_per_day": 3}
    await app.answer("admin", "set_board_driver_rule", rule)
    await app.answer("admin", "set_board_driver_rule", {"driver_id": dan, "zones": ["north"]})
    listed = (await app.answer("admin", "list_board_driver_rules")).rules
    assert [(each.driver_name, each.zones, each.claims_per_day) for each in listed] == [
        ("Dan", ["north"], None),
        ("Eve", [], 3),
    ]
    blocked = (await app.answer("admin", "list_board_driver_rules", {"blocked": True})).rules
    assert [(each.driver_id, each.block_reason) for each in blocked] == [(eve, "no-show")]
    again = await app.answer("admin", "set_board_driver_rule", {"driver_id": eve})
    assert (again.rule.blocked_until, again.rule.claims_per_day) == (None, None)
    for who in ("contractor", "rival"):
        assert status_and_code(await app.call(who, "set_board_driver_rule", {"driver_id": dan})) == (404, "NOT_FOUND")
        assert (await app.answer(who, "list_board_driver_rules")).total == 0


async def test_drivers_see_their_own_claims_and_another_client_sees_none(app: App) -> None:
    dan, _ = await two_drivers(app)
    route_id = await make_posted_route(app)
    for who in ("driver", "driver2"):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    asked = {"route_id": route_id, "driver_id": dan, "live": True, "date_from": "2026-06-10"}
    assert [claim.driver_id for claim in (await app.answer("admin", "list_route_claims", asked)).claims] == [dan]
    mine = (await app.answer("driver2", "list_route_claims", {"driver_id": dan})).claims
    assert [(claim.driver_name, claim.position) for claim in mine] == [("Eve", 1)]
    for who in ("rival", "rival_driver", "contractor"):
        assert (await app.answer(who, "list_route_claims")).total == 0


async def test_the_board_uses_a_constant_number_of_statements(app: App) -> None:
    await two_drivers(app)
    counted: list[int] = []
    for more in (1, 7):
        for _ in range(more):
            await call_about_route(app, "driver", "claim_route", await make_posted_route(app, claims_per_day=50))
        before = app.statements
        for who in ("driver", "admin"):
            await app.answer(who, "list_route_board")
        await app.answer("driver", "list_route_claims")
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
