"""Setup of firmware tests: releases, rollouts and devices that install them."""

import hashlib
from base64 import b64decode, b64encode
from typing import Any

from tests.contexts.lockers.makers import MOMENT, make_device
from tests.support.app import App

FILE = bytes(range(256)) * 8


class Fleet:
    """Devices that run a version, and say what becomes of another."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.credentials: dict[int, str] = {}
        self._sequence = 0

    async def add(self, count: int, *, firmware: str | None = "2.4.1", **terms: Any) -> list[int]:
        """Devices that are registered and, where they say so, run a version; their ids."""
        made: list[int] = []
        for _ in range(count):
            device_id, credential = await make_device(self.app, f"FW-{len(self.credentials)}", **terms)
            self.credentials[device_id] = credential
            made.append(device_id)
            if firmware:
                await self.reports(device_id, firmware)
        return made

    def frame(self, device_id: int, **said: Any) -> dict[str, Any]:
        self._sequence += 1
        return {"credential": self.credentials[device_id], "sequence": self._sequence, **said}

    async def reports(self, device_id: int, firmware: str) -> None:
        """A device says which version it runs."""
        frame = self.frame(device_id, sent_at=MOMENT, firmware=firmware)
        await self.app.answer(None, "report_device_state", frame)

    async def told(self, device_id: int) -> list[Any]:
        """Return the current commands of a device."""
        return (await self.app.answer(None, "poll_device_commands", self.frame(device_id))).commands

    async def says(self, device_id: int, command_id: int, outcome: str, **more: Any) -> Any:
        """A device says what became of a command."""
        frame = self.frame(device_id, command_id=command_id, outcome=outcome, **more)
        return await self.app.answer(None, "report_device_command", frame)

    async def installs(self, device_id: int) -> None:
        """Run all commands of a device: download, verify and report the new version."""
        for command in await self.told(device_id):
            await self.says(device_id, command.id, "acknowledged")
            said = command.settings
            part = await self.fetches(device_id, said["release_id"])
            assert hashlib.sha256(b64decode(part.content)).hexdigest() == said["sha256"]
            await self.reports(device_id, said["version"])
            await self.says(device_id, command.id, "done")

    async def installs_or_waits(self, device_id: int) -> None:
        """Run the commands of a device that may have to wait and ask again later."""
        for command in await self.told(device_id):
            asked = self.asks_for(device_id, command.settings["release_id"])
            answer = await self.app.call(None, "download_device_firmware", asked)
            if answer.error:
                assert answer.error["code"] == "FIRMWARE_PAUSED"
                return
            await self.reports(device_id, command.settings["version"])
            await self.says(device_id, command.id, "done")

    async def fails(self, device_id: int, fault: str = "flash is worn") -> None:
        """A device begins and fails."""
        for command in await self.told(device_id):
            await self.says(device_id, command.id, "acknowledged")
            await self.says(device_id, command.id, "failed", fault=fault)

    async def fetches(self, device_id: int, release_id: int, **more: Any) -> Any:
        """A part of the file, as a device gets it."""
        return await self.app.answer(None, "download_device_firmware", self.asks_for(device_id, release_id, **more))

    def asks_for(self, device_id: int, release_id: int, **more: Any) -> dict[str, Any]:
        """A device's request for a file."""
        return {"credential": self.credentials[device_id], "firmware_release_id": release_id, **more}


async def make_release(app: App, version: str = "2.5.0", content: bytes = FILE, **terms: Any) -> Any:
    """A release of the firmware of cabinets."""
    asked = {"version": version, "content": b64encode(content).decode(), **terms}
    return (await app.answer("admin", "create_firmware_release", asked)).release


async def make_rollout(app: App, release_id: int, *, start: bool = True, **terms: Any) -> Any:
    """Start a rollout of a release whose devices received commands."""
    asked = {"firmware_release_id": release_id, **terms}
    rollout = (await app.answer("admin", "create_firmware_rollout", asked)).rollout
    return await step(app, "start", rollout.id) if start else rollout


async def step(app: App, name: str, rollout_id: int, **more: Any) -> Any:
    """Take a step of a roll-out, and have its jobs done; the roll-out afterwards."""
    await app.answer("admin", f"{name}_firmware_rollout", {"firmware_rollout_id": rollout_id, **more})
    await app.work_off()
    return await rollout_now(app, rollout_id)


async def rollout_now(app: App, rollout_id: int) -> Any:
    """A roll-out as the office sees it now."""
    return (await app.answer("admin", "get_firmware_rollout", {"firmware_rollout_id": rollout_id})).rollout


async def states(app: App, **wanted: Any) -> dict[int, str]:
    """Return the state of the latest installation by device."""
    listed = (await app.answer("admin", "list_firmware_updates", {**wanted, "per_page": 100})).updates
    return {each.device_id: each.status for each in reversed(listed)}
