"""Several server processes share calls, limits and jobs."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.processes.server_process import (
    ServerProcess,
    eventually,
    make_admin,
    make_order,
    make_server,
    post_json,
    query_rows,
)

BATCHES, PIECES = 6, 20


@pytest.fixture
def admin(database_url: str) -> dict[str, str]:
    return make_admin(database_url)


@pytest.fixture
def server(database_url: str, admin: dict[str, str], tmp_path: Path):
    (tmp_path / "metrics").mkdir()
    with make_server(
        tmp_path, database_url, "--workers", "2", PROMETHEUS_MULTIPROC_DIR=str(tmp_path / "metrics")
    ) as served:
        yield served


def which_served(folder: Path) -> set[str]:
    return {path.stem.rpartition("_")[2] for path in folder.glob("counter_*.db")}


def calls(server: ServerProcess) -> Counter[str]:
    """Return the number of calls by operation in `/metrics`."""
    found: Counter[str] = Counter()
    for family in text_string_to_metric_families(server.metrics().text):
        for sample in family.samples:
            if sample.name == "haulier_calls_total":
                found[sample.labels["operation"]] += int(sample.value)
    return found


def test_two_processes_serve_count_together_and_run_every_job_once(
    server: ServerProcess, admin: dict[str, str], database_url: str, tmp_path: Path
) -> None:
    for batch in range(BATCHES):
        orders = [make_order(f"B{batch}-{n}") for n in range(PIECES)]
        post_json(server.base, "client/batchOrderCreateAsync", {"orders": orders}, admin)

    def ask(_: int) -> int:
        return server.get("/api/v1/user/me", headers=admin).status_code

    asked = 0
    with ThreadPoolExecutor(8) as crowd:
        while not asked or len(which_served(tmp_path / "metrics")) < 2:
            assert set(crowd.map(ask, range(16))) == {httpx.codes.OK}
            asked += 16
    assert calls(server) == {"bulk_create_orders_async": BATCHES, "who_am_i": asked}
    jobs = "SELECT state, attempts, count(*) FROM job WHERE kind = 'orders.batch' GROUP BY state, attempts"
    eventually(lambda: query_rows(database_url, jobs) == [("done", 1, BATCHES)], server)
    states = query_rows(database_url, "SELECT state, count(*) FROM order_batch_row GROUP BY state")
    assert states == [("created", BATCHES * PIECES)]
    assert len(server.processes) >= 3
    assert server.stop() == 0, server.log.read_text()
