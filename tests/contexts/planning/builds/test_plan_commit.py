"""Plan commits: atomic, once, and safe under concurrency."""

import asyncio
from typing import Any

from sqlalchemy import func, select
from tests.contexts.planning.builds.makers import (
    TOMORROW,
    build_and_read,
    commit_build,
    create_orders_around,
    make_small_day,
    read_build,
    visited_order_ids,
)
from tests.support.app import App
from tests.support.transport import make_route, set_order, status_and_code

from haulier.contexts.routes.routes.store import routes
from haulier.contexts.routes.stops.store import stops


async def commit(app: App, build: Any) -> Any:
    return await app.call("admin", "commit_route_build", {"build_id": build.id})


async def count_written_rows(app: App) -> tuple[int, int]:
    async with app.database.read(app.clients["demo"]) as work:
        counts = [await work.value(select(func.count()).select_from(table)) for table in (routes, stops)]
    return counts[0], counts[1]


async def test_an_order_changed_in_the_meantime_is_reported_and_nothing_is_written(app: App) -> None:
    _, orders = await make_small_day(app, orders=4)
    build = await build_and_read(app)
    await set_order(app, orders[0], status=2)
    await set_order(app, orders[1], lat=43.9)
    other = await make_route(app, order_ids=[orders[2]])
    before = await count_written_rows(app)
    outcome = await commit(app, build)
    assert status_and_code(outcome) == (409, "PLAN_OUTDATED")
    assert {fault["field"]: fault["code"] for fault in outcome.error["errors"]} == {
        f"orders.{orders[0]}": "ORDER_NOT_PLANNABLE",
        f"orders.{orders[1]}": "ORDER_CHANGED_SINCE",
        f"orders.{orders[2]}": "ORDER_ON_ROUTE",
    }
    assert await count_written_rows(app) == before
    assert (await read_build(app, build.id)).committed_at is None
    await app.answer("admin", "cancel_route", {"route_id": other})


async def test_concurrent_commits_write_the_plan_once(app: App) -> None:
    _, orders = await make_small_day(app)
    build = await build_and_read(app)
    outcomes = await asyncio.gather(*(commit(app, build) for _ in range(8)))
    assert {tuple(outcome.answer.build.route_ids) for outcome in outcomes} == {
        tuple((await read_build(app, build.id)).route_ids)
    }
    assert await count_written_rows(app) == (len(build.routes), len(orders))


async def test_of_two_plans_for_the_same_drivers_one_succeeds(app: App) -> None:
    _, orders = await make_small_day(app, orders=6, drivers=1)
    first, second = await build_and_read(app, order_ids=orders[:3]), await build_and_read(app, order_ids=orders[3:])
    outcomes = await asyncio.gather(*(commit(app, each) for each in (first, second)))
    assert sorted(outcome.status for outcome in outcomes) == [200, 409]
    lost = next(outcome for outcome in outcomes if outcome.error)
    assert [fault["code"] for fault in lost.error["errors"]] == ["DRIVER_CHANGED_SINCE"]
    assert await count_written_rows(app) == (1, 3)


async def test_of_two_plans_for_the_same_orders_one_succeeds(app: App) -> None:
    drivers, orders = await make_small_day(app, orders=4)
    plans = [await build_and_read(app, driver_ids=[driver]) for driver in drivers]
    outcomes = await asyncio.gather(*(commit(app, each) for each in plans))
    assert sorted(outcome.status for outcome in outcomes) == [200, 409]
    assert await count_written_rows(app) == (1, len(orders))


async def test_an_automatic_commit_runs_as_the_requester(app: App) -> None:
    _, orders = await make_small_day(app)
    build = await build_and_read(app, commit=True)
    assert (build.state, build.fault) == ("done", None)
    assert await count_written_rows(app) == (len(build.routes), len(orders))
    detail = await app.answer("admin", "get_route_detail", {"route_id": build.route_ids[0]})
    assert detail.route.status == "assigned"


async def test_an_obstacle_to_an_automatic_commit_is_reported_and_the_plan_is_kept(app: App) -> None:
    _, orders = await make_small_day(app, orders=2)
    asked = (await app.answer("admin", "build_route", {"day": TOMORROW, "iterations": 20, "commit": True})).build
    await set_order(app, orders[0], status=2)
    await app.work_off()
    build = await read_build(app, asked.id)
    assert (build.state, build.committed_at, build.fault.code) == ("done", None, "PLAN_OUTDATED")
    assert [(each.field, each.code) for each in build.fault.errors] == [(f"orders.{orders[0]}", "ORDER_NOT_PLANNABLE")]
    assert visited_order_ids(build) == orders
    assert await count_written_rows(app) == (0, 0)


async def test_a_plan_that_is_empty_or_unfinished_cannot_be_committed(app: App) -> None:
    await make_small_day(app, orders=0)
    assert status_and_code(await commit(app, await build_and_read(app))) == (409, "NOTHING_TO_COMMIT")
    await create_orders_around(app, 1)
    queued = (await app.answer("admin", "build_route", {"day": TOMORROW})).build
    assert status_and_code(await commit(app, queued)) == (409, "BUILD_NOT_READY")


async def test_statement_count_does_not_grow_with_orders(app: App) -> None:
    used: list[int] = []
    for count in (3, 12):
        await make_small_day(app, orders=count, drivers=0)
        driver = (await app.answer("admin", "create_driver", {"name": f"For {count}"})).driver.id
        build = await build_and_read(app, driver_ids=[driver])
        before = app.statements
        await commit_build(app, build)
        used.append(app.statements - before)
    assert used[0] == used[1]


async def test_a_dry_run_of_a_commit_leaves_no_trace(app: App) -> None:
    await make_small_day(app, orders=3)
    build = await build_and_read(app)
    rehearsed = await app.call("admin", "commit_route_build", {"build_id": build.id}, dry_run=True)
    assert rehearsed.answer.build.committed_at is not None  # type: ignore[union-attr]
    assert await count_written_rows(app) == (0, 0)
    assert (await read_build(app, build.id)).committed_at is None
