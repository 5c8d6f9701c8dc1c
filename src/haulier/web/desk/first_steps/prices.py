"""Step: what a delivery costs, by three templates of a rate card."""

from collections.abc import Mapping

from babel.numbers import get_currency_symbol
from msgspec import Struct
from starlette.responses import HTMLResponse, Response

from haulier.contexts.fleet.depots.operations import list_depots
from haulier.contexts.orders.quotes.operations import get_rate_card, set_rate_card
from haulier.contexts.orders.quotes.rules import Haul, RateZone, price_haul
from haulier.web.desk.first_steps.price_form import (
    DISTANCE,
    EVERYWHERE_M,
    MONEY,
    PERCENT,
    ROWS,
    PriceForm,
    is_of_template,
    percent_text,
    typed_texts,
)
from haulier.web.desk.first_steps.steps import StepForm, go_on, show_step
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import act_address
from haulier.web.kinds.examples import example_for
from haulier.web.kinds.home_country import NET_PRICES, usual_tax
from haulier.web.kinds.units import typed_unit, unit_symbol
from haulier.web.kinds.writing import shown_value

TEMPLATES = ("flat", "distance", "postal")
SUGGESTED_DISTANCES = ("5", "10", "20", "")


class ExamplePrice(Struct, frozen=True):
    """A price as a customer reads it."""

    where: str
    total: str
    tax: str


async def prices_page(desk: DeskRequest, form: StepForm) -> Response:
    """Render the templates, with the present card if it came from one."""
    present = await desk.read_if_allowed(get_rate_card)
    own = present.get("rate_card") if present.get("own") else None
    tax = usual_tax(desk.session.country)
    opening = {
        "how": "flat",
        "tax_name": tax.name,
        "tax_rate": percent_text(desk, tax.rate_bp),
        "tax_included": "" if desk.session.country in NET_PRICES else "yes",
        **{f"up_to_{row}": text for row, text in enumerate(SUGGESTED_DISTANCES)},
    }
    typed = {**opening, **(typed_texts(desk, own) if own else {}), **form.typed}
    if form.typed:
        typed["tax_included"] = form.typed.get("tax_included", "")
    return await show_step(
        desk,
        "prices",
        StepForm(typed, form.faults, form.problem),
        templates=TEMPLATES,
        rows=range(ROWS),
        detailed=own is not None and not is_of_template(own),
        rate_card_form=act_address(set_rate_card),
        unit=unit_symbol(typed_unit(DISTANCE, desk.session.country), desk.habits.locale),
        sign=get_currency_symbol(desk.session.currency, desk.habits.locale),
        code=example_for("postal_code", "M5V 2T6", desk.habits)[:3] or "101",
        example_prices=example_prices(desk, typed),
    )


def example_prices(desk: DeskRequest, typed: Mapping[str, str]) -> list[ExamplePrice]:
    """Return what customers would pay by the prices that are typed so far."""
    card = PriceForm(desk, typed).card({})
    if card is None:
        return []
    found: list[ExamplePrice] = []
    for zone in card.zones:
        code = next(iter(zone.postal_prefixes), None)
        price = price_haul(card, card.services[0], Haul(distance_m=zone.up_to_m, weight_g=1000, postal_code=code))
        rate = shown_value(PERCENT, card.tax_basis_points, desk.habits)
        tax = {"name": card.tax_name, "rate": rate, "amount": shown_value(MONEY, price.tax, desk.habits)}
        found.append(
            ExamplePrice(
                _where(desk, zone),
                shown_value(MONEY, price.total, desk.habits) or "",
                desk.say("set_up.example_tax", **tax) if price.tax else desk.say("set_up.example_no_tax"),
            )
        )
    return found


def _where(desk: DeskRequest, zone: RateZone) -> str:
    if zone.postal_prefixes:
        return desk.say("set_up.example_area", codes=", ".join(zone.postal_prefixes))
    if zone.code == "rest":
        return desk.say("set_up.elsewhere")
    if zone.up_to_m >= EVERYWHERE_M:
        address = example_for("address", "100 Queen St W", desk.habits)
        return desk.say("set_up.example_to", address=address) if address else desk.say("set_up.example_anywhere")
    return desk.say("set_up.example_within", distance=shown_value(DISTANCE, zone.up_to_m, desk.habits))


async def price_example(desk: DeskRequest) -> Response:
    """Answer with the example prices of what is typed, for the script of the page."""
    typed = {name: texts[-1] for name, texts in desk.texts.items()}
    return HTMLResponse(desk.part("first_steps_example.html", example_prices=example_prices(desk, typed)))


async def submit_prices(desk: DeskRequest, typed: Mapping[str, str]) -> Response:
    """Replace the rate card by the chosen template."""
    depots = (await desk.read_if_allowed(list_depots, per_page=1)).get("depots") or [{}]
    form = PriceForm(desk, typed)
    card = form.card(depots[0])
    if card is None:
        return await prices_page(desk, StepForm(typed, form.faults))
    saved = await desk.call(set_rate_card, {"rate_card": card.model_dump(mode="json")})
    if saved.error is not None:
        return await prices_page(desk, StepForm(typed).refused(saved))
    return go_on("prices")
