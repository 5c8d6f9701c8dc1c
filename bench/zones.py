"""Zone lookups and nearby places as data grows: `python -m bench.zones`.

Zones: a business has 10 to 10,000 active zones of 40 corners each, and looks up one location after the other. Places: a
business has 1,000 to 1,000,000, most of them in towns, and queries the nearest. The functions of the service are called
in this process, on both databases. Results are average processor times of this process and of the database, since
wall-clock time is unreliable on a shared machine.
"""

import argparse
import asyncio
import math
import random
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import asyncpg
import psutil
from msgspec import json
from rich.console import Console

from bench.databases import database_address, postgres_version
from bench.seed import Business, analyse, seed_people
from haulier.app import build_application
from haulier.contexts.places.points_of_interest import store as place_store
from haulier.contexts.places.points_of_interest.queries import find_nearest_points, get_opening_periods
from haulier.contexts.places.ports import ZONES_CHANNEL
from haulier.contexts.places.zone_maps import store as zone_store
from haulier.contexts.places.zone_maps.queries import get_zone_index
from haulier.contexts.places.zone_maps.rules import find_zone_effects
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.clock import utc_now
from haulier.settings import Settings

ZONES = (10, 100, 1_000, 10_000)
PLACES = (1_000, 10_000, 100_000, 1_000_000)
CORNERS = 40
ASKED = 100
CHUNK = 20_000
MOMENTS = ("created_at", "updated_at")
RESULTS_PAGE = Path(__file__).parent / "ZONES.md"
WEST, SOUTH, EAST, NORTH = -125.0, 25.0, -70.0, 55.0
HOURS = {
    "time_zone": None,
    "weekly": [{"weekdays": [1, 2, 3, 4, 5], "opens": "08:00", "closes": "18:00"}],
    "exceptions": [],
}


class Measured(NamedTuple):
    """Average result of one query at one size."""

    question: str
    database: str
    size: int
    process_ms: float
    server_ms: float
    statements: float


class Spent:
    """Processor time since creation, of this process and of PostgreSQL backends."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._process, self._server = time.process_time(), self._backends()

    def _backends(self) -> float:
        if self._app.database.dialect == "sqlite":
            return 0.0
        from tests.support.databases import cluster

        asked = "SELECT pid FROM pg_stat_activity WHERE datname IS NOT NULL AND datname <> 'postgres'"
        pids = [row[0] for row in cluster().ask(asked, name="postgres")]
        return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)

    def each_ms(self, count: int) -> tuple[float, float]:
        """Return the milliseconds per query of this process and of the server."""
        process = time.process_time() - self._process
        return process * 1000 / count, (self._backends() - self._server) * 1000 / count


def make_zone(at: int, count: int, draw: random.Random) -> dict[str, Any]:
    """Return a round zone in a grid of slightly overlapping zones, for map 1."""
    side = math.ceil(math.sqrt(count))
    width, height = (EAST - WEST) / side, (NORTH - SOUTH) / side
    x, y = WEST + (at % side + 0.5) * width, SOUTH + (at // side + 0.5) * height
    turns = [2 * math.pi * corner / CORNERS for corner in range(CORNERS)]
    ring = [
        (x + 0.6 * width * draw.uniform(0.9, 1) * math.cos(t), y + 0.6 * height * draw.uniform(0.9, 1) * math.sin(t))
        for t in turns
    ]
    ring.append(ring[0])
    return {
        "zone_map_id": 1,
        "code": f"z{at}",
        "name": f"Zone {at}",
        "since": 1,
        "until": None,
        "rule": "surcharge",
        "priority": 0,
        "colour": None,
        "terms": {"surcharge_minor": 100},
        "digest": str(at),
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "area_m2": width * height * 1e10,
        **dict(zip(("west", "east"), (min(p[0] for p in ring), max(p[0] for p in ring)), strict=True)),
        **dict(zip(("south", "north"), (min(p[1] for p in ring), max(p[1] for p in ring)), strict=True)),
    }


def make_town_or_field(draw: random.Random, towns: list[tuple[float, float]]) -> tuple[float, float]:
    """Return a location; two of three are in a town."""
    if draw.random() < 0.67:
        lat, lng = draw.choice(towns)
        return lat + draw.gauss(0, 0.05), lng + draw.gauss(0, 0.07)
    return draw.uniform(SOUTH, NORTH), draw.uniform(WEST, EAST)


def make_place(at: int, spot: tuple[float, float]) -> dict[str, Any]:
    """Return the row of a place; one of twenty has opening hours."""
    values: dict[str, Any] = {
        "name": f"Place {at % 977} {at}",
        "category": f"kind_{at % 50}",
        "lat": spot[0],
        "lng": spot[1],
        "address": None,
        "geometry": None,
        "opening_hours": HOURS if at % 20 == 0 else None,
        "stop_radius_m": 25,
        "access_notes": None,
        "source": "bench",
        "reference": f"r{at}",
    }
    columns = place_store.place_columns(values)
    hours = json.encode(values["opening_hours"]).decode() if values["opening_hours"] else None
    return {**values, **columns, "opening_hours": hours, **dict.fromkeys(MOMENTS, utc_now())}


async def measure_each(
    app: Application, client_id: int, ask: Callable[[Call, int], Awaitable[Any]]
) -> tuple[float, float, float]:
    """Return the average milliseconds of process and server, and statements."""
    for at in range(5):
        async with app.database.read(client_id) as work:
            await ask(await call_as_system(app, client_id, work), at)
    statements, calls = 0, Spent(app)
    for _ in range(ASKED):
        async with app.database.read(client_id) as work:
            await call_as_system(app, client_id, work)
    usual, spent = calls.each_ms(ASKED), Spent(app)
    for at in range(ASKED):
        async with app.database.read(client_id) as work:
            call = await call_as_system(app, client_id, work)
            before = work.statements
            await ask(call, at)
            statements += work.statements - before
    process, server = spent.each_ms(ASKED)
    return max(0.0, process - usual[0]), max(0.0, server - usual[1]), statements / ASKED


async def measure_zones(app: Application, database: str, client_id: int) -> list[Measured]:
    """Measure each size, with the zones in one published version."""
    draw, found = random.Random(1), list[Measured]()
    for number, size in enumerate(ZONES, 1):
        await _publish_zones(app, client_id, size, number, draw)
        async with app.database.read(client_id) as work:
            call = await call_as_system(app, client_id, work)
            before, spent = work.statements, Spent(app)
            index = await get_zone_index(call)
            assert index.count == size
            found.append(Measured("zones: first read", database, size, *spent.each_ms(1), work.statements - before))
        spots = [(draw.uniform(SOUTH, NORTH), draw.uniform(WEST, EAST)) for _ in range(ASKED)]

        async def ask(call: Call, at: int, spots: list[tuple[float, float]] = spots) -> None:
            find_zone_effects(await get_zone_index(call), spots[at])

        found.append(Measured("zones: at a place", database, size, *await measure_each(app, client_id, ask)))
    return found


async def _publish_zones(app: Application, client_id: int, size: int, number: int, draw: random.Random) -> None:
    async with app.database.write(client_id) as work:
        if number == 1:
            await zone_store.insert_map(work, {"name": "Zones", "description": None}, utc_now())
        await work.run(zone_store.zones.delete())
        rows = [make_zone(at, size, draw) for at in range(size)]
        for first in range(0, size, CHUNK):
            await work.insert_many(zone_store.zones, rows[first : first + CHUNK])
        version = {"zone_map_id": 1, "number": number, "published_at": utc_now(), "published_by": None, "note": None}
        await zone_store.insert_version(work, {**version, "zones": size})
        work.notify(ZONES_CHANNEL, str(client_id))


async def measure_places(app: Application, url: str, database: str, client_id: int, sizes: list[int]) -> list[Measured]:
    """Measure each size with the same queries."""
    draw, found = random.Random(2), list[Measured]()
    towns = [(draw.uniform(SOUTH, NORTH), draw.uniform(WEST, EAST)) for _ in range(60)]
    spots = [make_town_or_field(draw, towns) for _ in range(ASKED)]
    stops = {at: make_town_or_field(draw, towns) for at in range(1_000)}

    async def nearest(call: Call, at: int) -> None:
        await find_nearest_points(call, spots[at], radius_m=20_100_000, limit=20)

    async def nearest_of_kind(call: Call, at: int) -> None:
        await find_nearest_points(call, spots[at], radius_m=20_100_000, category=f"kind_{at % 50}", limit=20)

    async def around(call: Call, at: int) -> None:
        await find_nearest_points(call, spots[at], radius_m=2_000, limit=200)

    async def by_name(call: Call, at: int) -> None:
        wanted: dict[str, Any] = {"category": None, "source": None, "search": f"place {at * 9}"}
        await place_store.list_point_rows(call.work, **wanted, after=("", 0), limit=50)

    async def opening(call: Call, at: int) -> None:
        await get_opening_periods(call, stops, date(2026, 6, 10))

    questions = {
        "places: the nearest 20": nearest,
        "places: the nearest 20 of one category in 50": nearest_of_kind,
        "places: up to 200 within 2 km": around,
        "places: 50 by the beginning of the name": by_name,
        "places: opening hours at 1,000 stops": opening,
    }
    stored = 0
    for size in sizes:
        while stored < size:
            rows = [make_place(at, make_town_or_field(draw, towns)) for at in range(stored, min(size, stored + CHUNK))]
            await insert_places(url, client_id, rows)
            stored += len(rows)
        await analyse(url)
        async with app.database.write(client_id) as work:  # a separate commit makes writes of other processes visible
            await place_store.delete_point(work, 0)
        for question, ask in questions.items():
            found.append(Measured(question, database, size, *await measure_each(app, client_id, ask)))
            print(found[-1], flush=True)
    return found


async def insert_places(url: str, client_id: int, rows: list[dict[str, Any]]) -> None:
    """Insert rows directly: through the service, a million would take too long."""
    names = ["client_id", *rows[0]]
    if url.startswith("sqlite"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        connection.execute("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF")
        places = ", ".join("?" * len(names))
        with connection:
            written = ({**row, **{name: row[name].isoformat()[:-6] + "Z" for name in MOMENTS}} for row in rows)
            insert = f"INSERT INTO point_of_interest ({', '.join(names)}) VALUES ({places})"
            connection.executemany(insert, ((client_id, *row.values()) for row in written))
        connection.close()
        return
    from tests.support.databases import cluster

    connection = await asyncpg.connect(cluster().url(role="postgres"))
    records = [(client_id, *row.values()) for row in rows]
    await connection.copy_records_to_table("point_of_interest", records=records, columns=names)
    await connection.close()


async def measure(url: str, database: str, sizes: list[int]) -> list[Measured]:
    """Measure both on one database."""
    app, business = build_application(Settings(database=url, background=False, rate_limits=False)), Business()
    await app.database.open()
    try:
        await seed_people(app.database, business)
        zones = await measure_zones(app, database, business.client_id)
        return zones + await measure_places(app, url, database, business.client_id, sizes)
    finally:
        await app.database.close()


def page(found: list[Measured], versions: str) -> str:
    """Return the tables: a row for each query and database, a column for each size."""
    lines = ["# Zones and places", "", (__doc__ or "").partition("\n\n")[2].strip(), "", versions, ""]
    for kind, sizes in (
        ("zones", sorted({m.size for m in found if m.question.startswith("zones")})),
        ("places", sorted({m.size for m in found if m.question.startswith("places")})),
    ):
        lines += [f"Milliseconds of the process + of PostgreSQL, and statements; {kind} of the business:", ""]
        lines += [f"| question | database | {' | '.join(f'{size:,}' for size in sizes)} |"]
        lines += ["| --- | --- |" + " ---: |" * len(sizes)]
        for question in dict.fromkeys(m.question for m in found if m.question.startswith(kind)):
            for database in dict.fromkeys(m.database for m in found):
                by_size = {m.size: m for m in found if (m.question, m.database) == (question, database)}
                cells = [_cell(by_size.get(size)) for size in sizes]
                lines.append(f"| {question.partition(': ')[2]} | {database} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(measured: Measured | None) -> str:
    if measured is None:
        return ""
    server = f" + {measured.server_ms:.2g}" if measured.database != "sqlite" else ""
    return f"{measured.process_ms:.2g}{server} ms, {measured.statements:.2g}"


def main() -> int:
    """Measure, print and store the results page."""
    parser = argparse.ArgumentParser(prog="python -m bench.zones", description=__doc__)
    parser.add_argument("--databases", default="sqlite,postgres")
    parser.add_argument("--places", default=",".join(map(str, PLACES)), help="how many places, growing")
    given = parser.parse_args()
    found: list[Measured] = []
    for name in given.databases.split(","):
        with database_address(name) as url:
            found += asyncio.run(measure(url, name, [int(size) for size in given.places.split(",")]))
    text = page(found, f"`python -m bench.zones`, PostgreSQL {postgres_version()}.")
    Console().print(text, highlight=False)
    RESULTS_PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
