"""Local server with the table protocols of OSRM and Valhalla.

Its fictional roads form a grid; eastward is slower than westward, and places south of the equator are unreachable. It
rejects the same requests as the real servers: tables that are too large, coordinates out of range, unknown paths.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

Place = tuple[float, float]
MAX_OSRM_PAIRS, VALHALLA_PAIRS = 10, 16


def road_between(a: Place, b: Place) -> tuple[float, float] | None:
    """Seconds and metres from a to b; None where there is no way."""
    if b[0] < 0 or a[0] < 0:
        return None if a != b else (0.0, 0.0)
    metres = (abs(a[0] - b[0]) + abs(a[1] - b[1])) * 111_000
    return metres / (10 if b[1] > a[1] else 20), metres


class FakeMapServer(ThreadingHTTPServer):
    """The server. `asked` counts the cells of each table it gave."""

    asked: list[int]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FakeMapServer

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        found = re.fullmatch(r"/table/v1/driving/([-0-9.,;]+)", url.path)
        if not found:
            return self._answer(400, {"code": "InvalidUrl", "message": "URL string malformed"})
        words = {name: values[0] for name, values in parse_qs(url.query, separator="&").items()}
        places = [tuple(map(float, pair.split(",")))[::-1] for pair in found[1].split(";")]
        sources, targets = (self._chosen(words[name], places) for name in ("sources", "destinations"))
        if len(sources) * len(targets) > MAX_OSRM_PAIRS**2 // 4:
            return self._answer(400, {"code": "TooBig", "message": "Too many table coordinates"})
        if any(abs(place[0]) > 90 for place in places):
            return self._answer(400, {"code": "InvalidValue", "message": "Lng/Lat coordinates are out of range"})
        self.server.asked.append(len(sources) * len(targets))
        table = [[road_between(a, b) for b in targets] for a in sources]
        body: dict[str, Any] = {"code": "Ok", "sources": [], "destinations": []}
        if "duration" in words["annotations"]:
            body["durations"] = [[cell and cell[0] for cell in row] for row in table]
        if "distance" in words["annotations"]:
            body["distances"] = [[cell and cell[1] for cell in row] for row in table]
        return self._answer(200, body)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/sources_to_targets":
            return self._answer(
                404, {"error_code": 106, "error": "Try any of: '/sources_to_targets'", "status_code": 404}
            )
        if body["costing"] not in ("auto", "truck"):
            return self._answer(400, {"error_code": 125, "error": "No costing method found", "status_code": 400})
        sources, targets = ([(each["lat"], each["lon"]) for each in body[name]] for name in ("sources", "targets"))
        if len(sources) * len(targets) > VALHALLA_PAIRS:
            return self._answer(400, {"error_code": 150, "error": "Exceeded max locations", "status_code": 400})
        self.server.asked.append(len(sources) * len(targets))
        rows = [[self._cell(a, b, i, j) for j, b in enumerate(targets)] for i, a in enumerate(sources)]
        return self._answer(200, {"sources_to_targets": rows, "units": body["units"], "sources": [], "targets": []})

    def _chosen(self, numbers: str, places: list[Any]) -> list[Any]:
        return [places[int(number)] for number in numbers.split(";")]

    def _cell(self, a: Place, b: Place, i: int, j: int) -> dict[str, Any]:
        found = road_between(a, b)
        numbers = {"time": int(found[0]), "distance": found[1] / 1000} if found else {"time": None, "distance": None}
        return {**numbers, "from_index": i, "to_index": j}

    def _answer(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def run_map_server() -> Iterator[FakeMapServer]:
    """A server on a free port of this machine."""
    server = FakeMapServer(("127.0.0.1", 0), _Handler)
    server.asked = []
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
