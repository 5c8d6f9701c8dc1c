"""Makers.

A day with drivers, vehicles and orders around a depot in Toronto, and builds.
"""

from typing import Any

from msgspec.structs import replace
from tests.support.app import App
from tests.support.thread_runner import ThreadRunner
from tests.support.transport import make_contact, make_depot, make_driver

from haulier.contexts.planning.ports import SolverRunner

TOMORROW = "2026-06-11"
DEPOT = (43.64, -79.38)
QUICK_BUILD: dict[str, Any] = {"day": TOMORROW, "iterations": 60, "seed": 7}
"""A build that takes a blink, and always the same."""


def use_in_process_search(app: App) -> None:
    """Search in a thread of this process, which saves half a second."""
    app.application.adapters = {**app.application.adapters, SolverRunner: ThreadRunner()}


async def make_order_at(app: App, north: int = 0, east: int = 0, who: str = "admin", **words: Any) -> int:
    """Create an order some hundredths of a degree off the depot, and return its id."""
    spot = {"lat": DEPOT[0] + north / 100, "lng": DEPOT[1] + east / 100}
    ends = {"consignee": make_contact(**spot, postal_code=words.pop("postal_code", "M5V 2T6"))}
    if words.get("type") == "P2P":
        ends["shipper"] = make_contact(lat=DEPOT[0] - north / 100, lng=DEPOT[1])
    if words.get("type") == "P":
        ends = {"shipper": ends["consignee"]}
    asked = {**ends, "scheduled_date": TOMORROW, **words}
    return (await app.answer(who, "create_order", asked)).order.id


async def create_orders_around(app: App, count: int) -> list[int]:
    """Orders on a spiral around the depot."""
    return [await make_order_at(app, north=n % 5 - 2, east=(n * 3) % 7 - 3) for n in range(count)]


async def make_vehicle(app: App, who: str = "admin", **words: Any) -> int:
    """A vehicle; its id."""
    return (await app.answer(who, "create_vehicle", {"name": "Van", **words})).vehicle.id


async def set_working_profile(app: App, driver_id: int, **words: Any) -> Any:
    """Set how a driver works."""
    return (await app.answer("admin", "set_driver_working_profile", {"driver_id": driver_id, **words})).profile


async def make_small_day(app: App, orders: int = 6, drivers: int = 2) -> tuple[list[int], list[int]]:
    """Create a depot, drivers and orders; return ids of drivers and orders.

    The first driver signs in as the role `driver`.
    """
    use_in_process_search(app)
    await make_depot(app, lat=DEPOT[0], lng=DEPOT[1])
    crew = [await make_driver(app, user="driver" if n == 0 else None, name=f"Driver {n}") for n in range(drivers)]
    return crew, await create_orders_around(app, orders)


async def build_and_read(app: App, who: str = "admin", **words: Any) -> Any:
    """Ask for a build, let the worker run it, and give it."""
    asked = (await app.answer(who, "build_route", {**QUICK_BUILD, **words})).build
    await app.work_off()
    return await read_build(app, asked.id, who)


async def read_build(app: App, build_id: int, who: str = "admin") -> Any:
    """A build as it is now."""
    return (await app.answer(who, "get_route_build", {"build_id": build_id})).build


async def commit_build(app: App, build: Any, who: str = "admin") -> Any:
    """Commit the plan of a build, which must go well."""
    return (await app.answer(who, "commit_route_build", {"build_id": build.id})).build


def visited_order_ids(build: Any) -> list[int]:
    """Orders on routes, by number, each as often as it is visited."""
    return sorted(stop.order_id for route in build.routes for stop in route.stops)


def unassigned_reasons(build: Any) -> dict[int, str]:
    """The reason of each unassigned order."""
    return {each.order_id: each.reason.value for each in build.unassigned}


def routes_without_names(build: Any) -> list[Any]:
    """Everything about the routes of a plan but names."""
    return [replace(route, driver_name=None, vehicle_name=None) for route in build.routes]
