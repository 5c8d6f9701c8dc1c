"""Navigation of the desk: targets of actions, bulk actions and one-time notices."""

from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import get_page, page_notices, page_text, send_form

from haulier.kernel.operations.enums import Effect
from haulier.web.desk.act_keys import LIST_KEYS, act_keys, assign_keys
from haulier.web.desk.places import Places

NOWHERE = {"name": "Zoe", "address": "10 King St W", "city": "Toronto", "country": "CA"}
DEPOT = {"name": "North", "address": "1 Front St", "lat": "43.64", "lng": "-79.38", "step": "do"}


async def test_labels_of_selected_orders_are_offered_with_a_prefilled_form(app: App) -> None:
    first, second = await make_order(app), await make_order(app)
    assert '<option value="issue_document">Print labels</option>' in (await get_page(app, "/desk/orders", "admin")).text
    asked = f"/desk/orders/pick?act=issue_document&pick={first}&pick={second}"
    assert (await get_page(app, asked, "admin")).headers["location"] == (
        f"/desk/act/issue_document?kind=labels&order_ids={first}%0A{second}"
    )


async def test_an_action_returns_to_a_settings_page_and_to_no_other_site(app: App) -> None:
    assert (
        'name="back" value="/desk/modules"'
        in (await get_page(app, "/desk/act/create_depot?back=/desk/modules", "admin")).text
    )
    done = await send_form(app, "/desk/act/create_depot", "admin", **DEPOT, back="/desk/modules")
    assert (done.status_code, done.headers["location"]) == (303, "/desk/modules")
    away = await send_form(app, "/desk/act/create_depot", "admin", **DEPOT, back="//evil.example")
    assert "evil" not in away.headers.get("location", "")
    assert 'name="back"' not in (await get_page(app, "/desk/act/create_depot?back=//evil.example", "admin")).text


async def test_the_home_page_offers_only_permitted_actions(app: App) -> None:
    contractors, admins = [(await get_page(app, "/desk", who)).text for who in ("contractor", "admin")]
    assert ["/desk/new-order" in contractors, "/desk/set-up" in contractors] == [False, False]
    assert ["/desk/new-order" in admins, "/desk/set-up" in admins] == [True, True]


async def test_a_warning_is_shown_as_text_with_a_link_to_the_new_record(app: App) -> None:
    typed = {f"consignee.{part}": text for part, text in NOWHERE.items()}
    page = await send_form(app, "/desk/act/create_order", "admin", **typed, step="do")
    assert "The order has no coordinates and cannot be planned on a route." in page_notices(page)
    assert "NO_COORDINATES" not in page_text(page)
    assert 'id="made" href="/desk/orders/1"' in page.text


async def test_one_time_results_are_shown_in_their_table(app: App) -> None:
    hook = {"endpoints.0.url": "https://example.com/hook", "endpoints.0.events": "order.created"}
    page = await send_form(app, "/desk/act/update_webhook_settings", "admin", **hook, step="do")
    assert "whsec_" in page_text(page)


async def test_amounts_of_an_order_have_their_currency(app: App) -> None:
    id = await make_order(app)
    order = (await app.answer("admin", "get_order_detail", {"order_id": id})).order
    said = page_text(await get_page(app, f"/desk/orders/{id}", "admin"))
    assert f"Price CA${order.shipping_price / 100:.2f} " in said
    assert f"Price {order.shipping_price} " not in said


async def test_page_assets_are_compressed_where_supported(app: App) -> None:
    path = "/static/vendor/maplibre-gl.mjs"
    plain = await app.http.get(path, headers={"accept-encoding": "identity"})
    packed = await app.http.get(path, headers={"accept-encoding": "gzip, br"})
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 3
    assert packed.content == plain.content
    assert packed.headers["content-type"] == plain.headers["content-type"]
    again = await app.http.get(path, headers={"accept-encoding": "gzip", "if-none-match": packed.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_each_action_has_a_unique_shortcut_and_common_ones_choose_first() -> None:
    keys = assign_keys(["correct_order", "cancel_order", "hold_order", "cash_order"])
    assert keys == {"correct_order": "c", "cancel_order": "a", "hold_order": "h", "cash_order": "s"}
    many = assign_keys(f"act_{number}" for number in range(40))
    assert len(set(many.values())) == 40
    assert not LIST_KEYS & set(many.values())


async def test_every_record_action_has_a_shortcut(app: App) -> None:
    places = Places(app.application.registry)
    for noun in places.nouns:
        keys, acts = act_keys(places, noun), [act.name for act in noun.acts if act.effect is Effect.WRITE]
        assert set(acts) <= set(keys), noun.key
        assert len(set(keys.values())) == len(keys), noun.key


async def test_shortcuts_are_shown_beside_the_actions_of_a_record(app: App) -> None:
    page = await get_page(app, f"/desk/orders/{await make_order(app)}", "admin")
    assert 'data-key="c"' in page.text
    assert 'aria-keyshortcuts="h"' in page.text
