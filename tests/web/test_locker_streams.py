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
from haulier.web.desk.lockers import stream_locker_map, stream_locker_site


async def next_of(stream: Any) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        told: dict[str, Any] = await anext(stream)
    return told


async def test_a_site_is_told_anew_whatever_moves_in_it_and_a_heartbeat_without_news_is_none(app: App) -> None:
    cabinet = await make_cabinet(app)
    site = streamed(app, stream_locker_site, "/desk/lockers/1/stream", "admin", site_id=cabinet.site_id)
    first = await next_of(site)
    assert [box["parcel_id"] for box in first["boxes"]] == [None, None]
    assert first["devices"][0]["name"] == "Left"
    assert (first["soon"], first["screens"], first["parcels"]) == ([], [], [])
    parcel = await reserved(app, cabinet.site_id)
    told = await next_of(site)
    assert [each["status"] for each in told["parcels"]] == ["reserved"]
    assert [box["parcel_id"] for box in told["boxes"]] == [parcel.id, None]
    doors = {"sent_at": MOMENT, "doors": [{"box": 2, "open": True}]}
    await cabinet.says("report_device_state", **doors)
    assert [box["door_open"] for box in (await next_of(site))["boxes"]] == [None, True]
    waiting = asyncio.ensure_future(next_of(site))
    await cabinet.says("report_device_state", **doors)
    await app.answer("admin", "create_driver", {"name": "Dana"})
    assert not waiting.done(), "neither a door that did not move nor what is elsewhere is news"
    await app.answer("admin", "update_locker_box", {"box_id": 2, "state": "faulty", "fault": "hinge"})
    assert [box["state"] for box in (await waiting)["boxes"]] == ["ready", "faulty"]


async def test_the_map_is_told_anew_when_a_box_is_taken(app: App) -> None:
    cabinet = await make_cabinet(app)
    sites = streamed(app, stream_locker_map, "/desk/lockers/stream", "admin")
    assert [(each["free"], each["boxes"]) for each in (await next_of(sites))["sites"]] == [(2, 2)]
    waiting = asyncio.ensure_future(next_of(sites))
    await asyncio.sleep(0)
    await deposited(app, cabinet)
    assert [(each["free"], each["boxes"]) for each in (await waiting)["sites"]] == [(1, 2)]


async def test_a_site_is_told_anew_when_a_device_of_it_runs_low(app: App) -> None:
    cabinet = await make_cabinet(app)
    site = streamed(app, stream_locker_site, "/desk/lockers/1/stream", "admin", site_id=cabinet.site_id)
    assert (await next_of(site))["alarms"] == []
    await cabinet.says("report_device_state", sent_at=MOMENT, battery_pct=7)
    waiting = asyncio.ensure_future(next_of(site))
    await check_devices.handler(app.application)
    await app.work_off()
    (alarm,) = (await waiting)["alarms"]
    assert (alarm["device_id"], alarm["kind"], alarm["battery_pct"]) == (cabinet.device_id, "low_battery", 7)


async def test_streams_of_lockers_are_for_the_office_of_the_business(app: App) -> None:
    cabinet = await make_cabinet(app)
    for path in ("/desk/lockers/stream", f"/desk/lockers/{cabinet.site_id}/stream"):
        assert (await app.http.get(path)).is_redirect
        assert (await get_page(app, path, "customer")).status_code == 404
    assert (await get_page(app, f"/desk/lockers/{cabinet.site_id}/stream", "rival")).status_code == 404
    assert (await next_of(streamed(app, stream_locker_map, "/desk/lockers/stream", "rival")))["sites"] == []
