"""Address search and geocoding as a business grows: `python -m bench.address_search [sqlite|postgres] [sizes]`.

Addresses are made up of 4,000 streets, 300 towns and 20,000 names, by a fixed seed; half of them belong to one client, the rest
to nine others. Times are of the whole operation in this process, without a network: statement, ranking, answer. A query is what
somebody types: two or three words in any order, the last one begun. On SQLite, which runs in this very thread, times are of the
processor, because a machine that is shared would be measured otherwise; on PostgreSQL, a server of its own, of the wall clock.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from scripts.a_postgres import a_postgres

from haulier.adapters.database import database_for
from haulier.adapters.migrations import upgrade_schema
from haulier.app import build_application
from haulier.contexts.identity import public as access
from haulier.contexts.places.address_book.actions.addresses import compose_address, learn_spellings
from haulier.contexts.places.address_book.contract.addresses import CreateAddress, SearchAddress
from haulier.contexts.places.address_book.operations.search import search_address
from haulier.contexts.places.address_book.store import addresses as store
from haulier.contexts.places.geocoding.actions.import_open_data import import_open_data
from haulier.contexts.places.geocoding.queries.locate import locate_offline
from haulier.contexts.places.ports import AddressText
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.records import columns
from haulier.settings import Settings

SIZES = (10_000, 100_000, 1_000_000)
QUERIES = 1000
ROWS = 2_000
KINDS = ("Street", "Ave", "Road", "Blvd", "Crescent", "Lane")
SYLLABLES = (
    "bra",
    "cor",
    "dun",
    "el",
    "fin",
    "gar",
    "hal",
    "is",
    "ken",
    "lor",
    "mac",
    "nor",
    "os",
    "pem",
    "quin",
    "ros",
    "sta",
    "tor",
    "ver",
    "wes",
)


class Town:
    """A made-up country."""

    def __init__(self) -> None:
        self.random = random.Random(7)
        self.streets = [f"{self.word()} {self.random.choice(KINDS)}" for _ in range(4_000)]
        self.towns = [self.word() for _ in range(300)]
        self.names = [self.word() for _ in range(20_000)]

    def word(self) -> str:
        """A word of two to four syllables."""
        return "".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4))).title()

    def address(self) -> CreateAddress:
        """An address; a few streets and towns have most of them, as in the world."""
        pick: Callable[[list[str]], str] = lambda words: words[int(len(words) * self.random.random() ** 2)]  # noqa: E731
        letters = "ABCEGHJKLM"
        code = f"{self.random.choice(letters)}{self.random.randint(0, 9)}{self.random.choice(letters)}"
        return CreateAddress(
            name=f"{pick(self.names)} {pick(self.names)}",
            address=f"{self.random.randint(1, 400)} {pick(self.streets)}",
            city=pick(self.towns),
            region="ON",
            postal_code=f"{code} {self.random.randint(0, 9)}{self.random.choice(letters)}{self.random.randint(0, 9)}",
            country="CA",
            phone=f"+1416{self.random.randint(1_000_000, 9_999_999)}",
            lat=43.0,
            lng=-79.0,
        )

    def query(self, address: CreateAddress) -> str:
        """What somebody types to find an address."""
        street, town, name = address.address.split()[1], address.city, address.name.split()[0]
        words = self.random.sample([street, town, name], self.random.choice((2, 3)))
        return " ".join([*words[:-1], words[-1][: self.random.randint(2, 5)]])

    def mistyped(self, address: CreateAddress) -> str:
        """Two words of an address, of which one has two letters the wrong way round."""
        street, town = address.address.split()[1], address.city
        at = self.random.randint(0, len(street) - 2)
        return f"{street[:at]}{street[at + 1]}{street[at]}{street[at + 2 :]} {town}"


@contextmanager
def an_empty_database(kind: str) -> Generator[str]:
    """The address of a migrated database."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
            url = f"sqlite:///{Path(folder, 'bench.db')}"
            upgrade_schema(url)
            yield url
    else:
        with a_postgres() as server:
            url = server.empty("bench")
            upgrade_schema(url)
            yield url


async def measure(kind: str, sizes: tuple[int, ...]) -> None:
    """Fill a database step by step, and ask it at each size."""
    with an_empty_database(kind) as url:
        app = build_application(Settings(database=url, background=False), database_for(url))
        await app.database.open()
        clients = await _clients(app)
        town, sample, have = Town(), list[CreateAddress](), 0
        for size in sizes:
            started = time.perf_counter()
            while have < size:
                client = clients[0] if (have // ROWS) % 2 == 0 else clients[1 + (have // ROWS // 2) % 9]
                some = [town.address() for _ in range(min(ROWS, size - have))]
                await _write(app, client, some)
                have += len(some)
                if client == clients[0]:
                    sample = [*sample[-20_000:], *some[:200]]
            filled_s = time.perf_counter() - started
            await _settle(kind, url)
            for name, query in (("typed", town.query), ("mistyped", town.mistyped)):
                before = _processor_s()
                times, found = await _ask(app, clients[0], town, sample, query)
                mean_ms = 1000 * (_processor_s() - before) / QUERIES
                print(_line(f"{kind}, {name}", size, times, found, filled_s, mean_ms), flush=True)
        await _geocoding(app, clients[0], kind, town)
        await app.database.close()


async def _clients(app: Any) -> list[int]:
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("a measurement makes businesses")
        words: dict[str, Any] = {"time_zone": "America/Toronto", "currency": "CAD", "now": app.clock()}
        return [await access.create_client(work, code=f"c{n}", name=f"C{n}", **words) for n in range(10)]


async def _write(app: Any, client: int, some: list[CreateAddress]) -> None:
    written = [compose_address(client, address.model_dump(), store.OFFICE_BOOK) for address in some]
    async with app.database.write(client) as work:
        call = await call_as_system(app, client, work)
        times = {"created_at": call.now, "updated_at": call.now, "quality": "pin"}
        rows = [columns(store.addresses, each.values, **times) for each in written]
        await store.insert_addresses(work, rows, [each.words for each in written])
        await learn_spellings(call, [each.values for each in written])


async def _settle(kind: str, url: str) -> None:
    """What autovacuum does by itself within a minute on a server that runs on."""
    if kind == "postgres":
        import asyncpg

        connection = await asyncpg.connect(url)
        for table in ("address", "address_words", "address_spelling", "open_address"):
            await connection.execute(f"VACUUM (ANALYZE) {table}")
        await connection.close()


async def _ask(
    app: Any, client: int, town: Town, sample: list[CreateAddress], query: Callable[[CreateAddress], str]
) -> tuple[list[float], int]:
    times: list[float] = []
    found = 0
    clock = time.thread_time if app.database.dialect == "sqlite" else time.perf_counter
    for _ in range(QUERIES):
        request = SearchAddress(query=query(town.random.choice(sample)))
        started = clock()
        async with app.database.read(client) as work:
            answer = await search_address(await call_as_system(app, client, work), request)
        times.append(1000 * (clock() - started))
        found += bool(answer.addresses)
    return sorted(times), found


def _processor_s() -> float:
    """Seconds of the processor that this process and the database server below it have used."""
    here = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (here, *_servers()))


def _servers() -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if _is_ours(process)]


def _is_ours(process: psutil.Process) -> bool:
    try:
        if process.name() != "postgres":
            return False
        parents = [process, *process.parents()]
        return any("haulier-postgres-" in word for parent in parents for word in parent.cmdline())
    except psutil.Error:
        return False


def _line(kind: str, size: int, times: list[float], found: int, filled_s: float, mean_ms: float) -> str:
    at = {share: times[int(len(times) * share / 100)] for share in (50, 95, 99)}
    return (
        f"| {kind} | {size:,} | {at[50]:.1f} | {at[95]:.1f} | {at[99]:.1f} | {mean_ms:.1f} | {found / len(times):.1%} |"
        f" {filled_s:.0f} |"
    )


async def _geocoding(app: Any, client: int, kind: str, town: Town) -> None:
    """Open data imported, and addresses located in it."""
    addresses = [town.address() for _ in range(50_000)]
    lines = ["LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n"]
    for address in addresses:
        number, street = address.address.split(" ", 1)
        lines.append(f"-79.1,43.1,{number},{street},,{address.city},,ON,{address.postal_code},,\n")
    started = time.perf_counter()
    await import_open_data(app.database, lines, source="bench", country="CA")
    imported_s = time.perf_counter() - started
    texts = [AddressText("CA", each.address, each.city, "ON", each.postal_code) for each in addresses[:5_000]]
    started = time.perf_counter()
    for start in range(0, len(texts), 100):
        async with app.database.read(client) as work:
            await locate_offline(await call_as_system(app, client, work), texts[start : start + 100])
    located_s = time.perf_counter() - started
    print(
        f"{kind}: open data imported at {len(addresses) / imported_s:,.0f} rows/s;"
        f" addresses located at {len(texts) / located_s:,.0f}/s, 100 at a time",
        flush=True,
    )


def main() -> None:
    """Measure the databases that are named."""
    kinds = [word for word in sys.argv[1:] if not word.isdecimal()] or ["sqlite", "postgres"]
    sizes = tuple(int(word) for word in sys.argv[1:] if word.isdecimal()) or SIZES
    for kind in kinds:
        asyncio.run(measure(kind, sizes))


if __name__ == "__main__":
    main()
