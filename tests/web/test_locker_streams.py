"""Live locker pages: messages of their streams, and access.

The pages themselves: test_lockers_in_a_browser.
"""

import asyncio
from typing import Any

from tests.contexts.lockers.makers import MOMENT, deposited, make_cabinet, reserved
from tests.support.app import App
from tests.web.desk_streams import PATIENCE_S, streamed
from tests.web.page_client import get_page

from haulier.contexts.lockers.device_alarms.jobs import check_devices
from haulier.web.desk.lockers import stream_locker_map, stream_lockers


async def next_of(stream: Any) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        told: dict[str, Any] = await anext(stream)
    return told


def site_stream(app: App, site_id: int) -> Any:
    return streamed(app, stream_lockers, f"/desk/lockers/live/site?site={site_id}", "admin", part="site")


async def test_a_site_is_pushed_again_on_any_change_except_heartbeats_without_news(app: App) -> None:
    cabinet = await make_cabinet(app)
    site = site_stream(app, cabinet.site_id)
    assert (await next_of(site))["html"].count("Free</span></a>") == 2
    await reserved(app, cabinet.site_id)
    assert "Compartment A-1, Reserved" in (await next_of(site))["html"]
    doors = {"sent_at": MOMENT, "doors": [{"box": 2, "open": True}]}
    await cabinet.says("report_device_state", **doors)
    assert "Compartment A-2, Free, size S, door open" in (await next_of(site))["html"]
    waiting = asyncio.ensure_future(next_of(site))
    await cabinet.says("report_device_state", **doors)
    await app.answer("admin", "create_driver", {"name": "Dana"})
    assert not waiting.done(), "neither a door that did not move nor what is elsewhere is news"
    await app.answer("admin", "update_locker_box", {"box_id": 2, "state": "faulty", "fault": "hinge"})
    assert "Compartment A-2, Faulty" in (await waiting)["html"]


async def test_the_list_of_lockers_is_pushed_again_when_a_compartment_is_occupied(app: App) -> None:
    cabinet = await make_cabinet(app)
    lockers = streamed(app, stream_lockers, "/desk/lockers/live/lockers", "admin", part="lockers")
    assert "<strong>2</strong> of 2 compartments free" in (await next_of(lockers))["html"]
    await deposited(app, cabinet)
    assert "<strong>1</strong> of 2 compartments free" in (await next_of(lockers))["html"]


async def test_the_map_is_pushed_again_when_a_compartment_is_occupied(app: App) -> None:
    cabinet = await make_cabinet(app)
    sites = streamed(app, stream_locker_map, "/desk/lockers/stream", "admin")
    assert [(each["free"], each["boxes"]) for each in (await next_of(sites))["sites"]] == [(2, 2)]
    waiting = asyncio.ensure_future(next_of(sites))
    await asyncio.sleep(0)
    await deposited(app, cabinet)
    assert [(each["free"], each["boxes"]) for each in (await waiting)["sites"]] == [(1, 2)]


async def test_a_site_is_pushed_again_when_a_device_battery_is_low(app: App) -> None:
    cabinet = await make_cabinet(app)
    site = site_stream(app, cabinet.site_id)
    assert "Low battery" not in (await next_of(site))["html"]
    await cabinet.says("report_device_state", sent_at=MOMENT, battery_pct=7)
    waiting = asyncio.ensure_future(next_of(site))
    await check_devices.handler(app.application)
    await app.work_off()
    assert "Low battery: 7 %" in (await waiting)["html"]


async def test_locker_streams_are_for_the_office_of_the_business(app: App) -> None:
    cabinet = await make_cabinet(app)
    own = f"/desk/lockers/live/site?site={cabinet.site_id}"
    for path in ("/desk/lockers/stream", "/desk/lockers/live/lockers", own):
        assert (await app.http.get(path)).is_redirect
        assert (await get_page(app, path, "customer")).status_code == 404
    assert (await get_page(app, own, "rival")).status_code == 404
    assert (await get_page(app, "/desk/lockers/live/nothing", "admin")).status_code == 404
    assert (await next_of(streamed(app, stream_locker_map, "/desk/lockers/stream", "rival")))["sites"] == []
