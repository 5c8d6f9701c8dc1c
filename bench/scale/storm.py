"""One run: nodes, load, faults and invariants."""

import asyncio
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
from msgspec import Struct
from scripts.two_postgres import Pair, two_postgres

from bench.scale.faults import Faults
from bench.scale.job_log import jobs_left, judge_jobs, watch_jobs
from bench.scale.ledger import Ledger
from bench.scale.load import MixedLoad
from bench.scale.nodes import Node
from bench.scale.receiver import WebhookReceiver
from bench.seed import Business, seed_orders
from bench.serve import free_port
from bench.tracking import create_provider_key
from haulier.adapters.migrations import upgrade_schema

PARCELS = 8
KILL_EVERY_S, CUT_EVERY_S = 7.0, 5.0
SETTLE_S = 13.0
"""Longer than a stream waits for a notice before it polls."""
LEASES_END_S = 60.0
"""Longer than the lease of a worker."""
MAX_AGE_S = 15.0
"""`Cache-Control` max-age of public timelines."""
CLOCK_OFFSET_S = 60


class Storm(Struct, kw_only=True):
    """Parameters of a run."""

    seconds: float
    servers: int = 3
    workers: int = 2
    replica: bool = False
    fail_over: bool = False


class Finding(Struct, frozen=True):
    """An invariant, the observation, and whether it held."""

    what: str
    seen: str
    held: bool


@contextmanager
def data_centre(storm: Storm, pair: Pair) -> Generator[list[Node]]:
    """Yield the running nodes; one of them has a wrong clock."""
    settings: dict[str, Any] = {"replicas": pair.standby.url() if storm.replica else None, "private_webhooks": "true"}
    with tempfile.TemporaryDirectory(prefix="haulier-scale-") as name:
        nodes = [Node(f"serve-{n}", "serve", pair.url, Path(name), **settings) for n in range(storm.servers)]
        for n in range(storm.workers):
            clock_offset_s = CLOCK_OFFSET_S if n == 0 else 0
            worker = {"private_webhooks": "true", "clock_offset_s": clock_offset_s}
            nodes.append(Node(f"worker-{n}", "worker", pair.url, Path(name), **worker))
        try:
            for node in nodes:
                node.start()
            for node in nodes:
                node.wait()
            yield nodes
        finally:
            for node in nodes:
                node.stop()


def run_storm(storm: Storm) -> tuple[list[Finding], list[str]]:
    """Run the storm; return the invariants, and a summary of events."""
    with two_postgres((free_port(), free_port())) as pair:
        upgrade_schema(pair.url)
        business = Business()
        seed_orders(pair.url, business, PARCELS, lambda _: None)
        key = asyncio.run(create_provider_key(pair.url, business))
        asyncio.run(watch_jobs(pair.primary.url("postgres")))
        with data_centre(storm, pair) as nodes:
            return asyncio.run(_run(storm, pair, nodes, business, key))


async def _run(
    storm: Storm, pair: Pair, nodes: Sequence[Node], business: Business, key: str
) -> tuple[list[Finding], list[str]]:
    ledger, faults = Ledger(), Faults(nodes, pair)
    servers = [node for node in nodes if node.port]
    load = MixedLoad(servers, ledger, business.token, key, [business.number(at) for at in range(PARCELS)])
    happening = [faults.kill_at_random(KILL_EVERY_S)]
    happening += [faults.fail_over(storm.seconds / 2)] if storm.fail_over else [faults.cut_listeners(CUT_EVERY_S)]
    receiver = WebhookReceiver()
    async with receiver.listening():
        await _subscribe(servers[0], business.token, receiver.url)
        await load.run(storm.seconds, SETTLE_S, happening)
        primary = (pair.standby if storm.fail_over else pair.primary).url("postgres")
        await _until_jobs_are_done(primary)
    findings = await _judge(ledger, primary, nodes)
    return findings, [*_account(ledger, faults, nodes), _heard(receiver)]


async def _subscribe(node: Node, token: str, url: str) -> None:
    """Subscribe a receiver to new orders."""
    wanted = {"endpoints": [{"url": url, "events": ["order.created"]}]}
    async with httpx.AsyncClient(timeout=60, verify=False) as http:
        path = f"{node.base}/api/v1/webhook-settings"
        (await http.put(path, json=wanted, headers={"Authorization": f"Bearer {token}"})).raise_for_status()


async def _until_jobs_are_done(superuser_url: str) -> None:
    """Wait until jobs of killed workers are done after their lease ends."""
    until = time.monotonic() + LEASES_END_S
    while await jobs_left(superuser_url) and time.monotonic() < until:  # noqa: ASYNC110 (another process ends it)
        await asyncio.sleep(0.5)


def _heard(receiver: WebhookReceiver) -> str:
    twice = sum(count > 1 for count in receiver.heard.values())
    note = "their worker was killed before it could record them"
    return f"webhooks received: {len(receiver.heard):,}, of these {twice} twice ({note})"


async def _judge(ledger: Ledger, superuser_url: str, nodes: Sequence[Node]) -> list[Finding]:
    connection = await asyncpg.connect(superuser_url)
    kept = Counter(row[0] for row in await connection.fetch("SELECT order_ref FROM delivery_order"))
    events = {row[0] for row in await connection.fetch("SELECT event_id FROM tracking_event")}
    await connection.close()
    acknowledged = {id for ids in ledger.events.values() for id in ids}
    lost = len(set(ledger.orders) - kept.keys()) + len(acknowledged - events)
    doubled = sum(count > 1 for count in kept.values())
    killed = {pid: at for node in nodes for pid, at in node.past_pids.items()}
    jobs = await judge_jobs(superuser_url, killed)
    streams = ledger.stream_faults()
    oldest = max(ledger.ages_s, default=0.0)
    errors = sum(n for status, n in ledger.statuses.items() if status.startswith("500"))
    count = len(ledger.orders) + len(acknowledged)
    return [
        Finding(
            "acknowledged writes exist once",
            f"{count:,} acknowledged, {lost} lost, {doubled} doubled",
            not lost + doubled,
        ),
        Finding("no job is done twice", f"{jobs['done']:,} done, {jobs['done twice']} twice", not jobs["done twice"]),
        Finding("every due job is done", f"{jobs['not done']} left", not jobs["not done"]),
        Finding(
            "no job is taken from a live worker",
            str(jobs["taken from the living"]),
            not jobs["taken from the living"],
        ),
        Finding(
            "every stream sees every event once",
            f"{len(ledger.streams)} streams, {streams['lost']} lost, {streams['doubled']} doubled",
            not streams["lost"] + streams["doubled"],
        ),
        Finding(
            "no public response is older than its max-age",
            f"oldest {oldest:.2f} s of {MAX_AGE_S:.0f}",
            oldest < MAX_AGE_S,
        ),
        Finding(
            "no list lacks acknowledged orders",
            f"{ledger.lists:,} lists, {ledger.old_lists} stale",
            not ledger.old_lists,
        ),
        Finding("no caller receives 500", str(errors), not errors),
    ]


def _account(ledger: Ledger, faults: Faults, nodes: Sequence[Node]) -> list[str]:
    kills = ", ".join(f"{node.name} {node.kills}" for node in nodes)
    ages = sorted(ledger.ages_s) or [0.0]
    return [
        f"killed (-9): {kills}; listeners disconnected: {faults.listeners_cut}",
        "responses: " + ", ".join(f"{status} {count:,}" for status, count in ledger.statuses.most_common()),
        f"staleness of public responses: median {statistics.median(ages):.3f} s, p99 {ages[int(len(ages) * 0.99)]:.3f} s",
    ]
