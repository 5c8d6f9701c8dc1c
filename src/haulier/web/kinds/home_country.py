"""Country of a new business, guessed from its browser, and what is usual there."""

import re
from collections.abc import Iterator

from babel.core import get_global
from babel.numbers import get_territory_currencies
from msgspec import Struct

from haulier.contexts.billing.taxes.rules import initial_rules
from haulier.kernel.values.countries import country_codes, time_zones_by_country
from haulier.kernel.values.money import list_currencies
from haulier.kernel.values.taxes import rate_in_bp

_TAG = re.compile(r"([A-Za-z]{2,3})(?:[-_]([A-Za-z]{4}))?(?:[-_]([A-Za-z]{2}))?")
_ENGLISH = "en"
_MAIN_ZONES = {
    "AU": "Australia/Sydney",
    "BR": "America/Sao_Paulo",
    "CA": "America/Toronto",
    "RU": "Europe/Moscow",
}
"""Countries whose first time zone in tzdata has few people."""
_TAX_NAMES = {
    "AT": "USt.", "BE": "BTW", "BG": "ДДС", "CH": "MWST", "CY": "ΦΠΑ", "CZ": "DPH", "DE": "MwSt.", "DK": "Moms",
    "EE": "KM", "ES": "IVA", "FI": "ALV", "FR": "TVA", "GR": "ΦΠΑ", "HR": "PDV", "HU": "ÁFA", "IT": "IVA",
    "JP": "消費税", "LT": "PVM", "LU": "TVA", "LV": "PVN", "NL": "BTW", "NO": "MVA", "PT": "IVA", "RO": "TVA",
    "SE": "Moms", "SI": "DDV", "SK": "DPH",
}  # fmt: skip
"""Names of the value-added tax in the language of a country."""
NET_PRICES = frozenset({"CA", "US"})
"""Countries where prices are stated without tax."""


class UsualTax(Struct, frozen=True):
    """The standard tax of a country, empty if its regions differ."""

    name: str = ""
    rate_bp: int = 0


class CountryDefaults(Struct, frozen=True, kw_only=True):
    """Usual settings of a country."""

    currency: str
    time_zone: str
    tax: UsualTax
    prices_include_tax: bool


def guess_country(accept_language: str | None, time_zone: str | None = None) -> str | None:
    """Return the country of a browser: that of its time zone, else of its languages."""
    for zone, country in time_zones_by_country():
        if zone == time_zone:
            return country
    return next(_countries(accept_language or ""), None)


def _countries(accept_language: str) -> Iterator[str]:
    """Yield the countries of preferred languages, those without a stated country last."""
    tags = [match.groups() for part in accept_language.split(",") if (match := _TAG.match(part.strip()))]
    yield from (territory.upper() for _, _, territory in tags if territory and territory.upper() in country_codes())
    # English alone says little: browsers in every country prefer it.
    for language, script, _ in tags:
        likely = get_global("likely_subtags")
        found = likely.get(f"{language}_{script}") or likely.get(language) if language != _ENGLISH else None
        if found and (country := found.rpartition("_")[2]) in country_codes():
            yield country


def country_defaults(country: str, time_zone: str | None = None) -> CountryDefaults:
    """Return what is usual in a country. A time zone of the country is kept."""
    zones = zones_of(country)
    main = _MAIN_ZONES.get(country, zones[0] if zones else "UTC")
    return CountryDefaults(
        currency=_currency_of(country),
        time_zone=time_zone if time_zone in zones else main,
        tax=usual_tax(country),
        prices_include_tax=country not in NET_PRICES,
    )


def zones_of(country: str) -> list[str]:
    """Return the time zones of a country."""
    return [zone for zone, code in time_zones_by_country() if code == country]


def usual_tax(country: str | None) -> UsualTax:
    """Return the standard tax of a country, named as people there name it."""
    rules = [rule for rule in initial_rules(country or "") if rule.region is None]
    return (
        UsualTax(_TAX_NAMES.get(country or "", rules[0].name), rate_in_bp(rules[0].rate_ppm)) if rules else UsualTax()
    )


def _currency_of(country: str) -> str:
    known = list_currencies()
    return next((code for code in get_territory_currencies(country) if code in known), "EUR")
