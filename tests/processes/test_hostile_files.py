"""A server with two workers keeps working while it receives hostile files."""

from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import psutil
from tests.processes.server_process import make_admin, make_server
from tests.support import hostile_files

ROUNDS = 6


def test_hostile_files_do_not_affect_other_requests(database_url: str, tmp_path: Path) -> None:
    admin, done = make_admin(database_url), Event()

    def attack(base: str, content: bytes) -> set[tuple[int, str]]:
        """Send a file repeatedly and return the answers."""
        asked = {"format": "xlsx", "document": b64encode(content).decode()}
        with httpx.Client(base_url=base, headers=admin, timeout=60) as http:
            answers = [http.post("/api/v1/order-imports/check", json=asked) for _ in range(ROUNDS)]
        return {(answer.status_code, answer.json()["errors"][0]["code"]) for answer in answers}

    def work(base: str) -> set[int]:
        """Send requests until the attack ends, and return the statuses."""
        found = set[int]()
        with httpx.Client(base_url=base, headers=admin, timeout=60) as http:
            while not done.is_set():
                found.add(http.get("/api/v1/user/me").status_code)
        return found

    with make_server(tmp_path, database_url, "--workers", "2") as server, ThreadPoolExecutor(6) as crowd:
        before = {each.pid for each in server.processes}
        workers = [crowd.submit(work, server.base) for _ in range(2)]
        try:
            far = crowd.submit(attack, server.base, hostile_files.far_cell())
            hidden = crowd.submit(attack, server.base, hostile_files.hidden_far_cell())
            assert far.result() == {(422, "FILE_LIMIT_CELLS")}
            assert hidden.result() == {(422, "FILE_LIMIT_MEMORY")}
        finally:
            done.set()
        assert [each.result() for each in workers] == [{200}, {200}]
        assert all(psutil.pid_exists(each) for each in before)
        csv = {
            "format": "csv",
            "document": b64encode(b"name,address,city,country\nAda,1 Front St,Toronto,CA\n").decode(),
        }
        answer = httpx.post(f"{server.base}/api/v1/order-imports/check", json=csv, headers=admin, timeout=60)
        assert (answer.status_code, answer.json()["total"]) == (200, 1)
