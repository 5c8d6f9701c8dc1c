"""Step: what a business does, and where it is."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response

from haulier.contexts.billing.taxes.operations import add_initial_tax_rates
from haulier.contexts.identity.accounts.operations import get_client, set_module, update_client
from haulier.kernel.operations.enums import Module
from haulier.web.desk.first_steps.steps import StepForm, go_on, show_step
from haulier.web.desk.pages import DeskRequest
from haulier.web.first_start import OFFERED
from haulier.web.i18n import NATIVE_LANGUAGE_NAMES
from haulier.web.kinds.habits import Habits
from haulier.web.kinds.home_country import country_defaults, guess_country, zones_of
from haulier.web.kinds.names import name_of, options_of
from haulier.web.kinds.table import Kind, ValueKind
from haulier.web.kinds.units import IMPERIAL
from haulier.web.kinds.writing import shown_value
from haulier.web.session import app_of

PLACE_FIELDS = ("country", "currency", "time_zone", "language")


async def business_page(desk: DeskRequest, form: StepForm) -> Response:
    """Render the modules, and the settings of the country."""
    client = (await desk.read_if_allowed(get_client)).get("client") or {}
    header = desk.request.headers.get("accept-language")
    country = form.text("country", client.get("country") or guess_country(header) or "")
    known = client if client.get("country") else _usual_settings(country)
    zones = zones_of(country)
    return await show_step(
        desk,
        "business",
        form,
        offered=[module.value for module in offered_modules(desk)],
        enabled=client.get("modules", []),
        country=country,
        countries=options_of(Kind.COUNTRY, desk.habits),
        currencies=options_of(Kind.CURRENCY, desk.habits),
        zones={zone: name_of(Kind.TIME_ZONE, zone, desk.habits) for zone in zones},
        all_zones=options_of(Kind.TIME_ZONE, desk.habits),
        mail_languages=[(name, code) for code, name in NATIVE_LANGUAGE_NAMES.items()],
        known={name: form.text(name, known.get(name) or client.get(name)) for name in PLACE_FIELDS},
        facts=country_facts(desk, country) if country else "",
    )


def offered_modules(desk: DeskRequest) -> list[Module]:
    """Return the loaded modules that the step asks about."""
    return [module for module in OFFERED if module.value in app_of(desk.request).loaded]


def _usual_settings(country: str) -> dict[str, str]:
    if not country:
        return {}
    usual = country_defaults(country)
    return {"currency": usual.currency, "time_zone": usual.time_zone}


def country_facts(desk: DeskRequest, country: str) -> str:
    """Return the tax and the units of a country in a line."""
    tax = country_defaults(country).tax
    habits = Habits(desk.habits.locale.replace("_", "-"), "", country)
    rate = shown_value(ValueKind(Kind.PERCENT, "bp"), tax.rate_bp, habits)
    units = desk.say("set_up.imperial" if country in IMPERIAL else "set_up.metric")
    return f"{desk.say('set_up.tax_fact', name=tax.name, rate=rate)} · {units}" if tax.name else units


async def country_settings(desk: DeskRequest) -> Response:
    """Answer with the usual settings of a country as JSON, for the script of the page."""
    country = desk.texts.get("country", [""])[-1]
    if country not in options_of(Kind.COUNTRY, desk.habits).values():
        return JSONResponse({}, 404)
    zones = [[zone, name_of(Kind.TIME_ZONE, zone, desk.habits)] for zone in zones_of(country)]
    return JSONResponse({**_usual_settings(country), "zones": zones, "facts": country_facts(desk, country)})


async def submit_business(desk: DeskRequest, typed: Mapping[str, str]) -> Response:
    """Save the settings, switch the modules and add the tax rates of the country."""
    form = StepForm(typed)
    values = {name: typed[name] for name in PLACE_FIELDS if typed.get(name)}
    if "country" not in values:
        return await business_page(desk, StepForm(typed, {"country": desk.say("field.missing")}))
    saved = await desk.call(update_client, values)
    if saved.error is not None:
        return await business_page(desk, form.refused(saved))
    client = (await desk.read_if_allowed(get_client)).get("client") or {}
    for module in offered_modules(desk):
        wanted = form.is_on(f"uses_{module}")
        if wanted != (module.value in client.get("modules", [])):
            switched = await desk.call(set_module, {"module": module.value, "enabled": wanted})
            if switched.error is not None:
                return await business_page(desk, form.refused(switched))
    if desk.may(add_initial_tax_rates):
        rates: dict[str, Any] = {"country": values["country"]}
        await desk.call(add_initial_tax_rates, rates)
    return go_on("business")
