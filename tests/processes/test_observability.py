"""Health, metrics, logs and spans."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from tests.processes.database_away import database_moved_away
from tests.processes.otlp_collector import Collector, make_collector
from tests.processes.server_process import (
    ServerProcess,
    eventually,
    make_admin,
    make_order,
    make_server,
    make_worker,
    post_json,
)
from tests.support.databases import MINE, cluster, migrated_file
from tests.support.live import free_port

from haulier import __version__
from haulier.adapters import migrations
from haulier.adapters.database import database_for
from haulier.app import registry
from haulier.kernel.background import enqueue_job
from haulier.kernel.data.clock import utc_now

JOB_LOGGERS = ("haulier.job", "haulier.jobs")
LABELS = {"operation", "door", "status", "le", "node", "pid", "lane", "kind", "state", "outcome", "version"}
SECRETS = ("demo", "Ada", "Lovelace", "Queen", "SEEN", "example", "HL")


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with make_collector() as collector:
        yield collector


class ObservedServer:
    """A stopped server that answered a write, a read and an unknown path."""

    def __init__(self, server: ServerProcess, admin: dict[str, str]) -> None:
        given = {**admin, "X-Request-ID": "from-the-proxy-1"}
        self.number = post_json(server.base, "client/orderCreate", make_order("SEEN"), given)["order"][
            "tracking_number"
        ]
        self.read = server.get("/api/v1/user/me", headers=admin)
        self.unknown = [server.get(f"/api/v1/nothing/{n}").status_code for n in range(5)]
        self.metrics = server.metrics()
        self.in_public = server.get("/metrics").status_code
        self.exit_code = server.stop()
        self.lines = server.lines()

    def logged(self, request_id: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line.get("request_id") == request_id]


@pytest.fixture(scope="module")
def watched(collector: Collector, tmp_path_factory: pytest.TempPathFactory) -> ObservedServer:
    folder = tmp_path_factory.mktemp("watched")
    url = migrated_file(folder)
    admin = make_admin(url)
    with make_server(folder, url, otlp_endpoint=collector.endpoint, node="node-1") as server:
        return ObservedServer(server, admin)


def samples(text: str) -> list[Sample]:
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def test_prometheus_can_read_the_metrics(watched: ObservedServer) -> None:
    assert watched.metrics.headers["content-type"].startswith("text/plain; version=")
    counted = {
        (each.labels["operation"], each.labels["door"], each.labels["status"]): each.value
        for each in samples(watched.metrics.text)
        if each.name == "haulier_calls_total"
    }
    assert counted == {("create_order", "rest", "200"): 1, ("who_am_i", "rest", "200"): 1}


def test_each_series_is_unique_and_the_version_is_exported(watched: ObservedServer) -> None:
    names = {each.name for each in samples(watched.metrics.text)}
    assert [name for name in names if name.endswith("_created")] == []
    (build,) = [each for each in samples(watched.metrics.text) if each.name == "haulier_build_info"]
    assert build.labels == {"version": __version__}


def test_the_public_port_serves_no_metrics(watched: ObservedServer) -> None:
    assert watched.in_public == 404


def test_labels_are_bounded_and_contain_no_identities(watched: ObservedServer) -> None:
    labels = [each.labels for each in samples(watched.metrics.text) if each.name.startswith("haulier_")]
    assert {label["operation"] for label in labels if "operation" in label} <= {each.name for each in registry()}
    assert {name for label in labels for name in label} <= LABELS
    assert len({label["node"] for label in labels if "node" in label}) == 1
    assert watched.unknown == [404] * 5
    assert not [word for word in (*SECRETS, watched.number) if word in watched.metrics.text]


def test_every_log_line_is_a_record(watched: ObservedServer) -> None:
    assert watched.lines
    for line in watched.lines:
        assert {"event", "level", "logger", "timestamp"} <= line.keys()
        assert "color_message" not in line


def test_a_write_is_logged_with_the_request_id_of_its_response(watched: ObservedServer) -> None:
    (line,) = watched.logged("from-the-proxy-1")
    assert isinstance(line.pop("ms"), int)
    assert {**line, "timestamp": None} == {
        "event": "create_order",
        "level": "info",
        "logger": "haulier.call",
        "timestamp": None,
        "request_id": "from-the-proxy-1",
        "door": "rest",
        "status": 200,
        "client": 1,
        "user": 1,
        "node": "node-1",
    }
    assert not [word for word in ("Lovelace", "Queen", watched.number) if word in json.dumps(watched.lines)]


def test_every_call_is_a_span_even_just_before_shutdown(watched: ObservedServer, collector: Collector) -> None:
    assert watched.exit_code == 0
    spans = {span.name: span for span in collector.spans}
    assert {"create_order", "who_am_i"} <= spans.keys()
    span = spans["create_order"]
    assert (len(span.trace_id), len(span.span_id)) == (16, 8)
    assert 0 < span.start_time_unix_nano < span.end_time_unix_nano
    path, request = collector.requests[0]
    assert path == "/v1/traces"
    named = {each.key: each.value.string_value for each in request.resource_spans[0].resource.attributes}
    assert named["service.name"] == "haulier"


def test_readiness_follows_the_database_and_nothing_is_exported_by_default(tmp_path: Path) -> None:
    def said() -> tuple[int, str]:
        answer = server.get("/readyz")
        return answer.status_code, answer.json()["status"]

    with cluster().nothing() as url, make_collector() as unasked:
        setting = {"OTEL_EXPORTER_OTLP_ENDPOINT": unasked.endpoint}
        with make_server(tmp_path, url, until="/healthz", background=False, **setting) as server:
            assert said() == (503, "migrations pending")
            assert server.get("/readyz").json()["pending"] == migrations.pending_revisions(url)
            migrations.upgrade_schema(url)
            assert said() == (200, "ready")
            admin = make_admin(url)
            assert server.get("/api/v1/broker-order-assignments", headers=admin).status_code == 200
            with database_moved_away(f"{MINE}_nothing"):
                assert said() == (503, "database unreachable")
                assert server.get("/healthz").status_code == 200
            eventually(lambda: said() == (200, "ready"), server)
            assert server.get("/api/v1/user/me", headers=admin).status_code == 200
            assert server.stop() == 0, server.log.read_text()
        assert unasked.requests == []


def test_a_worker_logs_its_jobs_and_serves_health_and_metrics(tmp_path: Path) -> None:
    url, port = migrated_file(tmp_path), free_port()
    asyncio.run(enqueue_broken_job(url))

    def ask(path: str) -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{port}{path}", timeout=60)

    def attempts() -> dict[str, str]:
        found = [each for each in samples(ask("/metrics").text) if each.name == "haulier_job_attempts_total"]
        return {each.labels["kind"]: each.labels["outcome"] for each in found}

    with make_worker(tmp_path, url, metrics_address=f"127.0.0.1:{port}") as worker:
        eventually(lambda: any(line["event"] == "the worker is running" for line in worker.lines()), worker)
        assert (ask("/healthz").status_code, ask("/healthz").json()) == (200, {"status": "ok"})
        assert eventually(attempts, worker) == {"sign_in.failed": "dead"}
        assert worker.stop() == 0
    logged = worker.lines()
    ((line,), (failure,)) = ([each for each in logged if each["logger"] == name] for name in JOB_LOGGERS)
    assert (line["event"], line["outcome"], line["attempt"], line["lane"]) == ("sign_in.failed", "dead", 1, "default")
    assert (failure["level"], "exception" in failure) == ("error", True)
    assert [each["event"] for each in logged if each["logger"] == "haulier.worker"] == [
        "the worker is running",
        "the worker stops",
        "the worker has stopped",
    ]


async def enqueue_broken_job(url: str) -> None:
    """Enqueue a job without the arguments that it needs."""
    database = database_for(url)
    await database.open()
    async with database.write(None) as work:
        await enqueue_job(work, "sign_in.failed", {}, client_id=None, run_at=utc_now(), max_attempts=1)
    await database.close()
