"""`haulier simulate` reports refusals of the server in one line."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from typer.testing import CliRunner

from haulier.cli import app as command_line
from haulier.simulation.client import RequestRefused, document_of

REFUSED = {"result": False, "code": "RATE_LIMITED", "message": "Too many.", "errors": []}


def answer(status: int, text: str) -> httpx.Response:
    return httpx.Response(status, text=text, request=httpx.Request("POST", "http://test/api/v1/devices/register"))


def test_a_refused_call_shows_its_code_and_message() -> None:
    fields = {**REFUSED, "errors": [{"field": "code", "code": "MISSING", "message": "It is missing."}]}
    for document, told in ((REFUSED, ""), (fields, "; code: It is missing.")):
        with pytest.raises(RequestRefused) as refused:
            document_of(answer(429, json.dumps(document)))
        assert str(refused.value) == f"POST /api/v1/devices/register: RATE_LIMITED: Too many.{told}"


def test_a_response_of_another_server_is_reported() -> None:
    with pytest.raises(RequestRefused, match="502: the answer is not JSON"):
        document_of(answer(502, "<html>"))


class Refuses(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        text = json.dumps(REFUSED).encode()
        self.send_response(429)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        del format, args


@pytest.fixture
def refusing() -> Iterator[str]:
    """Yield the base URL of a server that refuses every call."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Refuses) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("command", ["lockers", "day"])
def test_a_refused_command_prints_one_line(command: str, tmp_path: Path, refusing: str) -> None:
    (tmp_path / "orders.csv").write_text("tracking_number\n")
    given = ["--orders", str(tmp_path / "orders.csv")] if command == "day" else []
    ran = CliRunner().invoke(command_line, ["simulate", command, *given, "--base-url", refusing])
    assert ran.exit_code == 1
    assert ran.stderr == "haulier: POST /api/v1/user/login: RATE_LIMITED: Too many.\n"


def test_a_command_without_a_server_prints_one_line() -> None:
    ran = CliRunner().invoke(command_line, ["simulate", "lockers", "--base-url", "http://127.0.0.1:1"])
    assert ran.exit_code == 1
    assert ran.stderr.startswith("haulier: POST http://127.0.0.1:1/api/v1/user/login: ")
    assert ran.stderr.count("\n") == 1
