"""Rules of taxes: rates of a place, exemptions, net and gross amounts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.rounding import PPM, PPM_PER_BASIS_POINT, divide_half_up
from haulier.kernel.values.taxes import Tax, make_tax, tax_within_ppm

TAX_RATE_OVERLAPS = declare_error("tax_rate_overlaps", 409)
TAX_EXEMPTION_OVERLAPS = declare_error("tax_exemption_overlaps", 409)

RATES_MAX = 1_000
"""Maximum number of tax rates of a business."""
TAX_NAME_MAX = 40
REGION_MAX = 10
CERTIFICATE_MAX = 60


class ProductClass(StrEnum):
    """Class of a product or service for its tax."""

    DELIVERY = "delivery"
    LABEL = "label"
    STORAGE = "storage"
    SERVICE = "service"
    GOODS = "goods"
    RENTAL = "rental"
    FEE = "fee"


class ExemptionKind(StrEnum):
    """Reason why a customer pays no tax."""

    CERTIFICATE = "certificate"
    """The customer has an exemption certificate."""
    REVERSE_CHARGE = "reverse_charge"
    """The customer accounts for the tax, such as a business in another EU country."""


class TaxRounding(StrEnum):
    """Amounts to which the tax of an invoice is rounded."""

    LINE = "line"
    INVOICE = "invoice"


class TaxPlace(Struct, frozen=True):
    """Jurisdiction of a charge.

    Country (ISO 3166-1) and region (ISO 3166-2 without the country).
    """

    country: str
    region: str | None = None


class TaxRule(Struct, frozen=True, kw_only=True):
    """Tax rate of a jurisdiction. Without a region or class it applies to all of them."""

    country: str
    region: str | None = None
    product_class: str | None = None
    name: str
    rate_ppm: int
    """Rate in parts per million."""


class Exemption(Struct, frozen=True, kw_only=True):
    """Exemption of a customer and the number that proves it."""

    kind: ExemptionKind
    number: str


class Assessment(Struct, frozen=True, kw_only=True):
    """Net amount, gross amount and taxes of a charge."""

    net_minor: int
    gross_minor: int
    taxes: tuple[Tax, ...]
    exemption: Exemption | None = None


def select_rules(rules: Iterable[TaxRule], place: TaxPlace, product_class: str) -> list[TaxRule] | None:
    """Return the rates of a place for a class, or None if its region is unknown.

    Of rates with the same name, the most specific one applies: first by region, then by product class.
    """
    chosen: dict[str, TaxRule] = {}
    in_country = [rule for rule in rules if rule.country == place.country]
    regions = {rule.region for rule in in_country}
    if regions and None not in regions and place.region not in regions:
        return None
    for rule in in_country:
        if rule.region in (None, place.region) and rule.product_class in (None, product_class):
            before = chosen.get(rule.name)
            if before is None or _specificity(rule) > _specificity(before):
                chosen[rule.name] = rule
    return sorted((rule for rule in chosen.values() if rule.rate_ppm), key=lambda rule: (-rule.rate_ppm, rule.name))


def _specificity(rule: TaxRule) -> tuple[bool, bool]:
    return rule.region is not None, rule.product_class is not None


def assess(amount_minor: int, rules: Sequence[TaxRule], *, includes_tax: bool = True) -> Assessment:
    """Return the taxes on an amount that includes them, or to which they are added.

    Halves are rounded away from zero. Within a gross amount, the smallest taxes are rounded and the largest takes the
    rest, so that net and taxes add up.
    """
    if not includes_tax:
        taxes = [_tax(rule, _share(amount_minor, rule.rate_ppm)) for rule in rules]
        gross = amount_minor + sum(tax.amount_minor for tax in taxes)
        return Assessment(net_minor=amount_minor, gross_minor=gross, taxes=tuple(taxes))
    whole = tax_within_ppm(amount_minor, sum(rule.rate_ppm for rule in rules))
    net = amount_minor - whole
    taxes = [_tax(rule, _share(net, rule.rate_ppm)) for rule in rules[1:]]
    if rules:
        taxes.insert(0, _tax(rules[0], whole - sum(tax.amount_minor for tax in taxes)))
    return Assessment(net_minor=net, gross_minor=amount_minor, taxes=tuple(taxes))


def assess_total(total_minor: int, rules: Sequence[TaxRule]) -> Assessment:
    """Return the taxes within a total that was computed from a net price."""
    net = assess(total_minor, rules).net_minor
    for candidate in range(net - len(rules), net + len(rules) + 1):
        found = assess(candidate, rules, includes_tax=False)
        if found.gross_minor == total_minor:
            return found
    return assess(total_minor, rules)


def _tax(rule: TaxRule, amount_minor: int) -> Tax:
    return make_tax(rule.name, rule.rate_ppm, amount_minor)


def _share(amount_minor: int, rate_ppm: int) -> int:
    return divide_half_up(amount_minor * rate_ppm, PPM)


def is_within_eu(a: TaxPlace, b: TaxPlace) -> bool:
    """Return True if both places are in the EU.

    A delivery between them is taxed where it starts.
    """
    return a.country in _EU_STANDARD and b.country in _EU_STANDARD


def periods_overlap(a: tuple[date, date | None], b: tuple[date, date | None]) -> bool:
    """Return True if two periods, each with its first and last day, share a day."""
    return (b[1] is None or a[0] <= b[1]) and (a[1] is None or b[0] <= a[1])


def round_per_invoice(lines: Sequence[tuple[int, Sequence[Tax] | None]]) -> list[Sequence[Tax] | None]:
    """Return the taxes of lines, each tax of the invoice rounded once on its sum.

    The line with the largest amount of each combination of taxes takes the difference. Gross amounts do not change.
    """
    rounded = [taxes for _, taxes in lines]
    groups: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for place, (_, taxes) in enumerate(lines):
        if taxes:
            groups.setdefault(tuple((tax.name, tax.ppm) for tax in taxes), []).append(place)
    for names, places in groups.items():
        gross = sum(lines[place][0] for place in places)
        rules = [TaxRule(country="", name=name, rate_ppm=rate_ppm) for name, rate_ppm in names]
        exact = assess(gross, sorted(rules, key=lambda rule: -rule.rate_ppm)).taxes
        missing = {(tax.name, tax.ppm): tax.amount_minor for tax in exact}
        for place in places:
            for tax in lines[place][1] or ():
                missing[tax.name, tax.ppm] -= tax.amount_minor
        largest = max(places, key=lambda place: abs(lines[place][0]))
        rounded[largest] = [
            replace(tax, amount_minor=tax.amount_minor + missing[tax.name, tax.ppm]) for tax in lines[largest][1] or ()
        ]
    return rounded


_EU_STANDARD = {
    "AT": 2000,
    "BE": 2100,
    "BG": 2000,
    "CY": 1900,
    "CZ": 2100,
    "DE": 1900,
    "DK": 2500,
    "EE": 2400,
    "ES": 2100,
    "FI": 2550,
    "FR": 2000,
    "GR": 2400,
    "HR": 2500,
    "HU": 2700,
    "IE": 2300,
    "IT": 2200,
    "LT": 2100,
    "LU": 1700,
    "LV": 2100,
    "MT": 1800,
    "NL": 2100,
    "PL": 2300,
    "PT": 2300,
    "RO": 2100,
    "SE": 2500,
    "SI": 2200,
    "SK": 2300,
}
"""Standard rates of the EU member states in hundredths of a percent: European Commission, VAT rates applied in the
member states."""
_GST = ("GST", 50_000)
_CANADA: Mapping[str, tuple[tuple[str, int], ...]] = {
    **dict.fromkeys(("AB", "NT", "NU", "YT"), (_GST,)),
    "BC": (_GST, ("PST", 70_000)),
    "MB": (_GST, ("RST", 70_000)),
    **dict.fromkeys(("NB", "NL", "PE"), (("HST", 150_000),)),
    "NS": (("HST", 140_000),),
    "ON": (("HST", 130_000),),
    "QC": (_GST, ("QST", 99_750)),
    "SK": (_GST, ("PST", 60_000)),
}
"""Rates in parts per million. GST and HST: Canada Revenue Agency, GST/HST rates by province. QST, PST and RST: revenue
agencies of the provinces."""
_OTHER_COUNTRIES: Mapping[str, tuple[str, int]] = {
    "AE": ("VAT", 500),
    "AU": ("GST", 1000),
    "CH": ("VAT", 810),
    "GB": ("VAT", 2000),
    "JP": ("Consumption tax", 1000),
    "NO": ("VAT", 2500),
    "NZ": ("GST", 1500),
    "SG": ("GST", 900),
    "ZA": ("VAT", 1500),
}
"""Standard rates in hundredths of a percent, by the national revenue agencies. The United States have no national sales tax."""


def initial_rules(country: str) -> list[TaxRule]:
    """Return the standard tax rates of a country as of 2026, if known.

    Sources: European Commission, Canada Revenue Agency with the revenue agencies of the provinces, and the national
    revenue agencies of the other countries.
    """
    if country == "CA":
        return [
            TaxRule(country="CA", region=region, name=name, rate_ppm=rate_ppm)
            for region, taxes in sorted(_CANADA.items())
            for name, rate_ppm in taxes
        ]
    other = ("VAT", _EU_STANDARD[country]) if country in _EU_STANDARD else _OTHER_COUNTRIES.get(country)
    return [TaxRule(country=country, name=other[0], rate_ppm=other[1] * PPM_PER_BASIS_POINT)] if other else []
