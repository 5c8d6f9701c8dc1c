"""Builds without a search: immediate answers with reasons, and dry runs."""

from sqlalchemy import func, select
from tests.contexts.planning.builds.makers import (
    DEPOT,
    QUICK_BUILD,
    TOMORROW,
    build_and_read,
    make_order_at,
    make_small_day,
    make_vehicle,
    set_working_profile,
    unassigned_reasons,
    use_in_process_search,
    visited_order_ids,
)
from tests.support.app import App
from tests.support.transport import make_depot, make_driver, set_order, status_and_code

from haulier.contexts.planning.builds.store import builds
from haulier.kernel.background import job_table
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES


async def waiting_jobs(app: App) -> int:
    async with app.database.read(None) as work:
        return await work.value(select(func.count()).select_from(job_table).where(job_table.c.kind == "dispatch.build"))


async def test_without_orders_or_drivers_the_build_ends_immediately(app: App) -> None:
    await make_depot(app)
    nothing = (await app.answer("admin", "build_route", QUICK_BUILD)).build
    assert (nothing.state, nothing.orders, nothing.routes, nothing.unassigned) == ("done", 0, [], [])
    order_id = await make_order_at(app)
    nobody = (await app.answer("admin", "build_route", QUICK_BUILD)).build
    assert (nobody.state, unassigned_reasons(nobody)) == ("done", {order_id: "pool"})
    assert await waiting_jobs(app) == 0


async def test_impossible_orders_are_reported_immediately_with_individual_reasons(app: App) -> None:
    use_in_process_search(app)
    await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    driver_id = await make_driver(app)
    await set_working_profile(app, driver_id, shifts=[{"weekday": 4, "start": "08:00", "end": "12:00"}])
    await make_vehicle(app, capacity_weight_g=5000, capacity_volume_cm3=1000)
    box = {"weight_g": 1, "length_mm": 200, "width_mm": 200, "height_mm": 200}
    window = {"window_start": f"{TOMORROW}T20:00:00Z", "window_end": f"{TOMORROW}T21:00:00Z"}
    orders = {
        await make_order_at(app, skills=["cooled"]): "skill",
        await make_order_at(app, packages=[{"weight_g": 6000}]): "capacity",
        await make_order_at(app, packages=[box]): "capacity",
        await make_order_at(app, **window): "shift",
        await make_order_at(app, service_time_s=5 * 3600): "shift",
    }
    lost = await make_order_at(app)
    await set_order(app, lost, lat=None, lng=None)
    build = (await app.answer("admin", "build_route", QUICK_BUILD)).build
    assert (build.state, unassigned_reasons(build)) == ("done", {**orders, lost: "unreachable"})
    assert await waiting_jobs(app) == 0


async def test_reasons_are_sentences_in_six_languages(app: App) -> None:
    use_in_process_search(app)
    await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    await make_driver(app)
    await make_order_at(app, skills=["cooled"])
    said = set[str]()
    for language in SUPPORTED_LANGUAGES:
        build = (await app.answer("admin", "build_route", QUICK_BUILD, accept_language=language)).build
        assert "cooled" in build.unassigned[0].message
        said.add(build.unassigned[0].message)
    assert len(said) == len(SUPPORTED_LANGUAGES)


async def test_a_dry_run_is_a_real_preview_without_side_effects(app: App) -> None:
    _, orders = await make_small_day(app)
    outcome = await app.call("admin", "build_route", {**QUICK_BUILD, "commit": True}, dry_run=True)
    preview = outcome.answer.build  # type: ignore[union-attr]
    assert (preview.id, preview.state, visited_order_ids(preview)) == (None, "done", orders)
    async with app.database.read(app.clients["demo"]) as work:
        assert await work.value(select(func.count()).select_from(builds)) == 0
    assert await waiting_jobs(app) == 0


async def test_orders_that_cannot_be_planned_are_reported_and_the_rest_are_planned(app: App) -> None:
    _, orders = await make_small_day(app, orders=3)
    await set_order(app, orders[0], status=6)
    build = await build_and_read(app, order_ids=[*orders, 999])
    assert {each.order_id: each.code for each in build.refused} == {
        orders[0]: "ORDER_NOT_PLANNABLE",
        999: "ORDER_UNKNOWN",
    }
    assert visited_order_ids(build) == orders[1:]


async def test_unknown_records_are_validation_errors_and_past_days_are_refused(app: App) -> None:
    for field in ("driver_ids", "vehicle_ids", "depot_ids"):
        outcome = await app.call("admin", "build_route", {**QUICK_BUILD, field: [999]})
        assert outcome.error
        assert [fault["field"] for fault in outcome.error["errors"]] == [f"{field}.0"]
    assert status_and_code(await app.call("admin", "build_route", {"day": "2026-06-09"})) == (422, "INVALID_REQUEST")
