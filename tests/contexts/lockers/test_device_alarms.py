"""Notifications about silent or weak devices, and their recovery, once each."""

import asyncio
from typing import Any

from tests.contexts.identity.mailbox import received_mails
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.lockers.makers import Cabinet, make_cabinet, make_device, watched
from tests.support.app import App

from haulier.contexts.lockers.device_alarms.jobs import check_devices

ADMIN = "admin@demo.example"


async def minutes_pass(app: App, minutes: int, *speaking: Cabinet) -> None:
    """Advance minute by minute with device supervision and some heartbeats."""
    for _ in range(minutes):
        app.clock.forward(minutes=1)
        for cabinet in speaking:
            await cabinet.says("report_device_state", sent_at=app.clock().isoformat())
        await check_devices.handler(app.application)
        await app.work_off()


async def alarms(app: App, who: str = "admin", **wanted: Any) -> list[Any]:
    return list((await app.answer(who, "list_device_alarms", wanted)).alarms)


async def letters(app: App) -> list[Any]:
    return [mail for mail in await received_mails(app, ADMIN) if "Devices" in mail.subject]


async def test_an_outage_is_reported_once_with_the_last_contact_and_once_when_it_ends(app: App) -> None:
    cabinet, other = await make_cabinet(app), await make_cabinet(app, name="Airport")
    heard_at = app.clock()
    await minutes_pass(app, 15, other)
    assert await alarms(app) == []
    await minutes_pass(app, 30, other)
    (alarm,) = await alarms(app)
    assert (alarm.device_id, alarm.site_id, alarm.kind, alarm.status) == (
        cabinet.device_id,
        cabinet.site_id,
        "silent",
        "raised",
    )
    assert alarm.last_seen_at == heard_at
    (letter,) = await letters(app)
    assert "Left (Union Station, hall B): offline since June 10, 2026" in letter.text
    assert "http://test/desk/device-alarms" in letter.text
    await minutes_pass(app, 3, cabinet, other)
    (alarm,) = await alarms(app)
    assert (alarm.status, alarm.last_seen_at) == ("recovered", heard_at)
    assert [letter.subject for letter in await letters(app)] == [
        "Devices needing attention at Demo: 1",
        "Devices back to normal at Demo: 1",
    ]


async def test_each_outage_is_a_separate_alarm(app: App) -> None:
    cabinet = await make_cabinet(app)
    for _ in range(2):
        await minutes_pass(app, 17)
        await minutes_pass(app, 1, cabinet)
    assert [each.status for each in await alarms(app)] == ["recovered", "recovered"]


async def test_a_power_failure_sends_one_email_about_all_devices_of_a_site(app: App) -> None:
    cabinet = await make_cabinet(app)
    for number in range(32):
        await make_device(app, f"X-{number}")
    await minutes_pass(app, 17)
    (letter,) = await letters(app)
    assert letter.subject.endswith(": 33")
    assert "And 3 more." in letter.text
    assert len(await alarms(app, site_id=cabinet.site_id)) == 1


async def test_a_low_battery_is_reported_once_until_it_is_well_above_the_threshold(app: App) -> None:
    cabinet = await make_cabinet(app)
    for battery in (19, 12, 21, 18):
        await cabinet.says("report_device_state", sent_at=app.clock().isoformat(), battery_pct=battery)
        await minutes_pass(app, 1)
    (alarm,) = await alarms(app, kind="low_battery")
    assert (alarm.status, alarm.battery_pct) == ("raised", 19)
    (letter,) = await letters(app)
    assert "Left (Union Station, hall B): battery at 19 %" in letter.text
    await cabinet.says("report_device_state", sent_at=app.clock().isoformat(), battery_pct=25)
    await minutes_pass(app, 1)
    assert [each.status for each in await alarms(app)] == ["recovered"]


async def test_devices_are_not_offline_while_the_server_was_down(app: App) -> None:
    await make_cabinet(app)
    await minutes_pass(app, 2)
    app.clock.forward(hours=5)
    await minutes_pass(app, 15)
    assert await alarms(app) == []
    await minutes_pass(app, 2)
    assert [each.status for each in await alarms(app)] == ["raised"]


async def test_the_business_configures_alarm_delays_and_devices(app: App) -> None:
    await make_cabinet(app)
    tablet, _ = await make_device(app, "TAB-1", kind="tablet")
    usual = await app.answer("employee", "get_device_alarm_settings")
    assert (usual.silent_min, usual.silent_kinds, usual.battery_pct, usual.letters) == (15, ["cabinet"], 20, True)
    wanted = {"silent_min": 5, "silent_kinds": ["tablet"], "battery_pct": 0, "letters": False}
    assert (await app.call("employee", "set_device_alarm_settings", wanted)).status == 403
    assert (await app.answer("admin", "set_device_alarm_settings", wanted)).silent_min == 5
    await minutes_pass(app, 7)
    assert [each.device_id for each in await alarms(app)] == [tablet]
    assert await letters(app) == []


async def test_a_decommissioned_device_has_no_alarms_and_sends_no_email(app: App) -> None:
    cabinet = await make_cabinet(app)
    await minutes_pass(app, 17)
    await app.answer("admin", "decommission_device", {"device_id": cabinet.device_id})
    await minutes_pass(app, 20)
    assert [each.status for each in await alarms(app)] == ["dropped"]
    assert len(await letters(app)) == 1


async def test_concurrent_checks_report_an_outage_once(app: App) -> None:
    for number in range(3):
        await make_device(app, f"X-{number}")
    await minutes_pass(app, 14)
    app.clock.forward(minutes=2)
    await asyncio.gather(*(watched(app) for _ in range(4)))
    assert len(await alarms(app)) == 3
    told = [line for letter in await letters(app) for line in letter.text.splitlines() if "offline since" in line]
    assert len(told) == 3


async def test_a_webhook_reports_an_alarm_and_its_end(app: App) -> None:
    cabinet = await make_cabinet(app)
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "device.alarm_changed")
        await minutes_pass(app, 17)
        await minutes_pass(app, 1, cabinet)
        said = [message.document["data"] for message in receiver.received]
    assert [(each["device_id"], each["kind"], each["status"]) for each in said] == [
        (cabinet.device_id, "silent", "raised"),
        (cabinet.device_id, "silent", "recovered"),
    ]


async def test_alarms_are_visible_only_to_the_owner_of_the_device(app: App) -> None:
    await make_cabinet(app)
    await minutes_pass(app, 17)
    assert len(await alarms(app)) == 1
    assert await alarms(app, "rival") == []
    assert {mail.to for mail in await received_mails(app) if "Devices" in mail.subject} == {ADMIN}


async def test_a_check_uses_a_constant_number_of_statements(app: App) -> None:
    needed = []
    for many in (range(2), range(2, 30)):
        for number in many:
            await make_device(app, f"X-{number}")
        await minutes_pass(app, 17)
        before = app.statements
        await watched(app)
        needed.append(app.statements - before)
    assert needed[0] == needed[1]
