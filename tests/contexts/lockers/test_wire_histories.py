"""Random device histories on a bad connection and with power failures.

Frames are lost, duplicated, delayed and reordered. No door opens twice for a command, and once the connection is good
again, every command has ended as recorded by the device.
"""

import json
from collections import Counter
from datetime import datetime
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule
from tests.contexts.lockers.makers import make_cabinet
from tests.support import databases
from tests.support.app_machines import AppMachine, machine

from haulier.app import device_interface

OPEN_S = 30


class BadLine(AppMachine):
    """A device on a connection with rules that deliver, lose or duplicate frames."""

    @initialize(seed=st.integers(0, 999))
    def begin(self, seed: int) -> None:
        self.random = Random(seed)
        self.cabinet = self.wait(make_cabinet(self.app))
        self.door = device_interface(self.app.application, "mqtt")
        client_id = self.app.clients["demo"]
        self.shown = self.door.devices.connection_pass(client_id, self.cabinet.device_id)
        self.boxes = self.answer("list_locker_boxes", {"site_id": self.cabinet.site_id}).boxes
        self.up: list[bytes] = []
        self.down: list[dict[str, Any]] = []
        self.sequence = 0
        self.disk: dict[int, str] = {}
        self.openings: Counter[int] = Counter()

    def answer(self, operation: str, values: dict[str, Any]) -> Any:
        return self.wait(self.app.answer("admin", operation, values, confirmed=True))

    def say(self, **frame: Any) -> None:
        self.sequence += 1
        self.up.append(json.dumps({"sequence": self.sequence, **frame}).encode())

    def hear(self, frame: bytes) -> None:
        said = self.wait(self.door.answer(frame, self.shown))
        assert said.status == 200, said
        self.down.append(json.loads(said.body))

    def do(self, command: dict[str, Any]) -> None:
        """Run a command unless the disk of the device records it as done."""
        id = command["id"]
        late = datetime.fromisoformat(command["expires_at"]) <= self.app.clock()
        if id not in self.disk and late:
            return
        if id not in self.disk:
            self.disk[id] = "done"
            self.openings[id] += 1
        self.say(type="outcome", command_id=id, outcome=self.disk[id])

    def pick(self, waiting: list[Any]) -> int:
        return self.random.randrange(len(waiting))

    @rule(box=st.integers(0, 1))
    def request_door(self, box: int) -> None:
        self.answer("open_locker_box", {"box_id": self.boxes[box].id, "reason": "a look"})

    @rule()
    def the_device_asks(self) -> None:
        self.say(type="poll")

    @rule(session=st.sampled_from((None, "begin")))
    def the_device_beats(self, session: str | None) -> None:
        self.say(type="state", sent_at="2026-06-10T14:00:00Z", session=session)

    @rule(doubled=st.booleans())
    def deliver_frame(self, doubled: bool) -> None:
        if self.up:
            at = self.pick(self.up)
            self.hear(self.up[at] if doubled else self.up.pop(at))

    @rule()
    def lose_frame(self) -> None:
        if self.up:
            self.up.pop(self.pick(self.up))

    @rule(doubled=st.booleans())
    def deliver_answer(self, doubled: bool) -> None:
        if self.down:
            at = self.pick(self.down)
            told = self.down[at] if doubled else self.down.pop(at)
            for command in (told["answer"] or {}).get("commands", ()):
                self.do(command)

    @rule()
    def lose_answer(self) -> None:
        if self.down:
            self.down.pop(self.pick(self.down))

    @rule()
    def power_is_lost(self) -> None:
        self.up.clear()
        self.down.clear()

    @rule(seconds=st.sampled_from((1, 20, OPEN_S + 1)))
    def time_passes(self, seconds: int) -> None:
        self.app.clock.forward(seconds=seconds)
        self.wait(self.app.work_off())

    @invariant()
    def no_door_opened_twice(self) -> None:
        assert set(getattr(self, "openings", Counter()).values()) <= {1}

    def teardown(self) -> None:
        if hasattr(self, "disk"):
            self.power_is_lost()
            self.all_events_are_reported()
            self.app.clock.forward(seconds=OPEN_S + 1)
            self.wait(self.app.work_off())
            rows = self.answer("list_device_commands", {"device_id": self.cabinet.device_id, "per_page": 100}).commands
            assert {row.id: row.status for row in rows} == {
                row.id: "done" if self.openings[row.id] else "expired" for row in rows
            }
        super().teardown()

    def all_events_are_reported(self) -> None:
        """Restore the connection: the device sends its records and runs pending commands."""
        for id, outcome in self.disk.items():
            self.say(type="outcome", command_id=id, outcome=outcome)
        self.say(type="poll")
        while self.up or self.down:
            for frame in list(self.up):
                self.hear(self.up.pop(0))
                assert frame
            for told in list(self.down):
                self.down.remove(told)
                for command in (told["answer"] or {}).get("commands", ()):
                    self.do(command)


class BadLineOnPostgres(BadLine):
    """The same on PostgreSQL."""

    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestBadLine = machine(BadLine, 20)
if "postgres" in databases.CHOSEN:
    TestBadLineOnPostgres = machine(BadLineOnPostgres, 20)
