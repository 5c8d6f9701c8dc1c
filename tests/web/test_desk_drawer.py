"""A record next to its list: address, without scripts, and return of its actions."""

from html import unescape

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import Checked, get_page, page_notices, page_text, send_form


async def test_the_address_names_the_record_that_lies_open(app: App) -> None:
    order = await make_order(app)
    page = await get_page(app, f"/desk/orders?status=NEW_ORDER&drawer={order}", "admin")
    assert Checked(page.text).faults == []
    assert f'data-address="/desk/orders/{order}"' in page.text
    assert f'<a id="drawer-title" href="/desk/orders/{order}">Order {order}</a>' in page.text
    assert (
        'class="drawer" tabindex="-1" aria-labelledby="drawer-title" hidden'
        in (await get_page(app, "/desk/orders?status=NEW_ORDER", "admin")).text
    )


async def test_a_strange_id_leads_nowhere_else(app: App) -> None:
    await make_order(app)
    page = await get_page(app, "/desk/orders?drawer=../../sign-out%22", "admin")
    assert 'data-address="/desk/orders/..%2F..%2Fsign-out%22"' in page.text


async def test_an_open_record_is_no_filter_of_the_list_nor_a_part_of_a_view(app: App) -> None:
    order = await make_order(app)
    page = await get_page(app, f"/desk/orders?drawer={order}", "admin")
    assert "No results match" not in page_text(page)
    kept = await send_form(
        app, f"/desk/orders?status=HOLD&drawer={order}", "admin", step="keep", name="Held", whose="me"
    )
    assert "drawer" not in kept.headers["location"]


async def test_an_act_leads_back_to_the_list_that_it_came_from_and_is_taken_back_there(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    back = "/desk/drivers?search=Dana&drawer=1"
    asked = await get_page(app, "/desk/act/disable_driver", "admin", params={"driver_id": "1", "back": back})
    assert f'name="back" value="{back}"' in unescape(asked.text)
    done = await send_form(app, "/desk/act/disable_driver", "admin", step="do", driver_id="1", back=back)
    assert done.headers["location"].startswith(f"{back}&done=disable_driver&undo=")
    page = await get_page(app, done.headers["location"], "admin")
    assert any("Done." in each for each in page_notices(page))
    assert 'action="/desk/act/enable_driver"' in page.text


async def test_an_act_that_shows_what_no_record_shows_does_so_wherever_it_came_from(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    await app.answer("admin", "invite_driver", {"driver_id": 1, "email": "dana@drivers.example"})
    how = {"driver_id": "1", "back": "/desk/drivers?drawer=1"}
    shown = await send_form(app, "/desk/act/create_driver_sign_in_link", "admin", step="do", **how)
    assert shown.status_code == 200
    assert "/sign-in-link#" in shown.text


async def test_no_address_of_another_site_is_led_back_to(app: App) -> None:
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    for back in (
        "//evil.example/desk/orders",
        "https://evil.example/desk/orders",
        "/desk/orders/../../x",
        "/desk/horses",
    ):
        sent = await send_form(app, "/desk/act/hold_order", "admin", step="rehearse", order_id=str(order), back=back)
        assert 'name="back"' not in sent.text
