"""Killed servers neither lose nor repeat bookings, and no door opens twice."""

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.processes.server_process import PATIENCE_S, eventually, make_admin, make_server
from tests.support.databases import migrated_file

PARCELS, BEFORE_THE_KILL, AHEAD = 12, 3, 4
PLACE = {"name": "Hall B", "lat": 43.645, "lng": -79.38}


class Town:
    """A locker and a staff client that retry until the server answers."""

    def __init__(self, base: str, admin: dict[str, str]) -> None:
        self.base, self.admin = base, admin
        self.opened: Counter[int] = Counter()
        self.done: dict[int, int] = {}
        self.site = self.office("lockers/sites", PLACE)["site"]["id"]
        made = self.office("devices", {"name": "Left", "serial": "CAB-1"})
        shown = {"code": made["code"], "serial": "CAB-1"}
        self.credential = self.ask("POST", "devices/register", shown)["credential"]
        layout = [{"size": "s", "count": PARCELS}]
        cabinet = {"code": "A", "device_id": made["device"]["id"], "layout": layout}
        self.office(f"lockers/sites/{self.site}/cabinets", cabinet)
        self.parcels: list[int] = []

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """Return the server's answer. Raises an error if there is none."""
        told = httpx.request(method, f"{self.base}/api/v1/{path}", json=body, headers=headers, timeout=PATIENCE_S)
        return told.raise_for_status().json()

    def office(self, path: str, body: Any = None, key: str | None = None) -> Any:
        """Call an operation as staff. With a key, a repeat is the same call."""
        return self.ask("POST", path, body, {**self.admin, **({"Idempotency-Key": key} if key else {})})

    def open_doors(self) -> None:
        """Open each requested door once, and report it until confirmed."""
        waiting = self.ask("POST", "device/commands", {"credential": self.credential})["commands"]
        for each in waiting:
            if each["id"] not in self.done:
                self.opened[each["box"]] += 1
                self.done[each["id"]] = len(self.done) + 1
        for id, sequence in self.done.items():
            frame = {"credential": self.credential, "sequence": sequence, "outcome": "done"}
            self.ask("POST", f"device/commands/{id}/outcome", frame)

    def reserve(self) -> None:
        """Reserve compartments one after another, each under its own key."""
        while len(self.parcels) < min(PARCELS, len(self.opened) + AHEAD):
            ada, reference = {"name": "Ada", "email": "ada@example.com"}, f"R-{len(self.parcels)}"
            named = {"site_id": self.site, "recipient": ada, "reference": reference}
            self.parcels.append(self.office("lockers/parcels", named, key=reference)["parcel"]["id"])

    def put_in(self) -> None:
        """Deposit all open parcels, retrying lost calls under the same key."""
        for id in tuple(self.parcels):
            parcel = self.ask("GET", f"lockers/parcels/{id}", headers=self.admin)["parcel"]
            under_way = any(
                each["id"] in self.done or each["status"] not in ("failed", "expired") for each in parcel["accesses"]
            )
            if parcel["status"] == "reserved" and not under_way:
                self.office(f"lockers/parcels/{id}/deposit", key=f"{id}-{len(parcel['accesses'])}")

    def told(self) -> list[dict[str, Any]]:
        """Return all parcels as seen by staff."""
        return self.ask("GET", f"lockers/parcels?per_page={2 * PARCELS}", headers=self.admin)["parcels"]

    def is_through(self) -> bool:
        """Return True if every parcel is deposited and its recipient has a code."""
        told = self.told()
        if len(told) < PARCELS or any(each["status"] != "deposited" for each in told):
            return False
        whole = [self.ask("GET", f"lockers/parcels/{each['id']}", headers=self.admin)["parcel"] for each in told]
        return all(each["code_made_at"] for each in whole)

    @contextmanager
    def at_work(self) -> Generator[None]:
        """Run the locker and the staff client in parallel."""
        over = threading.Event()

        def go_on(act: Any) -> None:
            while not over.is_set():
                try:
                    act()
                except httpx.HTTPError:
                    over.wait(0.05)

        acts = (self.reserve, self.open_doors, self.put_in)
        threads = [threading.Thread(target=go_on, args=(act,)) for act in acts]
        for each in threads:
            each.start()
        try:
            yield
        finally:
            over.set()
            for each in threads:
                each.join()


def test_a_killed_server_opens_no_door_twice_and_loses_no_booking(tmp_path: Path) -> None:
    database = migrated_file(tmp_path)
    admin = make_admin(database)
    with make_server(tmp_path, database) as server:
        town = Town(server.base, admin)
        with town.at_work():
            eventually(lambda: len(town.opened) >= BEFORE_THE_KILL, server)
            server.kill()
    with make_server(tmp_path, database) as again:
        town.base = again.base
        with town.at_work():
            eventually(town.is_through, again)
        told = town.told()
    assert sorted(each["reference"] for each in told) == sorted(f"R-{number}" for number in range(PARCELS))
    assert len({each["box_id"] for each in told}) == PARCELS
    assert set(town.opened.values()) == {1}
    assert len(town.opened) == PARCELS
