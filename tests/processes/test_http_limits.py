"""The server closes connections with oversized, slow or invalid request heads."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.processes.server_process import ServerProcess, make_server
from tests.support.databases import migrated_file

TIMEOUT_S = 40


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("limits")
    with make_server(folder, migrated_file(folder)) as server:
        yield server


def exchange(server: ServerProcess, *pieces: bytes) -> bytes:
    """Return everything that the server sends until it closes the connection."""
    host, port = server.base.removeprefix("http://").split(":")
    answer = b""
    with socket.create_connection((host, int(port)), TIMEOUT_S) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
            while received := connection.recv(65536):
                answer += received
        except (ConnectionResetError, BrokenPipeError):
            pass
    return answer


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\nHost: a\r\n" + b"".join(b"x-%d: 1\r\n" % number for number in range(250)) + b"\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nx-large: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET /healthz?" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
    ids=["many headers", "a large header", "a long address"],
)
def test_a_head_above_the_limits_is_refused_with_431(server: ServerProcess, head: bytes) -> None:
    answer = exchange(server, head)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "REQUEST_HEADERS_TOO_LARGE"


def test_a_request_without_a_host_is_refused(server: ServerProcess) -> None:
    answer = exchange(server, b"GET /healthz HTTP/1.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "HOST_REQUIRED"


def test_connections_without_a_complete_head_are_closed(server: ServerProcess) -> None:
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda sent: exchange(server, sent), [b"", b"GET /healthz HT"])) == [b"", b""]


def test_an_ordinary_request_is_answered_and_its_idle_connection_closed(server: ServerProcess) -> None:
    assert exchange(server, b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").startswith(b"HTTP/1.1 200 ")


def test_the_embedded_database_is_readable_only_by_its_owner(tmp_path: Path) -> None:
    with make_server(tmp_path, f"sqlite:///{tmp_path}/h.db"):
        modes = {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.glob("h.db*")}
    assert set(modes.values()) == {"0o600"}
