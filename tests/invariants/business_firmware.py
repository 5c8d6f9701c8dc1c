"""Firmware of the demo client: a release, and rollouts in each status."""

from base64 import b64encode
from typing import Any

from tests.support.app import App


async def firmware(app: App, mark: str) -> dict[str, Any]:
    """Create a release and its rollouts: a draft, an active and a paused one."""
    asked = {"version": "2.5.0", "content": b64encode(mark.encode()).decode(), "name": mark, "notes": mark}
    release = (await app.answer("admin", "create_firmware_release", asked)).release
    ids: dict[str, Any] = {"firmware_release_id": release.id}
    for name in ("draft_rollout_id", "firmware_rollout_id", "paused_rollout_id"):
        planned = {"firmware_release_id": release.id, "note": mark}
        ids[name] = (await app.answer("admin", "create_firmware_rollout", planned)).rollout.id
        if name != "draft_rollout_id":
            await app.answer("admin", "start_firmware_rollout", {"firmware_rollout_id": ids[name]})
    paused = {"firmware_rollout_id": ids["paused_rollout_id"], "reason": mark}
    await app.answer("admin", "pause_firmware_rollout", paused)
    return ids
