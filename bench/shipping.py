"""Cost of shipping: rates, labels, manifests, and a storm of purchases.

`python -m bench.shipping` measures in one process on a new SQLite file, through the whole pipeline without sockets, and
writes `bench/SHIPPING.md`. Processor time counts, because wall-clock time is unreliable on a shared machine.
"""

import argparse
import asyncio
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from tests.contexts.shipping.makers import SENDER, SHIPMENT
from tests.processes.label_storm import faults_after, storm
from tests.support.app import App, make_app
from tests.support.databases import migrated_file

from haulier.contexts.shipping.uniorder.contract import MAX_JOB

PAGE = Path(__file__).parent / "SHIPPING.md"
CARRIERS = 10
console = Console(width=120)


class Measured(NamedTuple):
    """Wall-clock seconds of each of several calls, and processor seconds in total."""

    name: str
    calls: int
    clock_s: list[float]
    processor_s: float

    def line(self) -> str:
        """Return a table row."""
        ordered = sorted(self.clock_s)
        middle, late = statistics.median(ordered), ordered[int(len(ordered) * 0.99) - 1]
        each = self.processor_s / self.calls
        return f"| {self.name} | {self.calls} | {each * 1000:.1f} | {1 / each:.0f} | {middle * 1000:.1f} | {late * 1000:.1f} |"


async def measure(name: str, calls: int, one: Callable[[int], Awaitable[object]]) -> Measured:
    """Call a function several times in succession."""
    for number in range(min(20, calls)):
        await one(-1 - number)
    clock: list[float] = []
    began = time.process_time()
    for number in range(calls):
        start = time.perf_counter()
        await one(number)
        clock.append(time.perf_counter() - start)
    return Measured(name, calls, clock, time.process_time() - began)


async def cases(app: App, rates: int, labels: int) -> list[Measured]:
    """Measure rates and labels, and the manifests of all labels."""
    for number in range(CARRIERS):
        opened = {"carrier": "HOUSE", "name": f"Van {number}", "sender": SENDER, "default": number == 0}
        await app.answer("admin", "open_carrier_account", opened)
    found = [
        await measure("rate over 10 carriers", rates, lambda n: app.answer("admin", "get_shipping_rate", SHIPMENT)),
        await measure(
            "buy a label by its service", labels, lambda n: app.answer("admin", "create_shipping_label", _label(n))
        ),
    ]
    begun, start = time.process_time(), time.perf_counter()
    day = await app.answer("admin", "end_of_day", {}, confirmed=True)
    took = Measured(f"end of the day, each of {day.closed}", day.closed, [], time.process_time() - begun)
    clock = (time.perf_counter() - start) / day.closed
    return [
        *found,
        took._replace(clock_s=[clock] * 100),
        *[await uniorder_job(app, kind) for kind in ("label", "local")],
    ]


async def uniorder_job(app: App, kind: str) -> Measured:
    """Measure a job of the maximum number of orders until it is done, per order."""
    form = {**SHIPMENT, "shipper": SENDER}
    way = {"kind": "label", "service": "ground"} if kind == "label" else {}
    orders = [{"order": form, "order_ref": f"J-{kind}-{number}", **way} for number in range(MAX_JOB)]
    begun, start = time.process_time(), time.perf_counter()
    job = await app.answer("admin", "uniorder_create_batch_async", {"orders": orders}, confirmed=True)
    await app.work_off()
    clock = (time.perf_counter() - start) / MAX_JOB
    done = await app.answer("admin", "uniorder_job", {"jobId": job.job_id})
    if done.done != MAX_JOB:
        raise RuntimeError(f"{done.done} of {MAX_JOB} were done")
    name = f"Uniorder, a job of {MAX_JOB} ({kind}), each"
    return Measured(name, MAX_JOB, [clock] * 100, time.process_time() - begun)


def _label(number: int) -> dict[str, Any]:
    return {"shipment": SHIPMENT, "service": "ground", "order_ref": f"B{number}"}


async def run(rates: int, labels: int) -> list[Measured]:
    """Measure on a new database."""
    with tempfile.TemporaryDirectory() as folder:
        async with make_app(migrated_file(Path(folder))) as app:
            app.application.callers.cache.seconds = time.monotonic
            return await cases(app, rates, labels)


def page(found: list[Measured], command: str, stormy: str) -> str:
    """Return the results page."""
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    rows = "\n".join(each.line() for each in found)
    circumstances = (
        f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, {machine}, SQLite, load average {os.getloadavg()[0]:.0f}."
    )
    return f"""# Cost of shipping

{circumstances}

One process, through the whole pipeline without sockets. Carriers are own fleets with two services each, so a request has
twenty rates. A label takes three transactions: its claim, the lease of the process that calls the carrier, and the
outcome.

| | calls | processor ms each | a second and core | p50 ms by the clock | p99 ms |
|---|---|---|---|---|---|
{rows}
{stormy}"""


def describe_storm(purchases: int, kills: int) -> str:
    """Return the outcome of a storm of purchases."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        ledger, database = storm(Path(folder), purchases, kills)
        faults = faults_after(ledger, database, purchases)
        took = time.perf_counter() - start
    outcome = "; ".join(faults) or "each was sold once, stored once, and posted once"
    return f"""
## The storm

{purchases} purchases, each requested twice, from a carrier that drops, delays or garbles 40 of 100 responses, while {kills}
servers were killed, in {took:.0f} s: {len(ledger.sold)} labels were sold; {outcome}.
"""


def main() -> None:
    """Measure and write the results page."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rates", type=int, default=1000)
    arguments.add_argument("--labels", type=int, default=1000)
    arguments.add_argument("--storm", type=int, default=0, help="purchases of the storm; none without it")
    options = arguments.parse_args()
    found = asyncio.run(run(options.rates, options.labels))
    stormy = describe_storm(options.storm, kills=3) if options.storm else ""
    command = f"python -m bench.shipping --rates {options.rates} --labels {options.labels} --storm {options.storm}"
    PAGE.write_text(page(found, command, stormy))
    console.print(PAGE.read_text())


if __name__ == "__main__":
    main()
