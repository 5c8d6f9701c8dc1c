"""The main job over HTTP: taking orders, assigning some, driving, and tracking."""

import os
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import httpx
import pytest
from scripts.two_postgres import two_postgres
from tests.support.citus import NEEDED, VARIABLE, citus
from tests.support.databases import CHOSEN, cluster
from tests.support.live import free_port, make_server

from haulier.simulation.account import build_day_account, check_timelines
from haulier.simulation.day import simulate_day
from haulier.simulation.record import Mishaps, SimulatedDay

PATIENCE_S = 600
"""Citus takes minutes to create the demo business."""
ORDERS = Path(__file__).resolve().parents[2] / "examples" / "helsinki.csv"


# On PostgreSQL the same day takes ten seconds longer, and each operation is tested there separately.
ON_SQLITE_ALONE = pytest.mark.parametrize("server", ["sqlite"], indirect=True, scope="module")


def quiet(what: str, done: int, total: int) -> None:
    """No progress bars in tests."""


@pytest.fixture(params=CHOSEN, scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("day")
    if request.param == "sqlite":
        with make_server(folder) as base:
            yield base
    elif request.param == "replica":
        with two_postgres((free_port(), free_port())) as pair:
            replicas = {"HAULIER_REPLICAS": pair.standby.url()}
            with make_server(folder, database=pair.url, settings=replicas) as base:
                yield base
    else:
        if request.param == "citus" and VARIABLE not in os.environ:
            pytest.skip(f"no Citus to test: set {VARIABLE} to {NEEDED}")
        database = citus() if request.param == "citus" else cluster()
        with make_server(folder, database=database.url(), patience_s=PATIENCE_S) as base:
            yield base
        database.sweep()


def orders_file(folder: Path, count: int) -> Path:
    """Return a file of orders for routes of contractors and of the client.

    The tour in the README uses all 240.
    """
    file = folder / "orders.csv"
    file.write_text("".join(ORDERS.read_text().splitlines(keepends=True)[: count + 1]))
    return file


def test_a_simulated_day_ends_with_timelines_that_match_the_work_done(server: str, tmp_path: Path) -> None:
    day = simulate_day(server, orders_file(tmp_path, 60), report_progress=quiet)
    assert day.counts["orders"] == 60
    assert day.counts["given to contractors"] == 20
    assert day.counts["orders that could not be planned"] == 0
    assert day.counts["failed"] > 0
    assert day.counts["returned"] > 0
    assert check_timelines(server, day, quiet) == []


@pytest.fixture(scope="module")
def bad_day(server: str, tmp_path_factory: pytest.TempPathFactory) -> SimulatedDay:
    """Every route breaks down, and other failures happen more often than usual."""
    mishaps = Mishaps(breakdowns=1, cancellations=0.25, second_attempts=1, cod=0.8)
    file = orders_file(tmp_path_factory.mktemp("bad day"), 24)
    return simulate_day(server, file, mishaps=mishaps, report_progress=quiet)


@ON_SQLITE_ALONE
def test_after_a_bad_day_every_order_and_cent_is_accounted_for(server: str, bad_day: SimulatedDay) -> None:
    account = build_day_account(server, bad_day, quiet)
    assert account.faults == []
    assert sum(account.ends.values()) == 24
    assert account.cod["due"] == account.cod["collected"] + account.cod["open"] + account.cod["written_off"]
    assert min(account.cod.values()) > 0
    happened = (
        "breakdowns",
        "orders handed over",
        "orders of routes given up",
        "cancelled while out",
        "second attempts",
    )
    assert min(bad_day.counts[what] for what in happened) > 0
    assert check_timelines(server, bad_day, quiet) == []


@ON_SQLITE_ALONE
def test_the_simulate_command_completes_a_bad_day(server: str) -> None:
    command = [sys.executable, "-m", "haulier", "simulate", "day", "--bad-day", "--orders", str(ORDERS)]
    played = subprocess.run([*command, "--base-url", server], capture_output=True, text=True, timeout=300, check=False)
    assert (played.returncode, played.stderr) == (0, ""), played.stdout


@ON_SQLITE_ALONE
def test_the_report_names_unaccounted_orders(server: str, bad_day: SimulatedDay) -> None:
    told = deepcopy(bad_day)
    delivered, waiting = (
        next(number for number, done in told.expected.items() if done == what) for what in ("delivered", "brought_back")
    )
    paid = next(number for number, order in told.cash_orders.items() if order.collected)
    told.expected |= {delivered: "returned", waiting: "cancelled"}
    told.cash_orders[paid].collected -= 1
    named = {fault.split(":")[0] for fault in build_day_account(server, told, quiet).faults}
    assert named == {delivered, waiting, paid}


def test_the_three_interfaces_return_the_same_journey(server: str) -> None:
    with httpx.Client(base_url=server, timeout=60) as http:
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
    # tool responses omit null values
    assert {name: value for name, value in rest.items() if value is not None} == tool
    shown = graphql["data"]["trackingPublic"]
    assert (shown["status"], shown["phase"]) == (rest["status"], rest["phase"])
    assert [e["status_code"] for e in shown["events"]] == [e["status_code"] for e in rest["events"]]
