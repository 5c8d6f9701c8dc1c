"""Lines along roads for maps: access, input and the packaged region."""

import pytest
from tests.support.app import App, make_app
from tests.web.page_client import get_page

STATION, MARKET = "60.1712,24.9415", "60.1676,24.9520"


async def test_lines_follow_the_roads_of_a_region(database_url: str) -> None:
    pytest.importorskip("valhalla", reason="the extra `region` is not installed")
    async with make_app(database_url, demo=True) as app:
        (line,) = (await get_page(app, f"/maps/lines?places={STATION};{MARKET}", "admin")).json()["lines"]
        on_foot = (await get_page(app, f"/maps/lines?places={STATION};{MARKET}&mode=foot", "admin")).json()["lines"]
    assert len(line) > 2
    assert on_foot != [line]
    assert all(60 < lat < 61 and 24 < lng < 26 for lat, lng in line)


async def test_locations_without_roads_have_no_line(app: App) -> None:
    assert (await get_page(app, "/maps/lines?places=43.65,-79.38;43.66,-79.38", "admin")).json() == {"lines": [None]}


async def test_lines_are_only_for_signed_in_users(app: App) -> None:
    assert (await app.http.get(f"/maps/lines?places={STATION};{MARKET}")).status_code == 401


async def test_unknown_travel_modes_are_refused(app: App) -> None:
    assert (await get_page(app, f"/maps/lines?places={STATION};{MARKET}&mode=boat", "admin")).status_code == 400


@pytest.mark.parametrize("places", ["", STATION, "a,b;c,d", "91,0;0,0", ";".join([STATION] * 201)])
async def test_invalid_requests_are_refused(app: App, places: str) -> None:
    assert (await get_page(app, f"/maps/lines?places={places}", "admin")).status_code == 400
