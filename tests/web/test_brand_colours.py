"""Any colour of a business is readable on its tracking page, in both modes."""

import re

from tests.support.app import App
from tests.support.every_case import for_every

from haulier.kernel.values.colours import CONTRAST, DARK_GROUNDS, LIGHT_GROUNDS, contrast, on_colour
from haulier.web.pages.brand_colours import colour_style

COLOURS = ["#000000", "#ffffff", "#ffff00", "#ff0000", "#0a5c8f", "#808080"]


@for_every("colour", COLOURS)
def test_an_accent_can_be_read_in_both_modes(colour: str) -> None:
    light, dark = re.findall(r"--brand:(#\w{6});--brand-strong:(#\w{6});--on-brand:(#\w{6})", colour_style(colour))
    for (brand, strong, on_brand), grounds in ((light, LIGHT_GROUNDS), (dark, DARK_GROUNDS)):
        assert all(contrast(each, ground) >= CONTRAST for each in (brand, strong) for ground in grounds)
        assert contrast(on_brand, brand) >= CONTRAST


@for_every("colour", COLOURS)
def test_the_initial_can_be_read_on_the_chosen_colour(colour: str) -> None:
    assert contrast(on_colour(colour), colour) >= CONTRAST


async def test_the_style_of_a_colour_is_cached_for_good_and_nothing_else_is_a_colour(app: App) -> None:
    style = await app.http.get("/track/colour/0a5c8f.css")
    assert style.headers["content-type"].startswith("text/css")
    assert "immutable" in style.headers["cache-control"]
    for wrong in ("0a5c8", "zzzzzz", "0a5c8f}body{"):
        assert (await app.http.get(f"/track/colour/{wrong}.css")).status_code == 404
