"""Travel times: every source passes the same tests, with local servers."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
import pytest_asyncio
from tests.adapters.fake_map_server import FakeMapServer, Place, road_between, run_map_server

from haulier.adapters.travel_times import (
    CachedTravel,
    EstimatedTravel,
    OsrmTravel,
    ScaledTravel,
    TravelFailed,
    TravelTimes,
    ValhallaTiles,
    ValhallaTravel,
    travel_for,
)
from haulier.contexts.planning.builds.queries import load_travel_matrix
from haulier.settings import InvalidSetting, Settings
from haulier.solvers.routing.travel import UNREACHABLE, TravelMode


class Library:
    """Stand-in for pyvalhalla's `Actor`: text in and out, errors with a code."""

    def __init__(self, asked: list[int] | None = None) -> None:
        self.asked = [] if asked is None else asked
        self.within = 0

    def matrix(self, req: str) -> str:
        """Return a table over the fictional roads; one call at a time, like the library."""
        self.within += 1
        assert self.within == 1
        body = json.loads(req)
        if body["costing"] not in {"auto", "bicycle"}:
            fault = RuntimeError("No costing method found")
            fault.code = 125  # type: ignore[attr-defined]
            raise fault
        sources, targets = ([(each["lat"], each["lon"]) for each in body[name]] for name in ("sources", "targets"))
        self.asked.append(len(sources) * len(targets))
        found = [[road_between(a, b) for b in targets] for a in sources]
        slow = 3 if body["costing"] == "bicycle" else 1
        rows = [[{"time": at and int(at[0]) * slow, "distance": at and at[1] / 1000} for at in row] for row in found]
        self.within -= 1
        return json.dumps({"sources_to_targets": rows, "units": body["units"]})


TOWN: list[Place] = [(52.0 + n / 100, 5.0 + (n * 7 % 13) / 100) for n in range(13)]
ISLAND: Place = (-10.0, 5.0)


@pytest.fixture
def maps() -> Iterator[FakeMapServer]:
    with run_map_server() as server:
        yield server


@pytest_asyncio.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=60) as client:
        yield client


@pytest.fixture(params=["estimated", "osrm", "valhalla", "tiles", "remembered"])
def source(request: pytest.FixtureRequest, maps: FakeMapServer, client: httpx.AsyncClient) -> TravelTimes:
    kinds: dict[str, TravelTimes] = {
        "estimated": EstimatedTravel(),
        "osrm": osrm(maps, client),
        "valhalla": valhalla(maps, client),
        "tiles": ValhallaTiles(Library, max_size=4),
        "remembered": CachedTravel(osrm(maps, client)),
    }
    return kinds[request.param]


@pytest.fixture(params=["osrm", "valhalla", "tiles"])
def network(request: pytest.FixtureRequest, maps: FakeMapServer, client: httpx.AsyncClient) -> TravelTimes:
    if request.param == "tiles":
        return ValhallaTiles(lambda: Library(maps.asked), max_size=4)
    return osrm(maps, client) if request.param == "osrm" else valhalla(maps, client)


def osrm(maps: FakeMapServer, client: httpx.AsyncClient) -> OsrmTravel:
    return OsrmTravel(client, maps.url, max_size=10)


def valhalla(maps: FakeMapServer, client: httpx.AsyncClient) -> ValhallaTravel:
    return ValhallaTravel(client, maps.url + "/", max_size=4)


async def test_a_table_has_a_row_per_source_and_a_column_per_target(source: TravelTimes) -> None:
    seconds, metres = await source.table(TOWN[:3], TOWN[2:9])
    assert seconds.shape == metres.shape == (3, 7)
    assert (seconds[2, 0], metres[2, 0]) == (0, 0)


async def test_a_subtable_equals_the_table_of_its_locations(source: TravelTimes) -> None:
    seconds, metres = await source.table(TOWN, TOWN)
    part_s, part_m = await source.table(TOWN[3:5], TOWN[7:])
    assert (part_s == seconds[3:5, 7:]).all()
    assert (part_m == metres[3:5, 7:]).all()


async def test_a_square_table_serves_the_route_builder(source: TravelTimes) -> None:
    travel = await load_travel_matrix(source, TOWN)
    assert travel.places == len(TOWN)
    assert (np.diag(travel.duration_s) == 0).all()
    assert (travel.duration_s[~np.eye(len(TOWN), dtype=bool)] > 0).all()


def hours(*span: int) -> list[int]:
    """A driver in each of these hours."""
    return [int(hour in range(*span)) for hour in range(24)]


async def test_the_estimate_uses_the_traffic_of_working_hours() -> None:
    usual, night, rush = [
        (await load_travel_matrix(EstimatedTravel(), TOWN, worked)).duration_s
        for worked in ([], hours(0, 5), hours(16, 18))
    ]
    away = ~np.eye(len(TOWN), dtype=bool)
    assert (night[away] < usual[away]).all()
    assert (usual[away] < rush[away]).all()
    assert ((await load_travel_matrix(EstimatedTravel(), TOWN, hours(8, 18))).duration_s == usual).all(), (
        "a usual day is a usual day"
    )


async def test_hours_are_weighted_by_the_number_of_working_drivers() -> None:
    few, many = hours(0, 5), [9 * count for count in hours(0, 5)]
    by_day = hours(16, 18)
    mixed = [[a + b for a, b in zip(by_day, night, strict=True)] for night in (few, many)]
    slow, fast = [(await load_travel_matrix(EstimatedTravel(), TOWN, worked)).duration_s.sum() for worked in mixed]
    assert fast < slow


async def test_sources_without_hourly_data_are_queried_without_hours(network: TravelTimes) -> None:
    assert (
        (await load_travel_matrix(network, TOWN, hours(0, 5))).duration_s
        == (await load_travel_matrix(network, TOWN)).duration_s
    ).all()


async def test_an_empty_query_has_an_empty_result(source: TravelTimes) -> None:
    seconds, metres = await source.table([], [])
    assert seconds.shape == metres.shape == (0, 0)


async def test_a_server_returns_roads_in_both_directions(network: TravelTimes) -> None:
    seconds, metres = await network.table(TOWN, TOWN)
    for a, source in enumerate(TOWN):
        for b, target in enumerate(TOWN):
            expected = road_between(source, target)
            assert expected is not None
            assert seconds[a, b] == pytest.approx(expected[0], abs=1.001)
            assert metres[a, b] == pytest.approx(expected[1], abs=1.001)
    assert (seconds != seconds.T).any()


async def test_unreachable_locations_have_no_route(network: TravelTimes) -> None:
    travel = await load_travel_matrix(network, [TOWN[0], ISLAND])
    assert travel.duration_s.tolist() == [[0, UNREACHABLE], [UNREACHABLE, 0]]


async def test_a_large_table_is_requested_in_blocks_the_server_accepts(
    network: TravelTimes, maps: FakeMapServer
) -> None:
    await network.table(TOWN, TOWN)
    assert sum(maps.asked) == len(TOWN) ** 2
    assert max(maps.asked) <= 25


async def test_a_refusal_has_the_servers_code(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    with pytest.raises(TravelFailed, match="TooBig"):
        await OsrmTravel(client, maps.url, max_size=100).table(TOWN, TOWN)
    with pytest.raises(TravelFailed, match="InvalidUrl"):
        await OsrmTravel(client, maps.url, profile="boat").table(TOWN[:2], TOWN[:2])
    with pytest.raises(TravelFailed, match="125"):
        await ValhallaTravel(client, maps.url, costing="boat", max_size=4).table(TOWN[:2], TOWN[:2])


async def test_a_refusal_by_the_library_has_its_code() -> None:
    with pytest.raises(TravelFailed, match="125"):
        await ValhallaTiles(Library, costing="boat").table(TOWN[:2], TOWN[:2])


async def test_unreadable_tiles_fail_the_table() -> None:
    def gone() -> Library:
        raise FileNotFoundError("Neither tile_extract nor tile_dir exists")

    with pytest.raises(TravelFailed, match="tile_dir"):
        await ValhallaTiles(gone).table(TOWN[:2], TOWN[:2])


async def test_tiles_are_opened_once_when_needed() -> None:
    opened: list[Library] = []

    def load() -> Library:
        opened.append(Library())
        return opened[-1]

    tiles = ValhallaTiles(load, max_size=4)
    assert opened == []
    await tiles.table(TOWN, TOWN)
    await tiles.table(TOWN, TOWN)
    assert len(opened) == 1


def test_a_setting_names_tiles_by_their_configuration_file(tmp_path: Path) -> None:
    config = tmp_path / "valhalla.json"
    address = f"valhalla+file:{config}"
    assert Settings(travel=address).travel == address
    with pytest.raises(InvalidSetting, match="which is no file"):
        travel_for(address)
    config.write_text("{}")
    try:
        import valhalla  # noqa: F401
    except ImportError:
        with pytest.raises(InvalidSetting, match=r"haulier\[tiles\]"):
            travel_for(address)
    else:
        assert isinstance(travel_for(address), CachedTravel)


async def test_an_unavailable_server_is_reported_as_unreachable(client: httpx.AsyncClient) -> None:
    with run_map_server() as gone:
        url = gone.url
    with pytest.raises(TravelFailed, match="unreachable"):
        await OsrmTravel(client, url).table(TOWN[:2], TOWN[:2])


async def test_cached_pairs_are_not_requested_again(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    memory = CachedTravel(osrm(maps, client))
    first = await memory.table(TOWN[:6], TOWN[:6])
    asked = sum(maps.asked)
    again = await memory.table([(north + 1e-6, east) for north, east in TOWN[:6]], TOWN[:6])
    assert sum(maps.asked) == asked == 36
    assert (first[0] == again[0]).all()


async def test_only_new_pairs_are_requested(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    memory = CachedTravel(osrm(maps, client))
    await memory.table(TOWN[:6], TOWN[:6])
    wider, _ = await memory.table(TOWN[:7], TOWN[:7])
    assert sum(maps.asked) == 36 + 7 + 6
    assert (wider == (await osrm(maps, client).table(TOWN[:7], TOWN[:7]))[0]).all()


async def test_a_full_cache_evicts_entries_and_still_answers(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    memory = CachedTravel(osrm(maps, client), max_size=7)
    first, _ = await memory.table(TOWN[:6], TOWN[:6])
    await memory.table(TOWN[6:12], TOWN[6:12])
    again, _ = await memory.table(TOWN[:6], TOWN[:6])
    assert (first == again).all()
    assert sum(maps.asked) == 3 * 36


async def test_an_estimate_for_a_mode_keeps_the_hours_at_its_own_speed() -> None:
    rush = hours(15, 19)
    ridden, _ = await EstimatedTravel(worked=rush).by(TravelMode.BICYCLE).table(TOWN, TOWN)
    assert (ridden == (await EstimatedTravel(TravelMode.BICYCLE).table(TOWN, TOWN))[0]).all()
    truck, _ = await EstimatedTravel(worked=rush).by(TravelMode.TRUCK).table(TOWN, TOWN)
    assert truck.sum() > (await EstimatedTravel(TravelMode.TRUCK).table(TOWN, TOWN))[0].sum()


async def test_tiles_are_opened_once_for_all_modes_and_queried_by_mode() -> None:
    opened: list[Library] = []

    def load() -> Library:
        opened.append(Library())
        return opened[-1]

    cached = CachedTravel(ValhallaTiles(load, max_size=4))
    driven, metres = await cached.table(TOWN[:4], TOWN[:4])
    ridden, same = await cached.by(TravelMode.BICYCLE).table(TOWN[:4], TOWN[:4])
    assert (len(opened), (metres == same).all()) == (1, True)
    assert ridden.sum() > 2.5 * driven.sum()
    assert cached.by(TravelMode.BICYCLE) is cached.by(TravelMode.BICYCLE)
    assert cached.by(TravelMode.VAN) is cached


async def test_a_single_mode_source_is_scaled_by_the_estimates(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    driven = CachedTravel(osrm(maps, client))
    usual, metres = await driven.table(TOWN[:4], [*TOWN[:4], ISLAND])
    asked = sum(maps.asked)
    walked = driven.by(TravelMode.FOOT)
    assert isinstance(walked, ScaledTravel)
    seconds, same = await walked.table(TOWN[:4], [*TOWN[:4], ISLAND])
    assert ((metres == same).all(), sum(maps.asked)) == (True, asked)
    assert (seconds[:, 4] == UNREACHABLE).all()
    ratio = seconds[0, 1] / usual[0, 1]
    estimates = [(await EstimatedTravel(mode).table(TOWN[:1], TOWN[1:2]))[0][0, 0] for mode in TravelMode]
    assert ratio == pytest.approx(estimates[4] / estimates[0], rel=0.01)
