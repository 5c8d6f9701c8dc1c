"""Load generator with sixteen connections that send requests without pauses.

It runs in a separate process. `python -m bench.load` reads one JSON object, {"host", "port", "connections", "seconds",
"warm_up", "first", "requests": [{"method", "path", "headers", "body"}, …]}, and prints one line of JSON: requests per
second, p50 and p99 in milliseconds, and the number of responses that were not 2xx; `answered` includes the warm-up.
Requests are numbered from "first".
"""

import asyncio
import json
import math
import sys
import time
from collections import Counter
from itertools import count
from typing import Any

import uvloop


class Connection(asyncio.Protocol):
    """One keep-alive HTTP/1.1 connection with one request at a time."""

    def __init__(self, run: "LoadRun") -> None:
        self.run = run
        self.buffer = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        self.asked_at = time.perf_counter()
        self.transport.write(self.run.next_request())  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head_end = self.buffer.find(b"\r\n\r\n")
        if head_end < 0:
            return
        head = bytes(self.buffer[:head_end]).lower()
        at = head.index(b"content-length:") + 15
        length = int(head[at : (head + b"\r").index(b"\r", at)])
        if len(self.buffer) < head_end + 4 + length:
            return
        self.buffer.clear()
        now = time.perf_counter()
        self.run.answered(int(head[9:12]), self.asked_at, now)
        if now < self.run.until:
            self.ask()
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if time.perf_counter() < self.run.until:
            self.run.statuses[0] += 1  # the server closed the connection
        self.run.closed()


class LoadRun:
    """Requests, duration and results of a run."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.host, self.port = plan["host"], plan["port"]
        self.connections = plan.get("connections", 16)
        self.seconds = plan.get("seconds", 3.0)
        self.warm_up = plan.get("warm_up", 0.5)
        self.templates = [_encoded_request(request, self.host) for request in plan["requests"]]
        self.numbers = count(plan.get("first", 0))
        self.milliseconds: list[float] = []
        self.statuses: Counter[int] = Counter()

    def next_request(self) -> bytes:
        number = next(self.numbers)
        digits = b"%012d" % number
        return digits.join(self.templates[number % len(self.templates)]).replace(b"{u}", digits[::-1])

    def answered(self, status: int, asked_at: float, now: float) -> None:
        self.statuses[status] += 1
        if asked_at >= self.counts_from:
            self.milliseconds.append((now - asked_at) * 1000)

    def closed(self) -> None:
        self.open -= 1
        if not self.open:
            self.done.set_result(None)

    async def go(self) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        self.done, self.open = loop.create_future(), self.connections
        self.counts_from = time.perf_counter() + self.warm_up
        self.until = self.counts_from + self.seconds
        for _ in range(self.connections):
            await loop.create_connection(lambda: Connection(self), self.host, self.port)
        await self.done
        times = sorted(self.milliseconds) or [math.inf]  # empty if a call takes longer than the run
        return {
            "per_second": len(self.milliseconds) / self.seconds,
            "answered": sum(self.statuses.values()),
            "p50_ms": times[len(times) // 2],
            "p99_ms": times[int(len(times) * 0.99)],
            "not_ok": sum(n for status, n in self.statuses.items() if not 200 <= status < 300),
        }


def _encoded_request(request: dict[str, Any], host: str) -> list[bytes]:
    """Return the bytes of a request, split at every {n}.

    {n} becomes a number of twelve digits, new in every request. {u} becomes the same number reversed: as a fraction of
    a second, it makes times of requests distinct.
    """
    body = request.get("body", "").encode()
    length = len(body) + 9 * (body.count(b"{n}") + body.count(b"{u}"))
    headers = {"Host": host}
    if body:
        headers |= {"Content-Type": "application/json", "Content-Length": str(length)}
    headers |= request.get("headers", {})
    lines = [f"{request.get('method', 'GET')} {request['path']} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
    whole = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
    return whole.split(b"{n}")


if __name__ == "__main__":
    uvloop.install()
    print(json.dumps(asyncio.run(LoadRun(json.loads(sys.stdin.read())).go())))
