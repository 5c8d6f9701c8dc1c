"""Travel times and distances between places.

Sources: an embedded estimate, OSRM, or Valhalla, with a cache for any of them.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from haulier.adapters.http_client import open_client
from haulier.contexts.planning.ports import GeoPoint, ModeAware, TravelFailed, TravelTable, TravelTimes
from haulier.late_import import LateModule
from haulier.settings import InvalidSetting
from haulier.solvers.routing.travel import UNREACHABLE, Matrix, TravelMode
from haulier.solvers.routing.travel_estimate import estimate_travel, traffic_factor

if TYPE_CHECKING:
    import httpx
    import numpy as np
else:
    httpx = LateModule("httpx")
    np = LateModule("numpy")

__all__ = [
    "COSTINGS",
    "CachedTravel",
    "EstimatedTravel",
    "OsrmTravel",
    "RemoteOsrm",
    "RemoteValhalla",
    "ScaledTravel",
    "TravelFailed",
    "TravelTimes",
    "ValhallaActor",
    "ValhallaTiles",
    "ValhallaTravel",
    "table_in_blocks",
    "travel_for",
]

MAX_CONCURRENT_REQUESTS = 4
"""Maximum number of concurrent requests to one server."""
TIMEOUT_S = 60.0
LOCAL_TILES_PREFIX = "valhalla+file:"
"""Prefix of a setting that names a Valhalla configuration file with local tiles."""
COSTINGS = {
    TravelMode.VAN: "auto",
    TravelMode.TRUCK: "truck",
    TravelMode.SCOOTER: "motor_scooter",
    TravelMode.BICYCLE: "bicycle",
    TravelMode.FOOT: "pedestrian",
}
"""Valhalla's name of each travel mode."""
METRES_PER_UNIT = {"kilometers": 1000.0, "km": 1000.0, "miles": 1609.344, "mi": 1609.344}


class EstimatedTravel:
    """Embedded default: great circles and typical speeds, without a server."""

    def __init__(self, mode: TravelMode = TravelMode.VAN, worked: Sequence[int] = ()) -> None:
        self._mode, self._worked = mode, worked

    def by(self, mode: TravelMode) -> "EstimatedTravel":
        """Return the estimate for another travel mode."""
        return EstimatedTravel(mode, self._worked)

    def during(self, worked: Sequence[int]) -> "EstimatedTravel":
        """Return the estimate for the traffic of the given working hours.

        `worked` has the number of active drivers for each of the 24 hours of a local day.
        """
        return EstimatedTravel(self._mode, worked)

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return an estimate (`haulier.solvers.routing.travel_estimate`).

        Runs in a thread, because a thousand places take a tenth of a second.
        """
        return await asyncio.to_thread(self._table, list(sources), list(targets))

    def _table(self, sources: list[GeoPoint], targets: list[GeoPoint]) -> TravelTable:
        if sources == targets:
            travel = estimate_travel(sources, mode=self._mode)
            return self._in_traffic(travel.duration_s), travel.distance_m
        travel = estimate_travel([*sources, *targets], mode=self._mode)
        block = np.s_[: len(sources), len(sources) :]
        return self._in_traffic(travel.duration_s[block]), travel.distance_m[block].copy()

    def _in_traffic(self, seconds: Matrix) -> Matrix:
        """Adjust times from the mean speed of a day to the mean speed in working hours."""
        if not any(self._worked):
            return seconds.copy()
        speeds = [count * traffic_factor(self._mode, hour) for hour, count in enumerate(self._worked)]
        slower = traffic_factor(self._mode, None) * sum(self._worked) / sum(speeds)
        return np.ceil(np.round(seconds * slower, 6)).astype(np.int32)


class OsrmTravel:
    """Table service of an OSRM server (protocol v1).

    `max_size` is its `--max-table-size`.
    """

    def __init__(self, client: "httpx.AsyncClient", url: str, *, profile: str = "driving", max_size: int = 100) -> None:
        self._client, self._url, self._profile, self._max_size = client, url.rstrip("/"), profile, max_size

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return times and distances on the server's road network.

        Unreachable places are `UNREACHABLE`.
        """
        return await table_in_blocks(sources, targets, (self._max_size // 2, self._max_size // 2), self._block)

    async def _block(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        coordinates = ";".join(f"{east:.6f},{north:.6f}" for north, east in (*sources, *targets))
        parameters = {
            "annotations": "duration,distance",
            "sources": ";".join(map(str, range(len(sources)))),
            "destinations": ";".join(map(str, range(len(sources), len(sources) + len(targets)))),
            "generate_hints": "false",
        }
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        url = f"{self._url}/table/v1/{self._profile}/{coordinates}?{query}"
        answer = await _json_object_of(self._client.get(url))
        if answer.get("code") != "Ok":
            raise TravelFailed(str(answer.get("code")), str(answer.get("message", "")))
        shape = (len(sources), len(targets))
        return _int_matrix(answer.get("durations"), shape, up=True), _int_matrix(answer.get("distances"), shape)


class ValhallaTravel:
    """Matrix service of a Valhalla server.

    `max_size` squared is its `max_matrix_location_pairs`.
    """

    def __init__(self, client: "httpx.AsyncClient", url: str, *, costing: str = "auto", max_size: int = 50) -> None:
        self._client, self._url, self._costing, self._max_size = client, url.rstrip("/"), costing, max_size

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return times and distances on the server's road network.

        Unreachable places are `UNREACHABLE`.
        """
        return await table_in_blocks(sources, targets, (self._max_size, self._max_size), self._block)

    async def _block(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        body = valhalla_table_request(sources, targets, self._costing)
        answer = await _json_object_of(self._client.post(f"{self._url}/sources_to_targets", json=body))
        return parse_valhalla_table(answer, (len(sources), len(targets)))


class ValhallaActor(Protocol):
    """Subset of pyvalhalla's `Actor` that is used here, with JSON in and out."""

    def matrix(self, req: str) -> str:
        """Return a matrix. Raises `RuntimeError` with the reason if there is none."""
        ...


class ValhallaTiles:
    """Valhalla within this process.

    Uses the library `pyvalhalla` with local tiles, which a configuration file describes. `load` opens the tiles on the
    first request. Requests run in a thread, one at a time.
    """

    def __init__(self, load: Callable[[], ValhallaActor], *, costing: str = "auto", max_size: int = 50) -> None:
        self._load, self._costing, self._max_size = load, costing, max_size
        self._actor: ValhallaActor | None = None
        self._turn = asyncio.Lock()

    def by(self, mode: TravelMode) -> "ValhallaTiles":
        """Return the source for another travel mode, on the same opened tiles."""
        other = copy(self)
        other._load, other._costing = self._open, COSTINGS[mode]
        return other

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return times and distances on the tiles' road network.

        Unreachable places are `UNREACHABLE`.
        """
        return await table_in_blocks(sources, targets, (self._max_size, self._max_size), self._block)

    async def _block(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        body = json.dumps(valhalla_table_request(sources, targets, self._costing))
        async with self._turn:
            answer = await asyncio.to_thread(self._ask, body)
        return parse_valhalla_table(answer, (len(sources), len(targets)))

    def _ask(self, body: str) -> dict[str, Any]:
        try:
            return json.loads(self._open().matrix(body))
        except (RuntimeError, OSError) as fault:
            raise TravelFailed(str(getattr(fault, "code", "no_table")), str(fault)) from fault

    def _open(self) -> ValhallaActor:
        self._actor = self._actor or self._load()
        return self._actor


class ScaledTravel:
    """Times of another mode from a source that knows only vans.

    Distances are the source's. Times are scaled by the ratio of the two estimates.
    """

    def __init__(self, travels: TravelTimes, mode: TravelMode) -> None:
        self._travels, self._mode = travels, mode

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return scaled times, and the distances of the source."""
        seconds, metres = await self._travels.table(sources, targets)
        usual, _ = await EstimatedTravel().table(sources, targets)
        own, _ = await EstimatedTravel(self._mode).table(sources, targets)
        scaled = np.ceil(seconds * np.where(usual > 0, own / np.maximum(usual, 1), 1.0))
        return np.where(seconds >= UNREACHABLE, UNREACHABLE, scaled).astype(np.int32), metres


class CachedTravel:
    """Cache in front of another source. Places are identified by rounded coordinates.

    `digits` of 4 are about 11 m. When more than `max_size` places are known, all but those of the current request are
    dropped.
    """

    def __init__(self, travels: TravelTimes, *, digits: int = 4, max_size: int = 4000) -> None:
        self._travels, self._digits, self._max_size = travels, digits, max_size
        self._rows: dict[GeoPoint, int] = {}
        self._seconds = self._metres = _unknown_matrix(0)
        self._asking = asyncio.Lock()
        self._others: dict[TravelMode, CachedTravel] = {}

    def by(self, mode: TravelMode) -> TravelTimes:
        """Return the source for another travel mode, with a cache of its own.

        Times of a source without modes are scaled.
        """
        if mode is TravelMode.VAN:
            return self
        if not isinstance(self._travels, ModeAware):
            return ScaledTravel(self, mode)
        if mode not in self._others:
            other = self._travels.by(mode)
            self._others[mode] = CachedTravel(other, digits=self._digits, max_size=self._max_size)
        return self._others[mode]

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return cached values, after requesting missing ones in two tables."""
        rows, columns = self._rounded(sources), self._rounded(targets)
        async with self._asking:
            self._make_room(list(dict.fromkeys([*rows, *columns])))
            await self._learn(list(dict.fromkeys(rows)), list(dict.fromkeys(columns)))
            block = np.ix_([self._rows[place] for place in rows], [self._rows[place] for place in columns])
            return self._seconds[block], self._metres[block]

    def _rounded(self, places: Sequence[GeoPoint]) -> list[GeoPoint]:
        return [(round(north, self._digits), round(east, self._digits)) for north, east in places]

    def _make_room(self, places: Sequence[GeoPoint]) -> None:
        """Add a row and a column for each place."""
        if len(self._rows.keys() | set(places)) > self._max_size:
            known_places = [place for place in places if place in self._rows]
            block = np.ix_([self._rows[place] for place in known_places], [self._rows[place] for place in known_places])
            self._seconds, self._metres = self._seconds[block], self._metres[block]
            self._rows = {place: row for row, place in enumerate(known_places)}
        for place in places:
            self._rows.setdefault(place, len(self._rows))
        wider = _unknown_matrix(len(self._rows)), _unknown_matrix(len(self._rows))
        for new, old in zip(wider, (self._seconds, self._metres), strict=True):
            new[: len(old), : len(old)] = old
        self._seconds, self._metres = wider

    async def _learn(self, rows: list[GeoPoint], columns: list[GeoPoint]) -> None:
        """Request mostly unknown rows as a whole, then the columns missing in other rows."""
        unknown = self._seconds[np.ix_(*self._numbers(rows, columns))] < 0
        new = [place for place, row in zip(rows, unknown, strict=True) if row.sum() > len(columns) // 2]
        await self._ask(new, columns)
        old = [place for place in rows if place not in set(new)]
        unknown = self._seconds[np.ix_(*self._numbers(old, columns))] < 0
        await self._ask(old, [place for place, lacks in zip(columns, unknown.any(axis=0), strict=True) if lacks])

    async def _ask(self, rows: list[GeoPoint], columns: list[GeoPoint]) -> None:
        if rows and columns:
            seconds, metres = await self._travels.table(rows, columns)
            block = np.ix_(*self._numbers(rows, columns))
            self._seconds[block], self._metres[block] = seconds, metres

    def _numbers(self, rows: list[GeoPoint], columns: list[GeoPoint]) -> tuple[list[int], list[int]]:
        return [self._rows[place] for place in rows], [self._rows[place] for place in columns]


class RemoteOsrm:
    """Remote OSRM server, with a connection for each table. It has one mode."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return the server's times and distances. Raises `TravelFailed`."""
        async with open_client(timeout=TIMEOUT_S) as http:
            return await OsrmTravel(http, self._url).table(sources, targets)


class RemoteValhalla:
    """Remote Valhalla server, with a connection for each table."""

    def __init__(self, url: str, mode: TravelMode = TravelMode.VAN) -> None:
        self._url, self._mode = url, mode

    def by(self, mode: TravelMode) -> "RemoteValhalla":
        """Return the source for another travel mode."""
        return RemoteValhalla(self._url, mode)

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return the server's times and distances. Raises `TravelFailed`."""
        async with open_client(timeout=TIMEOUT_S) as http:
            return await ValhallaTravel(http, self._url, costing=COSTINGS[self._mode]).table(sources, targets)


def travel_for(address: str | None) -> TravelTimes:
    """Return the source that a setting names, with a cache.

    Settings look like `osrm+http://host:5000` or `valhalla+https://host`. Without one, returns the estimate. Raises
    `InvalidSetting` for local tiles without their library or configuration file.
    """
    if address and address.startswith(LOCAL_TILES_PREFIX):
        return CachedTravel(_open_tiles(Path(address.removeprefix(LOCAL_TILES_PREFIX))))
    if not address:
        return EstimatedTravel()
    kind, _, url = address.partition("+")
    return CachedTravel(RemoteOsrm(url) if kind == "osrm" else RemoteValhalla(url))


def _open_tiles(config: Path) -> ValhallaTiles:
    if not config.is_file():
        raise InvalidSetting(f"setting 'travel' names {config}, which is no file")
    try:
        library: Any = import_module("valhalla")
    except ImportError:
        raise InvalidSetting("setting 'travel' needs the extra `tiles`: install haulier[tiles]") from None
    return ValhallaTiles(lambda: library.Actor(str(config)))


def valhalla_table_request(sources: Sequence[GeoPoint], targets: Sequence[GeoPoint], costing: str) -> dict[str, Any]:
    """Return the request of a table for Valhalla."""
    return {
        "sources": [{"lat": north, "lon": east} for north, east in sources],
        "targets": [{"lat": north, "lon": east} for north, east in targets],
        "costing": costing,
        "units": "kilometers",
    }


def parse_valhalla_table(answer: dict[str, Any], shape: tuple[int, int]) -> TravelTable:
    """Return the table of Valhalla's answer. Raises `TravelFailed`."""
    if "sources_to_targets" not in answer:
        raise TravelFailed(str(answer.get("error_code", "no_table")), str(answer.get("error", "")))
    rows, unit = answer["sources_to_targets"], METRES_PER_UNIT.get(str(answer.get("units")), 1000.0)
    try:
        if isinstance(rows, dict):
            return _compact_table(cast("dict[str, Any]", rows), unit, shape)
        seconds = [[cell["time"] for cell in row] for row in rows]
        metres = [[_scaled(cell["distance"], unit) for cell in row] for row in rows]
    except (TypeError, KeyError) as fault:
        raise TravelFailed("malformed", "the table has cells without time or distance") from fault
    return _int_matrix(seconds, shape, up=True), _int_matrix(metres, shape)


def _compact_table(rows: dict[str, Any], unit: float, shape: tuple[int, int]) -> TravelTable:
    """Return the table of an answer without a document for each cell."""
    metres = [[_scaled(distance, unit) for distance in row] for row in rows["distances"]]
    return _int_matrix(rows["durations"], shape, up=True), _int_matrix(metres, shape)


def _unknown_matrix(size: int) -> Matrix:
    return np.full((size, size), -1, dtype=np.int32)


async def table_in_blocks(
    sources: Sequence[GeoPoint],
    targets: Sequence[GeoPoint],
    size: tuple[int, int],
    block: Callable[[Sequence[GeoPoint], Sequence[GeoPoint]], Awaitable[TravelTable]],
) -> TravelTable:
    """Combine a large table from blocks, requesting a few at once.

    `size` is the maximum number of sources and of targets in a block.
    """
    seconds, metres = np.zeros((2, len(sources), len(targets)), dtype=np.int32)
    rows, columns = size
    gate = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)

    async def fill(top: int, left: int) -> None:
        part = np.s_[top : top + rows, left : left + columns]
        async with gate:
            seconds[part], metres[part] = await block(sources[top : top + rows], targets[left : left + columns])

    try:
        async with asyncio.TaskGroup() as group:
            for top in range(0, len(sources), rows):
                for left in range(0, len(targets), columns):
                    group.create_task(fill(top, left))
    except* TravelFailed as faults:
        failed = next(_leaf_faults(faults))
    else:
        return seconds, metres
    raise failed


def _leaf_faults(group: BaseExceptionGroup[TravelFailed]) -> Iterator[TravelFailed]:
    for fault in group.exceptions:
        if isinstance(fault, BaseExceptionGroup):
            yield from _leaf_faults(fault)
        else:
            yield fault


async def _json_object_of(request: "Awaitable[httpx.Response]") -> dict[str, Any]:
    """Return the JSON object of a response with any status.

    Both servers explain errors in it.
    """
    try:
        response = await request
        answer = response.json()
    except httpx.HTTPError as fault:
        raise TravelFailed("unreachable", type(fault).__name__) from fault
    except ValueError as fault:
        raise TravelFailed("malformed", "the answer is not JSON") from fault
    if not isinstance(answer, dict):
        raise TravelFailed("malformed", "the answer is not an object")
    return answer


def _scaled(number: float | None, unit: float) -> float | None:
    return None if number is None else number * unit


def _int_matrix(rows: object, shape: tuple[int, int], *, up: bool = False) -> Matrix:
    """Return a table of numbers and nulls as integers, with `UNREACHABLE` for null."""
    try:
        table = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as fault:
        raise TravelFailed("malformed", "the table holds something else than numbers") from fault
    if table.shape != shape:
        raise TravelFailed("malformed", f"the table is {table.shape} and not {shape}")
    numbers = np.ceil(table) if up else np.rint(table)
    return np.where(np.isnan(table), UNREACHABLE, np.minimum(numbers, UNREACHABLE)).astype(np.int32)
