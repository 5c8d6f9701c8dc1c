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


async def test_a_table_has_a_row_a_source_and_a_column_a_target(source: TravelTimes) -> None:
    seconds, metres = await source.table(TOWN[:3], TOWN[2:9])
    assert seconds.shape == metres.shape == (3, 7)
    assert (seconds[2, 0], metres[2, 0]) == (0, 0)


async def test_a_part_of_a_table_is_the_table_of_the_part(source: TravelTimes) -> None:
    seconds, metres = await source.table(TOWN, TOWN)
    part_s, part_m = await source.table(TOWN[3:5], TOWN[7:])
    assert (part_s == seconds[3:5, 7:]).all()
    assert (part_m == metres[3:5, 7:]).all()


async def test_places_among_themselves_are_what_a_route_builder_wants(source: TravelTimes) -> None:
    travel = await load_travel_matrix(source, TOWN)
    assert travel.places == len(TOWN)
    assert (np.diag(travel.duration_s) == 0).all()
    assert (travel.duration_s[~np.eye(len(TOWN), dtype=bool)] > 0).all()


def hours(*span: int) -> list[int]:
    """A driver in each of these hours."""
    return [int(hour in range(*span)) for hour in range(24)]


async def test_the_estimate_has_the_traffic_of_the_hours_in_which_drivers_work() -> None:
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


async def test_hours_are_weighed_by_how_many_drivers_work_in_them() -> None:
    few, many = hours(0, 5), [9 * count for count in hours(0, 5)]
    by_day = hours(16, 18)
    mixed = [[a + b for a, b in zip(by_day, night, strict=True)] for night in (few, many)]
    slow, fast = [(await load_travel_matrix(EstimatedTravel(), TOWN, worked)).duration_s.sum() for worked in mixed]
    assert fast < slow


async def test_who_knows_nothing_of_hours_is_asked_without_them(network: TravelTimes) -> None:
    assert (
        (await load_travel_matrix(network, TOWN, hours(0, 5))).duration_s
        == (await load_travel_matrix(network, TOWN)).duration_s
    ).all()


async def test_nothing_asked_is_nothing_answered(source: TravelTimes) -> None:
    seconds, metres = await source.table([], [])
    assert seconds.shape == metres.shape == (0, 0)


async def test_a_server_gives_its_roads_in_both_directions(network: TravelTimes) -> None:
    seconds, metres = await network.table(TOWN, TOWN)
    for a, source in enumerate(TOWN):
        for b, target in enumerate(TOWN):
            expected = road_between(source, target)
            assert expected is not None
            assert seconds[a, b] == pytest.approx(expected[0], abs=1.001)
            assert metres[a, b] == pytest.approx(expected[1], abs=1.001)
    assert (seconds != seconds.T).any()


async def test_what_cannot_be_reached_is_no_way(network: TravelTimes) -> None:
    travel = await load_travel_matrix(network, [TOWN[0], ISLAND])
    assert travel.duration_s.tolist() == [[0, UNREACHABLE], [UNREACHABLE, 0]]


async def test_a_large_table_is_asked_for_in_blocks_that_the_server_takes(
    network: TravelTimes, maps: FakeMapServer
) -> None:
    await network.table(TOWN, TOWN)
    assert sum(maps.asked) == len(TOWN) ** 2
    assert max(maps.asked) <= 25


async def test_a_refusal_has_the_code_of_the_server(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    with pytest.raises(TravelFailed, match="TooBig"):
        await OsrmTravel(client, maps.url, max_size=100).table(TOWN, TOWN)
    with pytest.raises(TravelFailed, match="InvalidUrl"):
        await OsrmTravel(client, maps.url, profile="boat").table(TOWN[:2], TOWN[:2])
    with pytest.raises(TravelFailed, match="125"):
        await ValhallaTravel(client, maps.url, costing="boat", max_size=4).table(TOWN[:2], TOWN[:2])


async def test_a_refusal_of_the_library_has_its_code() -> None:
    with pytest.raises(TravelFailed, match="125"):
        await ValhallaTiles(Library, costing="boat").table(TOWN[:2], TOWN[:2])


async def test_tiles_that_cannot_be_opened_are_a_failure_of_the_table() -> None:
    def gone() -> Library:
        raise FileNotFoundError("Neither tile_extract nor tile_dir exists")

    with pytest.raises(TravelFailed, match="tile_dir"):
        await ValhallaTiles(gone).table(TOWN[:2], TOWN[:2])


async def test_tiles_are_opened_once_and_not_before_they_are_needed() -> None:
    opened: list[Library] = []

    def load() -> Library:
        opened.append(Library())
        return opened[-1]

    tiles = ValhallaTiles(load, max_size=4)
    assert opened == []
    await tiles.table(TOWN, TOWN)
    await tiles.table(TOWN, TOWN)
    assert len(opened) == 1


def test_a_setting_names_tiles_by_the_file_that_describes_them(tmp_path: Path) -> None:
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


async def test_a_server_that_is_not_there_is_unreachable(client: httpx.AsyncClient) -> None:
    with run_map_server() as gone:
        url = gone.url
    with pytest.raises(TravelFailed, match="unreachable"):
        await OsrmTravel(client, url).table(TOWN[:2], TOWN[:2])


async def test_what_is_remembered_is_not_asked_for_again(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    memory = CachedTravel(osrm(maps, client))
    first = await memory.table(TOWN[:6], TOWN[:6])
    asked = sum(maps.asked)
    again = await memory.table([(north + 1e-6, east) for north, east in TOWN[:6]], TOWN[:6])
    assert sum(maps.asked) == asked == 36
    assert (first[0] == again[0]).all()


async def test_only_what_is_new_is_asked_for(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    memory = CachedTravel(osrm(maps, client))
    await memory.table(TOWN[:6], TOWN[:6])
    wider, _ = await memory.table(TOWN[:7], TOWN[:7])
    assert sum(maps.asked) == 36 + 7 + 6
    assert (wider == (await osrm(maps, client).table(TOWN[:7], TOWN[:7]))[0]).all()


async def test_a_full_memory_forgets_and_answers_all_the_same(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
    memory = CachedTravel(osrm(maps, client), max_size=7)
    first, _ = await memory.table(TOWN[:6], TOWN[:6])
    await memory.table(TOWN[6:12], TOWN[6:12])
    again, _ = await memory.table(TOWN[:6], TOWN[:6])
    assert (first == again).all()
    assert sum(maps.asked) == 3 * 36


async def test_an_estimate_of_a_mode_keeps_the_hours_and_has_its_speed() -> None:
    rush = hours(15, 19)
    ridden, _ = await EstimatedTravel(worked=rush).by(TravelMode.BICYCLE).table(TOWN, TOWN)
    assert (ridden == (await EstimatedTravel(TravelMode.BICYCLE).table(TOWN, TOWN))[0]).all()
    truck, _ = await EstimatedTravel(worked=rush).by(TravelMode.TRUCK).table(TOWN, TOWN)
    assert truck.sum() > (await EstimatedTravel(TravelMode.TRUCK).table(TOWN, TOWN))[0].sum()


async def test_tiles_are_opened_once_for_all_modes_and_asked_by_mode() -> None:
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


async def test_a_source_of_one_mode_is_scaled_by_the_estimates(maps: FakeMapServer, client: httpx.AsyncClient) -> None:
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
