"""Claims: first come, first served; standby queue; returned routes."""

import asyncio

from tests.contexts.marketplace.route_board.makers import (
    call_about_route,
    list_board_route_ids,
    list_claim_history,
    make_posted_route,
    read_board_route,
    two_drivers,
)
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.processes import another_process
from tests.support.transport import make_driver, order_row, status_and_code

from haulier.contexts.fleet.drivers.store import drivers as driver_table
from haulier.contexts.identity import public as access
from haulier.kernel.operations.enums import Account

CLAIMING = ["claim_route", "stand_by_for_route", "withdraw_from_route"]


async def more_drivers(app: App, count: int) -> list[str]:
    """Create more driver accounts, each with a driver; their roles in `app.tokens`."""
    roles = [f"crowd{n}" for n in range(count)]
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        client = {"client_id": app.clients["demo"]}
        for role in roles:
            words = {"email": f"{role}@demo.example", "name": role, "account": Account.DRIVER}
            app.ids[role] = await access.provision_user(work, **client, **words, now=app.clock.now)
            who = {"user_id": app.ids[role], "account": Account.DRIVER}
            app.tokens[role] = await access.issue_token(work, **client, **who, now=app.clock.now)
    async with app.database.write(app.clients["demo"]) as work:
        same = {"skills": [], "skill_words": "", "active": True, "created_at": app.clock.now}
        await work.insert_many(driver_table, [{"name": role, "user_id": app.ids[role], **same} for role in roles])
    return roles


async def test_the_first_driver_gets_the_route_and_its_orders(app: App) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app)
    claimed = (await call_about_route(app, "driver", "claim_route", route_id)).answer.board_route
    assert (claimed.status, claimed.mine.status, claimed.mine.position) == ("claimed", "held", None)
    assert status_and_code(await call_about_route(app, "driver2", "claim_route", route_id)) == (409, "ROUTE_TAKEN")
    route = (await app.answer("driver", "get_route_detail", {"route_id": route_id})).route
    assert (route.driver_id, route.status, "start" in route.allowed_actions) == (dan, "assigned", True)
    assert (await order_row(app, route.stops[0].order_id)).driver_id == app.ids["driver"]
    assert (await call_about_route(app, "driver", "claim_route", route_id)).answer.board_route == claimed
    assert await list_claim_history(app, route_id) == [(dan, "held")]
    assert eve not in {claim[0] for claim in await list_claim_history(app, route_id)}


async def test_of_a_hundred_concurrent_claims_exactly_one_wins(app: App, database_url: str) -> None:
    crowd = await more_drivers(app, 100)
    route_id = await make_posted_route(app)
    async with another_process(app, database_url) as other:
        doors = [app, other]
        calls = (call_about_route(doors[n % 2], who, "claim_route", route_id) for n, who in enumerate(crowd))
        outcomes = await asyncio.gather(*calls)
    codes = [status_and_code(outcome) for outcome in outcomes]
    assert codes.count((200, None)) == 1
    assert codes.count((409, "ROUTE_TAKEN")) == 99
    winner = crowd[codes.index((200, None))]
    ((_, status),) = await list_claim_history(app, route_id)
    assert status == "held"
    assert (await app.answer(winner, "get_route_detail", {"route_id": route_id})).route.driver_name == winner


async def test_concurrent_claims_by_one_driver_respect_their_limit(app: App) -> None:
    await make_driver(app, user="driver")
    routes = [await make_posted_route(app, claims_per_day=2) for _ in range(6)]
    outcomes = await asyncio.gather(*(call_about_route(app, "driver", "claim_route", route_id) for route_id in routes))
    assert sorted(status_and_code(outcome) for outcome in outcomes) == [
        *[(200, None)] * 2,
        *[(409, "CLAIM_LIMIT_REACHED")] * 4,
    ]


async def test_concurrent_claims_standbys_and_withdrawals_leave_one_winner_and_one_queue(app: App) -> None:
    crowd = await more_drivers(app, 12)
    route_id = await make_posted_route(app, standby_max=100)
    lined_up = await asyncio.gather(
        *(call_about_route(app, who, "claim_route", route_id, stand_by=True) for who in crowd)
    )
    assert {status_and_code(outcome) for outcome in lined_up} == {(200, None)}
    assert sorted(outcome.answer.board_route.mine.position or 0 for outcome in lined_up) == list(range(12))
    left = await asyncio.gather(*(call_about_route(app, who, "withdraw_from_route", route_id) for who in crowd[:8]))
    assert {status_and_code(outcome) for outcome in left} == {(200, None)}
    states = [status for _, status in await list_claim_history(app, route_id)]
    assert (states.count("held"), states.count("standby")) == (1, 3)
    assert (await read_board_route(app, route_id)).driver_name in crowd[8:]


async def test_a_standby_driver_sees_their_position_and_gets_a_returned_route(app: App) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app)
    assert status_and_code(await call_about_route(app, "driver2", "stand_by_for_route", route_id)) == (
        409,
        "ROUTE_STILL_FREE",
    )
    await call_about_route(app, "driver", "claim_route", route_id)
    waiting = (await call_about_route(app, "driver2", "stand_by_for_route", route_id)).answer.board_route
    assert (waiting.mine.status, waiting.mine.position, waiting.standing_by) == ("standby", 1, 1)
    assert (
        await call_about_route(app, "driver2", "stand_by_for_route", route_id)
    ).answer.board_route.mine == waiting.mine
    gone = (await call_about_route(app, "driver", "withdraw_from_route", route_id)).answer.board_route
    assert (gone.status, gone.mine) == ("claimed", None)
    assert await list_claim_history(app, route_id) == [(dan, "withdrawn"), (eve, "held")]
    claim = (await app.answer("driver2", "list_route_claims")).claims[0]
    assert (claim.promoted, claim.won_at, claim.ended_at) == (True, app.clock.now, None)
    route = (await app.answer("driver2", "get_route_detail", {"route_id": route_id})).route
    assert (route.driver_id, (await order_row(app, route.stops[0].order_id)).driver_id) == (eve, app.ids["driver2"])
    assert status_and_code(await app.call("driver", "get_route_detail", {"route_id": route_id})) == (404, "NOT_FOUND")


async def test_a_returned_route_without_standbys_is_open_to_everyone(app: App) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app)
    for who in ("driver", "driver2"):
        assert status_and_code(await call_about_route(app, who, "claim_route", route_id)) == (200, None)
        assert (await call_about_route(app, who, "withdraw_from_route", route_id)).answer.board_route.status == "open"
        assert status_and_code(await call_about_route(app, who, "withdraw_from_route", route_id)) == (409, "NO_CLAIM")
    assert status_and_code(await call_about_route(app, "driver", "claim_route", route_id)) == (200, None)
    assert await list_claim_history(app, route_id) == [(dan, "withdrawn"), (eve, "withdrawn"), (dan, "held")]


async def test_promotion_skips_ineligible_drivers_who_keep_their_position(app: App) -> None:
    dan, eve = await two_drivers(app)
    (third,) = await more_drivers(app, 1)
    route_id = await make_posted_route(app)
    for who in ("driver", "driver2", third):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    await app.answer("admin", "set_board_driver_rule", {"driver_id": eve, "blocked_until": "2026-07-01T00:00:00Z"})
    await call_about_route(app, "driver", "withdraw_from_route", route_id)
    states = await list_claim_history(app, route_id)
    assert [status for _, status in states] == ["withdrawn", "standby", "held"]
    assert states[1] == (eve, "standby")
    assert (await read_board_route(app, route_id, "driver2")).mine.position == 1
    assert dan == states[0][0]


async def test_a_route_released_by_the_office_goes_to_the_first_in_line(app: App) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app)
    for who in ("driver", "driver2"):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    freed = (await app.answer("admin", "assign_route_driver", {"route_id": route_id, "driver_id": None})).route
    assert (freed.driver_id, freed.status) == (eve, "assigned")
    assert await list_claim_history(app, route_id) == [(dan, "freed"), (eve, "held")]


async def test_after_the_deadline_a_claim_is_final_and_a_standby_can_still_leave(app: App) -> None:
    await two_drivers(app)
    route_id = await make_posted_route(app, withdraw_until="2026-06-10T15:00:00Z")
    for who in ("driver", "driver2"):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    app.clock.forward(hours=2)
    late = await call_about_route(app, "driver", "withdraw_from_route", route_id)
    assert status_and_code(late) == (409, "WITHDRAW_TOO_LATE")
    assert late.error
    assert "2026-06-10 11:00" in late.error["message"]
    assert status_and_code(await call_about_route(app, "driver2", "withdraw_from_route", route_id)) == (200, None)
    assert [status for _, status in await list_claim_history(app, route_id)] == ["held", "left"]


async def test_declining_in_the_app_withdraws_the_claim_with_the_same_deadline(app: App) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app, withdraw_until="2026-06-10T15:00:00Z")
    for who in ("driver", "driver2"):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    assert status_and_code(await call_about_route(app, "driver", "decline_route", route_id, reason="ill")) == (
        200,
        None,
    )
    assert await list_claim_history(app, route_id) == [(dan, "withdrawn"), (eve, "held")]
    app.clock.forward(hours=2)
    earlier = "2026-06-10T13:30:00Z"
    late = await call_about_route(app, "driver2", "decline_route", route_id, reason="ill", occurred_at=earlier)
    assert status_and_code(late) == (409, "WITHDRAW_TOO_LATE"), "a device cannot turn the clock back"
    event = {"id": "event-0001", "kind": "decline", "route_id": route_id, "occurred_at": earlier}
    (receipt,) = (await app.answer("driver2", "sync_rider_events", {"events": [event]})).receipts
    assert (receipt.status.value, receipt.code) == ("refused", "WITHDRAW_TOO_LATE")
    assert await list_claim_history(app, route_id) == [(dan, "withdrawn"), (eve, "held")]


async def test_a_posted_route_assigned_by_the_office_has_no_deadline(app: App) -> None:
    _, eve = await two_drivers(app)
    route_id = await make_posted_route(app, withdraw_until="2026-06-10T15:00:00Z")
    await call_about_route(app, "driver", "claim_route", route_id)
    await app.answer("admin", "assign_route_driver", {"route_id": route_id, "driver_id": eve})
    app.clock.forward(hours=2)
    assert status_and_code(await call_about_route(app, "driver2", "decline_route", route_id)) == (200, None)


async def test_a_started_route_cannot_be_returned_and_its_claim_shows_progress(app: App) -> None:
    dan, _ = await two_drivers(app)
    route_id = await make_posted_route(app)
    await call_about_route(app, "driver", "claim_route", route_id)
    started = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    assert status_and_code(await call_about_route(app, "driver", "withdraw_from_route", route_id)) == (
        409,
        "ROUTE_CANNOT",
    )
    assert await list_claim_history(app, route_id) == [(dan, "started")]
    await app.answer("driver", "deliver_stop", {"route_id": route_id, "stop_id": started.stops[0].id})
    await app.answer("driver", "finish_route", {"route_id": route_id})
    assert await list_claim_history(app, route_id) == [(dan, "completed")]
    assert (await read_board_route(app, route_id)).status == "completed"


async def test_the_standby_queue_has_a_maximum_length(app: App) -> None:
    await two_drivers(app)
    (third,) = await more_drivers(app, 1)
    route_id = await make_posted_route(app, standby_max=1)
    await call_about_route(app, "driver", "claim_route", route_id)
    assert status_and_code(await call_about_route(app, "driver2", "claim_route", route_id, stand_by=True)) == (
        200,
        None,
    )
    assert status_and_code(await call_about_route(app, third, "stand_by_for_route", route_id)) == (409, "STANDBY_FULL")


async def test_a_route_opens_and_closes_on_schedule(app: App) -> None:
    await two_drivers(app)
    hours = {"opens_at": "2026-06-10T15:00:00Z", "closes_at": "2026-06-10T16:00:00Z"}
    route_id = await make_posted_route(app, **hours)
    assert await list_board_route_ids(app) == [route_id]
    assert (await read_board_route(app, route_id, "driver")).status == "scheduled"
    assert status_and_code(await call_about_route(app, "driver", "claim_route", route_id)) == (
        409,
        "BOARD_NOT_OPEN_YET",
    )
    app.clock.forward(hours=3)
    assert (await read_board_route(app, route_id)).status == "expired"
    assert status_and_code(await call_about_route(app, "driver", "claim_route", route_id)) == (409, "BOARD_CLAIMS_OVER")


@for_every("operation", CLAIMING)
async def test_only_drivers_of_the_client_can_claim(app: App, operation: str) -> None:
    route_id = await make_posted_route(app)
    assert status_and_code(await call_about_route(app, None, operation, route_id)) == (401, "UNAUTHENTICATED")  # type: ignore[arg-type]
    for who in ("admin", "contractor", "customer"):
        assert status_and_code(await call_about_route(app, who, operation, route_id)) == (403, "ACCOUNT_NOT_ALLOWED")
    for who in ("driver", "rival_driver"):  # an account without a driver, and one of another client
        assert status_and_code(await call_about_route(app, who, operation, route_id)) == (404, "NOT_FOUND")


async def test_a_claim_is_announced_with_its_outcome(app: App) -> None:
    dan, eve = await two_drivers(app)
    route_id = await make_posted_route(app)
    for who in ("driver", "driver2"):
        await call_about_route(app, who, "claim_route", route_id, stand_by=True)
    heard = await announced(app, "driver", "withdraw_from_route", route_id)
    assert [type(event).__name__ for event in heard] == ["RouteAssigned", "ClaimEnded", "RouteAssigned", "RouteClaimed"]
    assert (heard[1].driver_id, heard[1].outcome) == (dan, "withdrawn")
    assert (heard[3].driver_id, heard[3].promoted, heard[3].route_id) == (eve, True, route_id)


async def announced(app: App, who: str, operation: str, route_id: int) -> list[object]:
    """Return what a call announces."""
    from haulier.kernel.call import Call

    heard: list[object] = []
    publish = Call.publish

    async def listening(call: Call, event: object) -> None:
        heard.append(event)
        await publish(call, event)  # type: ignore[arg-type]

    Call.publish = listening  # type: ignore[method-assign,assignment]
    try:
        assert (await call_about_route(app, who, operation, route_id)).error is None
    finally:
        Call.publish = publish  # type: ignore[method-assign]
    return heard
