"""Saved views of a list: above the list and in the palette, without scripts."""

import re
from html import unescape

import httpx
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text, send_form

from haulier.contexts.identity.saved_views import store

HELD = "/desk/orders?status=HOLD&columns=id&columns=name"


def views_above(page: httpx.Response) -> dict[str, str]:
    """The views above a list: their names and addresses."""
    nav = page.text[page.text.index('<div class="views">') :].partition("</nav>")[0]
    return {name: unescape(address) for address, name in re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', nav)}


async def two_orders(app: App) -> None:
    """An order that waits, and one on hold."""
    for name in ("Ada", "Zoe"):
        order = (await app.answer("admin", "create_order", {"consignee": {**ADDRESS, "name": name}})).order
    await app.answer("admin", "hold_order", {"order_id": order.id})


async def keep(app: App, who: str = "admin", address: str = HELD, **fields: str) -> httpx.Response:
    """Keep what an address shows; returns the page that one comes to."""
    sent = await send_form(app, address, who, **{"step": "keep", "name": "On hold", "whose": "me", **fields})
    assert sent.status_code == 303, page_text(sent)
    return await get_page(app, sent.headers["location"], who)


async def test_a_list_can_be_saved_as_a_view_and_opened_again(app: App) -> None:
    await two_orders(app)
    kept = await keep(app)
    assert Checked(kept.text).faults == []
    views = views_above(kept)
    assert [*views] == ["All", "On hold"]
    page = await get_page(app, views["On hold"], "admin")
    assert "Zoe" in page_text(page)
    assert "Ada" not in page_text(page)
    assert re.findall(r'<th scope="col">([^<]+)</th>', page.text) == ["ID", "Recipient"]
    assert 'aria-current="true">On hold' in page.text


async def test_a_private_view_is_not_shown_to_other_users(app: App) -> None:
    await keep(app)
    await keep(app, whose="everybody", name="Held by us")
    assert [*views_above(await get_page(app, "/desk/orders", "employee"))] == ["All", "Held by us"]
    customer = await get_page(app, "/desk/orders", "customer")
    assert 'class="views"' not in customer.text
    assert (await send_form(app, HELD, "customer", step="keep", name="Mine")).status_code == 404


async def test_a_changed_view_can_be_saved_under_its_name(app: App) -> None:
    views = views_above(await keep(app))
    changed = views["On hold"].replace("status=HOLD", "status=HOLD&search=Toronto")
    assert "Unsaved changes" in page_text(await get_page(app, changed, "admin"))
    sent = await send_form(app, changed, "admin", step="replace", name="Held in Toronto", whose="everybody")
    page = await get_page(app, sent.headers["location"], "admin")
    assert [*views_above(page)] == ["All", "Held in Toronto"]
    assert "search=Toronto" in views_above(page)["Held in Toronto"]
    assert "Unsaved changes" not in page_text(page)


async def test_a_list_opens_with_the_default_view_and_links_to_all_records(app: App) -> None:
    await two_orders(app)
    views = views_above(await keep(app))
    await send_form(app, views["On hold"], "admin", step="first", name="")
    opened = await get_page(app, "/desk/orders", "admin")
    assert (opened.status_code, opened.headers["location"]) == (303, views["On hold"])
    everything = await get_page(app, views_above(await get_page(app, views["On hold"], "admin"))["All"], "admin")
    assert "Ada" in page_text(everything)
    assert (await get_page(app, "/desk/orders", "employee")).status_code == 200
    await send_form(app, views["On hold"], "admin", step="not_first", name="")
    assert (await get_page(app, "/desk/orders", "admin")).status_code == 200


async def test_deleting_a_view_restores_the_whole_list(app: App) -> None:
    views = views_above(await keep(app))
    sent = await send_form(app, views["On hold"], "admin", step="delete", name="")
    page = await get_page(app, sent.headers["location"], "admin")
    assert page.status_code == 200
    assert "On hold</a>" not in page.text


async def test_a_taken_name_is_reported_at_its_field(app: App) -> None:
    await keep(app)
    again = await send_form(app, HELD, "admin", step="keep", name="On hold", whose="me")
    assert again.status_code == 409
    assert "Another view of this list is already named On hold." in page_text(again)
    assert '<details class="menu" id="view-menu" open>' in again.text


async def test_a_form_submitted_twice_saves_one_view(app: App) -> None:
    fields = {"step": "keep", "name": "On hold", "whose": "me", "once": "a-token-of-the-form"}
    first, second = [await send_form(app, HELD, "admin", **fields) for _ in range(2)]
    assert (second.status_code, second.headers["location"]) == (303, first.headers["location"])


async def test_a_form_without_a_csrf_token_saves_nothing(app: App) -> None:
    assert (await send_form(app, HELD, "admin", csrf="no", step="keep", name="On hold")).status_code == 403
    assert (await app.answer("admin", "list_saved_views")).total == 0


async def test_a_view_reports_removed_columns_and_shows_the_rest(app: App) -> None:
    await two_orders(app)
    values = {
        "noun": "orders",
        "name": "Old",
        "filters": {"horn": ["1"], "status": ["HOLD"]},
        "columns": ["id", "mane"],
    }
    async with app.database.write(app.clients["demo"]) as work:
        dates = {"created_at": app.clock(), "updated_at": app.clock()}
        await store.insert_view(work, **values, made_by=app.ids["admin"], kept_for=app.ids["admin"], **dates)
    address = views_above(await get_page(app, "/desk/orders", "admin"))["Old"]
    page = await get_page(app, address, "admin")
    assert page.status_code == 200
    assert "no longer exist and are ignored: horn, mane" in page_text(page)
    assert "Ada" not in page_text(page)


async def test_the_palette_finds_views_by_name(app: App) -> None:
    await keep(app)
    found = await get_page(app, "/desk/find?part=1&q=on+ho", "admin")
    assert "Orders: On hold" in page_text(found)
    assert "Orders: On hold" not in page_text(await get_page(app, "/desk/find?part=1&q=on+ho", "employee"))
