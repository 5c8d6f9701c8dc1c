"""The public tracking page: the journey without JavaScript, in six languages."""

import json
import re
from html import unescape

from tests.contexts.tracking.timelines.factories import (
    NUMBER,
    make_call,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_order

from haulier.contexts.tracking.public import link_tracking_number


async def page(app: App, path: str = f"/track/{NUMBER}", **headers: str) -> str:
    response = await app.http.get(path, headers=headers)
    assert response.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in response.headers["content-security-policy"]
    return unescape(response.text)


def stages(html: str) -> list[str]:
    return re.findall(r'<li class="(done|now|ahead)', html)


async def test_the_page_shows_location_and_events(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    html = await page(app)
    assert '<h1 class="good">Delivered</h1>' in html
    assert stages(html) == ["done"] * 3
    assert html.index("Delivered</strong>") < html.index("Picked up</strong>")
    assert "Toronto" in html


async def test_the_progress_bar_shows_reported_current_and_future_stages(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    assert stages(await page(app)) == ["done", "now", "ahead"]


async def test_problems_are_flagged_in_their_stage(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2], make_new_event("delivery_failed"))
    html = await page(app)
    stage = html[html.index('<li class="now trouble"') :]
    assert "Delivery attempt failed" in stage[: stage.index("</li>")]


async def test_the_page_shows_no_personal_data(app: App) -> None:
    await record_counting_statements(app, *make_delivery(order_id=4))
    html = await page(app, Authorization=f"Bearer {app.tokens['admin']}")
    assert [word for word in ("Birch", "Roy", "signature", "photo", "dog", "43.65") if word in html] == []


@for_every(
    ("language", "words"),
    [
        ("en", "Events"),
        ("fr", "Événements"),
        ("de", "Ereignisse"),
        ("es", "Eventos"),
        ("zh-Hans", "物流动态"),
        ("zh-Hant", "物流動態"),
    ],
)
async def test_the_page_is_in_the_readers_language(app: App, language: str, words: str) -> None:
    await record_counting_statements(app, *make_delivery())
    app.http.cookies.clear()
    preferred = await page(app, **{"Accept-Language": language})
    switched = await page(app, f"/track/{NUMBER}?lang={language}", **{"Accept-Language": "en"})
    for html in (preferred, switched):
        assert words in html
        assert f'<html lang="{language}" dir="ltr">' in html


async def test_an_unknown_number_gets_a_form_to_try_again(app: App) -> None:
    response = await app.http.get("/track/HL-<b>", headers={"Accept-Language": "fr"})
    assert response.status_code == 404
    assert "HL-<b>" not in response.text
    assert '<form class="track"' in response.text


async def test_the_form_opens_the_tracking_page(app: App) -> None:
    response = await app.http.get("/track", params={"number": f" {NUMBER} ", "lang": "de"})
    assert (response.status_code, response.headers["location"]) == (307, f"/track/{NUMBER}?lang=de")
    assert '<form class="track"' in await page(app, "/track")


async def test_a_parcel_without_events_says_so(app: App) -> None:
    async with make_call(app) as call:
        await link_tracking_number(call, NUMBER, order_id=4)
    assert "No events yet" in await page(app)


async def test_a_finished_journey_has_no_live_updates(app: App) -> None:
    await record_counting_statements(app, *make_delivery()[:2])
    assert f'data-live="/api/v1/otep/trackings/{NUMBER}/stream"' in await page(app)
    await record_counting_statements(app, *make_delivery())
    assert "data-live" not in await page(app)


async def test_map_locations_are_no_more_precise_than_a_city(app: App) -> None:
    await record_counting_statements(app, *make_delivery())
    places = json.loads(re.search(r'id="places">(.*?)</script>', await page(app), re.S)[1])  # type: ignore[index]
    assert places
    assert all(round(place[axis], 1) == place[axis] for place in places for axis in ("lat", "lng"))


@for_every("file", ["track.css", "track.js", "map.js", "vendor/maplibre-gl.mjs", "vendor/world.pmtiles"])
async def test_all_page_assets_are_served_from_this_host(app: App, file: str) -> None:
    assert (await app.http.get(f"/static/{file}")).status_code == 200


async def test_a_verified_recipient_can_see_their_pin(app: App) -> None:
    order_id = await make_order(app, pin_required=True)
    number = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.tracking_number
    pin = (await app.answer(None, "show_delivery_pin", {"tracking_number": number, "proof": "M5V 2T6"})).pin
    assert f"/track/{number}/pin" in await page(app, f"/track/{number}")
    assert pin not in await page(app, f"/track/{number}/pin")
    shown = await app.http.post(f"/track/{number}/pin", data={"proof": "m5v2t6"})
    assert (shown.status_code, shown.headers["cache-control"]) == (200, "no-store")
    assert f"<strong>{pin}</strong>" in shown.text
    for proof in ("X9X 9X9", ""):
        refused = await app.http.post(f"/track/{number}/pin", data={"proof": proof}, headers={"accept-language": "fr"})
        assert refused.status_code in {404, 422}
        assert pin not in refused.text
        assert "Ces informations ne correspondent pas" in refused.text
