"""Memory of a demo server over 20,000 mixed calls: `python -m bench.memory`.

There is a row for each tenth of the calls. They are shuffled with a seed and include every list of the REST API, order
documents, timelines in each format, GraphQL, MCP tools, new orders, and pages of the desk and of parcels in six
languages. All of them occur several times in the first three tenths, so memory that grows later is unbounded.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import local

import httpx

from bench import serve
from bench.page import keep_results
from bench.start import GROWTH_AIM, Row, resident_mib

CALLS = 20_000
PARTS = 10
SETTLED_PART = 3
"""The tenth after which memory should be constant."""
THREADS = 4
TIMEOUT_S = 60
LANGUAGES = ("en", "fr", "de", "es", "zh-Hans", "zh-Hant")
LISTED = 40
"""Number of orders and parcels used in calls."""
LOGIN = {"email": "admin@demo.example", "password": "haulier-demo"}
DESK_PAGES = ("", "/orders", "/new-order", "/insights", "/routes", "/bookings", "/lockers", "/set-up", "/agent")
QUERY = "query($n: Int) { orders(page: $n, per_page: 20) { orders { id status } } }"
ADDRESS = {"name": "A. Reader", "address": "100 King St W", "city": "Toronto", "region": "ON", "country": "CA"}
Call = tuple[str, str, dict[str, str], object]
"""Method, path, headers and JSON body, or None."""


class MixedCalls:
    """Calls available to an administrator of the demo."""

    def __init__(self, client: httpx.Client) -> None:
        self.token = {"Authorization": f"Bearer {client.post('/api/v1/user/login', json=LOGIN).json()['access_token']}"}
        client.post("/sign-in", data=LOGIN)
        self.cookie = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
        document = client.get("/api/openapi.json").json()
        self.lists = [path for path, methods in document["paths"].items() if _is_list(path, methods.get("get"))]
        orders = client.get("/api/v1/orders", params={"per_page": LISTED}, headers=self.token).json()["orders"]
        self.orders = [order["id"] for order in orders]
        self.numbers = [order["tracking_number"] for order in orders]
        self.makers = [
            *([self._list] * 6 + [self._desk_page] * 3 + [self._parcel] * 3 + [self._document] * 2),
            *(self._graphql, self._tools, self._new_order, self._description),
        ]

    def draw(self, random_source: random.Random) -> Call:
        """Return a random call."""
        return random_source.choice(self.makers)(random_source)

    def _list(self, chance: random.Random) -> Call:
        headers = {**self.token, "Accept-Language": chance.choice(LANGUAGES)}
        return "GET", f"/api{chance.choice(self.lists)}", headers, None

    def _desk_page(self, chance: random.Random) -> Call:
        return "GET", f"/desk{chance.choice(DESK_PAGES)}?lang={chance.choice(LANGUAGES)}", self.cookie, None

    def _parcel(self, chance: random.Random) -> Call:
        number = chance.choice(self.numbers)
        path = chance.choice((f"/api/v1/otep/trackings/{number}", f"/track/{number}", f"/api/v1/tracking/{number}"))
        return "GET", path, {"Accept-Language": chance.choice(LANGUAGES)}, None

    def _document(self, chance: random.Random) -> Call:
        return "GET", f"/api/v1/orders/{chance.choice(self.orders)}/label", self.token, None

    def _graphql(self, chance: random.Random) -> Call:
        return "POST", "/api/graphql", self.token, {"query": QUERY, "variables": {"n": chance.randint(1, 9)}}

    def _tools(self, chance: random.Random) -> Call:
        if chance.random() < 0.5:
            asked: dict[str, object] = {"method": "tools/list", "params": {}}
        else:
            arguments = {"id": chance.choice(self.orders)}
            asked = {"method": "tools/call", "params": {"name": "get_order_detail", "arguments": arguments}}
        headers = {**self.token, "Accept": "application/json, text/event-stream"}
        return "POST", "/mcp", headers, {"jsonrpc": "2.0", "id": 1, **asked}

    def _new_order(self, chance: random.Random) -> Call:
        return "POST", "/api/v1/client/orderCreate", self.token, _new_order(chance)

    def _description(self, chance: random.Random) -> Call:
        return "GET", "/api/openapi.json", {"Accept-Language": chance.choice(LANGUAGES)}, None


def _new_order(chance: random.Random) -> dict[str, object]:
    place = {**ADDRESS, "lat": round(chance.uniform(43.60, 43.75), 5), "lng": round(chance.uniform(-79.55, -79.25), 5)}
    consignee = {**place, "name": f"Reader {chance.randint(1, 10**6)}"}
    return {"type": "D", "consignee": consignee, "packages": [{"weight_g": 900}]}


def _is_list(path: str, method: dict[str, object] | None) -> bool:
    return method is not None and "{" not in path


def memory_rows(calls: int, answers: Counter[str]) -> Iterator[tuple[int, int]]:
    """Yield the number of calls made and the resident MiB, first before any call."""
    chance = random.Random(7)
    with (
        tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder,
        serve.run_haulier(f"sqlite:///{folder}/demo.db", options=("--demo",)) as server,
        ThreadPoolExecutor(THREADS) as threads,
    ):
        caller = Caller(f"http://{serve.HOST}:{server.port}", answers)
        mixed = MixedCalls(caller.client())
        yield 0, resident_mib(server)
        for part in range(1, PARTS + 1):
            list(threads.map(caller.make, [mixed.draw(chance) for _ in range(calls // PARTS)]))
            yield part * calls // PARTS, resident_mib(server)


class Caller:
    """Makes calls with one client per thread, and counts responses by kind."""

    def __init__(self, base_url: str, answers: Counter[str]) -> None:
        self._base_url, self._answers, self._own = base_url, answers, local()

    def client(self) -> httpx.Client:
        """Return the client of this thread."""
        if not hasattr(self._own, "client"):
            self._own.client = httpx.Client(base_url=self._base_url, timeout=TIMEOUT_S)
        return self._own.client

    def make(self, call: Call) -> None:
        """Make a call and count its response; errors are also counted by path."""
        method, path, headers, body = call
        answer = self.client().request(method, path, headers=headers, json=body)
        self._answers[f"{answer.status_code // 100}xx"] += 1
        if answer.status_code >= 400:
            self._answers[f"{method} {path.partition('?')[0]} {answer.status_code}"] += 1


def growth_missed(seen: list[tuple[int, int]]) -> Iterator[str]:
    """Yield a line if memory grew after it should be constant."""
    settled, last = seen[SETTLED_PART][1], seen[-1][1]
    if last > GROWTH_AIM * settled:
        yield f"{last} MiB after the last call, {settled} after {SETTLED_PART} tenths: wanted at most {GROWTH_AIM} of it"


def main() -> int:
    """Measure, print and store results."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    given = parser.parse_args()
    answers, seen = Counter[str](), list[tuple[int, int]]()
    for row in memory_rows(given.calls, answers):
        seen.append(row)
        print(*row, dict(answers.most_common(8)), flush=True)
    rows: list[Row] = [(f"{calls:,}", str(mib)) for calls, mib in seen]
    about = (
        f"Resident memory of a demo server (SQLite) over {given.calls:,} mixed calls: {answers['2xx']:,} succeeded,"
        " the others were rejected as expected (403, 409, 422)."
    )
    return keep_results("Memory over mixed calls", ("calls", "resident MiB"), rows, list(growth_missed(seen)), about)


if __name__ == "__main__":
    sys.exit(main())
