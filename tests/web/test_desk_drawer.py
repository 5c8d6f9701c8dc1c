"""A record next to its list: address, without scripts, and return of its actions."""

from html import unescape

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import Checked, get_page, page_notices, page_text, send_form


async def test_the_url_names_the_open_record(app: App) -> None:
    order = await make_order(app)
    page = await get_page(app, f"/desk/orders?status=NEW_ORDER&drawer={order}", "admin")
    assert Checked(page.text).faults == []
    assert f'data-address="/desk/orders/{order}"' in page.text
    assert f'<a id="drawer-title" href="/desk/orders/{order}">Order {order}</a>' in page.text
    assert (
        'class="drawer" tabindex="-1" aria-labelledby="drawer-title" hidden'
        in (await get_page(app, "/desk/orders?status=NEW_ORDER", "admin")).text
    )


async def test_an_unknown_record_id_opens_nothing(app: App) -> None:
    await make_order(app)
    page = await get_page(app, "/desk/orders?drawer=../../sign-out%22", "admin")
    assert 'data-address="/desk/orders/..%2F..%2Fsign-out%22"' in page.text


async def test_an_open_record_is_neither_a_filter_nor_part_of_a_view(app: App) -> None:
    order = await make_order(app)
    page = await get_page(app, f"/desk/orders?drawer={order}", "admin")
    assert "Clear filters" not in page_text(page)
    kept = await send_form(
        app, f"/desk/orders?status=HOLD&drawer={order}", "admin", step="keep", name="Held", whose="me"
    )
    assert "drawer" not in kept.headers["location"]


async def test_an_action_returns_to_its_list_and_can_be_undone_there(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    back = "/desk/drivers?search=Dana&drawer=1"
    asked = await get_page(app, "/desk/act/disable_driver", "admin", params={"driver_id": "1", "back": back})
    assert f'name="back" value="{back}"' in unescape(asked.text)
    done = await send_form(app, "/desk/act/disable_driver", "admin", step="do", driver_id="1", back=back)
    assert done.headers["location"].startswith(f"{back}&done=disable_driver&undo=")
    page = await get_page(app, done.headers["location"], "admin")
    assert any("Done." in each for each in page_notices(page))
    assert 'action="/desk/act/enable_driver"' in page.text


async def test_an_action_with_an_otherwise_hidden_result_shows_it(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dana"})
    await app.answer("admin", "invite_driver", {"driver_id": 1, "email": "dana@drivers.example"})
    how = {"driver_id": "1", "back": "/desk/drivers?drawer=1"}
    shown = await send_form(app, "/desk/act/create_driver_sign_in_link", "admin", step="do", **how)
    assert shown.status_code == 200
    assert "/sign-in-link#" in shown.text


async def test_redirects_to_other_sites_are_refused(app: App) -> None:
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id
    for back in (
        "//evil.example/desk/orders",
        "https://evil.example/desk/orders",
        "/desk/orders/../../x",
        "/desk/horses",
    ):
        sent = await send_form(app, "/desk/act/hold_order", "admin", step="rehearse", order_id=str(order), back=back)
        assert 'name="back"' not in sent.text
