"""granian serves the same application: sign-in, live timelines and shutdown."""

import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.processes.server_process import (
    PATIENCE_S,
    ServerProcess,
    make_admin,
    make_order,
    make_server,
    post_json,
    query_rows,
)
from tests.support.databases import demo_file, migrated_file

ADMIN = {"email": "admin@demo.example", "password": "haulier-demo"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("granian")
    with make_server(folder, demo_file(folder), "--demo", server="granian") as server:
        yield server


@pytest.fixture(scope="module")
def http(demo: ServerProcess) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=demo.base, timeout=PATIENCE_S) as http:
        token = http.post("/api/v1/user/login", json=ADMIN).raise_for_status().json()["access_token"]
        http.headers["Authorization"] = f"Bearer {token}"
        yield http


def test_granian_serves_and_identifies_the_signed_in_user(http: httpx.Client) -> None:
    answer = http.get("/api/v1/user/me")
    assert answer.status_code == 200
    assert answer.headers["server"] == "granian"
    assert answer.headers["x-request-id"]


def test_pages_graphql_and_agents_are_served(http: httpx.Client) -> None:
    assert "Haulier" in http.get("/").text
    assert http.post("/graphql", json={"query": "{ whoAmI { scopes } }"}).json()["data"]["whoAmI"]["scopes"]
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream"}
    assert http.post("/mcp", json=listed, headers=accept).json()["result"]["tools"]


def test_a_timeline_can_be_followed_live(http: httpx.Client) -> None:
    number = http.get("/api/v1/orders", params={"per_page": 1}).json()["orders"][0]["tracking_number"]
    with http.stream("GET", f"/api/v1/otep/trackings/{number}/stream") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert next(stream.iter_lines())


def test_a_malformed_request_is_reported(http: httpx.Client) -> None:
    answer = http.post("/api/v1/client/orderCreate", content=b"{", headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "MALFORMED_JSON")


def test_its_processes_stop_on_request_without_loss(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    admin = make_admin(url)
    with make_server(tmp_path, url, server="granian", workers=2) as server:
        post_json(server.base, "client/orderCreate", make_order("KEPT-1"), admin)
        server.popen.send_signal(signal.SIGTERM)
        assert server.popen.wait(PATIENCE_S) == 0
    assert query_rows(url, "SELECT order_ref FROM delivery_order") == [("KEPT-1",)]
