"""Address search and geocoding for growing businesses.

Run `python -m bench.address_search [sqlite|postgres] [sizes]`.

Addresses are generated from 4,000 streets, 300 towns and 20,000 names with a fixed seed; half of them belong to one
client, the rest to nine others. Times cover the whole operation in this process, without a network: statement, ranking
and response. A query imitates typing: two or three words in any order, the last one incomplete; one in four ends with a
street type (`Stre`), which a sixth of all addresses contain.

Two times are taken of each search: processor time of this thread and of all PostgreSQL processes, and wall-clock time,
which is unreliable on a shared machine. Rows are inserted outside the measurement, on PostgreSQL with `COPY` and with
indexes built afterwards.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
from scripts.postgres_server import OWNER, run_postgres
from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql

from bench.processor import processes_beside, processor_ms
from haulier.adapters.database import database_for
from haulier.adapters.migrations import upgrade_schema
from haulier.app import build_application
from haulier.contexts.identity import public as access
from haulier.contexts.places.address_book import store
from haulier.contexts.places.address_book.actions import compose_address, record_spellings
from haulier.contexts.places.address_book.contract import CreateAddress, SearchAddress
from haulier.contexts.places.address_book.operations.search import search_address
from haulier.contexts.places.geocoding.actions import import_open_data
from haulier.contexts.places.geocoding.queries import locate_offline
from haulier.contexts.places.ports import AddressText
from haulier.kernel.call import call_as_system
from haulier.kernel.data.full_text import INDEX_SUFFIX, full_text_ddl
from haulier.kernel.operations.records import columns
from haulier.settings import Settings

SIZES = (1_000, 10_000, 100_000, 1_000_000)
OPEN_SIZES = (1_000, 10_000, 100_000)
LOCATED = 5_000
"""Number of addresses geocoded with open data, 100 at a time."""
WARM_UP, QUERIES = 50, 1000
COMMON_WORDS = 0.25
"""Share of queries that end with a very common word."""
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
    """Generator of addresses in a fictional country."""

    def __init__(self) -> None:
        self.random = random.Random(7)
        self.streets = [f"{self.word()} {self.random.choice(KINDS)}" for _ in range(4_000)]
        self.towns = [self.word() for _ in range(300)]
        self.names = [self.word() for _ in range(20_000)]

    def word(self) -> str:
        """Return a word of two to four syllables."""
        return "".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 4))).title()

    def address(self) -> CreateAddress:
        """Return an address; as in reality, a few streets and towns have most of them."""
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
        """Return a query for an address as a user would type it."""
        _, street, kind = address.address.split()
        words = self.random.sample([street, address.city, address.name.split()[0]], self.random.choice((2, 3)))
        if self.random.random() < COMMON_WORDS:
            words = [*words[:-1], kind]
        return " ".join([*words[:-1], words[-1][: self.random.randint(2, 5)]])

    def mistyped(self, address: CreateAddress) -> str:
        """Return two words of an address, one with two letters swapped."""
        street, town = address.address.split()[1], address.city
        at = self.random.randint(0, len(street) - 2)
        return f"{street[:at]}{street[at + 1]}{street[at]}{street[at + 2 :]} {town}"


@contextmanager
def make_empty_database(kind: str) -> Generator[str]:
    """Yield the URL of a migrated database."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="haulier-bench-") as folder:
            url = f"sqlite:///{Path(folder, 'bench.db')}"
            upgrade_schema(url)
            yield url
    else:
        with run_postgres() as server:
            url = server.empty("bench")
            upgrade_schema(url)
            yield url


async def measure(kind: str, sizes: tuple[int, ...]) -> None:
    """Fill a database step by step and measure queries at each size."""
    with make_empty_database(kind) as url:
        app = build_application(Settings(database=url, background=False), database_for(url))
        await app.database.open()
        clients = await _clients(app)
        town, sample, have, known = Town(), list[CreateAddress](), 0, set[str]()
        for size in sizes:
            started = time.perf_counter()
            async with _bulk(kind, url) as bulk:
                while have < size:
                    client = clients[0] if (have // ROWS) % 2 == 0 else clients[1 + (have // ROWS // 2) % 9]
                    some = [town.address() for _ in range(min(ROWS, size - have))]
                    await _write(app, client, some, known, have, bulk)
                    have += len(some)
                    if client == clients[0]:
                        sample = [*sample[-20_000:], *some[:200]]
            filled_s = time.perf_counter() - started
            for name, query in (("typed", town.query), ("mistyped", town.mistyped)):
                times, found = await _ask(app, clients[0], town, sample, query)
                print(_line(f"{kind}, {name}", size, times, found, filled_s), flush=True)
        for size in OPEN_SIZES:
            await _geocoding(app, clients[0], kind, town, size)
        await app.database.close()


async def _clients(app: Any) -> list[int]:
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("a measurement makes businesses")
        words: dict[str, Any] = {"time_zone": "America/Toronto", "currency": "CAD", "now": app.clock()}
        return [await access.create_client(work, code=f"c{n}", name=f"C{n}", **words) for n in range(10)]


@asynccontextmanager
async def _bulk(kind: str, url: str) -> AsyncGenerator[Any]:
    """Yield a connection for `COPY` on PostgreSQL.

    Full-text indexes and statistics are rebuilt at the end.
    """
    if kind != "postgres":
        yield None
        return
    # Another role: owners cannot copy rows into tables with row-level security.
    connection = await asyncpg.connect(url.replace(OWNER, "postgres", 1))
    await connection.execute(f'DROP INDEX IF EXISTS "address_words{INDEX_SUFFIX}_beginnings"')
    yield connection
    for statement in full_text_ddl(store.address_words, postgresql.dialect()):
        await connection.execute(statement)
    await connection.execute("SELECT setval(pg_get_serial_sequence('address', 'id'), max(id)) FROM address")
    for table in ("address", "address_words", "address_spelling", "open_address"):
        await connection.execute(f"VACUUM (ANALYZE) {table}")
    await connection.close()


async def _write(app: Any, client: int, some: list[CreateAddress], known: set[str], after: int, bulk: Any) -> None:
    """Insert addresses and learn spellings that are new to the client."""
    written = [compose_address(client, address.model_dump(), store.OFFICE_BOOK) for address in some]
    async with app.database.write(client) as work:
        call = await call_as_system(app, client, work)
        own = {"created_at": call.now, "updated_at": call.now, "quality": "pin", "customer_id": store.OFFICE_BOOK}
        rows = [columns(store.addresses, each.values, **own) for each in written]
        words = [each.words for each in written]
        if bulk is None:
            await store.insert_addresses(work, rows, words)
        else:
            await _copy(bulk, client, rows, words, after)
        await record_spellings(call, [each.values for each in written if not known.issuperset(each.words.split())])
        known.update(word for each in written for word in each.words.split())


async def _copy(bulk: Any, client: int, rows: list[dict[str, Any]], words: list[str], after: int) -> None:
    names = list(rows[0])
    records = [(after + at, client, *(row[name] for name in names)) for at, row in enumerate(rows, start=1)]
    await bulk.copy_records_to_table("address", records=records, columns=["id", "client_id", *names])
    found_by = [(after + at, client, each) for at, each in enumerate(words, start=1)]
    await bulk.copy_records_to_table("address_words", records=found_by, columns=["id", "client_id", "words"])


async def _ask(
    app: Any, client: int, town: Town, sample: list[CreateAddress], query: Callable[[CreateAddress], str]
) -> tuple[list[tuple[float, float]], int]:
    """Return processor and wall-clock milliseconds of each search, and the hits."""
    times: list[tuple[float, float]] = []
    found, servers = 0, list[int]()
    for turn in range(WARM_UP + QUERIES):
        if turn == WARM_UP:  # all connections of one caller exist now, each with its PostgreSQL process
            times, found, servers = [], 0, await _postgres(app)
        request = SearchAddress(search=query(town.random.choice(sample)))
        begun, started = processor_ms(servers), time.perf_counter()
        async with app.database.read(client) as work:
            answer = await search_address(await call_as_system(app, client, work), request)
        waited = 1000 * (time.perf_counter() - started)
        times.append((processor_ms(servers) - begun, waited))
        found += bool(answer.addresses)
    return times, found


async def _postgres(app: Any) -> list[int]:
    """Return the database server processes, if there is a server."""
    if app.database.dialect == "sqlite":
        return []
    async with app.database.read(None) as work:
        return processes_beside(await work.value(select(func.pg_backend_pid())))


def _line(kind: str, size: int, times: list[tuple[float, float]], found: int, filled_s: float) -> str:
    processor, clock = (sorted(each) for each in zip(*times, strict=True))
    at = {share: int(len(times) * share / 100) for share in (50, 95, 99)}
    cells = [f"{values[place]:.1f}" for values in (processor, clock) for place in at.values()]
    return f"| {kind} | {size:,} | {' | '.join(cells)} | {found / len(times):.1%} | {size / filled_s:,.0f} |"


async def _geocoding(app: Any, client: int, kind: str, town: Town, size: int) -> None:
    """Import open data of a size in place of the last, and geocode addresses with it."""
    addresses = [town.address() for _ in range(size)]
    lines = ["LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n"]
    for address in addresses:
        number, street = address.address.split(" ", 1)
        lines.append(f"-79.1,43.1,{number},{street},,{address.city},,ON,{address.postal_code},,\n")
    servers = await _postgres(app)
    begun, started = processor_ms(servers), time.perf_counter()
    await import_open_data(app.database, lines, source="bench", country="CA")
    imported_s, imported_ms = time.perf_counter() - started, processor_ms(servers) - begun
    some = town.random.choices(addresses, k=LOCATED)
    texts = [AddressText("CA", each.address, each.city, "ON", each.postal_code) for each in some]
    begun, started = processor_ms(servers), time.perf_counter()
    for start in range(0, len(texts), 100):
        async with app.database.read(client) as work:
            await locate_offline(await call_as_system(app, client, work), texts[start : start + 100])
    located_s, located_ms = time.perf_counter() - started, processor_ms(servers) - begun
    print(
        f"| {kind}, open addresses | {size:,} | {size / imported_s:,.0f} | {1000 * imported_ms / size:,.0f} |"
        f" {LOCATED / located_s:,.0f} | {1000 * located_ms / LOCATED:,.0f} |",
        flush=True,
    )


def main() -> None:
    """Measure the given databases."""
    kinds = [word for word in sys.argv[1:] if not word.isdecimal()] or ["sqlite", "postgres"]
    sizes = tuple(int(word) for word in sys.argv[1:] if word.isdecimal()) or SIZES
    for kind in kinds:
        asyncio.run(measure(kind, sizes))


if __name__ == "__main__":
    main()
