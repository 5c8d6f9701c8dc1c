"""Rules of tax reports: sums by jurisdiction, rate and category."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.contexts.billing.taxes.rules import ExemptionKind, TaxRule
from haulier.kernel.values.taxes import Tax


class TaxTreatment(StrEnum):
    """Category of an amount in a tax report."""

    TAXED = "taxed"
    CERTIFICATE = "certificate"
    """Exempt by a certificate of the customer."""
    REVERSE_CHARGE = "reverse_charge"
    """The customer accounts for the tax."""
    UNTAXED = "untaxed"


class TaxedAmount(Struct, frozen=True, kw_only=True):
    """Gross amount with its taxes. Negative for credit notes and reversals."""

    gross_minor: int
    taxes: Sequence[Tax]
    exemption_kind: str | None


class TaxKey(Struct, frozen=True, order=True):
    """Group of a tax report."""

    currency: str
    treatment: TaxTreatment
    name: str
    rate_ppm: int


class TaxTotals(Struct):
    """Sums of a group, in minor units."""

    net_minor: int = 0
    tax_minor: int = 0
    gross_minor: int = 0


def add_amounts(groups: dict[TaxKey, TaxTotals], currency: str, amounts: Iterable[TaxedAmount], sign: int) -> None:
    """Add amounts to their groups.

    An amount with several taxes is in the group of each.
    """
    for amount in amounts:
        net = amount.gross_minor - sum(tax.amount_minor for tax in amount.taxes)
        for tax in amount.taxes or (Tax(name="", rate_bp=0, amount_minor=0),):
            key = TaxKey(currency, _treatment(amount), tax.name, tax.ppm)
            group = groups.setdefault(key, TaxTotals())
            group.net_minor += sign * net
            group.tax_minor += sign * tax.amount_minor
            group.gross_minor += sign * (net + tax.amount_minor)


def _treatment(amount: TaxedAmount) -> TaxTreatment:
    if amount.taxes:
        return TaxTreatment.TAXED
    return TaxTreatment(ExemptionKind(amount.exemption_kind).value) if amount.exemption_kind else TaxTreatment.UNTAXED


def find_jurisdiction(rules: Iterable[TaxRule], name: str, rate_ppm: int) -> tuple[str | None, str | None]:
    """Return country and region of a tax, as far as its name and rate tell them."""
    places = {(rule.country, rule.region) for rule in rules if (rule.name, rule.rate_ppm) == (name, rate_ppm)}
    countries = {country for country, _ in places}
    if len(countries) != 1:
        return None, None
    return next(iter(countries)), next(iter(places))[1] if len(places) == 1 else None
