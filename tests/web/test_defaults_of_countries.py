"""A business sees the currency, time zone and examples of its own country."""

import re
from itertools import chain

import pytest
from tests.support.app import App
from tests.web.page_client import get_page, send_form

from haulier.app import registry
from haulier.web.desk.forms import Field, form_of
from haulier.web.desk.inputs import leaves
from haulier.web.desk.places import Places
from haulier.web.kinds.examples import example_for
from haulier.web.kinds.habits import Habits

BUSINESSES = {
    "DE": ("EUR", "Europe/Berlin"),
    "FR": ("EUR", "Europe/Paris"),
    "US": ("USD", "America/Chicago"),
    "JP": ("JPY", "Asia/Tokyo"),
    "BR": ("BRL", "America/Sao_Paulo"),
    "AE": ("AED", "Asia/Dubai"),
}
TAXES: dict[str, set[tuple[str, int]]] = {
    "DE": {("DE", 1900)},
    "FR": {("FR", 2000)},
    "US": set(),
    "JP": {("JP", 1000)},
    "BR": set(),
    "AE": {("AE", 500)},
}
FOREIGN = re.compile(
    r"Toronto|Ontario|\bHST\b|CA\$|\bCAD\b|\+1416|\bM5[A-Z]\b|Yonge St|Union Station|America/Toronto"
    r"|Helsinki|katu \d|\+3589|25\.5|Lokki|Kluuvi"
)
"""Traces of the examples of the API, and of the demo."""
PAGES = (
    "/desk",
    "/desk/new-order",
    *(f"/desk/set-up?step={step}" for step in ("business", "location", "drivers", "prices")),
    "/desk/act/create_depot",
    "/desk/act/create_driver",
    "/desk/act/create_service",
    "/desk/act/create_tax_rate",
    "/desk/act/set_invoicing_settings",
    "/desk/act/create_locker_site",
    "/desk/act/create_point_of_interest",
    "/desk/act/set_billing_identity",
    "/desk/act/update_client",
)


@pytest.fixture(scope="module")
def fields() -> list[Field]:
    """Return the fields of all forms."""
    places = Places(registry())
    forms = (form_of(operation.request).fields({}, "UTC") for operation in registry() if places.has_page(operation))
    return [*chain.from_iterable(map(leaves, forms))]


@pytest.mark.parametrize("country", BUSINESSES)
def test_no_form_has_an_example_from_another_country(fields: list[Field], country: str) -> None:
    habits = Habits("en", BUSINESSES[country][0], country)
    shown = {(field.name, example_for(field.name, field.example, habits)) for field in fields if field.example}
    assert {each for each in shown if FOREIGN.search(each[1])} == set()
    assert country in {text for name, text in shown if name.rpartition(".")[2] == "country"}


@pytest.mark.parametrize("country", BUSINESSES)
async def test_business_pages_default_to_its_own_country(app: App, country: str) -> None:
    currency, zone = BUSINESSES[country]
    await app.answer(
        "admin", "update_client", {"name": "Shop", "country": country, "currency": currency, "time_zone": zone}
    )
    for path in PAGES:
        page = await get_page(app, path, "admin")
        assert (path, page.status_code) == (path, 200)
        assert (path, FOREIGN.findall(re.sub(r"<(script|option)\b.*?</\1>", " ", page.text, flags=re.S))) == (path, [])


@pytest.mark.parametrize("country", BUSINESSES)
async def test_setting_up_a_business_adds_its_countrys_taxes(app: App, country: str) -> None:
    zone = BUSINESSES[country][1]
    typed = {"country": country, "currency": "CAD", "time_zone": zone, "language": "en"}
    assert (await send_form(app, "/desk/set-up", "admin", step="business", **typed)).status_code == 303
    rates = (await app.answer("admin", "list_tax_rates")).tax_rates
    assert {(rate.country, rate.rate_bp) for rate in rates} == TAXES[country]
    prices = await get_page(app, "/desk/set-up?step=prices", "admin")
    for _, rate_bp in TAXES[country]:
        assert f'value="{rate_bp // 100}"' in prices.text


async def test_a_new_business_has_no_foreign_taxes(app: App) -> None:
    settings = await app.answer("admin", "get_invoicing_settings")
    assert (settings.tax_name, settings.tax_rate_bp, settings.issuer_lines) == ("", 0, [])
    assert (await app.answer("admin", "list_tax_rates")).tax_rates == []
