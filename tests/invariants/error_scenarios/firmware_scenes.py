"""Errors of firmware: duplicate, damaged, withdrawn or paused releases."""

from typing import Any

from tests.contexts.lockers.firmware_makers import Fleet, make_release, make_rollout, step
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

OTHER = "b3RoZXI="


async def scene(app: App) -> dict[str, Any]:
    """Create active, paused and withdrawn releases, offered to a device."""
    fleet = Fleet(app)
    (device_id,) = await fleet.add(1, firmware_channel="scene")
    (waits,) = await fleet.add(1, firmware_channel="scene_two")
    gone = await make_release(app, "7.0.0", channel="scene")
    planned = await make_rollout(app, gone.id, start=False)
    await app.answer("admin", "withdraw_firmware_release", {"firmware_release_id": gone.id})
    held = await make_release(app, "7.1.0", channel="scene_two")
    paused = await make_rollout(app, held.id)
    await step(app, "pause", paused.id)
    told = await make_release(app, "7.2.0", channel="scene")
    running = await make_rollout(app, told.id)
    return {
        "firmware_credential": fleet.credentials[device_id],
        "waiting_credential": fleet.credentials[waits],
        "firmware_gone": gone.id,
        "firmware_held": held.id,
        "firmware_told": told.id,
        "rollout_over": planned.id,
        "rollout_running": running.id,
        "rollout_paused": paused.id,
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    refused = "FIRMWARE_ROLLOUT_STEP_REFUSED"
    over, running = {"firmware_rollout_id": ids["rollout_over"]}, {"firmware_rollout_id": ids["rollout_running"]}
    gone = {"firmware_release_id": ids["firmware_gone"]}
    mine = shows(ids["firmware_credential"])
    told = {"firmware_release_id": ids["firmware_told"]}
    held = {"firmware_release_id": ids["firmware_held"]}
    new = {"version": "7.2.0", "content": OTHER}
    return {
        ("create_firmware_release", "FIRMWARE_VERSION_TAKEN"): ("admin", new),
        ("create_firmware_release", "FIRMWARE_HASH_REFUSED"): ("admin", {**new, "version": "8", "sha256": "0" * 64}),
        ("withdraw_firmware_release", "FIRMWARE_WITHDRAWN"): ("admin", gone),
        ("create_firmware_rollout", "FIRMWARE_WITHDRAWN"): ("admin", gone),
        ("update_firmware_rollout", refused): ("admin", {**over, "share_pct": 50}),
        ("start_firmware_rollout", refused): ("admin", running),
        ("pause_firmware_rollout", refused): ("admin", over),
        ("resume_firmware_rollout", refused): ("admin", running),
        ("retry_firmware_rollout", refused): ("admin", over),
        ("cancel_firmware_rollout", refused): ("admin", over),
        ("download_device_firmware", "DEVICE_UNKNOWN"): (None, told, shows("hldevice_nothing")),
        ("download_device_firmware", "NOT_FOUND"): (None, {"firmware_release_id": 9**9}, mine),
        ("download_device_firmware", "FIRMWARE_WITHDRAWN"): (None, gone, mine),
        ("download_device_firmware", "FIRMWARE_NOT_FOR_DEVICE"): (None, held, mine),
        ("download_device_firmware", "FIRMWARE_PAUSED"): (None, held, shows(ids["waiting_credential"])),
        ("download_device_firmware", "RANGE_NOT_SATISFIABLE"): (None, told, {**mine, "Range": "bytes=99999-"}),
    }


def shows(credential: str) -> dict[str, str]:
    """Return the header with the device credential, for downloads of the file."""
    return {"Device-Credential": credential}
