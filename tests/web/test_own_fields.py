"""Custom fields: desk forms have a suitable input with the name from the business."""

import re
from html import unescape
from typing import Any

from tests.contexts.custom_fields.makers import make_field
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text, send_form

DRIVER = {"name": "Dana", "phone": "+14165550100"}
FLOOR: dict[str, Any] = {"name": "floor", "value_schema": {"type": "integer", "minimum": 0, "maximum": 99}}
LIFT: dict[str, Any] = {"name": "lift", "value_schema": {"type": "boolean"}}
GATE: dict[str, Any] = {
    "name": "gate",
    "value_schema": {"type": "string", "enum": ["north", "south"]},
    "labels": {"en": "Which gate", "de": "Welches Tor"},
}
CONSIGNEE = {
    "consignee.name": "Ada",
    "consignee.address": "100 Queen St W",
    "consignee.city": "Toronto",
    "consignee.country": "CA",
}


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


async def order_fields(app: App) -> None:
    for each in (FLOOR, LIFT, GATE):
        await make_field(app, **each)


async def made_order(app: App, **typed: str) -> Any:
    page = await send_form(app, "/desk/act/create_order", "admin", step="do", **CONSIGNEE, **typed)
    assert page.status_code in (200, 303), page_text(page)
    (made,) = (await app.answer("admin", "get_orders")).orders
    return (await app.answer("admin", "get_order_detail", {"order_id": made.id})).order


async def test_a_form_has_a_typed_input_with_its_own_label_for_each_field(app: App) -> None:
    await order_fields(app)
    page = await get_page(app, "/desk/act/create_order", "admin", headers={"accept-language": "de"})
    assert Checked(page.text).faults == []
    assert re.search(
        r'id="custom_fields.floor"[^>]*type="number"[^>]*min="0"|type="number"[^>]*id="custom_fields.floor"', page.text
    )
    assert re.search(r'<select id="custom_fields.gate"', page.text)
    assert "Welches Tor" in page_text(page)


async def test_a_value_is_stored_with_its_type_and_shown_with_its_label(app: App) -> None:
    await order_fields(app)
    order = await made_order(
        app, **{"custom_fields.floor": "7", "custom_fields.lift": "true", "custom_fields.gate": "south"}
    )
    assert order.custom_fields == {"floor": 7, "lift": True, "gate": "south"}
    german = {"accept-language": "de"}
    shown = flat(page_text(await get_page(app, f"/desk/orders/{order.id}", "admin", headers=german)))
    assert "Welches Tor south" in shown, shown


async def test_errors_are_shown_at_their_inputs(app: App) -> None:
    await order_fields(app)
    page = await send_form(
        app, "/desk/act/create_order", "admin", step="do", **CONSIGNEE, **{"custom_fields.floor": "200"}
    )
    assert page.status_code == 422
    assert 'id="custom_fields.floor-fault"' in page.text


async def test_a_value_can_be_changed_and_cleared_and_untouched_ones_stay(app: App) -> None:
    await make_field(app, "badge", "driver")
    await make_field(app, "locker", "driver", required=True)
    own = {"custom_fields": {"badge": "B-1", "locker": "12"}}
    driver = (await app.answer("admin", "create_driver", {**DRIVER, **own})).driver
    form = await get_page(app, f"/desk/act/update_driver?driver_id={driver.id}", "admin")
    assert 'value="B-1"' in form.text
    assert not re.search(r'id="custom_fields.locker"[^>]* required', form.text), "only new records must have it"
    typed = {"driver_id": str(driver.id), "name": driver.name, "custom_fields.badge": "", "custom_fields.locker": "12"}
    await send_form(app, "/desk/act/update_driver", "admin", step="do", **typed)
    changed = (await app.answer("admin", "get_driver", {"driver_id": driver.id})).driver
    assert {name: value for name, value in changed.custom_fields.items() if value is not None} == {"locker": "12"}


async def test_a_new_order_asks_for_custom_fields_and_marks_required_ones(app: App) -> None:
    await make_field(app, "purchase_order", required=True, labels={"en": "Purchase order"})
    page = await get_page(app, "/desk/new-order", "admin")
    assert Checked(page.text).faults == []
    assert re.search(r'<input id="custom_fields.purchase_order"[^>]* required', page.text)
    assert "Purchase order *" in flat(page_text(page))
    assert (await made_order(app, **{"custom_fields.purchase_order": "4711"})).custom_fields["purchase_order"] == "4711"


async def test_without_visible_custom_fields_no_section_is_shown(app: App) -> None:
    assert (
        "custom_fields"
        not in (await get_page(app, "/desk/act/create_order", "admin")).text.split('<details class="same"')[0]
    )
    await make_field(app, "margin", visible_to=[], editable_by=[])
    assert "custom_fields.margin" in (await get_page(app, "/desk/act/create_order", "admin")).text
    for who in ("customer", "rival"):
        assert "custom_fields.margin" not in (await get_page(app, "/desk/act/create_order", who)).text


async def test_packages_have_their_own_fields_and_archived_ones_are_hidden(app: App) -> None:
    field = await make_field(app, "seal", "package")
    address = "/desk/act/create_order"
    assert 'name="packages.0.custom_fields.seal"' in (await get_page(app, address, "admin")).text
    await app.answer("admin", "archive_custom_field", {"custom_field_id": field.id})
    assert "custom_fields.seal" not in (await get_page(app, address, "admin")).text


async def test_many_records_can_get_a_value_together(app: App) -> None:
    await make_field(app, **FLOOR)
    ids = [(await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id for _ in range(3)]
    address = "/desk/act/update_order_custom_fields"
    chosen = {"act": "update_order_custom_fields", "all": "1", "where": "status=NEW_ORDER"}
    picked = await get_page(app, "/desk/orders/pick", "admin", params=chosen)
    page = await get_page(app, picked.headers["location"], "admin")
    sent = {"step": "do", "custom_fields.floor": "3"}
    for _ in range(2):  # the first press looks which orders fit, the second does the piece
        hidden = {name: unescape(value) for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', page.text)}
        page = await send_form(app, address, "admin", **{**hidden, **sent})
    orders = [(await app.answer("admin", "get_order_detail", {"order_id": id})).order for id in ids]
    assert [order.custom_fields for order in orders] == [{"floor": 3}] * 3


async def test_a_value_can_be_set_without_showing_the_existing_ones(app: App) -> None:
    await order_fields(app)
    order = await made_order(app, **{"custom_fields.floor": "7"})
    typed = {"order_id": str(order.id), "custom_fields.gate": "north"}
    page = await send_form(app, "/desk/act/update_order_custom_fields", "admin", step="do", **typed)
    assert page.status_code in (200, 303), page_text(page)
    changed = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert changed.custom_fields == {"floor": 7, "gate": "north"}
