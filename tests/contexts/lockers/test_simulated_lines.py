"""The line of a simulated cabinet goes down and comes back, and nothing that it wants to say is given up meanwhile."""

import asyncio

import msgspec
import pytest

from haulier.simulation.lockers.cabinet import SimulatedCabinet
from haulier.simulation.lockers.faults import CabinetFaults
from haulier.simulation.lockers.wires import ConnectedWire, LineLost


class CutWire(ConnectedWire):
    """A line that is cut when a frame is sent, as often as asked; a server at its other end has nothing to do."""

    def __init__(self, cuts: int) -> None:
        super().__init__()
        self.cuts = cuts
        self.cut = asyncio.Event()

    async def _connect_and_hear(self) -> None:
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


async def test_a_heartbeat_whose_line_was_cut_is_said_again_on_the_next_line() -> None:
    cabinet = SimulatedCabinet(CabinetFaults(), 1)
    wire = CutWire(cuts=1)
    cabinet.plug_in(wire)
    assert (await cabinet.beat())["commands_waiting"] == 0
    assert await wire.connected() == 2
    await wire.close()


async def test_what_is_said_after_the_cut_waits_for_the_next_line() -> None:
    wire = CutWire(cuts=1)
    lost = asyncio.ensure_future(wire.ask({"type": "heartbeat", "sequence": 1}))
    for _ in range(20):  # the turns in which the line is cut and its end is noticed
        await asyncio.sleep(0)
    assert wire.cut.is_set()
    assert (await wire.ask({"type": "heartbeat", "sequence": 2}))["commands_waiting"] == 0
    with pytest.raises(LineLost):
        await lost
    await wire.close()
