"""Simulation of many lockers: setup, parcels and reconciliation."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx

from haulier.kernel.cancelling import cancel_tasks
from haulier.simulation.client import RequestRefused, document_of
from haulier.simulation.lockers.cabinet import SimulatedCabinet
from haulier.simulation.lockers.faults import CabinetFaults
from haulier.simulation.lockers.firmware import downloads_of, roll_out_firmware
from haulier.simulation.lockers.offline import OfflineKeypad
from haulier.simulation.lockers.wires import CabinetWire, HttpWire, Post

CENTRE = (43.65, -79.38)
PATIENCE_S = 60
"""Seconds after which a parcel whose door does not report is given up."""
TRIES = 20
AT_ONCE = 16
BY_CODE_EACH = 3
"""Every third parcel is deposited by a code at the keypad, which also works offline."""
WIRES = ("http", "websocket", "mqtt", "mqtt5")
Office = Callable[..., Awaitable[dict[str, Any]]]
"""`(method, path, **values)`: an API call as staff."""


@dataclass
class Town:
    """Results of a simulation."""

    cabinets: list[SimulatedCabinet] = field(default_factory=list[SimulatedCabinet])
    ends: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])
    round_trips_s: list[float] = field(default_factory=list[float])
    """Times from a request to open a door until its confirmation."""
    lasted_s: float = 0

    def percentile_s(self, share: float) -> float:
        """Return a percentile of the round trips; 0 without any."""
        ordered = sorted(self.round_trips_s)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0

    def count(self, what: str) -> int:
        """Return the sum of a counter over all lockers."""
        return sum(getattr(cabinet, what) for cabinet in self.cabinets)


async def simulate_lockers(
    http: httpx.AsyncClient,
    token: str,
    *,
    cabinets: int,
    boxes: int,
    parcels: int,
    faults: CabinetFaults,
    seed: int = 0,
    wait_s: float = 10,
    wire: str = "http",
    firmware: bool = False,
    progress: Callable[[str, int], None] | None = None,
) -> Town:
    """Create lockers at a server, send parcels through them, and check the results.

    `http` uses the server's /api. `wire` is one of `WIRES`. With `firmware`, a release is rolled out meanwhile.
    `progress` is called with a name and a count.
    """
    town, began = Town(), monotonic()
    office, post = _callers(http, token)
    tell = progress or _ignore_progress
    sites, channel = list[int](), f"town_{uuid4().hex[:12]}"
    for number in range(cabinets):
        site, credential = await _set_up(office, post, number, boxes, channel)
        cabinet = SimulatedCabinet(faults, f"{seed}:{number}", wait_s=wait_s)
        spoken = wire_for(wire, str(http.base_url), post, credential, cabinet)
        cabinet.plug_in(spoken, downloads_of(http, credential), OfflineKeypad(credential))
        town.cabinets.append(cabinet)
        sites.append(site)
        tell("cabinets", len(sites))
    living = [asyncio.create_task(cabinet.live()) for cabinet in town.cabinets]
    some = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> None:
        async with some:
            at = number % len(sites)
            await _send_through(town, office, sites[at], town.cabinets[at], by_code=number % BY_CODE_EACH == 0)
            tell("parcels", town.ends.total())

    async def rolls_out() -> None:
        if firmware:
            town.faults += await roll_out_firmware(office, town.cabinets, channel)

    sending = [asyncio.create_task(rolls_out()), *(asyncio.create_task(one(number)) for number in range(parcels))]
    await _run_while_live(living, sending)
    town.faults += [*_doors_opened_twice(town), *_journals_not_settled(town)]
    town.lasted_s = monotonic() - began
    return town


def _callers(http: httpx.AsyncClient, token: str) -> tuple[Office, Post]:
    """Return the API calls of staff (with a token) and of devices (without)."""

    async def office(method: str, path: str, **values: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        if method == "GET":
            return document_of(await http.get(path, params=values, headers=headers))
        return document_of(await http.request(method, path, json=values, headers=headers))

    async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return document_of(await http.post(path, json=body))

    return office, post


def _doors_opened_twice(town: Town) -> list[str]:
    counts = [pair for cabinet in town.cabinets for pair in cabinet.openings.items()]
    return [f"command {id} opened a door {times} times" for id, times in counts if times > 1]


def _journals_not_settled(town: Town) -> list[str]:
    ends = sum((cabinet.journal_ends for cabinet in town.cabinets), Counter[str]())
    return [f"{ends[end]} doors opened without a line are {end}" for end in ("contradicted", "unknown") if ends[end]]


def wire_for(name: str, base: str, post: Post, credential: str, cabinet: SimulatedCabinet) -> CabinetWire:
    """Return a connection of a kind in `WIRES`. MQTT needs the extra `streams`.

    Raises `ValueError`.
    """
    if name == "http":
        return HttpWire(post, credential)
    if name == "websocket":
        from haulier.simulation.lockers.socket_wire import SocketWire

        return SocketWire(base, credential)
    if name not in WIRES:
        raise ValueError(f"no such wire: {name}")
    from haulier.simulation.lockers.mqtt_wire import MqttWire, OwnMqttWire

    if name == "mqtt5":
        return OwnMqttWire(base, post, credential, lambda: cabinet.next_number)

    return MqttWire(post, credential, lambda: cabinet.next_number)


def _ignore_progress(what: str, count: int) -> None:
    """Ignore progress."""


async def _run_while_live(living: list[asyncio.Task[None]], sending: list[asyncio.Task[None]]) -> None:
    """Wait until all parcels were sent.

    Raises the error of a refused locker, whose parcels would never finish.
    """
    try:
        under_way = set(sending)
        while under_way:
            ended, _ = await asyncio.wait({*under_way, *living}, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
            under_way -= ended
    finally:
        await cancel_tasks(*sending, *living)


async def _set_up(office: Office, post: Post, number: int, boxes: int, channel: str) -> tuple[int, str]:
    """Create a site with a locker and register its device.

    Returns the site id and the credential.
    """
    lat, lng = CENTRE[0] + number % 40 * 0.002, CENTRE[1] + number // 40 * 0.002
    site = (await office("POST", "/v1/lockers/sites", name=f"Town {number}", lat=lat, lng=lng))["site"]["id"]
    serial = f"SIM-{uuid4().hex[:12]}"
    made = await office("POST", "/v1/devices", name=f"Town {number}", serial=serial, firmware_channel=channel)
    credential = (await post("/v1/devices/register", {"code": made["code"], "serial": serial}))["credential"]
    layout = [{"size": size, "count": max(1, boxes // 3)} for size in ("s", "m", "l")]
    path = f"/v1/lockers/sites/{site}/cabinets"
    await office("POST", path, code="A", device_id=made["device"]["id"], layout=layout)
    return site, credential


async def _send_through(town: Town, office: Office, site: int, cabinet: SimulatedCabinet, *, by_code: bool) -> None:
    """Reserve, deposit and collect a parcel.

    Retries after stuck doors and lost answers.

    With `by_code` the courier enters a code at the locker; otherwise staff opens the door.
    """
    try:
        reserved = await office("POST", "/v1/lockers/parcels", site_id=site, recipient={"name": "Ada"})
    except RequestRefused:
        town.ends["no free box"] += 1
        return
    path, status = f"/v1/lockers/parcels/{reserved['parcel']['id']}", "reserved"
    for _ in range(TRIES):
        status = (await office("GET", path))["parcel"]["status"]
        if status == "reserved":
            await _put_in(town, office, path, cabinet if by_code else None)
        elif status == "deposited":
            code = (await office("POST", f"{path}/code"))["code"]
            opened = await cabinet.type_code(code)
            status = await _settled(office, path, "deposited", "collect", 0) if opened else "stuck inside"
            if not opened:
                break
        if status in ("collected", "cancelled"):
            break
    town.ends[status] += 1
    if status in ("reserved", "deposited"):
        town.faults.append(f"{path} is {status} after {TRIES} attempts")


async def _put_in(town: Town, office: Office, path: str, typed_at: SimulatedCabinet | None) -> None:
    began, before = monotonic(), len((await office("GET", path))["parcel"]["accesses"])
    if typed_at is None:
        await office("POST", f"{path}/deposit")
    elif not await typed_at.type_code((await office("POST", f"{path}/code"))["code"]):
        return  # no door opened, so no report follows
    if await _settled(office, path, "reserved", "deposit", before) == "deposited" and typed_at is None:
        town.round_trips_s.append(monotonic() - began)


async def _settled(office: Office, path: str, from_status: str, purpose: str, before: int) -> str:
    """Return the status of a parcel after its newest door with a purpose reported."""
    until = monotonic() + PATIENCE_S
    while True:
        parcel = (await office("GET", path))["parcel"]
        accesses = parcel["accesses"]
        newest = accesses[-1] if len(accesses) > before else {"purpose": "", "status": ""}
        over = newest["purpose"] == purpose and newest["status"] in ("done", "failed", "expired")
        if parcel["status"] != from_status or over or monotonic() > until:
            return parcel["status"]
        await asyncio.sleep(0.02)
