"""The tracking page for verified recipients, without scripts."""

import re

from tests.contexts.booking.reservations.makers import make_window
from tests.contexts.recipients.makers import WINDOW, make_awaited_order
from tests.support.app import App
from tests.support.transport import make_started_route
from tests.web.page_client import page_text, send

from haulier.web.session import csrf_token_of


async def test_the_promised_time_and_the_carrier_are_public(app: App) -> None:
    await app.answer("admin", "set_brand", {"colour": "#0a5c8f", "contact_phone": "+1 416 555 0100"})
    order = await make_awaited_order(app, **WINDOW)
    page = await app.http.get(f"/track/{order.tracking_number}")
    said = page_text(page)
    assert "Friday, June 12, 10:00 AM–12:00 PM" in said
    assert "Delivery by Demo" in said
    assert 'fill="#0a5c8f"' in page.text
    assert 'href="tel:+14165550100"' in page.text
    assert "Ada" not in page.text


async def test_a_recipient_can_unlock_their_delivery_and_leave_instructions(app: App) -> None:
    order = await make_awaited_order(app)
    window_id = await make_window(app)
    path = f"/track/{order.tracking_number}"
    assert (await send(app, f"{path}/open", proof="9999")).endswith("told=unproven#yours")
    assert "These details don’t match" in page_text(await app.http.get(f"{path}?told=unproven"))
    assert "told" not in await send(app, f"{path}/open", proof="M5V 2T6")
    page = await app.http.get(path)
    assert "no-store" in page.headers["cache-control"]
    assert "Ada Lovelace" in page_text(page)
    csrf = re.findall(r'name="csrf" value="(\w+)"', page.text)[0]
    told = await send(app, f"{path}/instruction", csrf=csrf, instruction="Gate 4711#", neighbour="Ms Roy")
    assert told.endswith("told=saved#yours")
    assert (await send(app, f"{path}/window", csrf=csrf, window_id=str(window_id))).endswith("told=moved#yours")
    page = await app.http.get(path)
    assert ">Gate 4711#</textarea>" in page.text
    assert 'value="Ms Roy"' in page.text
    assert "Friday, June 12, 10:00 AM–12:00 PM" in page_text(page)
    await send(app, f"{path}/leave", csrf=csrf)
    assert "Ada Lovelace" not in (await app.http.get(path)).text


async def test_after_a_failed_delivery_the_page_offers_the_available_options(app: App) -> None:
    order = await make_awaited_order(app)
    route = await make_started_route(app, [order.id])
    at = {"route_id": route.id, "stop_id": route.stops[0].id, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("driver", "fail_stop", at)
    untimed = page_text(await app.http.get(f"/track/{order.tracking_number}"))
    await make_window(app)
    timed = page_text(await app.http.get(f"/track/{order.tracking_number}"))
    assert "We missed you on" in untimed
    assert "We missed you on" in timed
    assert ["Choose a new time or place below" in said for said in (untimed, timed)] == [False, True]
    assert ["choose another time" in said for said in (untimed, timed)] == [False, True]
    assert "You can tell the driver below where to leave it" in untimed


async def test_a_cross_site_form_changes_nothing(app: App) -> None:
    order = await make_awaited_order(app)
    path = f"/track/{order.tracking_number}"
    await send(app, f"{path}/open", proof="0123")
    forged = {"csrf": csrf_token_of("other"), "instruction": "Leave it in the street."}
    assert (await send(app, f"{path}/instruction", **forged)).endswith("told=ended#yours")
    assert "in the street" not in (await app.http.get(path)).text


async def test_every_text_is_translated(app: App) -> None:
    order = await make_awaited_order(app, **WINDOW)
    path = f"/track/{order.tracking_number}"
    await make_window(app)
    await send(app, f"{path}/open", proof="0123")
    for language in ("en", "fr", "de", "es", "zh-Hans", "zh-Hant"):
        page = await app.http.get(f"{path}?lang={language}")
        assert "track." not in page_text(page)
