"""Returns on the tracking page without scripts, in six languages."""

import re

from tests.contexts.lockers.makers import make_cabinet
from tests.contexts.lockers.return_makers import PROOF, Keeper, allow_returns, make_keeper
from tests.support.app import App
from tests.web.page_client import page_text


async def opened(app: App, keeper: Keeper) -> tuple[str, str]:
    """The path of a delivery that was opened, and what its forms show."""
    path = f"/track/{keeper.order.tracking_number}"
    await app.http.post(f"{path}/open", data={"proof": PROOF})
    return path, re.findall(r'name="csrf" value="(\w+)"', (await app.http.get(path)).text)[0]


async def test_a_recipient_can_start_a_locker_return_and_cancel_it(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    path, csrf = await opened(app, keeper)
    said = page_text(await app.http.get(path))
    assert "Returns are possible until" in said
    assert "Drop off at Union Station, hall B, 65 Front St W" in said
    form = {"csrf": csrf, "reason": "too_small", "where": str(cabinet.site_id), "size": "s"}
    page = await app.http.post(f"{path}/return", data=form)
    assert (page.status_code, "no-store" in page.headers["cache-control"]) == (200, True)
    code = re.findall(r'<p class="code">(\d{8})</p>', page.text)[0]
    assert 'src="data:image/png;base64,' in page.text
    again = await app.http.post(f"{path}/return", data=form)
    assert (again.status_code, "told=returned" in again.headers["location"]) == (303, True)
    said = page_text(await app.http.get(path))
    assert ("Waiting for drop-off" in said, "It does not fit" in said, code in said) == (True, True, False)
    renewed = await app.http.post(f"{path}/return/code", data={"csrf": csrf})
    assert re.findall(r'<p class="code">(\d{8})</p>', renewed.text) != [code]
    kept = await app.http.post(f"{path}/return/cancel", data={"csrf": csrf})
    assert kept.headers["location"].endswith("told=kept#yours")
    assert "You keep the parcel" in page_text(await app.http.get(f"{path}?told=kept"))
    assert "Return this parcel" in page_text(await app.http.get(path))


async def test_a_driver_pickup_can_be_requested_and_an_unavailable_compartment_is_reported(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    path, csrf = await opened(app, keeper)
    form = {"csrf": csrf, "reason": "damaged", "size": "s"}
    far = await app.http.post(f"{path}/return", data={**form, "where": str(cabinet.site_id + 1)})
    assert "told=return_late" in far.headers["location"]
    begun = await app.http.post(f"{path}/return", data={**form, "where": "pickup"})
    assert begun.headers["location"].endswith("told=returning#yours")
    assert "Pickup scheduled" in page_text(await app.http.get(path))


async def test_a_cross_site_form_starts_no_return(app: App) -> None:
    await allow_returns(app)
    keeper = await make_keeper(app)
    path, _ = await opened(app, keeper)
    for way in ("", "/code", "/cancel"):
        answer = await app.http.post(
            f"{path}/return{way}", data={"csrf": "forged", "reason": "damaged", "where": "pickup"}
        )
        assert "told=ended" in answer.headers["location"]
    assert (await app.answer("admin", "list_recipient_returns", {})).total == 0


async def test_every_text_is_translated(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    path, csrf = await opened(app, keeper)
    form = {"csrf": csrf, "reason": "too_small", "where": str(cabinet.site_id), "size": "s"}
    languages = ("en", "fr", "de", "es", "zh-Hans", "zh-Hant")
    pages = [await app.http.get(f"{path}?lang={language}") for language in languages]
    pages.append(await app.http.post(f"{path}/return", data=form))
    for language in languages:
        pages.append(await app.http.post(f"{path}/return/code?lang={language}", data={"csrf": csrf}))
        pages.append(await app.http.get(f"{path}?lang={language}"))
    assert [page.status_code for page in pages] == [200] * 19
    assert [word for page in pages for word in page_text(page).split() if word.startswith("track.")] == []
