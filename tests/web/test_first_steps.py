"""The setup: country defaults, location, drivers with links, and prices."""

import re
from html import unescape

import pytest
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text, send_form

from haulier.web.kinds.home_country import country_defaults, guess_country
from haulier.web.pages.setup import guess_place

SET_UP = "/desk/set-up"


@pytest.mark.parametrize(
    ("accept_language", "time_zone", "country"),
    [
        ("de-DE,de;q=0.9,en;q=0.8", "Europe/Berlin", "DE"),
        ("en-US,en;q=0.9", "Europe/Paris", "FR"),
        ("fr", None, "FR"),
        ("pt-BR,pt;q=0.9", "", "BR"),
        ("zh-Hant", None, "TW"),
        ("en", None, None),
        ("xx-YY, *;q=0.1", "Mars/Base", None),
        (None, None, None),
    ],
)
def test_the_country_is_guessed_from_the_browser(
    accept_language: str | None, time_zone: str | None, country: str | None
) -> None:
    assert guess_country(accept_language, time_zone) == country


@pytest.mark.parametrize(
    ("country", "currency", "time_zone", "tax", "with_tax"),
    [
        ("DE", "EUR", "Europe/Berlin", ("MwSt.", 1900), True),
        ("FR", "EUR", "Europe/Paris", ("TVA", 2000), True),
        ("US", "USD", "America/New_York", ("", 0), False),
        ("JP", "JPY", "Asia/Tokyo", ("消費税", 1000), True),
        ("BR", "BRL", "America/Sao_Paulo", ("", 0), True),
        ("AE", "AED", "Asia/Dubai", ("VAT", 500), True),
    ],
)
def test_a_country_sets_its_usual_defaults(
    country: str, currency: str, time_zone: str, tax: tuple[str, int], with_tax: bool
) -> None:
    usual = country_defaults(country)
    assert (usual.currency, usual.time_zone, usual.prices_include_tax) == (currency, time_zone, with_tax)
    assert (usual.tax.name, usual.tax.rate_bp) == tax


def test_the_browser_time_zone_is_kept_within_its_country() -> None:
    assert guess_place("en-US", "America/Denver")["time_zone"] == "America/Denver"
    assert guess_place("en", None) == {}


async def test_each_step_is_a_valid_page_in_every_language(app: App) -> None:
    for step in ("business", "location", "drivers", "prices", "end"):
        for language in ("en", "fr", "de", "es", "zh-Hans", "zh-Hant"):
            page = await get_page(app, f"{SET_UP}?step={step}&lang={language}", "admin")
            assert (step, page.status_code, Checked(page.text).faults) == (step, 200, [])
            assert "set_up." not in page_text(page)


async def test_the_business_step_saves_country_modules_and_tax_rates(app: App) -> None:
    typed = {"country": "FR", "currency": "CAD", "time_zone": "Europe/Paris", "language": "fr", "uses_lockers": "yes"}
    saved = await send_form(app, SET_UP, "admin", step="business", **typed)
    assert (saved.status_code, saved.headers["location"]) == (303, f"{SET_UP}?step=location")
    client = (await app.answer("admin", "get_client")).client
    assert (client.country, client.time_zone, client.language) == ("FR", "Europe/Paris", "fr")
    assert {"lockers"} == {"lockers", "warehouse", "storage"} & set(client.modules)
    rates = (await app.answer("admin", "list_tax_rates", {"country": "FR"})).tax_rates
    assert [(rate.name, rate.rate_bp) for rate in rates] == [("VAT", 2000)]


async def test_the_script_gets_the_defaults_of_a_country(app: App) -> None:
    told = (await get_page(app, f"{SET_UP}?part=country&country=JP&lang=en", "admin")).json()
    assert (told["currency"], told["time_zone"], told["facts"]) == (
        "JPY",
        "Asia/Tokyo",
        "消費税 10% · Kilometres and kilograms",
    )
    assert (await get_page(app, f"{SET_UP}?part=country&country=XX", "admin")).status_code == 404


async def test_an_address_is_located_by_its_town_and_an_unknown_one_asks_for_a_pin(app: App) -> None:
    await app.answer("rival", "update_client", {"country": "CA"})
    unknown = await send_form(app, SET_UP, "rival", step="location", address="Nowhere 5")
    assert unknown.status_code == 422
    assert "Add the town" in page_text(unknown)
    saved = await send_form(app, SET_UP, "rival", step="location", address="100 Queen St W, Hamilton")
    assert saved.headers["location"] == f"{SET_UP}?step=drivers"
    depots = (await app.answer("rival", "list_depots")).depots
    assert any(abs(depot.lat - 43.25) < 0.1 and abs(depot.lng + 79.87) < 0.1 for depot in depots)


async def test_a_pin_is_saved_and_shown_again(app: App) -> None:
    pin = {"address": "Here", "lat": "43.7", "lng": "-79.4"}
    await send_form(app, SET_UP, "rival", step="location", **pin)
    page = await get_page(app, f"{SET_UP}?step=location", "rival")
    assert 'name="lat" inputmode="decimal" autocomplete="off" value="43.7"' in page.text
    refused = await send_form(app, SET_UP, "rival", step="location", **{**pin, "lat": "north"})
    assert (refused.status_code, 'id="lat-fault"' in refused.text) == (422, True)


async def test_drivers_get_links_with_a_phone_an_email_or_neither(app: App) -> None:
    people = {"name_0": "Max", "contact_0": "+14165550111", "name_1": "Lea", "contact_1": "lea@steps.example"}
    page = await send_form(app, SET_UP, "admin", step="drivers", mine="yes", once="o", **people)
    assert page.status_code == 200
    links = re.findall(r'value="(http://test/sign-in-link#[^"]+)"', unescape(page.text))
    assert len(links) == 3
    for link in links:
        signed_in = await app.call(None, "sign_in_with_link", {"token": link.partition("#")[2]})
        assert signed_in.answer.user.account == "driver"
    drivers = (await app.answer("admin", "get_drivers", {"per_page": 100})).drivers
    assert {("Max", "+14165550111"), ("Lea", None)} <= {(driver.name, driver.phone) for driver in drivers}


async def test_a_driver_who_cannot_be_added_is_reported_and_the_rest_are_added(app: App) -> None:
    people = {"name_0": "Max", "contact_0": "12", "name_1": "Lea", "contact_2": "lea@steps.example"}
    page = await send_form(app, SET_UP, "admin", step="drivers", once="p", **people)
    assert page.status_code == 422
    assert ['id="contact_0-fault"' in page.text, 'id="name_2-fault"' in page.text] == [True, True]
    assert len(re.findall(r'class="driver-link"', page.text)) == 1
    nobody = await send_form(app, SET_UP, "admin", step="drivers", once="q")
    assert "I drive myself" in page_text(nobody)


async def test_a_price_is_the_amount_the_customer_pays(app: App) -> None:
    typed = {"how": "flat", "price": "6,50", "tax_name": "MwSt.", "tax_rate": "19", "tax_included": "yes"}
    example = await get_page(app, f"{SET_UP}?part=example&how=flat&price=6,50&tax_rate=19&tax_included=yes", "admin")
    assert "6.50" in example.text
    saved = await send_form(app, SET_UP, "admin", step="prices", **typed)
    assert saved.headers["location"] == "/desk/new-order"
    quote = await app.answer("admin", "quote_delivery", {"consignee": {"city": "Toronto"}})
    assert [(rate.shipping_price, rate.tax) for rate in quote.rates] == [(650, 104)]
    page = await get_page(app, f"{SET_UP}?step=prices", "admin")
    assert 'value="6.50"' in page.text


async def test_prices_by_distance_increase_and_those_by_postal_code_have_a_default(app: App) -> None:
    shrinking = {"how": "distance", "up_to_0": "10", "price_0": "5", "up_to_1": "8", "price_1": "9"}
    refused = await send_form(app, SET_UP, "admin", step="prices", **shrinking)
    assert (refused.status_code, 'id="up_to_1-fault"' in refused.text) == (422, True)
    assert (await send_form(app, SET_UP, "admin", step="prices", **{**shrinking, "up_to_1": "20"})).status_code == 303
    areas = {"how": "postal", "codes_0": "M5, M4", "area_price_0": "5", "area_rest": "12"}
    assert (await send_form(app, SET_UP, "admin", step="prices", **areas)).status_code == 303
    prices = [
        (await app.answer("admin", "quote_delivery", {"consignee": {"postal_code": code}})).rates[0].shipping_price
        for code in ("M5V 2T6", "L5B 1M2")
    ]
    assert prices == [500, 1200]
    page = (await get_page(app, f"{SET_UP}?step=prices", "admin")).text
    assert 'value="M5, M4"' in page
    twice = await send_form(app, SET_UP, "admin", step="prices", **{**areas, "codes_1": "M5", "area_price_1": "6"})
    assert (twice.status_code, 'id="codes_0-fault"' in twice.text) == (422, True)


async def test_only_admins_can_set_up_and_cross_site_forms_do_nothing(app: App) -> None:
    assert (await get_page(app, SET_UP, "employee")).status_code == 404
    assert (await send_form(app, SET_UP, "employee", step="prices", price="1")).status_code == 404
    forged = await send_form(app, SET_UP, "admin", step="prices", price="1", csrf="forged")
    assert (forged.status_code, (await app.answer("admin", "get_rate_card")).own) == (422, False)
    assert (await send_form(app, SET_UP, "admin", step="unknown")).status_code == 404


async def test_a_finished_setup_leads_home_instead_of_later(app: App) -> None:
    assert "Finish later" in page_text(await get_page(app, f"{SET_UP}?step=business", "admin"))
    assert "Finish later" not in page_text(await get_page(app, f"{SET_UP}?step=end", "admin"))
