"""Chat throughput: `python -m bench.chat`.

It measures messages per second from sender to listener, and one message to a thousand listeners. The application runs
in this process with the NATS server of the tests; the listeners are MQTT clients in this process too, so all share the
cores. A message is written by its operation, stored, and pushed by a job after the commit.
"""

import argparse
import asyncio
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import aiomqtt
from rich.console import Console
from tests.adapters.mqtt_broker import Broker, cancelled, listener, make_broker, may_listen
from tests.contexts.chat.makers import make_chat
from tests.support.app import App, make_app

from bench.databases import database_address, private_cluster

PAGE = Path(__file__).parent / "CHAT.md"
CHATS, MESSAGES, LISTENERS, ROUNDS = 20, 50, 1_000, 11
GIVE_UP_S = 600
console = Console(width=120)


class Heard(NamedTuple):
    """Latencies in milliseconds and messages per second."""

    name: str
    per_s: float
    p50_ms: float
    p99_ms: float


async def work_off(app: App) -> None:
    """Run jobs as they arrive, until cancelled."""
    while True:
        if not await app.work_off():
            await asyncio.sleep(0.002)


async def listening(stack: AsyncExitStack, app: App, broker: Broker, order_id: int) -> aiomqtt.Client:
    """Return a client that listens to a chat with its own ticket."""
    opened = await app.answer("customer", "open_chat_channel", {"order_id": order_id})
    client = await stack.enter_async_context(listener(broker, opened.ticket))
    assert await may_listen(client, opened.topic)
    return client


async def hear(client: aiomqtt.Client, count: int) -> list[float]:
    """Return the latency of each of the next messages, which contain their send time."""
    found: list[float] = []
    async for message in client.messages:
        document = json.loads(bytes(message.payload))
        if document["type"] == "message":
            found.append(time.perf_counter() - float(document["text"]))
        if len(found) == count:
            break
    return found


async def send(app: App, order_id: int, count: int) -> None:
    """Send messages of the driver, one after the other."""
    for _ in range(count):
        said = {"order_id": order_id, "text": repr(time.perf_counter())}
        await app.answer("driver", "send_chat_message", said)


async def one_by_one(app: App, broker: Broker) -> Heard:
    """One chat, with the next message sent after the last one arrived."""
    ways: list[float] = []
    async with AsyncExitStack() as stack:
        order_id = await make_chat(app)
        client = await listening(stack, app, broker, order_id)
        async with cancelled(work_off(app)), asyncio.timeout(GIVE_UP_S):
            begun = time.perf_counter()
            for _ in range(MESSAGES * 2):
                await send(app, order_id, 1)
                ways += await hear(client, 1)
            wall = time.perf_counter() - begun
    return heard(f"1 chat, {len(ways)} messages, each after the other", ways, len(ways) / wall)


async def end_to_end(app: App, broker: Broker) -> Heard:
    """Chats with one sender and one listener each, all in parallel."""
    async with AsyncExitStack() as stack:
        orders = [await make_chat(app) for _ in range(CHATS)]
        clients = [await listening(stack, app, broker, order_id) for order_id in orders]
        async with cancelled(work_off(app)), asyncio.timeout(GIVE_UP_S):
            begun = time.perf_counter()
            hearing = [asyncio.create_task(hear(client, MESSAGES)) for client in clients]
            await asyncio.gather(*(send(app, order_id, MESSAGES) for order_id in orders))
            ways = [way for each in await asyncio.gather(*hearing) for way in each]
            wall = time.perf_counter() - begun
    return heard(f"{CHATS} chats, {CHATS * MESSAGES} messages", ways, len(ways) / wall)


async def fan_out(app: App, broker: Broker) -> Heard:
    """One chat with a thousand listeners; messages are sent one after the other."""
    ways: list[float] = []
    wall = 0.0
    async with AsyncExitStack() as stack:
        order_id = await make_chat(app)
        clients = [await listening(stack, app, broker, order_id) for _ in range(LISTENERS)]
        async with cancelled(work_off(app)), asyncio.timeout(GIVE_UP_S):
            for _ in range(ROUNDS):
                begun = time.perf_counter()
                hearing = [asyncio.create_task(hear(client, 1)) for client in clients]
                await send(app, order_id, 1)
                ways += [way for each in await asyncio.gather(*hearing) for way in each]
                wall += time.perf_counter() - begun
    return heard(f"1 chat, {LISTENERS} listeners, {ROUNDS} messages", ways, len(ways) / wall)


def heard(name: str, ways: Sequence[float], per_s: float) -> Heard:
    """Summarise a measurement."""
    hundredths = statistics.quantiles(ways, n=100)
    return Heard(name, per_s, statistics.median(ways) * 1000, hundredths[98] * 1000)


async def measure(database: str, url: str) -> list[tuple[str, Heard]]:
    """Run all measurements on one database."""
    async with make_app(url, rate_limits=False) as app:
        with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
            async with make_broker(Path(folder) / "broker", app) as broker:
                return [(database, await each(app, broker)) for each in (one_by_one, end_to_end, fan_out)]


def main() -> None:
    """Measure and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--look", action="store_true", help="write no page")
    options = parser.parse_args()
    rows: list[tuple[str, Heard]] = []
    with private_cluster(options.databases):
        for database in options.databases:
            with database_address(database) as url, console.status(f"chats, {database}"):
                rows += asyncio.run(measure(database, url))
    lines = [
        f"| {name} | {each.name} | {each.per_s:.0f} | {each.p50_ms:.1f} | {each.p99_ms:.1f} |" for name, each in rows
    ]
    console.print("\n".join(lines))
    if not options.look:
        write_page(lines)


def write_page(lines: Sequence[str]) -> None:
    """Write the results page."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    machine = f"{platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}, load average {load}"
    PAGE.write_text(
        f"""# Cost of chats

Measured by `python -m bench.chat` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC: {machine}.
Senders, service, broker (NATS) and listeners share the cores.

The latency runs from the call of the operation until a listener has the message. Messages heard per second: messages
times listeners.

| database | what | heard a second | p50 ms | p99 ms |
| --- | --- | ---: | ---: | ---: |
"""
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    main()
