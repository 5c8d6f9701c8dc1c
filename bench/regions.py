"""Installing regions, searching their addresses, and driving on their roads.

Run `python -m bench.regions FILE.osm.pbf …`. Times are processor times of this process, because wall-clock time is
unreliable on a shared machine; a matrix also has its wall-clock time.
"""

import asyncio
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from io import StringIO
from itertools import pairwise
from math import cos, hypot, inf, radians
from pathlib import Path

import numpy as np

from haulier.adapters.database import database_for
from haulier.adapters.migrations import upgrade_schema
from haulier.adapters.regions.addresses import address_lines
from haulier.adapters.regions.extract import read_extract
from haulier.adapters.regions.folder import RegionFolder
from haulier.adapters.regions.install import RegionInstaller
from haulier.adapters.road_travel import RegionRoadShapes, RegionTravel, RoadNetworks, RoadTables
from haulier.adapters.travel_times import COSTINGS, EstimatedTravel, valhalla_table_request
from haulier.app import build_application
from haulier.contexts.identity import public as access
from haulier.contexts.places.address_book.contract import SearchAddress
from haulier.contexts.places.address_book.operations.search import search_address
from haulier.contexts.places.geocoding.rules.open_files import OpenAddressRecord, read_open_file
from haulier.contexts.places.ports import InstalledRegion
from haulier.contexts.places.public import find_packaged_country
from haulier.contexts.planning.ports import GeoPoint, TravelTable
from haulier.kernel.call import call_as_system
from haulier.kernel.data.unit_of_work import Database
from haulier.settings import Settings
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.problem import (
    RoutingJob,
    RoutingObjective,
    RoutingProblem,
    RoutingVehicle,
    TimeWindow,
    VisitRequest,
)
from haulier.solvers.routing.travel import TravelMatrices, TravelMode

PLACES, ORDERS, VANS, DAYS = 200, 60, 4, 5
ITERATIONS = 2_000
SEARCHES = 1_000
LEGS = 100
CELL_DEG = 0.002
"""Size of the cells in which roads are looked up, larger than the greatest distance of interest."""
SHIFT = TimeWindow(0, 10 * 3600)
METRES_PER_DEGREE = 111_195.0
Segment = tuple[Sequence[float], Sequence[float]]


async def measure(extract: Path) -> None:
    """Print the results of one extract."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/haulier.db"
        upgrade_schema(url)
        database = database_for(url)
        await database.open()
        began, cpu = time.monotonic(), time.process_time()
        outcome = await RegionInstaller(Path(folder, "regions"), database).add(extract)
        print(f"\n## {outcome.region.title}\n")
        print(f"- installed in {time.monotonic() - began:.0f} s ({time.process_time() - cpu:.1f} s of this process)")
        networks = RoadNetworks(RegionFolder(Path(folder, "regions")))
        await searches(database, url, extract)
        await database.close()
        await shapes(networks, outcome.region, extract)
        await matrices(networks, outcome.region)
        await routes(networks, outcome.region)


async def searches(database: Database, url: str, extract: Path) -> None:
    """Search addresses of the extract as typed, and without one of their letters."""
    app = build_application(Settings(database=url, background=False), database)
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("a measurement makes a business")
        client = await access.create_client(
            work, code="bench", name="Bench", now=app.clock(), time_zone="UTC", currency="EUR"
        )
    lines = address_lines(read_extract(extract, StringIO()), find_packaged_country)
    records = [record for record in read_open_file(lines, None) if isinstance(record, OpenAddressRecord)]
    numbered = [record for record in records if record.number]
    drawn = random.Random(3)
    sample = drawn.sample(numbered, min(SEARCHES, len(numbered)))
    for kind in ("as typed", "with one mistake"):
        times: list[float] = []
        first = 0
        for record in sample:
            text = f"{record.address} {record.city}"
            query = text if kind == "as typed" else mistyped(text, drawn)
            began = time.process_time()
            async with app.database.read(client) as work:
                call = await call_as_system(app, client, work)
                found = await search_address(call, SearchAddress(search=query, country=record.country))
            times.append(1000 * (time.process_time() - began))
            best = next(iter(found.addresses), None)
            first += best is not None and (best.address, best.city) == (record.address, record.city)
        times.sort()
        print(
            f"- {len(sample)} addresses {kind}: {100 * first / len(sample):.1f} % first, median"
            f" {times[len(times) // 2]:.1f} ms, p99 {times[int(len(times) * 0.99)]:.1f} ms"
        )


def mistyped(text: str, drawn: random.Random) -> str:
    """Return a text with one letter of a word left out, doubled, replaced or swapped."""
    words = text.split(" ")
    at = drawn.choice([at for at, word in enumerate(words) if len(word) > 4 and word.isalpha()] or [0])
    word = words[at]
    place = drawn.randrange(1, max(2, len(word) - 1))
    rest, after = word[:place], word[place + 1 :]
    swapped = rest + word[place + 1 : place + 2] + word[place] + word[place + 2 :]
    words[at] = drawn.choice([rest + after, rest + word[place] + word[place:], f"{rest}x{after}", swapped])
    return " ".join(words)


async def shapes(networks: RoadNetworks, region: InstalledRegion, extract: Path) -> None:
    """Measure how far the points of routes are from the roads of the extract."""
    features = StringIO()
    read_extract(extract, features)
    cells = road_cells(features.getvalue().splitlines())
    places = places_in(region, LEGS + 1, 7)
    lines = [line for line in await RegionRoadShapes(networks).lines(places) if line]
    away = [metres_from_roads(point, cells) for line in lines for point in line.points]
    far = sum(distance > 15 for distance in away)
    print(f"- {len(lines)} lines with {len(away)} points: farthest {max(away):.1f} m from a road, {far} beyond 15 m")


def road_cells(features: Sequence[str]) -> dict[tuple[int, int], list[Segment]]:
    """Return the segments of roads by the cells around them."""
    cells: defaultdict[tuple[int, int], list[Segment]] = defaultdict(list)
    for feature in map(json.loads, features):
        if feature["tippecanoe"]["layer"] == "roads" and feature["geometry"]["type"] == "LineString":
            for start, end in pairwise(feature["geometry"]["coordinates"]):
                steps = 1 + int(max(abs(start[0] - end[0]), abs(start[1] - end[1])) / CELL_DEG)
                middles = [
                    [a + (b - a) * at / steps for a, b in zip(start, end, strict=True)] for at in range(steps + 1)
                ]
                for cell in {near for place in middles for near in cells_around(place)}:
                    cells[cell].append((start, end))
    return cells


def cells_around(place: Sequence[float]) -> list[tuple[int, int]]:
    x, y = (int(part // CELL_DEG) for part in place)
    return [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]


def metres_from_roads(point: Sequence[float], cells: dict[tuple[int, int], list[Segment]]) -> float:
    """Return the distance of a longitude and latitude from the nearest road."""
    wide = METRES_PER_DEGREE * cos(radians(point[1]))
    near = cells.get((int(point[0] // CELL_DEG), int(point[1] // CELL_DEG)), ())
    best = inf
    for start, end in near:
        (ax, ay), (bx, by) = (((x - point[0]) * wide, (y - point[1]) * METRES_PER_DEGREE) for x, y in (start, end))
        length = (bx - ax) ** 2 + (by - ay) ** 2
        share = min(1.0, max(0.0, -(ax * (bx - ax) + ay * (by - ay)) / length)) if length else 0.0
        best = min(best, hypot(ax + share * (bx - ax), ay + share * (by - ay)))
    return best


def places_in(region: InstalledRegion, count: int, seed: int) -> list[GeoPoint]:
    west, south, east, north = region.bounds
    draw = random.Random(seed)
    return [
        (south + (north - south) * draw.uniform(0.1, 0.9), west + (east - west) * draw.uniform(0.1, 0.9))
        for _ in range(count)
    ]


async def matrices(networks: RoadNetworks, region: InstalledRegion) -> None:
    """Measure matrices, and compare them with costmatrix and single routes."""
    places = places_in(region, PLACES, 1)
    for kind in (TravelMode.VAN, TravelMode.BICYCLE, TravelMode.FOOT):
        began, cpu = time.monotonic(), time.process_time()
        tables = RoadTables(networks, region, kind)
        seconds, _ = await tables.table(places, places)
        wall, own = time.monotonic() - began, time.process_time() - cpu
        print(f"- {PLACES} × {PLACES} by {kind.value}: {wall:.1f} s, {own:.1f} s of processor")
        cpu = time.process_time()
        await networks.ask(region, "matrix", valhalla_table_request(places, places, COSTINGS[kind]))
        print(f"  - {own / (time.process_time() - cpu):.2f} of the processor time of Valhalla's `costmatrix`")
        lines = await RegionRoadShapes(networks).lines(places, kind)
        pairs = [(int(seconds[at, at + 1]), line.duration_s) for at, line in enumerate(lines) if line]
        near = sum(abs(own - asked) <= max(1, asked / 100) for own, asked in pairs)
        total = sum(own for own, _ in pairs) / sum(asked for _, asked in pairs)
        print(f"  - {100 * near / len(pairs):.1f} % of {len(pairs)} times within 1 % or 1 s of a single route;", end="")
        print(f" the sum is {100 * total:.2f} % of theirs")


async def routes(networks: RoadNetworks, region: InstalledRegion) -> None:
    """Compare routes built with roads and with great circles, both driven on roads."""
    shares: list[float] = []
    for day in range(DAYS):
        places = places_in(region, ORDERS + 1, 100 + day)
        roads = await RegionTravel(networks).table(places, places)
        estimate = await EstimatedTravel().table(places, places)
        with_roads, without = (driven_s(table, roads) for table in (roads, estimate))
        shares.append(1 - with_roads / without)
        print(f"- day {day + 1}: {with_roads / 60:.0f} min with roads, {without / 60:.0f} min with great circles")
    print(f"- built with roads, {ORDERS} orders take {100 * np.mean(shares):.1f} % less driving")


def driven_s(built_with: TravelTable, roads: TravelTable) -> int:
    """Return the driving time on roads of a day that is built with a table."""
    seconds, metres = (table.copy() for table in built_with)
    np.fill_diagonal(seconds, 0)
    np.fill_diagonal(metres, 0)
    problem = RoutingProblem(
        travel=TravelMatrices(seconds, metres),
        vehicles=tuple(
            RoutingVehicle(id=number, start=0, end=0, shift=SHIFT, capacity=(ORDERS // VANS + 3,))
            for number in range(1, VANS + 1)
        ),
        jobs=tuple(
            RoutingJob(id=place, demand=(1,), delivery=VisitRequest(place=place, service_s=120))
            for place in range(1, ORDERS + 1)
        ),
        dimensions=("parcels",),
        objective=RoutingObjective(cost=0, duration_s=1),
    )
    plan = build_routes(problem, budget=SearchBudget(iterations=ITERATIONS), seed=1).plan
    assert not plan.unassigned
    tours = [[0, *(stop.job for stop in route.stops), 0] for route in plan.routes]
    return sum(int(roads[0][a, b]) for tour in tours for a, b in pairwise(tour))


async def main(extracts: Sequence[str]) -> None:
    for extract in extracts:
        await measure(Path(extract))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
