"""A simulated locker bank reconnects and sends everything after a lost connection."""

import asyncio
from contextlib import suppress
from typing import Any

import httpx
import msgspec
import pytest

from haulier.kernel import cancelling
from haulier.simulation.client import RequestRefused
from haulier.simulation.lockers.cabinet import SimulatedCabinet
from haulier.simulation.lockers.faults import CabinetFaults
from haulier.simulation.lockers.town import simulate_lockers
from haulier.simulation.lockers.wires import ConnectedWire, LineLost


class CutWire(ConnectedWire):
    """A connection that is cut on sending, as often as requested."""

    def __init__(self, cuts: int) -> None:
        super().__init__()
        self.cuts = cuts
        self.cut = asyncio.Event()

    async def _connect_and_receive(self) -> None:
        self.cut.clear()
        self._is_up()
        await self.cut.wait()
        raise LineLost("cut")

    async def _send(self, kind: str, payload: bytes) -> None:
        if self.cut.is_set():
            raise LineLost("the line is down")
        if self.cuts:
            self.cuts -= 1
            self.cut.set()
            return
        sequence = msgspec.json.decode(payload)["sequence"]
        said = {"type": "answer", "sequence": sequence, "error": None, "answer": {"commands_waiting": 0}}
        self._heard(msgspec.json.encode(said))


async def test_a_heartbeat_on_a_dropped_connection_is_repeated_on_the_next_one() -> None:
    cabinet = SimulatedCabinet(CabinetFaults(), 1)
    wire = CutWire(cuts=1)
    cabinet.plug_in(wire)
    assert (await cabinet.beat())["commands_waiting"] == 0
    assert await wire.connected() == 2
    await wire.close()


async def test_messages_after_a_drop_wait_for_the_next_connection() -> None:
    wire = CutWire(cuts=1)
    lost = asyncio.ensure_future(wire.ask({"type": "heartbeat", "sequence": 1}))
    for _ in range(20):  # the turns in which the line is cut and its end is noticed
        await asyncio.sleep(0)
    assert wire.cut.is_set()
    assert (await wire.ask({"type": "heartbeat", "sequence": 2}))["commands_waiting"] == 0
    with pytest.raises(LineLost):
        await lost
    await wire.close()


class StubbornWire(CutWire):
    """A connection whose client reports a dead socket instead of closing cleanly."""

    async def _connect_and_receive(self) -> None:
        try:
            await super()._connect_and_receive()
        except asyncio.CancelledError:
            raise OSError(9, "Bad file descriptor") from None


async def test_a_connection_that_fails_while_closing_is_closed() -> None:
    wire = StubbornWire(cuts=0)
    assert await wire.connected() == 1
    async with asyncio.timeout(10):
        await wire.close()
    assert wire._task
    assert wire._task.done()


async def test_a_locker_that_loses_a_cancellation_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancelling, "CANCEL_EACH_S", 0.001)
    cabinet, begun = SimulatedCabinet(CabinetFaults(), 1), asyncio.Event()

    async def live() -> None:
        with suppress(asyncio.CancelledError):
            begun.set()
            await cabinet.live()
        await asyncio.Event().wait()

    cabinet.plug_in(CutWire(cuts=0))
    living = asyncio.create_task(live())
    await begun.wait()
    await cancelling.cancel_tasks(living)
    assert living.cancelled()


async def refuse_to_open(request: httpx.Request) -> httpx.Response:
    """A server of one site at which nothing can be put in."""
    await asyncio.sleep(0)
    path, parcel = request.url.path.removeprefix("/api/v1"), {"id": 1, "status": "reserved", "accesses": []}
    answers: dict[str, dict[str, Any]] = {
        "/lockers/sites": {"site": {"id": 1}},
        "/devices": {"device": {"id": 1}, "code": "shown"},
        "/devices/register": {"credential": "own"},
        "/lockers/sites/1/cabinets": {},
        "/lockers/parcels": {"parcel": parcel},
        "/lockers/parcels/1": {"parcel": parcel},
        "/device/state": {"commands_waiting": 0},
        "/device/commands": {"commands": []},
    }
    refusal = {"code": "DEVICE_NOT_USABLE", "message": "It is revoked.", "errors": []}
    return httpx.Response(200 if path in answers else 409, json=answers.get(path, refusal))


async def test_a_refused_call_ends_the_simulation_with_the_error() -> None:
    async with httpx.AsyncClient(transport=httpx.MockTransport(refuse_to_open), base_url="http://test/api") as http:
        town = simulate_lockers(http, "token", cabinets=1, boxes=3, parcels=40, faults=CabinetFaults())
        with pytest.raises(RequestRefused, match="DEVICE_NOT_USABLE: It is revoked"):
            await town
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
