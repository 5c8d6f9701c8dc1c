"""The operator's tile server is named only by pages with maps."""

from tests.support.app import App, make_app
from tests.web.page_client import get_page

TILES = "https://{s}.tiles.example/{z}/{x}/{y}.png"


async def test_a_page_with_a_map_names_the_tile_server_and_its_policy_allows_it(database_url: str) -> None:
    async with make_app(database_url, map_tiles=TILES, map_tiles_credit="Map makers") as app:
        page = await get_page(app, "/dispatch", "admin")
    assert f'"tiles": {{"address": "{TILES}", "credit": "Map makers"}}' in page.text
    assert "; connect-src 'self' https://*.tiles.example; " in page.headers["Content-Security-Policy"]


async def test_without_a_tile_server_no_other_host_is_requested(app: App) -> None:
    page = await get_page(app, "/dispatch", "admin")
    assert '"tiles": null' in page.text
    assert "; img-src 'self' data:; connect-src 'self'; " in page.headers["Content-Security-Policy"]
