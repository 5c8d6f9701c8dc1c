"""Reads of taxes for other families."""

from datetime import date

from haulier.contexts.billing.taxes import store
from haulier.contexts.billing.taxes.rules import (
    Assessment,
    Exemption,
    ExemptionKind,
    ProductClass,
    TaxPlace,
    TaxRounding,
    TaxRule,
    assess,
    assess_total,
    is_within_eu,
    select_rules,
)
from haulier.contexts.billing.taxes.store import TaxRateRow, TaxSettingRow
from haulier.contexts.identity.public import require_client
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money


async def taxes_for(
    call: Call,
    customer_id: int | None,
    amount_minor: int,
    product_class: ProductClass,
    *,
    place: TaxPlace | None = None,
    on: date | None = None,
    includes_tax: bool | None = None,
    is_total: bool = False,
) -> Assessment | None:
    """Return the taxes of an amount by the tax rates of the business.

    `place` is by default the home jurisdiction. `includes_tax` is by default the choice of the business; `is_total` is
    true for a total that was computed from its price. Returns None if the business has no tax rates, or if the place is
    unknown: the default tax of the invoice applies.
    """
    day = on or call.today
    rates = await store.list_valid_rates(call.work, day)
    if not rates:
        return None
    settings = await store.get_settings(call.work)
    where = await _complete_place(call, place, settings)
    rules = select_rules(map(_rule, rates), where, product_class) if where else None
    if where is None or rules is None:
        return None
    exemption = await _find_exemption(call, customer_id, where, day) if rules and customer_id else None
    if exemption is None:
        gross = includes_tax_of(settings) if includes_tax is None else includes_tax
        if is_total and not gross:
            return assess_total(amount_minor, rules)
        return assess(amount_minor, rules, includes_tax=gross)
    return Assessment(net_minor=amount_minor, gross_minor=amount_minor, taxes=(), exemption=exemption)


def _rule(row: TaxRateRow) -> TaxRule:
    return TaxRule(
        country=row.country, region=row.region, product_class=row.product_class, name=row.name, rate_ppm=row.rate_ppm
    )


async def price_with_tax(
    call: Call, customer_id: int | None, price: Money, product_class: ProductClass, *, on: date | None = None
) -> Money:
    """Return the amount that a customer pays for a price.

    It is more if prices do not include tax.
    """
    if not price.minor:
        return price
    found = await taxes_for(call, customer_id, price.minor, product_class, on=on)
    return Money(found.gross_minor, price.currency) if found else price


def includes_tax_of(row: TaxSettingRow | None) -> bool:
    """Return True if prices include tax by the settings of a business."""
    return row is None or row.prices_include_tax is not False


async def _complete_place(call: Call, place: TaxPlace | None, settings: TaxSettingRow | None) -> TaxPlace | None:
    """Return a place with its region, or the home jurisdiction.

    The home region completes a place in the home country.
    """
    home = await _home(call, settings)
    if place is not None and place.region is not None:
        return place
    is_home = home is not None and place is not None and home.country == place.country
    if place is None or is_home or (home is not None and is_within_eu(home, place)):
        return home
    return place


async def load_home(call: Call) -> TaxPlace | None:
    """Return the home jurisdiction of the business, or None if it is unknown.

    The country of the business counts unless the tax settings name one.
    """
    return await _home(call, await store.get_settings(call.work))


async def _home(call: Call, row: TaxSettingRow | None) -> TaxPlace | None:
    if row and row.country:
        return TaxPlace(row.country, row.region)
    country = (await require_client(call.work, call.client_id)).country
    return TaxPlace(country, row.region if row else None) if country else None


async def list_tax_rules(call: Call) -> list[TaxRule]:
    """Return all tax rates of the business, past and future ones too."""
    return [_rule(row) for row in await store.list_rates(call.work)]


async def load_rounding(call: Call) -> TaxRounding:
    """Return the rounding of taxes on invoices."""
    row = await store.get_settings(call.work)
    return TaxRounding(row.rounding) if row else TaxRounding.LINE


async def _find_exemption(call: Call, customer_id: int, place: TaxPlace, day: date) -> Exemption | None:
    for row in await store.list_valid_exemptions(call.work, customer_id, day):
        if row.country in (None, place.country):
            return Exemption(kind=ExemptionKind(row.kind), number=row.certificate_number)
    return None
