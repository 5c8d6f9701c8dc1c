"""A stop signal lets current work finish and exits with success."""

import socket
import time
from pathlib import Path
from typing import Any

import httpx
from tests.processes.server_process import (
    PATIENCE_S,
    Process,
    ServerProcess,
    eventually,
    make_admin,
    make_order,
    make_server,
    make_worker,
    post_json,
    query_rows,
)
from tests.support.app import App

MANY = 450
"""Number of orders in a batch that takes nine transactions, so that a signal arrives in the middle."""

JOB = "SELECT state, attempts, owner FROM job WHERE kind = 'orders.batch'"
REFS = "SELECT order_ref FROM delivery_order"


class SlowCall:
    """A request whose body is sent late, so that the server cannot have finished."""

    def __init__(self, server: ServerProcess, headers: dict[str, str], body: bytes) -> None:
        self.body = body
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
        said = {**headers, "Host": "haulier", "Content-Type": "application/json", "Expect": "100-continue"}
        said["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        self.socket.sendall(f"POST /api/v1/client/orderCreate HTTP/1.1\r\n{head}\r\n".encode())
        assert b"100 Continue" in self.socket.recv(1000)

    def finish(self) -> bytes:
        """Send the rest and read the answer to its end."""
        self.socket.sendall(self.body)
        answer = b""
        while part := self.socket.recv(65536):
            answer += part
        return answer


def refuses_connections(server: ServerProcess) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", server.port)) != 0


def make_batch(orders: int = MANY) -> dict[str, Any]:
    return {"orders": [make_order(f"BATCH-{n}") for n in range(orders)]}


def job_state(database: str) -> str:
    return query_rows(database, JOB)[0][0]


def stop_in_the_middle(process: Process, database: str) -> None:
    """Stop a process during its job.

    It is frozen first, because a fast machine might finish the job before the signal.
    """
    state = "ready"
    while state == "ready":
        time.sleep(0.01)
        process.freeze()
        if (state := job_state(database)) != "ready":
            process.popen.terminate()
        process.thaw()
    assert state == "running", f"the job was {state} before it could be stopped"


def test_running_calls_and_jobs_finish_and_new_ones_are_refused(database_url: str, tmp_path: Path) -> None:
    admin = make_admin(database_url)
    with make_server(tmp_path, database_url) as server:
        slow = SlowCall(server, admin, httpx.Request("POST", server.base, json=make_order("SLOW")).content)
        post_json(server.base, "client/batchOrderCreateAsync", make_batch(), admin)
        stop_in_the_middle(server, database_url)
        eventually(lambda: refuses_connections(server))
        answer = slow.finish()
        assert server.popen.wait(PATIENCE_S) == 0, server.log.read_text()
    assert answer.startswith(b"HTTP/1.1 200")
    assert query_rows(database_url, JOB) == [("done", 1, None)]
    assert sorted(ref for (ref,) in query_rows(database_url, REFS)) == sorted(
        ["SLOW", *(f"BATCH-{n}" for n in range(MANY))]
    )
    assert [line for line in server.lines() if line["level"] == "error"] == []


async def test_a_job_that_times_out_is_returned_uncounted_and_finished_by_the_next_worker(
    app: App, database_url: str, tmp_path: Path
) -> None:
    many = 4 * MANY  # more, because only their number keeps the worker busy until the signal
    await app.answer("admin", "bulk_create_orders_async", make_batch(many))
    with make_worker(tmp_path, database_url, shutdown_grace_s=0) as worker:
        stop_in_the_middle(worker, database_url)
        assert worker.popen.wait(PATIENCE_S) == 0, worker.log.read_text()
    assert query_rows(database_url, JOB) == [("ready", 0, None)]
    app.clock.forward(days=365)
    await app.work_off()
    assert query_rows(database_url, JOB) == [("done", 1, None)]
    refs = [ref for (ref,) in query_rows(database_url, REFS)]
    assert len(refs) == len(set(refs)) == many
