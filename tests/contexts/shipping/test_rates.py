"""Rates: tariffs, surcharges, and carriers listed as failing."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.contexts.shipping.examples import HERE
from tests.contexts.shipping.makers import ADA, SENDER, SHIPMENT, make_parcelo_account, make_platform_account, rates_of
from tests.support.app import App

from haulier.contexts.shipping.accounts.contract import START_TARIFF, CarrierTariff
from haulier.contexts.shipping.accounts.rules import billed_weight_g
from haulier.contexts.shipping.labels.actions import carrier_rates
from haulier.contexts.shipping.ports import CarrierUnavailable, Parcel, Rates

TARIFF: dict[str, Any] = {
    "services": [{"code": "ground", "name": "Ground", "max_weight_g": 20_000}],
    "zones": [
        {"code": "city", "postal_prefixes": ["M"], "steps": [{"up_to_g": 5_000, "amount": 600}]},
        {"code": "far", "steps": [{"up_to_g": 1_000, "amount": 1_000}], "per_extra_kg": 150, "extra_days": 2},
    ],
    "fuel_basis_points": 1_000,
    "residential": 200,
    "signature": 150,
    "tax_name": "HST",
    "tax_basis_points": 1_300,
}


async def test_a_tariff_prices_by_zone_weight_and_options(app: App) -> None:
    account = await make_platform_account(app)
    await app.answer("admin", "set_carrier_tariff", {"account_id": account, "tariff": TARIFF})
    home = {**ADA, "residential": True}
    wanted = {"consignee": home, "signature_required": True, "packages": [{"weight_g": 2_500}]}
    (rate,) = (await rates_of(app, **wanted)).rates
    parts = {part.code: part.amount for part in rate.price_details}
    assert parts == {"base": 1_300, "fuel": 130, "residential": 200, "signature": 150, "tax": 231}
    assert (rate.shipping_price, rate.transit_days) == (2_011, 4)
    (near,) = (await rates_of(app, consignee={**ADA, "postal_code": "m5v 2t6"})).rates
    assert near.price_details[0].amount == 600
    heavy = await rates_of(app, packages=[{"weight_g": 30_000}])
    assert (heavy.rates, [each.code for each in heavy.messages]) == ([], ["TOO_HEAVY"])


@given(st.integers(1, 50_000), st.integers(0, 2_000), st.integers(0, 2_000), st.integers(0, 2_000))
def test_the_billed_weight_is_the_greater_of_actual_and_volumetric(
    weight: int, length: int, width: int, height: int
) -> None:
    parcel = Parcel(weight, length, width, height)
    billed = billed_weight_g(START_TARIFF, parcel)
    assert billed >= weight
    assert billed * START_TARIFF.dimensional_divisor >= length * width * height
    flat = START_TARIFF.model_copy(update={"dimensional_divisor": 0})
    assert billed_weight_g(CarrierTariff.model_validate(flat.model_dump()), parcel) == weight


async def test_an_unknown_currency_is_refused_by_field(app: App) -> None:
    account = await make_platform_account(app)
    shoes = {"description": "Shoes", "origin_country": "CA", "quantity": 1, "unit_value": 900}
    abroad = {**SHIPMENT, "currency": "AAA", "customs_items": [shoes]}
    asked = {
        "get_shipping_rate": abroad,
        "compare_all_carriers": abroad,
        "quote_and_ship": {"shipment": abroad},
        "set_carrier_tariff": {"account_id": account, "tariff": {**TARIFF, "currency": "AAA"}},
    }
    for operation, values in asked.items():
        refused = await app.call("admin", operation, values, confirmed=True)
        assert refused.error is not None
        (fault,) = refused.error["errors"]
        assert (refused.status, fault["code"], fault["field"].rpartition(".")[2]) == (
            422,
            "UNKNOWN_CURRENCY",
            "currency",
        )


async def test_customers_see_the_price_and_the_office_sees_the_markup(app: App) -> None:
    await make_platform_account(app, markup_basis_points=1_000, markup_minor=28)
    (office, *_), (customer, *_) = [(await rates_of(app, who)).rates for who in ("admin", "customer")]
    assert (office.shipping_price, office.carrier_price_minor) == (1_097, 972)
    assert [part.code for part in office.price_details] == ["base", "fuel", "mark_up"]
    assert (customer.shipping_price, str(customer.carrier_price_minor)) == (1_097, "UNSET")
    assert [(part.code, part.amount) for part in customer.price_details] == [("base", 1_097)]


async def test_rates_with_hidden_prices_show_names_and_can_be_bought(app: App) -> None:
    await make_platform_account(app)
    hidden = {"customer_id": app.ids["customer"], "hidden": ["label_service"]}
    await app.answer("admin", "set_price_visibility", hidden)
    rated = await app.rest("customer", "POST", "/v1/labelservice/rate", SHIPMENT)
    document = rated.json()
    assert [(each["service"], each["price_hidden"]) for each in document["rates"]] == [
        ("express", True),
        ("ground", True),
    ]
    assert not {"shipping_price", "currency", "price_details", "carrier_price_minor"} & document["rates"][0].keys()
    bought = {"rate_id": document["rates"][1]["rate_id"]}
    shipment = (await app.rest("customer", "POST", "/v1/labelservice/submitOrder", bought)).json()["shipment"]
    assert (shipment["state"], shipment["price_hidden"], "shipping_price" in shipment) == ("purchased", True, False)


async def test_a_slow_or_failing_carrier_loses_only_its_own_rates(app: App, monkeypatch: Any) -> None:
    carrier = await make_parcelo_account(app)
    await make_platform_account(app)
    carrier.rating = CarrierUnavailable("closed for the day")
    rated = await rates_of(app)
    assert ({each.carrier for each in rated.rates}, rated.messages[0].code) == ({"HOUSE"}, "NOT_REACHED")
    for language, words in (("en", "cannot be reached"), ("de", "nicht erreichbar"), ("zh-Hans", "无法连接")):
        said = (
            (await app.call("admin", "get_shipping_rate", SHIPMENT, accept_language=language)).answer.messages[0].text
        )
        assert words in said
        assert "closed for the day" not in said
    monkeypatch.setattr(carrier_rates, "RATE_DEADLINE_S", 0.05)

    async def never(*_: Any) -> Rates:
        await carrier_rates.asyncio.Event().wait()
        raise AssertionError

    carrier.rate = never  # type: ignore[method-assign]
    rated = await rates_of(app)
    assert [(each.code, each.carrier) for each in rated.messages] == [("TOO_SLOW", "PARCELO")]
    assert {each.carrier for each in rated.rates} == {"HOUSE"}


async def test_a_disabled_service_is_not_offered(app: App) -> None:
    account = await make_platform_account(app)
    await app.answer("admin", "update_carrier_account", {"account_id": account, "services_off": ["ground"]})
    assert [each.service for each in (await rates_of(app)).rates] == ["express"]
    (methods,) = (await app.answer("admin", "get_shipping_methods")).methods
    assert [each.code for each in methods.services] == ["express"]


async def test_statement_count_does_not_grow_with_carriers(app: App) -> None:
    spent = []
    for count in (1, 10):
        for number in range(count):
            await make_platform_account(app, name=f"Van {count}-{number}", sender=HERE)
        app.statements = 0
        await rates_of(app)
        spent.append(app.statements)
    assert spent[0] == spent[1]


async def test_an_account_without_a_sender_uses_the_default_sender_of_the_address_book(app: App) -> None:
    carrier = await make_parcelo_account(app, sender=None)
    nobody = await app.call("admin", "get_shipping_rate", SHIPMENT)
    assert nobody.error
    assert nobody.error["errors"][0]["code"] == "SENDER_NEEDED"
    await app.answer(
        "admin", "create_address", {**SENDER, "name": "Book", "company": "B" * 150, "default_sender": True}
    )
    assert len((await rates_of(app)).rates) == 1
    assert len((await rates_of(app, shipper={**SENDER, "name": "Said"})).rates) == 1
    assert carrier.senders == ["Book", "Said"]
