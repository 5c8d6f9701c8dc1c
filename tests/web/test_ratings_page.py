"""Ratings on the parcel page without script, and on pages of the desk."""

import re
from html import unescape

from tests.contexts.recipients.ratings import make_delivered, rate
from tests.support.app import App
from tests.web.page_client import get_page, page_text, send


async def test_a_recipient_rates_and_changes_the_rating_without_script(app: App) -> None:
    order, _ = await make_delivered(app)
    path = f"/track/{order.tracking_number}"
    assert "to rate the delivery" in page_text(await app.http.get(path))
    await send(app, f"{path}/open", proof="M5V 2T6")
    page = await app.http.get(path)
    assert page.text.count('type="radio" name="rating"') == 5
    assert "How was the delivery?" in page_text(page)
    csrf = re.findall(r'name="csrf" value="(\w+)"', page.text)[0]
    assert (await send(app, f"{path}/rating", csrf=csrf)).endswith("told=unrated#yours")
    assert (await send(app, f"{path}/rating", csrf=csrf, rating="2", comment="Wet")).endswith("told=rated#yours")
    page = await app.http.get(path + "?told=rated")
    assert "Thank you for your rating." in page_text(page)
    assert 'value="2" required checked' in page.text
    assert ">Wet</textarea>" in page.text
    await send(app, f"{path}/rating", csrf=csrf, rating="4")
    assert 'value="4" required checked' in (await app.http.get(path)).text


async def test_a_forged_rating_changes_nothing(app: App) -> None:
    order, _ = await make_delivered(app)
    path = f"/track/{order.tracking_number}"
    await send(app, f"{path}/open", proof="M5V 2T6")
    assert (await send(app, f"{path}/rating", csrf="0", rating="1")).endswith("told=ended#yours")
    assert (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order.rating is None


async def test_a_closed_rating_is_shown_without_a_form(app: App) -> None:
    order, access = await make_delivered(app)
    await rate(app, access, 3, "Fine.")
    app.clock.forward(days=14)
    path = f"/track/{order.tracking_number}"
    await send(app, f"{path}/open", proof="M5V 2T6")
    page = await app.http.get(path)
    assert 'name="rating"' not in page.text
    assert "3 of 5 stars" in page_text(page)


async def test_the_desk_shows_ratings_on_order_insights_and_home(app: App) -> None:
    order, access = await make_delivered(app, driver="driver")
    await rate(app, access, 1, "It was wet.")
    text = unescape((await get_page(app, f"/desk/orders/{order.id}", "admin")).text)
    assert "It was wet." in text
    assert "1 of 5 stars" in text
    assert "Rated by the recipient" in text
    insights = unescape((await get_page(app, "/desk/insights", "admin")).text)
    link = re.search(r'href="(/desk/orders\?[^"]*driver_id=[^"]*rating_min=1)">1 rated', insights)
    assert link
    home = unescape((await get_page(app, "/desk", "admin")).text)
    low = re.search(r'href="([^"]+)">Low ratings', home)
    assert low
    for address in (link[1], low[1]):
        listed = await get_page(app, address, "admin")
        assert (listed.status_code, listed.text.count('<tr data-id="')) == (200, 1)


async def test_every_text_of_the_rating_is_translated(app: App) -> None:
    order, _ = await make_delivered(app)
    path = f"/track/{order.tracking_number}"
    await send(app, f"{path}/open", proof="M5V 2T6")
    for language in ("en", "fr", "de", "es", "zh-Hans", "zh-Hant"):
        for told in ("rated", "unrated", "late"):
            assert "track." not in page_text(await app.http.get(f"{path}?lang={language}&told={told}"))
