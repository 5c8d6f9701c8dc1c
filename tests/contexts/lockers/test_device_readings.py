"""Device measurements: the latest, a history every ten minutes, and search."""

from typing import Any

from tests.contexts.lockers.makers import Cabinet, make_cabinet, make_device, refusal
from tests.support.app import App


async def beats(app: App, cabinet: Cabinet, **said: Any) -> Any:
    return await cabinet.says("report_device_state", sent_at=app.clock().isoformat(), **said)


async def readings_of(app: App, cabinet: Cabinet, **terms: Any) -> Any:
    return await app.answer("admin", "list_device_readings", {"device_id": cabinet.device_id, **terms})


async def found(app: App, **terms: Any) -> set[int]:
    return {each.id for each in (await app.answer("admin", "list_devices", terms)).devices}


async def device_of(app: App, cabinet: Cabinet) -> Any:
    return (await app.answer("admin", "get_device", {"device_id": cabinet.device_id})).device


async def test_measurements_are_stored_every_ten_minutes_for_a_month(app: App) -> None:
    cabinet = await make_cabinet(app)
    begun = app.clock()
    assert (await readings_of(app, cabinet)).readings == []
    for battery in (90, 89, 88):
        for _ in range(4):
            await beats(app, cabinet, battery_pct=battery)
            app.clock.forward(minutes=3)
    listed = await readings_of(app, cabinet)
    assert [each.telemetry.battery_pct for each in listed.readings] == [88, 89, 90]
    assert (await readings_of(app, cabinet, per_page=1, page=2)).readings == listed.readings[1:2]
    until = {"since": begun.isoformat(), "until": listed.readings[1].at.isoformat()}
    assert (await readings_of(app, cabinet, **until)).readings == listed.readings[2:]
    app.clock.forward(days=30)
    await beats(app, cabinet, battery_pct=50)
    assert [each.telemetry.battery_pct for each in (await readings_of(app, cabinet)).readings] == [50]
    other = {"device_id": cabinet.device_id}
    assert await refusal(app, "rival", "list_device_readings", other) == (404, "NOT_FOUND")


async def test_devices_can_be_filtered_by_firmware_and_connection(app: App) -> None:
    cabinet, (new, _) = await make_cabinet(app), await make_device(app, "CAB-2")
    await beats(app, cabinet, firmware="2.4.1")
    assert await found(app, firmware="2.4.1") == {cabinet.device_id}
    assert await found(app, online=True) == {cabinet.device_id, new}, "it has just registered"
    app.clock.forward(seconds=100)
    await beats(app, cabinet)
    app.clock.forward(seconds=100)
    assert await found(app, online=True) == {cabinet.device_id}
    assert await found(app, online=False) == {new}
    assert await found(app, firmware="2.4.1", online=True) == {cabinet.device_id}, "a beat need not say it again"


async def test_settings_are_requested_by_users_and_reported_by_the_device(app: App) -> None:
    cabinet = await make_cabinet(app)
    for settings in ({"volume": "7", "light": "on"}, {"volume": "5"}):
        asked = {"device_id": cabinet.device_id, "command": "config", "settings": settings}
        await app.answer("admin", "send_device_command", asked)
    assert (await device_of(app, cabinet)).unsettled == ["light", "volume"]
    await beats(app, cabinet, settings={"volume": "5", "light": "off", "tone": "low"})
    await beats(app, cabinet)
    device = await device_of(app, cabinet)
    assert device.desired_settings == {"volume": "5", "light": "on"}
    assert (device.reported_settings["light"], device.unsettled) == ("off", ["light"])


async def test_the_devices_of_a_site_belong_to_its_lockers(app: App) -> None:
    here, there = await make_cabinet(app), await make_cabinet(app, name="Other")
    assert await found(app, site_id=here.site_id) == {here.device_id}
    assert await found(app, site_id=there.site_id, kind="tablet") == set()
    spare, _ = await make_device(app, "SPARE-1")
    await app.answer("admin", "update_locker_cabinet", {"cabinet_id": here.id, "device_id": spare})
    assert await found(app, site_id=here.site_id) == {spare}
    assert (await device_of(app, here)).site_id is None
    await app.answer("admin", "update_locker_cabinet", {"cabinet_id": there.id, "device_id": here.device_id})
    assert await found(app, site_id=there.site_id) == {here.device_id}
