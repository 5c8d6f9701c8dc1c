"""Memory of a server during packing searches: `python -m bench.packing_memory`."""

import json
import random
import threading
from collections.abc import Iterator
from typing import Any

from bench import serve
from bench.databases import bench_database
from bench.seed import Business, seed_orders
from bench.start import resident_mib

PIECES = 30
SECONDS = 3
QUESTIONS = 2


def cartons(headers: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield requests that create kinds of cartons."""
    for number, edge in enumerate((200, 300, 400, 500)):
        sizes = {f"inner_{name}_mm": edge for name in ("length", "width", "height")}
        sizes |= {f"outer_{name}_mm": edge + 8 for name in ("length", "width", "height")}
        body = {"code": f"C{number}", "name": f"C{number}", "payload_g": 20_000, "tare_g": 100, **sizes}
        yield _post("/api/v1/packing/cartons", headers, body)


def questions(headers: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield requests for plans of distinct pieces, so that proofs take time."""
    chance = random.Random(1)
    for _ in range(QUESTIONS):
        pieces = [
            {"id": f"p{number}", "weight_g": 10, **{f"{edge}_mm": chance.randrange(60, 190) for edge in EDGES}}
            for number in range(PIECES)
        ]
        yield _post("/api/v1/packing/pack", headers, {"pieces": pieces, "seconds": SECONDS})


EDGES = ("length", "width", "height")


def _post(path: str, headers: dict[str, str], body: dict[str, Any]) -> dict[str, Any]:
    return {"method": "POST", "path": path, "headers": headers, "body": json.dumps(body)}


def main() -> None:
    """Start a server, send several requests in parallel, and print its peak memory."""
    business, seen, stopped = Business(), list[int](), threading.Event()
    with bench_database("sqlite") as database:
        seed_orders(database.url, business, 1, lambda _: None)
        headers = {"Authorization": f"Bearer {business.token}"}
        with serve.run_haulier(database.url) as server:
            for request in cartons(headers):
                serve.send_request(server.port, request)
            asking = [
                threading.Thread(target=serve.send_request, args=(server.port, each)) for each in questions(headers)
            ]
            seen.append(resident_mib(server))
            for each in asking:
                each.start()
            while any(each.is_alive() for each in asking):
                stopped.wait(0.2)
                seen.append(resident_mib(server))
    print(f"{QUESTIONS} questions of {PIECES} pieces at once: {seen[0]} MiB before, {max(seen)} MiB at most")


if __name__ == "__main__":
    main()
