"""Demo sites with simulated locker banks: only their doors are simulated."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx
from msgspec.structs import asdict
from tests.web.browser import DemoApi

from haulier.simulation.lockers.offline import OfflineKeypad

LAYOUT = [{"size": "s", "count": 4, "low": True}, {"size": "m", "count": 4}, {"size": "l", "count": 2}]


class Site:
    """A demo site with a locker bank whose doors are simulated."""

    def __init__(self, server: str, layout: list[dict[str, Any]] | None = None, **terms: Any) -> None:
        self.server, self.office, self.sequence = server, DemoApi(server, "admin"), 0
        name, serial = f"Hall {uuid4().hex[:6]}", f"CAB-{uuid4().hex[:8]}"
        place: dict[str, Any] = {"name": name, "address": "65 Front St W", "lat": 43.645, "lng": -79.38}
        place |= {"accessibility": ["step_free"], **terms}
        self.name, self.id = name, self.office.post("/v1/lockers/sites", **place)["site"]["id"]
        made = self.office.post("/v1/devices", name="Left", serial=serial)
        self.credential = self.says("devices/register", code=made["code"], serial=serial)["credential"]
        cabinet = {"code": "A", "device_id": made["device"]["id"], "layout": layout or LAYOUT}
        self.office.post(f"/v1/lockers/sites/{self.id}/cabinets", **cabinet)
        self.key = self.office.post(f"/v1/lockers/sites/{self.id}/screens", name="Left")["screen_key"]

    def says(self, path: str, **body: Any) -> Any:
        """Send a request as a device, which has no account."""
        return httpx.post(f"{self.server}/api/v1/{path}", json=body, timeout=60).raise_for_status().json()

    def obey(self, outcome: str = "done") -> int:
        """Do all that waits; how much that was."""
        commands = self.says("device/commands", credential=self.credential)["commands"]
        for each in commands:
            self.sequence += 1
            frame = {"credential": self.credential, "sequence": self.sequence, "outcome": outcome}
            self.says(f"device/commands/{each['id']}/outcome", **frame)
        return len(commands)

    @contextmanager
    def obeying(self, outcome: str = "done") -> Iterator[None]:
        """A cabinet that opens its doors as long as this lasts."""
        over = threading.Event()

        def go_on() -> None:
            while not over.is_set():
                self.obey(outcome)
                over.wait(0.2)

        thread = threading.Thread(target=go_on)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def parcel(self, *, inside: bool = True) -> int:
        """A parcel with a box, in it unless said otherwise."""
        named = {"site_id": self.id, "recipient": {"name": "Ada"}, "reference": "BOX-17"}
        id = int(self.office.post("/v1/lockers/parcels", **named)["parcel"]["id"])
        if inside:
            self.office.post(f"/v1/lockers/parcels/{id}/deposit")
            assert self.obey() == 1
        return id

    def code(self, parcel: int) -> str:
        """Another code of a parcel."""
        return str(self.office.post(f"/v1/lockers/parcels/{parcel}/code")["code"])

    def loses_its_line(self) -> OfflineKeypad:
        """Disconnect; return the codes that the locker bank accepts offline from now on."""
        keypad, self.sequence = OfflineKeypad(self.credential), self.sequence + 1
        known = self.says("device/offline-codes", credential=self.credential, sequence=self.sequence)
        keypad.learn(known, datetime.now(UTC))
        return keypad

    def opens_alone(self, keypad: OfflineKeypad, code: str) -> bool:
        """Enter a code offline; return True if a compartment opened."""
        now, self.sequence = datetime.now(UTC), self.sequence + 1
        grant = keypad.judge(code, now)
        if grant:
            keypad.note(self.sequence, grant, now, "done")
        return grant is not None

    def tells(self, keypad: OfflineKeypad) -> list[str]:
        """Say what was opened alone; what was made of each door."""
        self.sequence += 1
        openings = [asdict(each) for each in keypad.journal.values()]
        at = datetime.now(UTC).isoformat()
        frame = {"credential": self.credential, "sequence": self.sequence, "sent_at": at, "openings": openings}
        return [each["status"] for each in self.says("device/offline-openings", **frame)["openings"]]
