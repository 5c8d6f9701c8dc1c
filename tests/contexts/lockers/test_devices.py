"""Devices register once, can be blocked at once, and run each command once."""

import asyncio

from sqlalchemy import func, select
from tests.contexts.lockers.makers import make_cabinet, make_device, refusal
from tests.support.app import App, make_app

from haulier.kernel.pipeline.audit import audit_entries

START_S = "2026-06-10T14:00:00Z"


async def test_a_code_registers_its_own_device_once_within_a_day(app: App) -> None:
    made = await app.answer("admin", "create_device", {"name": "Left", "serial": "C-1"})
    wrong = {"code": made.code, "serial": "C-2"}
    assert await refusal(app, None, "register_device", wrong) == (401, "DEVICE_CODE_REFUSED")
    shown = {"code": made.code, "serial": "C-1", "firmware": "2.4.1"}
    first = (await app.answer(None, "register_device", shown)).credential
    assert await refusal(app, None, "register_device", shown) == (401, "DEVICE_CODE_REFUSED")
    assert (await app.answer("admin", "list_devices", {"firmware": "2.4.1"})).total == 1
    again = await app.answer("admin", "renew_device_code", {"device_id": made.device.id})
    assert await refusal(app, None, "poll_device_commands", {"credential": first}) == (401, "DEVICE_UNKNOWN")
    app.clock.forward(hours=25)
    late = {"code": again.code, "serial": "C-1"}
    assert await refusal(app, None, "register_device", late) == (401, "DEVICE_CODE_REFUSED")


async def test_many_devices_can_register_from_one_address_with_few_wrong_codes(database_url: str) -> None:
    async with make_app(database_url, rate_limits=True) as app:
        for number in range(31):
            await make_device(app, f"C-{number}")
        made = await app.answer("admin", "create_device", {"name": "Left", "serial": "C-31"})
        wrong = {"code": "hldevcode_guessed", "serial": "C-31"}
        tries = [await app.call(None, "register_device", wrong, address="::1") for _ in range(31)]
        right = {"code": made.code, "serial": "C-31"}
        refused = await app.call(None, "register_device", right, address="::1")
        assert [answer.status for answer in (*tries, refused)] == [*[401] * 30, 429, 429]
        assert (await app.call(None, "register_device", right, address="192.0.2.1")).error is None


async def test_a_revoked_device_is_ignored_and_its_pending_commands_fail(app: App) -> None:
    device_id, credential = await make_device(app)
    ring = {"device_id": device_id, "command": "ring"}
    for end, then in (("revoke_device", "revoked"), ("decommission_device", "decommissioned")):
        if then == "revoked":
            await app.answer("admin", "send_device_command", ring)
        device = (await app.answer("admin", end, {"device_id": device_id})).device
        assert device.status == then
        assert await refusal(app, None, "poll_device_commands", {"credential": credential}) == (401, "DEVICE_UNKNOWN")
    (asked,) = (await app.answer("admin", "list_device_commands", {"device_id": device_id})).commands
    assert (asked.status, asked.fault) == ("failed", "revoked")
    assert await refusal(app, "admin", "send_device_command", ring) == (409, "DEVICE_NOT_USABLE")
    assert await refusal(app, "admin", "renew_device_code", {"device_id": device_id}) == (409, "DEVICE_NOT_USABLE")


async def test_a_lost_response_loses_no_command_and_a_repeated_result_counts_once(app: App) -> None:
    cabinet = await make_cabinet(app)
    (box, _) = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes
    await app.answer("admin", "open_locker_box", {"box_id": box.id, "reason": "a look"}, confirmed=True)
    lost, (again,) = await cabinet.asks(), await cabinet.asks()
    assert [each.id for each in lost] == [again.id]
    done = cabinet.frame(command_id=again.id, outcome="done")
    said = [await app.answer(None, "report_device_command", done) for _ in range(2)]
    assert [(each.status, each.repeated) for each in said] == [("done", False), ("done", True)]
    assert await cabinet.asks() == []
    other_id, credential = await make_device(app, "C-9")
    foreign = {"credential": credential, "sequence": 1, "command_id": again.id, "outcome": "failed"}
    assert (await app.call(None, "report_device_command", foreign)).status == 404, other_id


async def test_an_expired_door_command_is_not_executed_but_a_late_report_counts(app: App) -> None:
    cabinet = await make_cabinet(app)
    (box, _) = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes
    opened = {"box_id": box.id, "reason": "a look"}
    command = (await app.answer("admin", "open_locker_box", opened, confirmed=True)).command
    app.clock.forward(seconds=31)
    assert await cabinet.asks() == []
    await app.work_off()
    listed = {"device_id": cabinet.device_id, "status": "expired"}
    assert [each.id for each in (await app.answer("admin", "list_device_commands", listed)).commands] == [command.id]
    await cabinet.says("report_device_command", command_id=command.id, outcome="done")
    assert (await app.answer("admin", "list_device_commands", listed)).commands == []


async def test_the_newest_heartbeat_counts_and_reports_clock_and_doors(app: App) -> None:
    cabinet = await make_cabinet(app)
    now = app.clock().isoformat()
    fresh = {"sent_at": "2026-06-10T14:02:00Z", "battery_pct": 80, "doors": [{"box": 2, "open": True}]}
    receipt = await cabinet.says("report_device_state", **fresh)
    assert (receipt.stale, receipt.clock_offset_s) == (False, 120)
    old = {"credential": cabinet.credential, "sequence": 1, "sent_at": now, "battery_pct": 90}
    assert (await app.answer(None, "report_device_state", old)).stale
    device = (await app.answer("admin", "get_device", {"device_id": cabinet.device_id})).device
    assert (device.telemetry.battery_pct, device.clock_offset_s) == (80, 120)
    boxes = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes
    assert [box.door_open for box in boxes] == [None, True]
    app.clock.forward(minutes=10)
    silent = (await app.answer("admin", "list_devices", {"silent_min": 5})).devices
    assert [each.id for each in silent] == [cabinet.device_id]


async def test_a_polling_device_gets_a_command_as_soon_as_it_is_sent(app: App) -> None:
    device_id, credential = await make_device(app)
    asked = {"credential": credential, "wait_s": 20}
    waiting = asyncio.create_task(app.answer(None, "poll_device_commands", asked))
    await asyncio.sleep(0)
    await app.answer("admin", "send_device_command", {"device_id": device_id, "command": "ring"})
    assert [each.command for each in (await waiting).commands] == ["ring"]


async def test_heartbeats_and_polls_keep_one_state_row_and_no_audit_entries(app: App) -> None:
    cabinet = await make_cabinet(app)
    before = await audit_size(app)
    for battery in (80, 79, 78):
        doors = [{"box": number, "open": battery == 79} for number in (1, 2)]
        await cabinet.says("report_device_state", sent_at=START_S, battery_pct=battery, doors=doors)
        await cabinet.asks()
    assert await audit_size(app) == before
    device = (await app.answer("admin", "get_device", {"device_id": cabinet.device_id})).device
    assert device.telemetry.battery_pct == 78
    app.statements = 0
    await cabinet.says("report_device_state", sent_at=START_S, battery_pct=77)
    assert app.statements == 3


async def test_a_heartbeat_returns_the_number_of_pending_commands(app: App) -> None:
    cabinet = await make_cabinet(app)
    await app.answer("admin", "send_device_command", {"device_id": cabinet.device_id, "command": "ring"})
    assert (await cabinet.says("report_device_state", sent_at=START_S)).commands_waiting == 1
    await cabinet.does()
    assert (await cabinet.says("report_device_state", sent_at=START_S)).commands_waiting == 0
    await app.answer("admin", "revoke_device", {"device_id": cabinet.device_id})
    late = cabinet.frame(sent_at=START_S)
    assert await refusal(app, None, "report_device_state", late) == (401, "DEVICE_UNKNOWN")


async def test_concurrent_heartbeats_lose_no_data(app: App) -> None:
    cabinet = await make_cabinet(app)
    said = [{"battery_pct": 80}, {"network": "lte"}, {"firmware": "2.4.1"}, {"mains": True}]
    frames = [cabinet.frame(sent_at=START_S, **each) for each in said]
    receipts = await asyncio.gather(*(app.answer(None, "report_device_state", frame) for frame in frames))
    telemetry = (await app.answer("admin", "get_device", {"device_id": cabinet.device_id})).device.telemetry
    heard = [each for each, receipt in zip(said, receipts, strict=True) if not receipt.stale]
    assert heard
    for each in heard:
        for name, value in each.items():
            assert getattr(telemetry, name) == value


async def audit_size(app: App) -> int:
    """Return the number of writes in the audit trail."""
    async with app.database.read(None) as work:
        plain = work.without_tenant_filter("counts all entries")
        return await plain.value(select(func.count()).select_from(audit_entries))
