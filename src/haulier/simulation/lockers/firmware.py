"""Firmware of simulated lockers: download, check, installation and rollout."""

import asyncio
import hashlib
from base64 import b64encode
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx

from haulier.simulation.lockers.cabinet import SimulatedCabinet
from haulier.simulation.lockers.wires import Document, Download, DownloadHeld, DownloadRefused, LineLost

FILE = bytes(range(256)) * 64
PAUSED = "FIRMWARE_PAUSED"
ROUNDS, PATIENCE_S, LOOK_S = 40, 120.0, 0.05
Office = Callable[..., Awaitable[Document]]


def downloads_of(http: httpx.AsyncClient, credential: str) -> Download:
    """Return a download function that supports resuming.

    `http` uses the server's /api.
    """

    async def download(path: str, first: int) -> bytes:
        headers = {"Accept": "application/octet-stream", "Device-Credential": credential}
        if first:
            headers["Range"] = f"bytes={first}-"
        try:
            answer = await http.get(path.removeprefix("/api"), headers=headers)
        except httpx.TransportError as error:
            raise LineLost(str(error)) from error
        if answer.status_code in (200, 206):
            return answer.content if answer.status_code == 206 else answer.content[first:]
        if answer.status_code >= 500:
            raise LineLost(f"the server said {answer.status_code}")
        code = answer.json()["code"]
        raise (DownloadHeld if code == PAUSED else DownloadRefused)(code)

    return download


async def roll_out_firmware(office: Office, cabinets: Sequence[SimulatedCabinet], channel: str) -> list[str]:
    """Roll a release out to the lockers of a channel with retries.

    Returns errors as text.
    """
    version = f"9.{uuid4().int % 10**6}.{uuid4().int % 10**6}"
    content, digest = b64encode(FILE).decode(), hashlib.sha256(FILE).hexdigest()
    release = (
        await office("POST", "/v1/firmware/releases", version=version, channel=channel, content=content, sha256=digest)
    )["release"]
    made = await office("POST", "/v1/firmware/rollouts", firmware_release_id=release["id"], min_failures=1000)
    path = f"/v1/firmware/rollouts/{made['rollout']['id']}"
    await office("POST", f"{path}/start")
    rollout = await _ended(office, path)
    for _ in range(ROUNDS):
        if rollout["status"] != "completed" or not (rollout["progress"]["failed"] + rollout["progress"]["expired"]):
            break
        await office("POST", f"{path}/retry")
        rollout = await _ended(office, path)
    progress: dict[str, Any] = rollout["progress"]
    wrong = [] if progress["installed"] == len(cabinets) else [f"the roll-out of {version} ended as {progress}"]
    return wrong + [f"a cabinet runs {each.firmware}" for each in cabinets if each.firmware != version]


async def _ended(office: Office, path: str) -> Document:
    until = monotonic() + PATIENCE_S
    while True:
        rollout = (await office("GET", path))["rollout"]
        if rollout["status"] != "running" or monotonic() > until:
            return rollout
        await asyncio.sleep(LOOK_S)
