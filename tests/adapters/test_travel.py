"""Travel times: every source passes the same tests; the two servers' protocols are spoken to a local server."""

from collections.abc import AsyncIterator, Iterator

import httpx
import numpy as np
import pytest
import pytest_asyncio
from tests.adapters.maps import Maps, Place, a_map_server, road

from haulier.adapters.travel import Estimated, Osrm, Remembered, TravelFailed, Travels, Valhalla, between
from haulier.solvers.routing.travel import NO_WAY

TOWN: list[Place] = [(52.0 + n / 100, 5.0 + (n * 7 % 13) / 100) for n in range(13)]
ISLAND: Place = (-10.0, 5.0)


@pytest.fixture
def maps() -> Iterator[Maps]:
    with a_map_server() as server:
        yield server


@pytest_asyncio.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=10) as client:
        yield client


@pytest.fixture(params=["estimated", "osrm", "valhalla", "remembered"])
def travels(request: pytest.FixtureRequest, maps: Maps, client: httpx.AsyncClient) -> Travels:
    kinds: dict[str, Travels] = {
        "estimated": Estimated(),
        "osrm": osrm(maps, client),
        "valhalla": valhalla(maps, client),
        "remembered": Remembered(osrm(maps, client)),
    }
    return kinds[request.param]


@pytest.fixture(params=["osrm", "valhalla"])
def server(request: pytest.FixtureRequest, maps: Maps, client: httpx.AsyncClient) -> Travels:
    return osrm(maps, client) if request.param == "osrm" else valhalla(maps, client)


def osrm(maps: Maps, client: httpx.AsyncClient) -> Osrm:
    return Osrm(client, maps.url, most=10)


def valhalla(maps: Maps, client: httpx.AsyncClient) -> Valhalla:
    return Valhalla(client, maps.url + "/", most=4)


async def test_a_table_has_a_row_a_source_and_a_column_a_target(travels: Travels) -> None:
    seconds, metres = await travels.table(TOWN[:3], TOWN[2:9])
    assert seconds.shape == metres.shape == (3, 7)
    assert (seconds[2, 0], metres[2, 0]) == (0, 0)


async def test_a_part_of_a_table_is_the_table_of_the_part(travels: Travels) -> None:
    seconds, metres = await travels.table(TOWN, TOWN)
    part_s, part_m = await travels.table(TOWN[3:5], TOWN[7:])
    assert (part_s == seconds[3:5, 7:]).all()
    assert (part_m == metres[3:5, 7:]).all()


async def test_places_among_themselves_are_what_a_route_builder_wants(travels: Travels) -> None:
    travel = await between(travels, TOWN)
    assert travel.places == len(TOWN)
    assert (np.diag(travel.duration_s) == 0).all()
    assert (travel.duration_s[~np.eye(len(TOWN), dtype=bool)] > 0).all()


async def test_nothing_asked_is_nothing_answered(travels: Travels) -> None:
    seconds, metres = await travels.table([], [])
    assert seconds.shape == metres.shape == (0, 0)


async def test_a_server_gives_its_roads_in_both_directions(server: Travels) -> None:
    seconds, metres = await server.table(TOWN, TOWN)
    for a, source in enumerate(TOWN):
        for b, target in enumerate(TOWN):
            expected = road(source, target)
            assert expected is not None
            assert seconds[a, b] == pytest.approx(expected[0], abs=1.001)
            assert metres[a, b] == pytest.approx(expected[1], abs=1.001)
    assert (seconds != seconds.T).any()


async def test_what_cannot_be_reached_is_no_way(server: Travels) -> None:
    travel = await between(server, [TOWN[0], ISLAND])
    assert travel.duration_s.tolist() == [[0, NO_WAY], [NO_WAY, 0]]


async def test_a_large_table_is_asked_for_in_blocks_that_the_server_takes(server: Travels, maps: Maps) -> None:
    await server.table(TOWN, TOWN)
    assert sum(maps.asked) == len(TOWN) ** 2
    assert max(maps.asked) <= 25


async def test_a_refusal_has_the_code_of_the_server(maps: Maps, client: httpx.AsyncClient) -> None:
    with pytest.raises(TravelFailed, match="TooBig"):
        await Osrm(client, maps.url, most=100).table(TOWN, TOWN)
    with pytest.raises(TravelFailed, match="InvalidUrl"):
        await Osrm(client, maps.url, profile="boat").table(TOWN[:2], TOWN[:2])
    with pytest.raises(TravelFailed, match="125"):
        await Valhalla(client, maps.url, costing="boat", most=4).table(TOWN[:2], TOWN[:2])


async def test_a_server_that_is_not_there_is_unreachable(client: httpx.AsyncClient) -> None:
    with a_map_server() as gone:
        url = gone.url
    with pytest.raises(TravelFailed, match="unreachable"):
        await Osrm(client, url).table(TOWN[:2], TOWN[:2])


async def test_what_is_remembered_is_not_asked_for_again(maps: Maps, client: httpx.AsyncClient) -> None:
    memory = Remembered(osrm(maps, client))
    first = await memory.table(TOWN[:6], TOWN[:6])
    asked = sum(maps.asked)
    again = await memory.table([(north + 1e-6, east) for north, east in TOWN[:6]], TOWN[:6])
    assert sum(maps.asked) == asked == 36
    assert (first[0] == again[0]).all()


async def test_only_what_is_new_is_asked_for(maps: Maps, client: httpx.AsyncClient) -> None:
    memory = Remembered(osrm(maps, client))
    await memory.table(TOWN[:6], TOWN[:6])
    wider, _ = await memory.table(TOWN[:7], TOWN[:7])
    assert sum(maps.asked) == 36 + 7 + 6
    assert (wider == (await osrm(maps, client).table(TOWN[:7], TOWN[:7]))[0]).all()


async def test_a_full_memory_forgets_and_answers_all_the_same(maps: Maps, client: httpx.AsyncClient) -> None:
    memory = Remembered(osrm(maps, client), most=7)
    first, _ = await memory.table(TOWN[:6], TOWN[:6])
    await memory.table(TOWN[6:12], TOWN[6:12])
    again, _ = await memory.table(TOWN[:6], TOWN[:6])
    assert (first == again).all()
    assert sum(maps.asked) == 3 * 36
