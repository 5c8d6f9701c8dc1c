"""The page of an order: timeline, recipient, fulfilment, and price as money."""

import re
from html import unescape

from tests.contexts.control_tower.overview.makers import make_delivered_order, take_step
from tests.support.app import App
from tests.support.transport import make_contact, make_order, make_route
from tests.web.page_client import get_page

from haulier.contexts.orders.public import OrderStep


async def _page(app: App, order_id: int, who: str = "admin") -> str:
    page = await get_page(app, f"/desk/orders/{order_id}", who)
    assert page.status_code == 200
    return unescape(page.text)


async def test_the_newest_status_comes_first_in_the_timeline(app: App) -> None:
    text = await _page(app, await make_delivered_order(app))
    timeline = text[text.index('class="timeline"') : text.index("</ol>")]
    assert timeline.index("Delivered") < timeline.index("New")


async def test_the_price_is_itemized_as_money(app: App) -> None:
    text = await _page(app, await make_order(app))
    assert "<dt>Base price</dt><dd>CA$7.99</dd>" in text
    assert "CA$1.04" in text


async def test_the_recipient_can_be_called_and_the_order_tracked(app: App) -> None:
    text = await _page(app, await make_order(app, consignee={**make_contact("M5V 2T6"), "phone": "+14165550100"}))
    assert 'href="tel:+14165550100"' in text
    assert "/track/HL" in text


async def test_a_delivered_order_offers_no_locker(app: App) -> None:
    delivered = await _page(app, await make_delivered_order(app))
    waiting = await _page(app, await make_order(app))
    assert "/desk/act/deliver_to_locker" in waiting
    assert "/desk/act/deliver_to_locker" not in delivered
    assert "/desk/act/cancel_locker_delivery" not in delivered


async def test_a_customer_whose_prices_are_hidden_sees_no_price(app: App) -> None:
    order_id = await make_order(app, who="customer")
    hidden = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    assert "CA$" not in await _page(app, order_id, "customer")


async def test_cancelling_an_order_is_never_the_highlighted_action(app: App) -> None:
    order_id = await make_order(app)
    for step in (OrderStep.PLAN, OrderStep.START):
        await take_step(app, order_id, step)
    text = await _page(app, order_id)
    assert re.search(r'<a class="button plain" href="/desk/act/cancel_order', text)
    assert not re.search(r'<a class="button" href="/desk/act/cancel_order', text)


async def test_the_recipients_country_is_named(app: App) -> None:
    text = await _page(app, await make_order(app))
    assert "<br>Canada</address>" in text


async def test_the_timeline_status_of_a_package_is_translated(app: App) -> None:
    order_id = await make_order(app)
    app.clock.forward(minutes=1)
    await make_route(app, order_ids=[order_id])
    page = await get_page(app, f"/desk/orders/{order_id}?lang=de", "admin")
    assert "Wartet auf Abholung" in page.text
    assert "Awaiting pickup" not in page.text
