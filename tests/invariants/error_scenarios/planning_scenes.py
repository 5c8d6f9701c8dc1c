"""Errors of builds: ended, not ready, empty or stale builds; no travel times."""

from collections.abc import Sequence
from typing import Any

from tests.contexts.planning.builds.makers import QUICK_BUILD, TOMORROW, build_and_read, make_small_day
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_depot, make_route

from haulier.contexts.planning.ports import GeoPoint, TravelFailed, TravelTable, TravelTimes


class Away:
    """A travel-time server that is unreachable."""

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        raise TravelFailed("unreachable")


async def scene(app: App) -> dict[str, Any]:
    """Create builds in every state and routes on two days, then remove travel times."""
    empty = await _make_build(app, day="2026-06-12")
    _, orders = await make_small_day(app, orders=2, drivers=1)
    outdated = (await build_and_read(app)).id
    await app.answer("admin", "hold_order", {"order_id": orders[0]})
    queued = await _make_build(app)
    depot_id = await make_depot(app)
    routes = [await make_route(app, depot_id=depot_id, day=day) for day in (TOMORROW, "2026-06-12")]
    app.application.adapters = {**app.application.adapters, TravelTimes: Away()}
    one = await make_route(app, depot_id=depot_id, day="2026-06-13")
    return {"empty": empty, "outdated": outdated, "queued": queued, "routes": routes, "one": one}


async def _make_build(app: App, **words: Any) -> int:
    return (await app.answer("admin", "build_route", {**QUICK_BUILD, **words})).build.id


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    empty, outdated, queued = ({"build_id": ids[name]} for name in ("empty", "outdated", "queued"))
    return {
        ("build_route", "BUILD_CANNOT_SEARCH"): ("admin", QUICK_BUILD, {"x-dry-run": "1"}),
        ("cancel_route_build", "BUILD_IS_OVER"): ("admin", outdated),
        ("commit_route_build", "BUILD_NOT_READY"): ("admin", queued),
        ("commit_route_build", "NOTHING_TO_COMMIT"): ("admin", empty),
        ("commit_route_build", "PLAN_OUTDATED"): ("admin", outdated),
        ("check_route_change", "NOT_FOUND"): ("admin", {"route_ids": [2**40]}),
        ("check_route_change", "ROUTES_DO_NOT_MATCH"): ("admin", {"route_ids": ids["routes"] or [1]}),
        ("check_route_change", "BOARD_CANNOT_RECKON"): ("admin", {"route_ids": [ids["one"]]}),
        ("suggest_routes", "BOARD_CANNOT_RECKON"): ("admin", {"lat": 43.65, "lng": -79.38, "day": "2026-06-13"}),
    }
