"""A server that is killed between reservations, commands and letters: no booking is lost or made twice, no door opens twice."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.processes.server_process import PATIENCE_S, a_server, an_admin, eventually
from tests.support.databases import migrated_file

PARCELS, BEFORE_THE_KILL, AHEAD = 12, 3, 4
PLACE = {"name": "Hall B", "lat": 43.645, "lng": -79.38}


class Town:
    """A cabinet and the office beside it. Both go on asking, whatever becomes of the server."""

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
        """What the server answers; raises where it does not."""
        told = httpx.request(method, f"{self.base}/api/v1/{path}", json=body, headers=headers, timeout=PATIENCE_S)
        return told.raise_for_status().json()

    def office(self, path: str, body: Any = None, key: str | None = None) -> Any:
        """What the office is answered. With a key the same call again is the same call."""
        return self.ask("POST", path, body, {**self.admin, **({"Idempotency-Key": key} if key else {})})

    def open_doors(self) -> None:
        """The cabinet opens each door that it is told to, once each command, and says so until it is heard."""
        waiting = self.ask("POST", "device/commands", {"credential": self.credential})["commands"]
        for each in waiting:
            if each["id"] not in self.done:
                self.opened[each["box"]] += 1
                self.done[each["id"]] = len(self.done) + 1
        for id, sequence in self.done.items():
            frame = {"credential": self.credential, "sequence": sequence, "outcome": "done"}
            self.ask("POST", f"device/commands/{id}/outcome", frame)

    def reserve(self) -> None:
        """The office reserves one box after another, a few ahead of the doors that opened, each under a key of its own."""
        while len(self.parcels) < min(PARCELS, len(self.opened) + AHEAD):
            ada, reference = {"name": "Ada", "email": "ada@example.com"}, f"R-{len(self.parcels)}"
            named = {"site_id": self.site, "recipient": ada, "reference": reference}
            self.parcels.append(self.office("lockers/parcels", named, key=reference)["parcel"]["id"])

    def put_in(self) -> None:
        """The office has every parcel put in that is not. A call whose answer was lost is made again, under its key."""
        for id in tuple(self.parcels):
            parcel = self.ask("GET", f"lockers/parcels/{id}", headers=self.admin)["parcel"]
            under_way = any(
                each["id"] in self.done or each["status"] not in ("failed", "expired") for each in parcel["accesses"]
            )
            if parcel["status"] == "reserved" and not under_way:
                self.office(f"lockers/parcels/{id}/deposit", key=f"{id}-{len(parcel['accesses'])}")

    def told(self) -> list[dict[str, Any]]:
        """All parcels that there are, as the office sees them."""
        return self.ask("GET", f"lockers/parcels?per_page={2 * PARCELS}", headers=self.admin)["parcels"]

    def is_through(self) -> bool:
        """Whether every parcel lies in its box, and its recipient got a code for it."""
        told = self.told()
        if len(told) < PARCELS or any(each["status"] != "deposited" for each in told):
            return False
        whole = [self.ask("GET", f"lockers/parcels/{each['id']}", headers=self.admin)["parcel"] for each in told]
        return all(each["code_made_at"] for each in whole)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The cabinet and the office, each by itself."""
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


def test_no_door_opens_twice_and_no_booking_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    database = migrated_file(tmp_path)
    admin = an_admin(database)
    with a_server(tmp_path, database) as server:
        town = Town(server.base, admin)
        with town.at_work():
            eventually(lambda: len(town.opened) >= BEFORE_THE_KILL, server)
            server.kill()
    with a_server(tmp_path, database) as again:
        town.base = again.base
        with town.at_work():
            eventually(town.is_through, again)
        told = town.told()
    assert sorted(each["reference"] for each in told) == sorted(f"R-{number}" for number in range(PARCELS))
    assert len({each["box_id"] for each in told}) == PARCELS
    assert set(town.opened.values()) == {1}
    assert len(town.opened) == PARCELS
