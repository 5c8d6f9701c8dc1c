"""Long plan searches: durable, live, stoppable, repeatable, with stored plans."""

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace
from tests.contexts.warehouse.examples import LOAD_SPACE, TEAPOT, WASHER
from tests.contexts.warehouse.packing_makers import ADDRESS, make_carton
from tests.support.app import App
from tests.support.event_stream import Stream
from tests.support.transport import make_depot, status_and_code

from haulier.api.rest.app import RestApp
from haulier.background import make_worker
from haulier.contexts.warehouse.plan_searches.jobs import MAX_SEARCH_ATTEMPTS
from haulier.contexts.warehouse.ports import (
    OnPackingNews,
    PackingSearch,
    PackingSearchFailed,
    PackingSolver,
)
from haulier.kernel.background import Worker
from haulier.solvers.packing.budget import PackingBudget
from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.worker import solve_task

MUGS = {"id": "mug", "length_mm": 100, "width_mm": 100, "height_mm": 100, "weight_g": 300, "quantity": 4}
ASKED = {"pieces": [MUGS], "seconds": 300}
BY_STEPS = {**ASKED, "steps": 200}


class SlowSearch:
    """In-process search that reports its plan and ends on request."""

    def __init__(self) -> None:
        self.begun, self.let_go = asyncio.Event(), asyncio.Event()
        self.asked: list[PackingSearch] = []
        self.outcome: BaseException | None = None

    async def improve(self, search: PackingSearch, tell: OnPackingNews) -> PackingPlan | None:
        self.asked.append(search)
        if self.outcome:
            raise self.outcome
        plan = solve_task((search.problem, PackingBudget(steps=200), search.seed))
        wanted = await tell(plan, 7)
        while wanted and not self.let_go.is_set():
            self.begun.set()
            await asyncio.sleep(0.01)
            wanted = await tell(None, 8)
        return plan


@pytest.fixture
def slow(app: App) -> SlowSearch:
    search = SlowSearch()
    app.application.adapters = {**app.application.adapters, PackingSolver: search}
    return search


async def start(app: App, **words: Any) -> Any:
    return (await app.answer("admin", "start_packing_search", {**ASKED, **words})).search


async def read(app: App, plan_search_id: int) -> Any:
    return (await app.answer("employee", "get_plan_search", {"plan_search_id": plan_search_id})).search


async def under_way(app: App, slow: SlowSearch, worker: Worker, **words: Any) -> tuple[Any, "asyncio.Task[int]"]:
    """A search that a worker has begun."""
    search = await start(app, **words)
    slow.begun.clear()
    running = asyncio.create_task(worker.run_due())
    await asyncio.wait_for(slow.begun.wait(), 60)
    return search, running


async def kill_worker(app: App, running: "asyncio.Task[int]", worker: Worker) -> None:
    """Simulate kill -9 of a worker: it writes no more, and its lease expires."""
    for _, task in list(worker._running.values()):
        task.cancel()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    app.clock.forward(seconds=60)
    await make_worker(app.application)._extend_leases()


async def test_the_best_plan_is_available_during_a_search_and_after_a_cancellation(app: App, slow: SlowSearch) -> None:
    await make_carton(app, "S", 200, 100, 100)
    rehearsed = (await app.answer("admin", "start_packing_search", ASKED, dry_run=True)).search
    assert (rehearsed.id, rehearsed.state, (await app.answer("admin", "list_plan_searches")).total) == (
        None,
        "queued",
        0,
    )
    search, running = await under_way(app, slow, app.worker())
    seen = await read(app, search.id)
    assert (seen.state, seen.pieces, seen.improvements, seen.packing_plan.objective.cartons) == ("running", 4, 1, 2)
    app.clock.forward(seconds=30)
    assert (await read(app, search.id)).progress_percent == 10
    ended = (await app.answer("admin", "cancel_plan_search", {"plan_search_id": search.id})).search
    await running
    again = (await app.answer("admin", "cancel_plan_search", {"plan_search_id": search.id})).search
    assert (again, again.state, again.packing_plan) == (ended, "cancelled", seen.packing_plan)
    steps = (await app.answer("admin", "list_plan_search_steps", {"plan_search_id": search.id})).steps
    assert [(step.number, step.state) for step in steps] == [(1, "running"), (2, "cancelled")]


async def test_a_cancelled_waiting_search_never_starts_and_a_finished_one_cannot_be_cancelled(
    app: App, slow: SlowSearch
) -> None:
    await make_carton(app, "S", 200, 100, 100)
    slow.let_go.set()
    waiting, done = await start(app), await start(app)
    await app.answer("admin", "cancel_plan_search", {"plan_search_id": waiting.id})
    await app.work_off()
    assert ((await read(app, waiting.id)).packing_plan, len(slow.asked)) == (None, 1)
    over = await app.call("admin", "cancel_plan_search", {"plan_search_id": done.id})
    assert status_and_code(over) == (409, "PLAN_SEARCH_IS_OVER")
    for wanted, found in (
        ({}, [done.id, waiting.id]),
        ({"state": "done"}, [done.id]),
        ({"kind": "loading"}, []),
        ({"per_page": 1, "page": 2}, [waiting.id]),
    ):
        assert [one.id for one in (await app.answer("admin", "list_plan_searches", wanted)).searches] == found
    assert (await app.answer("rival", "list_plan_searches")).total == 0
    for operation in ("get_plan_search", "list_plan_search_steps", "cancel_plan_search"):
        refused = await app.call("rival", operation, {"plan_search_id": done.id})
        assert status_and_code(refused) == (404, "NOT_FOUND")


async def test_after_a_kill_another_worker_uses_the_remaining_time_or_repeats_all_steps(
    app: App, slow: SlowSearch
) -> None:
    await make_carton(app, "S", 200, 100, 100)
    for asked in (ASKED, BY_STEPS):
        first = app.worker()
        slow.let_go.clear()
        search, running = await under_way(app, slow, first, **asked, seed=5)
        kept = await read(app, search.id)
        await kill_worker(app, running, first)
        assert (await read(app, search.id)).state == "running"
        slow.let_go.set()
        app.clock.forward(seconds=60)
        await app.work_off()
        done = await read(app, search.id)
        assert (done.state, done.progress_percent, done.cut_short) == ("done", 100, False)
        assert done.packing_plan.cartons == kept.packing_plan.cartons
        before, after = slow.asked[-2:]
        assert (before.seed, after.seed, after.budget.steps) == (5, 5, asked.get("steps"))
        assert asked.get("steps") or (after.budget.seconds or 0) < (before.budget.seconds or 0) - 60


async def test_a_search_by_steps_ends_at_its_time_limit_and_a_failed_one_reports_its_error(
    app: App, slow: SlowSearch
) -> None:
    await make_carton(app, "S", 200, 100, 100)
    search, running = await under_way(app, slow, app.worker(), steps=1000)
    app.clock.forward(seconds=400)
    await running
    done = await read(app, search.id)
    assert (done.state, done.cut_short, done.packing_plan.objective.cartons) == ("done", True, 2)
    slow.outcome = PackingSearchFailed("out of memory")
    search = await start(app)
    for _ in range(MAX_SEARCH_ATTEMPTS):
        await app.work_off()
        app.clock.forward(seconds=60)
    failed = await read(app, search.id)
    assert (failed.state, failed.fault.code, failed.packing_plan) == ("failed", "PLAN_SEARCH_FAILED", None)
    refused = await app.call("admin", "commit_plan_search", {"plan_search_id": search.id, "order_id": 1})
    assert status_and_code(refused) == (409, "PLAN_SEARCH_NOT_READY")


async def test_an_invalid_plan_is_never_stored(app: App, slow: SlowSearch) -> None:
    await make_carton(app, "S", 200, 100, 100)

    async def wrong(search: PackingSearch, tell: OnPackingNews) -> PackingPlan | None:
        plan = solve_task((search.problem, PackingBudget(steps=200), 0))
        assert plan
        shifted = replace(plan.placements[0], x=150)
        await tell(replace(plan, placements=(shifted, *plan.placements[1:])), 1)
        return plan

    slow.improve = wrong
    search = await start(app)
    for _ in range(MAX_SEARCH_ATTEMPTS):
        await app.work_off()
        app.clock.forward(seconds=60)
    failed = await read(app, search.id)
    assert (failed.state, failed.fault.code, failed.packing_plan) == ("failed", "PLAN_SEARCH_INTERRUPTED", None)


async def test_the_plan_of_a_search_is_saved_once_under_concurrent_requests(app: App, slow: SlowSearch) -> None:
    await make_carton(app, "S", 200, 100, 100)
    slow.let_go.set()
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    search = await start(app)
    await app.work_off()
    committed = {"plan_search_id": search.id, "order_id": order}
    kept = await asyncio.gather(*(app.answer("employee", "commit_plan_search", committed) for _ in range(3)))
    plan = kept[0].packing_plan
    assert ({each.packing_plan.id for each in kept}, plan.order_id, plan.objective.cartons) == ({plan.id}, order, 2)
    assert (await app.answer("admin", "list_packing_plans", {"order_id": order})).total == 1
    without = await app.call("admin", "commit_plan_search", {"plan_search_id": search.id})
    assert status_and_code(without) == (422, "INVALID_REQUEST")
    await make_carton(app, "T", 300, 100, 100)
    stale = await app.call("admin", "commit_plan_search", committed)
    assert status_and_code(stale) == (409, "PACKING_PLAN_STALE")


async def test_searches_in_separate_processes_are_reproducible_by_steps(app: App) -> None:
    await make_carton(app, "S", 200, 100, 100)
    pieces = [{**TEAPOT, "length_mm": 60 + 7 * n, "width_mm": 95, "height_mm": 90, "id": f"p{n}"} for n in range(9)]
    searches = [await start(app, pieces=pieces, steps=300, seed=seed) for seed in (3, 3)]
    await app.answer("admin", "create_load_space", {**LOAD_SPACE, "code": "VAN"})
    route = (
        await app.answer(
            "admin", "create_route", {"day": "2026-06-11", "depot_id": await make_depot(app), "name": "Load"}
        )
    ).route.id
    asked = {"pieces": [{**WASHER, "quantity": 3}], "route_id": route, "steps": 4}
    load = (await app.answer("admin", "start_load_search", asked)).search
    stream, following = open_stream(app, searches[0].id)
    assert (await stream.part())["status"] == 200
    await app.work_off()
    states: list[str] = []
    while "done" not in states:
        lines = (await asyncio.wait_for(stream.part(), 60))["body"].decode().splitlines()
        states += [json.loads(line[6:])["state"] for line in lines if line.startswith("data: ")]
    stream.leaves.set()
    await following
    one, other = [await read(app, search.id) for search in searches]
    assert (one.state, one.packing_plan) == ("done", other.packing_plan)
    done = await read(app, load.id)
    assert (done.state, done.load_score.objective.mandatory_left, done.load_plan.result) == ("done", 0, True)
    kept = (await app.answer("admin", "commit_plan_search", {"plan_search_id": load.id})).load_plan
    assert (kept.route_id, kept.pieces) == (route, 3)


def open_stream(app: App, plan_search_id: int) -> tuple[Stream, "asyncio.Task[None]"]:
    stream = Stream()
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": f"/v1/plan-searches/{plan_search_id}/stream",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {app.tokens['admin']}".encode())],
        "client": ("127.0.0.1", 1),
    }
    return stream, asyncio.create_task(RestApp(app.application)(scope, stream.receive, stream.send))
