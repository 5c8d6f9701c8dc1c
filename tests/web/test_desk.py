"""The desk: pages of every noun and operation, built from the registry."""

import re
from html import unescape
from typing import Any

import httpx
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import Checked, get_page, page_errors, page_text, send_form

from haulier.app import registry
from haulier.kernel.operations.enums import Feature
from haulier.kernel.operations.resources import path_fields, resources_of
from haulier.web.desk.places import Places, declarations
from haulier.web.desk.reader import possible_columns

DRIVER = {"name": "Dana", "phone": "+14165550100"}


def filled(page: httpx.Response) -> dict[str, str]:
    """Return the values that the form of an action would submit unchanged."""
    form = page.text[page.text.index('<form class="sheet act') : page.text.rindex("</form>")]
    inputs = re.findall(r'<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"', form)
    areas = re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>([^<]*)</textarea>', form)
    chosen = re.findall(
        r'<select[^>]* name="([^"]+)"[^>]*>(?:(?!</select>).)*<option value="([^"]+)" selected', form, re.S
    )
    return {name: unescape(value) for name, value in (*inputs, *areas, *chosen) if value}


async def test_dispatch_opens_with_todays_routes(app: App) -> None:
    page = await get_page(app, "/desk", "admin")
    today = app.clock().date()
    assert f'href="/desk/routes?day={today}"' in page.text
    routes = await get_page(app, f"/desk/routes?day={today}", "admin")
    assert routes.status_code == 200
    assert page_errors(routes) == {}


async def test_every_operation_has_a_page_or_a_reason_against_one(app: App) -> None:
    told, places = declarations(), Places(app.application.registry)
    missing = places.without_place()
    print(f"jobs without a page: {len(missing)}")
    assert missing == []
    named = {
        *told.pages,
        *told.not_for_people,
        *told.own_pages,
        *(name for names in places.registry.noun_words.made_by.values() for name in names),
    }
    assert {name for name in named if places.registry.get(name) is None} == set()
    assert all(len(reason) > 10 for reason in told.not_for_people.values())
    nouns, words = places.nouns.by_key, places.registry.noun_words
    for key, columns in told.columns.items():
        assert set(columns) <= set(possible_columns(nouns[key].row)), key
    assert {*words.made_by, *words.named_by, *told.found_by, *told.columns} - nouns.keys() == set()


async def test_every_list_record_and_form_is_a_complete_page(sqlite_app: App) -> None:
    app = sqlite_app  # one database: pages do not depend on it, and other tests cover both
    await app.answer("admin", "create_driver", DRIVER)
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})
    places, faults, records = Places(app.application.registry), list[str](), list[str]()

    async def look(path: str, *statuses: int) -> str:
        page = await get_page(app, path, "admin")
        if page.status_code not in statuses:
            faults.append(f"{path}: {page.status_code}")
        faults.extend(f"{path}: {fault}" for fault in Checked(page.text).faults)
        return page.text

    for noun in places.nouns:
        if "client_admin" in noun.listing.audience:
            # A list that needs to know of what is asked for it, in its filters.
            listed = await look(f"/desk/{noun.key}", 200, 422)
            for record in re.findall(r'<tr data-id="[^"]*">.*?<a href="(/desk/[^"]+)"', listed)[:1]:
                records.append(noun.key)
                await look(unescape(record), 200)
    for section in declarations().sections:
        await look(f"/desk/sections/{section}", 200)
    for operation in app.application.registry:
        if "client_admin" in operation.audience and places.has_page(operation) and operation.effect == "write":
            query = "&".join(f"{name}=1" for name in path_fields(operation))
            await look(f"/desk/act/{operation.name}?{query}", 200)
    assert faults == []
    assert {"drivers", "users"} <= {*records}, "rows lead to no record"


async def test_a_record_can_be_created_updated_and_is_isolated_from_other_tenants(app: App) -> None:
    made = await send_form(app, "/desk/act/create_driver", "admin", step="do", **DRIVER, skills="fridge\npiano")
    assert made.status_code == 303
    address = made.headers["location"].partition("?")[0]
    shown = page_text(await get_page(app, address, "admin"))
    assert "Fleet › Drivers Dana" in shown
    assert "fridge piano" in shown
    form = filled(await get_page(app, f"/desk/act/update_driver?driver_id={address[-1]}", "admin"))
    assert (form["name"], form["skills"]) == ("Dana", "fridge\npiano")
    await app.answer("admin", "update_driver", {"driver_id": int(address[-1]), "vehicle": "Van 7"})
    changed = {**form, "phone": "", "step": "do", "vehicle": "Van 7"}
    assert (await send_form(app, "/desk/act/update_driver", "admin", **changed)).status_code == 303
    driver = (await app.answer("admin", "get_driver", {"driver_id": int(address[-1])})).driver
    assert (driver.name, driver.phone, driver.vehicle, driver.skills) == ("Dana", None, "Van 7", ["fridge", "piano"])
    assert "Edit driver" in page_text(await get_page(app, address, "admin"))
    assert (await get_page(app, address, "rival")).status_code == 404
    assert "Dana" not in (await get_page(app, "/desk/drivers", "rival")).text


async def test_a_custom_field_is_labelled_with_its_own_name(app: App) -> None:
    own = {"kind": "driver", "name": "sender", "value_schema": {"type": "string"}}
    await app.answer("admin", "create_custom_field", own)
    driver = (await app.answer("admin", "create_driver", {**DRIVER, "custom_fields": {"sender": "Nina"}})).driver
    german = {"accept-language": "de"}
    shown = page_text(await get_page(app, f"/desk/drivers/{driver.id}", "admin", headers=german))
    assert "Eigene Felder" in shown
    assert "Sender Nina" in re.sub(r"\s+", " ", shown), "another field that is called so is no reason for “Absender”"


async def test_errors_are_shown_at_their_fields_and_input_is_kept(app: App) -> None:
    page = await send_form(
        app, "/desk/act/create_depot", "admin", step="do", name="North", address="1 Front St", lat="north", lng="-79"
    )
    assert page.status_code == 422
    assert page_errors(page).keys() == {"lat"}
    assert filled(page)["name"] == "North"


async def test_a_field_named_like_a_form_control_is_submitted(app: App) -> None:
    order = await make_order(app)
    sent = await send_form(
        app, "/desk/act/update_order_note", "admin", step="do", order_id=str(order), note="Call before."
    )
    assert sent.status_code == 303
    assert (await app.answer("admin", "get_order_detail", {"order_id": order})).order.note == "Call before."


async def test_times_are_entered_and_shown_in_the_business_time_zone(app: App) -> None:
    await app.answer("admin", "update_client", {"time_zone": "America/Vancouver"})
    window = {"window_start": "2026-06-12T09:00", "window_end": "2026-06-12T11:00", "scheduled_date": "2026-06-12"}
    parts = {
        "name": "Zoe",
        "address": "10 King St W",
        "city": "Toronto",
        "country": "CA",
        "lat": "43.65",
        "lng": "-79.38",
    }
    consignee = {f"consignee.{name}": value for name, value in parts.items()}
    sent = {**window, **consignee, "packages.0.quantity": "2", "packages.1.quantity": "", "step": "do"}
    made = await send_form(app, "/desk/act/create_order", "admin", **sent)
    assert made.status_code == 303
    id = int(made.headers["location"].partition("?")[0].rpartition("/")[2])
    order = (await app.answer("admin", "get_order_detail", {"order_id": id})).order
    assert order.window_start.isoformat() == "2026-06-12T09:00:00-07:00"
    assert "9:00" in page_text(await get_page(app, f"/desk/orders/{id}", "admin"))


async def test_submitting_a_form_of_nested_rows_unchanged_changes_nothing(app: App) -> None:
    before = (await app.answer("admin", "get_rate_card")).rate_card
    form = filled(await get_page(app, "/desk/act/set_rate_card", "admin"))
    answer = await send_form(app, "/desk/act/set_rate_card", "admin", **{**form, "step": "do"})
    assert answer.status_code == 200
    assert (await app.answer("admin", "get_rate_card")).rate_card == before


async def test_a_cross_site_form_has_no_effect(app: App) -> None:
    for mark in ("", "f" * 64):
        page = await send_form(app, "/desk/act/create_driver", "admin", step="do", csrf=mark, **DRIVER)
        assert page.status_code == 403
    assert (await app.answer("admin", "get_drivers")).total == 0
    assert (await get_page(app, "/desk/drivers")).headers["location"] == "/sign-in?next=/desk/drivers"


async def test_risky_actions_can_be_previewed_proposed_and_executed(app: App) -> None:
    from tests.contexts.orders.examples import ADDRESS

    ids = [(await app.answer("admin", "create_order", {"consignee": ADDRESS})).order.id for _ in range(3)]
    first = await get_page(app, f"/desk/act/cancel_order?order_id={ids[0]}", "admin")
    assert re.findall(r'name="step" value="(\w+)"', first.text) == ["rehearse", "propose"]
    asked = {"order_id": str(ids[0]), "reason": "twice"}
    rehearsed = await send_form(app, "/desk/act/cancel_order", "admin", step="rehearse", **asked)
    assert "cancelled" in page_text(rehearsed)
    assert re.findall(r'name="step" value="(\w+)"', rehearsed.text)[0] == "do"
    proposed = await send_form(app, "/desk/act/cancel_order", "employee", step="propose", **asked)
    assert proposed.headers["location"].startswith("/mcp-approvals/")
    assert (await app.answer("admin", "get_order_detail", {"order_id": ids[0]})).order.status == "NEW_ORDER"
    await send_form(app, "/desk/act/cancel_order", "admin", step="do", **asked)
    assert (await app.answer("admin", "get_order_detail", {"order_id": ids[0]})).order.status == "CANCELLED"

    picks = "&".join(f"pick={id}" for id in ids)
    many = await get_page(app, f"/desk/orders/pick?act=hold_orders&{picks}", "admin")
    held = filled(await get_page(app, many.headers["location"], "admin"))
    assert len(held["order_ids~"].split("\n")) == len(ids)
    each = await get_page(app, f"/desk/orders/pick?act=hold_order&{picks}", "admin")
    assert each.headers["location"] == "/desk/act/hold_order?" + "&".join(f"order_id={id}" for id in ids)


async def test_the_palette_finds_records_pages_and_actions_in_every_language(app: App) -> None:
    await app.answer("admin", "create_driver", DRIVER)
    for typed, found in (
        ("dana", "/desk/drivers/1"),
        ("customer", "/desk/customers/"),
        ("create driver", "/desk/act/create_driver"),
        ("new driver", "/desk/act/create_driver"),
        ("fáhrzeuge&lang=de", "/desk/vehicles"),
        ("vehicles", "/desk/vehicles"),
        ("hold order 57", "/desk/act/hold_order?order_id=57"),
        ("fahrzeuge&lang=de", "/desk/vehicles"),
        ("车辆&lang=zh-Hans", "/desk/vehicles"),
    ):
        page = await get_page(app, f"/desk/find?part=1&q={typed}", "admin")
        assert f'href="{found}' in page.text or not found, typed
    assert "/desk/vehicles" not in (await get_page(app, "/desk/find?q=vehicles", "customer")).text


async def test_each_page_shows_its_call_at_the_other_interfaces(app: App) -> None:
    text = unescape((await get_page(app, "/desk/orders?status=HOLD", "admin")).text)
    assert "/api/v1/orders?status=HOLD'" in text
    assert '(status: "HOLD")' in text
    assert '"name": "get_orders"' in text


def test_id_references_are_derived_from_paths() -> None:
    nouns = resources_of(registry())
    meant: dict[str, Any] = {
        "driver_id": "drivers",
        "order_id": "orders",
        "from_warehouse_id": "warehouses",
        "contractor_id": "users",
        "document_id": "documents",
    }
    assert {field: noun and noun.key for field in meant if (noun := nouns.referred_to(field))} == meant
    assert nouns.referred_to("colour_id") is None
