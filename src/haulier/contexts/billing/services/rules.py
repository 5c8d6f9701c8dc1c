"""Prices of services in minor units.

Each line is rounded half up, so lines always add up to the total.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import AMOUNT_MAX
from haulier.contexts.billing.services.contract.forms import FormField, FormFieldType
from haulier.contexts.billing.services.contract.prices import OptionPrice, ServicePricing, ServiceZone
from haulier.contexts.billing.services.contract.services import ServiceMeasures
from haulier.contexts.billing.services.rules.forms import Form, Values, condition_faults, hold, shown_fields
from haulier.contexts.billing.services.rules.kinds import SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.values.postal_codes import matches_postal_prefix

FULL_BASIS_POINTS = 10_000
CM3_IN_M3 = 1_000_000
M_IN_KM = 1_000
G_IN_KG = 1_000
TAX, MINIMUM = "tax", "minimum"


class PriceLine(Struct, frozen=True):
    """Part of a price in minor units. Lines without a name are labelled by their code."""

    code: str
    minor: int
    name: str | None = None


class ServicePrice(Struct, frozen=True):
    """Price with its lines, which add up to the total. Tax is one of them."""

    currency: str
    lines: tuple[PriceLine, ...]

    @property
    def total_minor(self) -> int:
        """Return the total."""
        return sum(line.minor for line in self.lines)

    @property
    def tax_minor(self) -> int:
        """Return the tax included in the total."""
        return sum(line.minor for line in self.lines if line.code == TAX)


def pricing_faults(pricing: ServicePricing, form: Form, at: str = "pricing") -> Iterator[FieldError]:
    """Yield the validation errors of prices that refer to form fields."""
    fields = {field.name: field for field in form}
    for index, option in enumerate(pricing.options):
        field = fields.get(option.field)
        if field is None:
            yield FieldError(f"{at}.options.{index}.field", "field.form_field_unknown")
        elif not _can_cost(field, option):
            yield FieldError(f"{at}.options.{index}.option", "field.form_condition_value")
    for index, surcharge in enumerate(pricing.surcharges):
        yield from condition_faults(fields, surcharge.when, f"{at}.surcharges.{index}.when")


def _can_cost(field: FormField, option: OptionPrice) -> bool:
    if option.option is None:
        return field.type in (FormFieldType.BOOLEAN, FormFieldType.INTEGER)
    return option.option in [each.value for each in field.options]


def price_of(
    pricing: ServicePricing,
    currency: str,
    form: Form,
    values: Values,
    measures: ServiceMeasures,
    extra: Sequence[PriceLine] = (),
) -> ServicePrice:
    """Return the price of a service for valid form values.

    The caller's `extra` lines come before surcharges, minimum and tax. Raises `SERVICE_OUT_OF_AREA` if no zone has
    the destination, and `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    shown = shown_fields(form, values)
    lines = [*_basic_lines(pricing, measures), *_zone_lines(pricing, measures), *extra]
    lines += _option_lines(pricing, shown, values, measures.pieces)
    net = sum(line.minor for line in lines)
    for surcharge in pricing.surcharges:
        if hold(surcharge.when, shown, values):
            added = share(net, surcharge.basis_points) + surcharge.amount_minor
            lines.append(PriceLine(f"surcharge.{surcharge.code}", added, surcharge.name))
            net += added
    lines.append(PriceLine(MINIMUM, max(0, pricing.minimum_minor - net)))
    net = max(net, pricing.minimum_minor)
    lines.append(PriceLine(TAX, share(net, pricing.tax_basis_points), pricing.tax_name))
    price = ServicePrice(currency, tuple(line for line in lines if line.minor))
    if price.total_minor > AMOUNT_MAX:
        raise SERVICE_PRICE_OUT_OF_RANGE()
    return price


def _basic_lines(pricing: ServicePricing, measures: ServiceMeasures) -> Iterator[PriceLine]:
    yield PriceLine("base", pricing.base_minor)
    yield PriceLine("pieces", pricing.per_piece_minor * measures.pieces)
    yield PriceLine("weight", _weight_price(pricing, billed_weight_g(pricing, measures)))
    yield PriceLine("volume", half_up(pricing.per_cubic_metre_minor * measures.volume_cm3, CM3_IN_M3))
    yield PriceLine("distance", half_up(pricing.per_km_minor * measures.distance_m, M_IN_KM))


def billed_weight_g(pricing: ServicePricing, measures: ServiceMeasures) -> int:
    """Return the greater of actual and dimensional weight, in started grams."""
    if not pricing.dimensional_divisor:
        return measures.weight_g
    return max(measures.weight_g, -(-measures.volume_cm3 * G_IN_KG // pricing.dimensional_divisor))


def _weight_price(pricing: ServicePricing, grams: int) -> int:
    for step in pricing.weight_steps:
        if grams <= step.up_to_g:
            return step.amount_minor if grams else 0
    last = pricing.weight_steps[-1] if pricing.weight_steps else None
    over = grams - (last.up_to_g if last else 0)
    return (last.amount_minor if last else 0) + pricing.per_extra_kg_minor * -(-over // G_IN_KG)


def _zone_lines(pricing: ServicePricing, measures: ServiceMeasures) -> Iterator[PriceLine]:
    if not pricing.zones:
        return
    zone = next((each for each in pricing.zones if _is_in(each, measures.country, measures.postal_code)), None)
    if zone is None:
        raise SERVICE_OUT_OF_AREA()
    yield PriceLine("zone", zone.amount_minor, zone.name)


def _is_in(zone: ServiceZone, country: str | None, postal_code: str | None) -> bool:
    in_country = not zone.countries or country in zone.countries
    return in_country and (not zone.postal_prefixes or matches_postal_prefix(postal_code, zone.postal_prefixes))


def _option_lines(
    pricing: ServicePricing, shown: Mapping[str, FormField], values: Values, pieces: int
) -> Iterator[PriceLine]:
    for option in pricing.options:
        field = shown.get(option.field)
        if field is not None and (times := _times(option, values.get(option.field))):
            amount = option.amount_minor * times * (pieces if option.per_piece else 1)
            yield PriceLine(f"option.{option.field}", amount, _option_name(field, option))


def _times(option: OptionPrice, value: Any) -> int:
    if option.option is not None:
        return int(option.option in value) if isinstance(value, list) else int(value == option.option)
    return max(0, int(value)) if isinstance(value, int) else 0


def _option_name(field: FormField, option: OptionPrice) -> str:
    chosen = next((each.label for each in field.options if each.value == option.option), None)
    return f"{field.label}: {chosen}" if chosen else field.label


def share(amount: int, basis_points: int) -> int:
    """Return a share of an amount, halves rounded up."""
    return half_up(amount * basis_points, FULL_BASIS_POINTS)


def half_up(numerator: int, denominator: int) -> int:
    """Return a quotient of non-negative integers, halves rounded up."""
    return (2 * numerator + denominator) // (2 * denominator)
