"""Durable searches: cancelled, killed, failing, read and followed live."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from tests.contexts.planning.builds.makers import (
    QUICK_BUILD,
    TOMORROW,
    build_and_read,
    commit_build,
    make_small_day,
    read_build,
    routes_without_names,
    visited_order_ids,
)
from tests.support.app import App
from tests.support.transport import status_and_code

from haulier.adapters.database import database_for
from haulier.background import make_worker
from haulier.contexts.planning.builds.jobs import ROUTE_BUILD_CHANNEL
from haulier.contexts.planning.builds.queries import load_travel_matrix
from haulier.contexts.planning.ports import (
    GeoPoint,
    OnBetterPlan,
    SolverRun,
    SolverRunFailed,
    SolverRunner,
    TravelFailed,
    TravelTable,
    TravelTimes,
)
from haulier.kernel.background import Worker
from haulier.solvers.routing.build import build_routes as build_now
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.installed import is_routing_installed
from haulier.solvers.routing.plan import RoutingPlan

BY_TIME = {"day": TOMORROW, "time_budget_s": 300}


class SlowSearch:
    """A search that shows its first plan, and ends when released or no longer needed."""

    def __init__(self) -> None:
        self.begun, self.let_go = asyncio.Event(), asyncio.Event()
        self.asked: list[SolverRun] = []

    async def best(self, search: SolverRun, tell: OnBetterPlan) -> RoutingPlan:
        self.asked.append(search)
        plan = build_now(search.problem, budget=SearchBudget(iterations=5), seed=search.seed, start=search.start).plan
        while await tell(plan) and not self.let_go.is_set():
            self.begun.set()
            await asyncio.sleep(0.01)
        return plan


class BrokenAdapter:
    """A search, and a map server, that are out of order."""

    async def best(self, search: SolverRun, tell: OnBetterPlan) -> RoutingPlan:
        raise SolverRunFailed("out of memory")

    async def table(self, sources: list[GeoPoint], targets: list[GeoPoint]) -> TravelTable:
        raise TravelFailed("unreachable")


def use_adapter(app: App, port: type, adapter: Any) -> None:
    app.application.adapters = {**app.application.adapters, port: adapter}


@pytest.fixture
def slow(app: App) -> SlowSearch:
    return SlowSearch()


async def start_build(app: App, slow: SlowSearch, worker: Worker, **words: Any) -> tuple[Any, "asyncio.Task[int]"]:
    """A build whose search is under way in a worker."""
    use_adapter(app, SolverRunner, slow)
    build = (await app.answer("admin", "build_route", {**BY_TIME, **words})).build
    slow.begun.clear()
    running = asyncio.create_task(worker.run_due())
    await slow.begun.wait()
    return build, running


async def kill_worker(app: App, running: "asyncio.Task[int]", worker: Worker) -> None:
    """Silence a worker, as after kill -9: it writes nothing, and its lease expires."""
    for _, task in list(worker._running.values()):
        task.cancel()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    app.clock.forward(seconds=60)
    await make_worker(app.application)._extend_leases()


async def test_the_best_plan_so_far_is_available_during_the_search(app: App, slow: SlowSearch) -> None:
    _, orders = await make_small_day(app)
    build, running = await start_build(app, slow, app.worker())
    seen = await read_build(app, build.id)
    assert (seen.state, visited_order_ids(seen), seen.steps) == ("running", orders, 1)
    slow.let_go.set()
    await running
    done = await read_build(app, build.id)
    assert (done.state, visited_order_ids(done)) == ("done", orders)


async def test_a_cancelled_search_ends_and_its_best_plan_can_be_committed(app: App, slow: SlowSearch) -> None:
    _, orders = await make_small_day(app)
    build, running = await start_build(app, slow, app.worker())
    await app.answer("admin", "cancel_route_build", {"build_id": build.id})
    await running
    again = (await app.answer("admin", "cancel_route_build", {"build_id": build.id})).build
    assert (again.state, visited_order_ids(again)) == ("cancelled", orders)
    assert len((await commit_build(app, again)).route_ids) == len(again.routes)


async def test_a_finished_build_cannot_be_cancelled_and_a_cancelled_waiting_one_never_starts(app: App) -> None:
    await make_small_day(app)
    assert status_and_code(
        await app.call("admin", "cancel_route_build", {"build_id": (await build_and_read(app)).id})
    ) == (
        409,
        "BUILD_IS_OVER",
    )
    waiting = (await app.answer("admin", "build_route", QUICK_BUILD)).build
    await app.answer("admin", "cancel_route_build", {"build_id": waiting.id})
    await app.work_off()
    assert (await read_build(app, waiting.id)).routes == []


async def test_after_a_kill_another_worker_resumes_from_the_best_plan_with_the_remaining_time(
    app: App, slow: SlowSearch
) -> None:
    await make_small_day(app)
    first = app.worker()
    build, running = await start_build(app, slow, first)
    kept = await read_build(app, build.id)
    await kill_worker(app, running, first)
    assert (await read_build(app, build.id)).state == "running"
    slow.let_go.set()
    app.clock.forward(seconds=60)
    await app.work_off()
    done = await read_build(app, build.id)
    assert done.state == "done"
    assert done.score.price <= kept.score.price
    assert slow.asked[1].start is not None
    assert slow.asked[1].budget.seconds == 300 - 120


async def test_a_search_by_iterations_gives_the_same_plan_after_a_kill(app: App, slow: SlowSearch) -> None:
    await make_small_day(app, orders=8)
    undisturbed = await build_and_read(app)
    searches = app.application.adapter(SolverRunner)
    first = app.worker()
    build, running = await start_build(app, slow, first, iterations=QUICK_BUILD["iterations"], seed=QUICK_BUILD["seed"])
    await kill_worker(app, running, first)
    use_adapter(app, SolverRunner, searches)
    app.clock.forward(seconds=1)
    await app.work_off()
    assert routes_without_names(await read_build(app, build.id)) == routes_without_names(undisturbed)


async def test_a_build_whose_worker_keeps_dying_fails(app: App, slow: SlowSearch) -> None:
    await make_small_day(app)
    use_adapter(app, SolverRunner, slow)
    build = (await app.answer("admin", "build_route", BY_TIME)).build
    for _ in range(3):
        worker = app.worker()
        slow.begun.clear()
        running = asyncio.create_task(worker.run_due())
        await slow.begun.wait()
        await kill_worker(app, running, worker)
        app.clock.forward(hours=1)
    failed = await read_build(app, build.id)
    assert (failed.state, failed.fault.code) == ("failed", "BUILD_INTERRUPTED")
    assert status_and_code(await app.call("admin", "cancel_route_build", {"build_id": build.id})) == (
        409,
        "BUILD_IS_OVER",
    )


@pytest.mark.parametrize(
    ("port", "fault"), [(SolverRunner, "BUILD_SEARCH_FAILED"), (TravelTimes, "BUILD_TRAVEL_FAILED")]
)
async def test_a_repeatedly_failing_search_reports_its_error(app: App, port: type, fault: str) -> None:
    await make_small_day(app)
    use_adapter(app, port, BrokenAdapter())
    build = (await app.answer("admin", "build_route", QUICK_BUILD)).build
    for _ in range(3):
        await app.work_off()
        app.clock.forward(minutes=1)
    failed = await read_build(app, build.id)
    assert (failed.state, failed.fault.code, failed.finished_at is not None) == ("failed", fault, True)
    assert status_and_code(await app.call("admin", "build_route", QUICK_BUILD, dry_run=True)) == (
        503,
        "BUILD_CANNOT_SEARCH",
    )


async def test_without_the_routing_extra_no_search_runs(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_small_day(app)
    monkeypatch.setattr("haulier.solvers.routing.installed.LIBRARIES", ("numpy", "a_package_that_is_not_there"))
    is_routing_installed.cache_clear()
    try:
        assert status_and_code(await app.call("admin", "build_route", QUICK_BUILD)) == (503, "BUILD_CANNOT_SEARCH")
        with pytest.raises(TravelFailed, match="haulier\\[routing\\]"):
            await load_travel_matrix(app.application.adapter(TravelTimes), [(43.6, -79.4)])
    finally:
        is_routing_installed.cache_clear()


async def test_progress_is_reported_in_order_and_ends_with_the_outcome(app: App) -> None:
    _, orders = await make_small_day(app)
    build = await build_and_read(app)
    answer = await app.answer("admin", "get_route_build_steps", {"build_id": build.id})
    assert [step.number for step in answer.steps] == list(range(1, build.steps + 1))
    assert [step.state for step in answer.steps] == ["running"] * (build.steps - 1) + ["done"]
    assert sorted(id for sketch in answer.steps[-1].routes for id in sketch.order_ids) == orders
    rest = await app.answer("admin", "get_route_build_steps", {"build_id": build.id, "cursor": answer.next_cursor})
    assert (rest.steps, rest.next_cursor) == ([], answer.next_cursor)


async def test_a_search_on_a_separate_machine_can_be_followed_on_the_server(app: App) -> None:
    """The worker searches on its own database, as another process does.

    The server only reads.
    """
    slow, heard = SlowSearch(), asyncio.Event()
    await make_small_day(app)
    there = database_for(app.database_url)
    await there.open()
    adapters = {**app.application.adapters, SolverRunner: slow}
    machine = replace(app.application, database=there, adapters=adapters)
    unlisten = await app.database.listen(ROUTE_BUILD_CHANNEL, lambda _: heard.set())
    build = (await app.answer("admin", "build_route", BY_TIME)).build
    running = asyncio.create_task(make_worker(machine, queues={"builds": 1}).run_due())
    async with asyncio.timeout(60):
        await slow.begun.wait()
        if app.database.dialect == "postgresql":  # on SQLite a server looks from time to time
            await heard.wait()
    half_way = await read_build(app, build.id)
    assert (half_way.state, half_way.steps) == ("running", 1)
    slow.let_go.set()
    await running
    assert (await read_build(app, build.id)).state == "done"
    unlisten()
    await there.close()


async def test_a_dry_run_by_iterations_respects_its_time_budget(app: App, slow: SlowSearch) -> None:
    _, orders = await make_small_day(app)
    use_adapter(app, SolverRunner, slow)
    run_by_iterations = {"day": TOMORROW, "time_budget_s": 1, "iterations": 100_000}
    build = (await app.answer("admin", "build_route", run_by_iterations, dry_run=True)).build
    budget = slow.asked[0].budget
    assert (visited_order_ids(build), budget.iterations) == (orders, 100_000)
    assert 0 <= budget.seconds <= 1
