"""Ledger throughput and long statements: `python -m bench.ledger`.

It measures postings per second on one shared wallet and on many. Everything runs in this process, so interfaces and
network are not included: each posting is one transaction, by several callers in parallel. Processor microseconds are
those of this process, without PostgreSQL. The entries of long statements are inserted as rows and read through the
operation.
"""

import argparse
import asyncio
import os
import platform
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from sqlalchemy import select, update
from tests.support.app import START, App, make_app

from bench.databases import database_address
from haulier.contexts.billing import public as billing
from haulier.contexts.billing.ledger.store.tables import accounts, entries, transfers
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.values.money import Money

RESULTS_PAGE = Path(__file__).parent / "LEDGER.md"
CALLERS = 8
WALLETS = 200
SIZES = (1_000, 100_000, 1_000_000)
REPEATS = 9
ROWS_AT_ONCE = 20_000
ABOUT = billing.MoneySubject("label", 1)
FIRST_WALLET = 1_000
Step = Callable[[Call, int], Awaitable[object]]


class Speed(NamedTuple):
    """Speed of one kind of posting."""

    name: str
    per_s: float
    cpu_us: float


def cad(minor: int) -> Money:
    return Money(minor, "CAD")


async def top_up(call: Call, number: int) -> None:
    """Top up one of many wallets."""
    await billing.top_up(call, FIRST_WALLET + number % WALLETS, cad(10**6), key=f"t{number}")


async def charge_many(call: Call, number: int) -> None:
    """Charge one of many wallets; every tenth call is a repetition."""
    number -= number % 10 == 9
    await billing.charge(call, FIRST_WALLET + number % WALLETS, cad(1), key=f"m{number}", subject=ABOUT)


async def charge_one(call: Call, number: int) -> None:
    """Charge the same wallet each time."""
    await billing.charge(call, FIRST_WALLET, cad(1), key=f"o{number}", subject=ABOUT)


async def hold_and_capture(call: Call, number: int) -> None:
    """Hold and capture credit of one of many wallets in one transaction."""
    customer = FIRST_WALLET + number % WALLETS
    hold = await billing.hold_credit(call, customer, cad(5), key=f"h{number}", subject=ABOUT)
    await billing.capture_hold(call, hold.id, cad(3), key=f"k{number}")


WAYS: dict[str, Step] = {
    f"top-up, over {WALLETS} wallets": top_up,
    f"charge, over {WALLETS} wallets, a tenth repeated": charge_many,
    "charge, all to one wallet": charge_one,
    f"hold and capture, over {WALLETS} wallets": hold_and_capture,
}


async def in_transaction(app: App, step: Step, number: int) -> None:
    """Run one call in a transaction, and again if the database requests a retry."""
    while True:
        try:
            async with app.database.write(app.clients["demo"]) as work:
                await step(await call_as_system(app.application, app.clients["demo"], work), number)
        except TransactionRetry:
            continue
        return


async def speed_of(app: App, name: str, step: Step, count: int) -> Speed:
    """Run `count` calls by eight callers."""
    numbers = iter(range(count))

    async def caller() -> None:
        for number in numbers:
            await in_transaction(app, step, number)

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Speed(name, count / wall, cpu / count * 1e6)


async def fill(app: App, size: int) -> None:
    """Add entries of one wallet, a second apart, up to a size."""
    wallet = app.ids["customer"]
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        posted = await billing.top_up(call, wallet, cad(1), key=f"grown:{size}")
        found = await work.all(select(accounts.c.id, accounts.c.seq).where(accounts.c.owner_id == wallet))
        ((account, begin),) = found
        row = (await work.all(select(transfers).where(transfers.c.id == posted.transfer_id)))[0]
    for first in range(begin + 1, size + 1, ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, size + 1)
        async with app.database.write(app.clients["demo"]) as work:
            moments = {seq: START + timedelta(seconds=seq) for seq in range(first, last)}
            made = {name: getattr(row, name) for name in row._fields if name not in ("id", "client_id", "key")}
            ids = await work.insert_many(
                transfers, [{**made, "key": f"g{seq}", "at": at} for seq, at in moments.items()]
            )
            lines = [
                {
                    "account_id": account,
                    "seq": seq,
                    "transfer_id": id,
                    "amount_minor": 1,
                    "balance_minor": seq,
                    "at": at,
                }
                for id, (seq, at) in zip(ids, moments.items(), strict=True)
            ]
            await work.insert_many(entries, lines)
    async with app.database.write(app.clients["demo"]) as work:
        newest = {"seq": size, "balance_minor": size, "booked_at": START + timedelta(seconds=size)}
        await work.run(update(accounts).where(accounts.c.id == account).values(**newest))


async def pages(app: App) -> dict[str, float]:
    """Return median milliseconds of statement pages: first, middle and last."""
    whole = {"customer_id": app.ids["customer"], "per_page": 100}
    answer = await app.answer("admin", "get_credit_statement", whole)
    last_day = {**whole, "date_from": f"{START + timedelta(seconds=answer.closing_minor):%Y-%m-%d}"}
    found: dict[str, float] = {}
    for name, asked in {
        "first 100 of everything": whole,
        "the next 100": {**whole, "cursor": answer.next_cursor},
        "first 100 of the last day": last_day,
    }.items():
        times: list[float] = []
        for _ in range(REPEATS):
            before = time.perf_counter()
            await app.answer("admin", "get_credit_statement", asked)
            times.append((time.perf_counter() - before) * 1000)
        found[name] = statistics.median(times)
    return found


async def read_whole(app: App) -> float:
    """Return the seconds to read a whole statement, a thousand entries at a time."""
    asked: dict[str, object] = {"customer_id": app.ids["customer"], "per_page": 1000}
    before = time.perf_counter()
    while cursor := (await app.answer("admin", "get_credit_statement", asked)).next_cursor:
        asked["cursor"] = cursor
    return time.perf_counter() - before


async def measure(url: str, name: str, count: int, sizes: list[int]) -> list[str]:
    """Return the lines of the results page about one database."""
    async with make_app(url) as app:
        speeds = [await speed_of(app, way, step, count) for way, step in WAYS.items()]
        async with app.database.read(app.clients["demo"]) as work:
            if faults := await billing.check_ledger(work):
                raise RuntimeError(faults[0])
        lines = [f"## {name}", "", "| | a second | microseconds of our processor each |", "| --- | ---: | ---: |"]
        lines += [f"| {each.name} | {each.per_s:,.0f} | {each.cpu_us:,.0f} |" for each in speeds]
        lines += ["", "| statement of | " + " | ".join(f"{size:,}" for size in sizes) + " |"]
        lines.append(f"| --- |{' ---: |' * len(sizes)}")
        found: list[dict[str, float]] = []
        for size in sizes:
            await fill(app, size)
            if name == "postgres":
                _analyse()
            found.append(await pages(app))
        lines += [f"| {row}, ms | " + " | ".join(f"{each[row]:.1f}" for each in found) + " |" for row in found[0]]
        lines += ["", f"All {sizes[-1]:,} entries, a thousand at a time: {await read_whole(app):.1f} s.", ""]
    return lines


def _analyse() -> None:
    """Run ANALYZE, as autovacuum does on a real server."""
    from tests.support.databases import cluster

    for table in ("ledger_account", "ledger_transfer", "ledger_entry"):
        cluster().ask(f"ANALYZE {table}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.ledger", description=__doc__)
    parser.add_argument("--count", type=int, default=4000, help="postings of each kind")
    parser.add_argument(
        "--sizes", default=",".join(map(str, SIZES)), help="entries of a statement, with commas between"
    )
    parser.add_argument("--databases", default="sqlite,postgres", help="which, with commas between")
    parser.add_argument("--page", type=Path, default=RESULTS_PAGE, help="where the page is written")
    options = parser.parse_args()
    console = Console()
    page = [
        "# The ledger",
        "",
        f"- date: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"- command: `{' '.join(['python -m bench.ledger', *sys.argv[1:]])}`",
        f"- machine: {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()};"
        f" load average at the beginning {', '.join(f'{load:.1f}' for load in os.getloadavg())}",
        "",
        f"Each posting is one transaction, by {CALLERS} callers in one process; the ledger was checked afterwards."
        " The PostgreSQL server is a test server that does not wait for the disk.",
        "",
    ]
    for name in options.databases.split(","):
        with database_address(name) as url:
            page += asyncio.run(measure(url, name, options.count, [int(size) for size in options.sizes.split(",")]))
        options.page.write_text("\n".join(page))
        console.print(name, "done")


if __name__ == "__main__":
    main()
