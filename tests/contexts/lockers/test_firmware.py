"""Firmware is uploaded, rolled out by share, downloaded, and halted on errors."""

import asyncio
import hashlib
from base64 import b64decode, b64encode

from tests.contexts.lockers.firmware_makers import FILE, Fleet, make_release, make_rollout, rollout_now, states, step
from tests.contexts.lockers.makers import make_cabinet, refusal
from tests.support.app import App

from haulier.contexts.lockers.devices.rules import in_share, read_range, should_install

WHERE = "/api/v1/device/firmware"
BINARY = {"Accept": "application/octet-stream"}


def test_the_share_of_devices_is_stable_grows_and_differs_between_releases() -> None:
    some = {each for each in range(2000) if in_share(7, each, 20)}
    assert 320 <= len(some) <= 480
    assert some <= {each for each in range(2000) if in_share(7, each, 50)}
    assert all(in_share(7, each, 100) for each in range(2000))
    assert some != {each for each in range(2000) if in_share(8, each, 20)}


def test_newer_versions_are_installed_and_older_ones_only_on_request() -> None:
    for running, version, installs in (
        ("2.4.1", "2.5.0", True),
        ("2.5.0", "2.4.1", False),
        ("2.9", "2.10", True),
        ("2.5", "2.5.0", False),
        ("2.5.0-rc1", "2.5.0", True),
        ("2.5.0", "2.5.0-rc1", False),
        (None, "2.5.0", True),
        ("factory build", "2.5.0", True),
    ):
        assert should_install(running, version, allow_downgrade=False) is installs, (running, version)
    assert should_install("2.5.0", "2.4.1", allow_downgrade=True)
    assert not should_install("2.4.1", "2.4.1", allow_downgrade=True)


def test_http_ranges_are_supported() -> None:
    for asked, part in (
        ("", None),
        ("bytes=0-99", (0, 100)),
        ("bytes=900-", (900, 1000)),
        ("bytes=-10", (990, 1000)),
        ("bytes=-5000", (0, 1000)),
        ("bytes=900-5000", (900, 1000)),
        ("bytes=9-3", None),
        ("bytes=0-1,5-6", None),
        ("lines=1-2", None),
    ):
        assert read_range(asked, 1000) == part, asked


async def test_a_release_is_uploaded_once_found_and_withdrawn_permanently(app: App) -> None:
    release = await make_release(app, notes="Quieter doors", name="cabinet.bin")
    assert (release.sha256, release.size_bytes) == (hashlib.sha256(FILE).hexdigest(), len(FILE))
    kept = await app.answer("admin", "get_file", {"file_id": release.file_id})
    assert b64decode(kept.content) == FILE
    again = {"version": "2.5.0", "content": b64encode(b"other").decode()}
    assert await refusal(app, "admin", "create_firmware_release", again) == (409, "FIRMWARE_VERSION_TAKEN")
    damaged = {**again, "version": "2.6.0", "sha256": "0" * 64}
    assert await refusal(app, "admin", "create_firmware_release", damaged) == (422, "FIRMWARE_HASH_REFUSED")
    await make_release(app, "2.5.0", kind="scanner", channel="beta")
    found = (await app.answer("admin", "list_firmware_releases", {"kind": "cabinet", "channel": "stable"})).releases
    assert [each.id for each in found] == [release.id]
    named = {"firmware_release_id": release.id}
    draft = await make_rollout(app, release.id, start=False)
    gone = (await app.answer("admin", "withdraw_firmware_release", {**named, "reason": "Doors stay open"})).release
    assert (gone.status, gone.reason) == ("withdrawn", "Doors stay open")
    assert (await rollout_now(app, draft.id)).status == "cancelled"
    assert await refusal(app, "admin", "withdraw_firmware_release", named) == (409, "FIRMWARE_WITHDRAWN")
    assert await refusal(app, "admin", "create_firmware_rollout", named) == (409, "FIRMWARE_WITHDRAWN")


async def test_devices_of_the_channel_download_and_report_until_the_rollout_is_complete(app: App) -> None:
    fleet = Fleet(app)
    mine = await fleet.add(2)
    ahead, beta = (*await fleet.add(1, firmware="2.6.0"), *await fleet.add(1, firmware_channel="beta"))
    (scanner,) = await fleet.add(1, kind="scanner")
    release = await make_release(app)
    rollout = await make_rollout(app, release.id)
    assert rollout.progress.pending == 2
    for other in (ahead, beta, scanner):
        assert await fleet.told(other) == []
    (command,) = await fleet.told(mine[0])
    assert command.command == "update"
    assert command.settings["path"] == f"{WHERE}/{release.id}"
    await fleet.says(mine[0], command.id, "acknowledged")
    assert await states(app, status="downloading") == {mine[0]: "downloading"}
    for device_id in mine:
        await fleet.installs(device_id)
    through = await rollout_now(app, rollout.id)
    assert (through.status, through.progress.installed) == ("completed", 2)
    assert await states(app, firmware_rollout_id=rollout.id) == dict.fromkeys(mine, "installed")


async def test_an_interrupted_download_resumes(app: App) -> None:
    fleet = Fleet(app)
    (device_id,) = await fleet.add(1)
    release = await make_release(app)
    await make_rollout(app, release.id)
    who = {**BINARY, "Device-Credential": fleet.credentials[device_id]}
    url = f"{WHERE}/{release.id}"
    first = await app.http.get(url, headers={**who, "Range": "bytes=0-999"})
    etag = first.headers["etag"]
    assert (first.status_code, first.headers["content-range"]) == (206, f"bytes 0-999/{len(FILE)}")
    rest = await app.http.get(url, headers={**who, "Range": "bytes=1000-", "If-Range": etag})
    assert rest.status_code == 206
    assert first.content + rest.content == FILE
    whole = await app.http.get(url, headers={**who, "Range": "bytes=1000-", "If-Range": '"other"'})
    assert (whole.status_code, whole.content) == (200, FILE)
    assert whole.headers["accept-ranges"] == "bytes"
    over = await app.http.get(url, headers={**who, "Range": f"bytes={len(FILE)}-"})
    assert (over.status_code, over.headers["content-range"]) == (416, f"bytes */{len(FILE)}")
    stranger = await app.http.get(url, headers={**BINARY, "Device-Credential": "hldevice_0123456789"})
    assert stranger.status_code == 401


async def test_a_device_downloads_only_the_release_assigned_to_it(app: App) -> None:
    fleet = Fleet(app)
    mine, other = await fleet.add(1), await fleet.add(1, firmware_channel="beta")
    release = await make_release(app)
    rollout = await make_rollout(app, release.id)
    download = "download_device_firmware"
    told = fleet.asks_for(mine[0], release.id)
    assert await refusal(app, None, download, fleet.asks_for(other[0], release.id)) == (409, "FIRMWARE_NOT_FOR_DEVICE")
    assert await refusal(app, None, download, {**told, "firmware_release_id": release.id + 99}) == (404, "NOT_FOUND")
    await step(app, "pause", rollout.id)
    assert await refusal(app, None, download, told) == (409, "FIRMWARE_PAUSED")
    await app.answer("admin", "withdraw_firmware_release", {"firmware_release_id": release.id})
    assert await refusal(app, None, download, told) == (409, "FIRMWARE_WITHDRAWN")
    assert await states(app) == {mine[0]: "cancelled"}
    assert await fleet.told(mine[0]) == []


async def test_a_rollout_grows_with_its_share_and_notifies_each_device_once(app: App) -> None:
    fleet = Fleet(app)
    await fleet.add(8)
    release = await make_release(app)
    few = next(
        share for share in range(5, 100) if sum(in_share(release.id, id, share) for id in fleet.credentials) >= 1
    )
    rollout = await make_rollout(app, release.id, share_pct=few)
    begun = await states(app)
    assert set(begun) == {id for id in fleet.credentials if in_share(release.id, id, few)}
    await step(app, "update", rollout.id, share_pct=100)
    assert set(await states(app)) == set(fleet.credentials)
    for device_id in begun:
        assert len(await fleet.told(device_id)) == 1


async def test_too_many_failures_pause_a_rollout_and_a_retry_repeats_the_failed_devices(app: App) -> None:
    fleet = Fleet(app)
    devices = await fleet.add(4)
    release = await make_release(app)
    rollout = await make_rollout(app, release.id, max_failure_pct=50, min_failures=2)
    await fleet.installs(devices[0])
    await fleet.fails(devices[1])
    assert (await rollout_now(app, rollout.id)).status == "running"
    await fleet.fails(devices[2])
    paused = await rollout_now(app, rollout.id)
    assert (paused.status, paused.reason) == ("paused", "failures")
    assert await fleet.told(devices[3]) == []
    failed = (await app.answer("admin", "list_firmware_updates", {"status": "failed"})).updates
    assert {each.fault for each in failed} == {"flash is worn"}
    assert (await step(app, "retry", rollout.id)).status == "running"
    for device_id in devices[1:]:
        await fleet.installs(device_id)
    done = await rollout_now(app, rollout.id)
    assert (done.status, done.progress.installed, done.progress.failed) == ("completed", 4, 0)


async def test_a_device_that_still_runs_the_old_version_counts_as_failed(
    app: App,
) -> None:
    fleet = Fleet(app)
    (device_id,) = await fleet.add(1)
    rollout = await make_rollout(app, (await make_release(app)).id)
    (command,) = await fleet.told(device_id)
    await fleet.says(device_id, command.id, "done")
    (update,) = (await app.answer("admin", "list_firmware_updates", {"device_id": device_id})).updates
    assert (update.status, update.fault, update.from_version) == ("failed", "reports 2.4.1", "2.4.1")
    await fleet.reports(device_id, "2.5.0")
    assert (await rollout_now(app, rollout.id)).progress.installed == 1


async def test_a_pause_applies_from_its_commit_under_concurrent_polls(app: App) -> None:
    fleet = Fleet(app)
    devices = await fleet.add(6)
    release = await make_release(app)
    rollout = await make_rollout(app, release.id)
    pause = app.answer("admin", "pause_firmware_rollout", {"firmware_rollout_id": rollout.id, "reason": "Complaints"})
    await asyncio.gather(pause, *(fleet.installs_or_waits(each) for each in devices))
    assert (await rollout_now(app, rollout.id)).status in ("paused", "completed")
    assert [await fleet.told(each) for each in devices] == [[]] * 6
    if (await rollout_now(app, rollout.id)).status == "paused":
        await step(app, "resume", rollout.id)
    for device_id in devices:
        await fleet.installs(device_id)
    ended = await rollout_now(app, rollout.id)
    assert (ended.status, ended.progress.installed) == ("completed", 6)


async def test_unreachable_devices_expire_and_a_retry_includes_them_again(app: App) -> None:
    fleet = Fleet(app)
    (device_id,) = await fleet.add(1)
    rollout = await make_rollout(app, (await make_release(app)).id)
    app.clock.forward(hours=25)
    await app.work_off()
    assert await states(app) == {device_id: "expired"}
    assert (await rollout_now(app, rollout.id)).status == "completed"
    await step(app, "retry", rollout.id)
    await fleet.installs(device_id)
    assert await states(app, firmware_rollout_id=rollout.id) == {device_id: "installed"}


async def test_an_invalid_transition_is_refused_and_a_revoked_device_counts_as_complete(app: App) -> None:
    fleet = Fleet(app)
    (device_id,) = await fleet.add(1)
    rollout = await make_rollout(app, (await make_release(app)).id)
    named = {"firmware_rollout_id": rollout.id}
    for name in ("start", "resume"):
        refused = await refusal(app, "admin", f"{name}_firmware_rollout", named)
        assert refused == (409, "FIRMWARE_ROLLOUT_STEP_REFUSED")
    await step(app, "pause", rollout.id)
    await app.answer("admin", "revoke_device", {"device_id": device_id})
    assert await states(app) == {device_id: "failed"}
    assert (await step(app, "cancel", rollout.id, reason="Not needed")).status == "cancelled"
    assert await refusal(app, "admin", "retry_firmware_rollout", named) == (409, "FIRMWARE_ROLLOUT_STEP_REFUSED")


async def test_a_rollout_can_be_limited_to_a_site_and_downgrades_only_on_request(app: App) -> None:
    cabinet = await make_cabinet(app)
    fleet = Fleet(app)
    fleet.credentials[cabinet.device_id] = cabinet.credential
    await fleet.reports(cabinet.device_id, "3.0.0")
    (elsewhere,) = await fleet.add(1)
    release = await make_release(app)
    await make_rollout(app, release.id, site_id=cabinet.site_id)
    assert await states(app) == {}
    await make_rollout(app, release.id, site_id=cabinet.site_id, allow_downgrade=True)
    assert await states(app) == {cabinet.device_id: "pending"}
    assert await fleet.told(elsewhere) == []


async def test_a_manual_update_command_names_the_latest_release_of_the_channel(app: App) -> None:
    fleet = Fleet(app)
    (device_id,) = await fleet.add(1)
    asked = {"device_id": device_id, "command": "update"}
    bare = (await app.answer("admin", "send_device_command", asked)).command
    assert bare.settings == {"channel": "stable"}
    for version in ("2.9.0", "2.10.0", "2.4.0"):
        await make_release(app, version)
    command = (await app.answer("admin", "send_device_command", asked)).command
    assert command.settings["version"] == "2.10.0"
    part = await fleet.fetches(device_id, command.settings["release_id"], range="bytes=0-9")
    assert b64decode(part.content) == FILE[:10]


async def test_releases_are_isolated_by_business(app: App) -> None:
    fleet = Fleet(app)
    (device_id,) = await fleet.add(1)
    release = await make_release(app)
    rollout = await make_rollout(app, release.id)
    assert (await app.call("rival", "get_firmware_release", {"firmware_release_id": release.id})).status == 404
    assert (await app.call("rival", "cancel_firmware_rollout", {"firmware_rollout_id": rollout.id})).status == 404
    assert (await app.call("rival", "create_firmware_rollout", {"firmware_release_id": release.id})).status == 404
    for name in ("list_firmware_releases", "list_firmware_rollouts", "list_firmware_updates"):
        assert (await app.answer("rival", name, {})).total == 0
    theirs = (await app.answer("rival", "create_device", {"name": "Left", "serial": "R-7"})).code
    credential = (await app.answer(None, "register_device", {"code": theirs, "serial": "R-7"})).credential
    asked = {"credential": credential, "firmware_release_id": release.id}
    assert (await app.call(None, "download_device_firmware", asked)).status == 404
    assert await states(app) == {device_id: "pending"}
