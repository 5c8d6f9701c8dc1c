"""The main job, over HTTP alone: a business takes orders, gives some away, drives them, and everybody reads the journey."""

from pathlib import Path

import httpx
import pytest
from tests.support.databases import CHOSEN, cluster
from tests.support.live import a_server

from haulier.simulation.day import check_timelines, simulate_day

ORDERS = Path(__file__).resolve().parents[2] / "examples" / "southern-ontario.csv"


def quiet(what: str, done: int, total: int) -> None:
    """No progress bars in tests."""


@pytest.fixture(params=CHOSEN, scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("day")
    if request.param == "sqlite":
        with a_server(folder) as base:
            yield base
    else:
        with a_server(folder, database=cluster().url()) as base:
            yield base
        cluster().sweep()


@pytest.fixture
def a_quarter(tmp_path: Path) -> Path:
    """Sixty orders, on routes of contractors and of the client; the tour in the README plays all 240."""
    file = tmp_path / "orders.csv"
    file.write_text("".join(ORDERS.read_text().splitlines(keepends=True)[:61]))
    return file


def test_a_day_is_played_and_every_timeline_fits_what_was_done(server: str, a_quarter: Path) -> None:
    day = simulate_day(server, a_quarter, report_progress=quiet)
    assert day.counts["orders"] == 60
    assert day.counts["given to contractors"] == 20
    assert day.counts["orders that could not be planned"] == 0
    assert day.counts["failed"] > 0
    assert day.counts["returned"] > 0
    assert check_timelines(server, day, quiet) == []


def test_the_three_doors_tell_the_same_journey(server: str) -> None:
    with httpx.Client(base_url=server) as http:
        login = {"email": "admin@demo.example", "password": "haulier-demo"}
        token = http.post("/api/v1/user/login", json=login).json()["access_token"]
        mine = {"Authorization": f"Bearer {token}"}
        orders = http.get("/api/v1/orders?status=DELIVERED&per_page=1", headers=mine).json()["orders"]
        number = orders[0]["tracking_number"]
        rest = http.get(f"/api/v1/tracking/{number}").json()
        query = "query($n: String!) { trackingPublic(number: $n) { status phase events { status_code } } }"
        graphql = http.post("/graphql", json={"query": query, "variables": {"n": number}}).json()
        call = {"name": "track_package", "arguments": {"number": number}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        tool = http.post("/mcp", json=asked).json()["result"]["structuredContent"]
    assert rest == tool
    shown = graphql["data"]["trackingPublic"]
    assert (shown["status"], shown["phase"]) == (rest["status"], rest["phase"])
    assert [e["status_code"] for e in shown["events"]] == [e["status_code"] for e in rest["events"]]
