"""Undo at the desk: low-risk actions are reverted by one press, by the registry."""

import re
from html import unescape
from typing import Any

import httpx
from tests.support.app import App
from tests.web.page_client import get_page, page_text, send_form

from haulier.app import registry
from haulier.kernel.operations.enums import Effect

DAY = "2026-06-10"


def undo_form(page: httpx.Response) -> tuple[str, dict[str, str]]:
    """Where the button of a page leads, and what it sends."""
    form = re.search(r'<form class="undo" method="post" action="([^"]+)">(.*?)</form>', page.text, re.S)
    assert form, page_text(page)
    fields = re.findall(r'name="([^"]+)" value="([^"]*)"', form[2])
    return form[1], {**{name: unescape(value) for name, value in fields}, "step": "do"}


async def press_undo(app: App, page: httpx.Response) -> httpx.Response:
    address, fields = undo_form(page)
    return await send_form(app, address, "admin", **fields)


async def make_route(app: App) -> int:
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot = (await app.answer("admin", "create_depot", place)).depot.id
    return (await app.answer("admin", "create_route", {"day": DAY, "depot_id": depot})).route.id


async def driver_of(app: App, route: int) -> int | None:
    return (await app.answer("admin", "get_route_detail", {"route_id": route})).route.driver_id


async def test_assigning_a_driver_can_be_undone_and_redone(app: App) -> None:
    route = await make_route(app)
    for name in ("Dana", "Dora"):
        await app.answer("admin", "create_driver", {"name": name})
    await app.answer("admin", "assign_route_driver", {"route_id": route, "driver_id": 1})
    done = await send_form(app, "/desk/act/assign_route_driver", "admin", step="do", route_id=str(route), driver_id="2")
    page = await get_page(app, done.headers["location"], "admin")
    assert await driver_of(app, route) == 2
    await press_undo(app, page)
    assert await driver_of(app, route) == 1
    nobody = await send_form(
        app, "/desk/act/assign_route_driver", "admin", step="do", route_id=str(route), driver_id=""
    )
    assert await driver_of(app, route) is None
    await press_undo(app, await get_page(app, nobody.headers["location"], "admin"))
    assert await driver_of(app, route) == 1


async def test_undo_removes_a_new_vehicle_and_keeps_the_driver(app: App) -> None:
    route = await make_route(app)
    await app.answer("admin", "create_driver", {"name": "Dana"})
    await app.answer("admin", "create_vehicle", {"name": "Bike"})
    await app.answer("admin", "assign_route_driver", {"route_id": route, "driver_id": 1})
    done = await send_form(
        app, "/desk/act/assign_route_driver", "admin", step="do", route_id=str(route), driver_id="1", vehicle_id="1"
    )
    assert (await app.answer("admin", "get_route_detail", {"route_id": route})).route.vehicle_id == 1
    await press_undo(app, await get_page(app, done.headers["location"], "admin"))
    after = (await app.answer("admin", "get_route_detail", {"route_id": route})).route
    assert (after.driver_id, after.vehicle_id) == (1, None)


async def test_an_action_with_an_opposite_is_undone_by_it(app: App) -> None:
    route = await make_route(app)
    done = await send_form(app, "/desk/act/lock_route", "admin", step="do", route_id=str(route))
    page = await get_page(app, done.headers["location"], "admin")
    assert undo_form(page)[0] == "/desk/act/unlock_route"
    await press_undo(app, page)
    assert not (await app.answer("admin", "get_route_detail", {"route_id": route})).route.locked


async def test_several_records_are_undone_together(app: App) -> None:
    for name in ("Dana", "Dora"):
        await app.answer("admin", "create_driver", {"name": name})
    many: Any = {"step": "do", "driver_id": ["1", "2"]}
    page = await send_form(app, "/desk/act/disable_driver", "admin", **many)
    assert undo_form(page)[0] == "/desk/act/enable_driver"
    assert not any(driver.active for driver in (await app.answer("admin", "get_drivers")).drivers)
    await press_undo(app, page)
    assert [driver.active for driver in (await app.answer("admin", "get_drivers")).drivers] == [True, True]


async def test_risky_actions_and_those_of_other_users_have_no_undo(app: App) -> None:
    from tests.contexts.orders.examples import ADDRESS

    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    held = await send_form(app, "/desk/act/hold_order", "admin", step="do", order_id=str(order), reason="rain")
    assert 'class="undo"' not in (await get_page(app, held.headers["location"], "admin")).text
    await app.answer("admin", "create_driver", {"name": "Dana"})
    forged = f"/desk/drivers/1?done=update_driver&undo=disable_driver {'0' * 32} driver_id=1"
    assert 'class="undo"' not in (await get_page(app, forged, "admin")).text


def test_an_undo_uses_the_same_fields_as_its_action() -> None:
    told = {operation.name: operation.reversed_by for operation in registry() if operation.reversed_by}
    assert len(told) > 15
    for name, back in told.items():
        act, inverse = registry()[name], registry()[back]
        needed = {field for field, info in inverse.request.model_fields.items() if info.is_required()}
        assert inverse.effect is Effect.WRITE, name
        assert needed <= act.request.model_fields.keys(), name
        assert inverse.audience & act.audience, name
