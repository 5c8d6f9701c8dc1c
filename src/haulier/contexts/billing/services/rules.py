"""Rules of services.

A hidden field takes no value, so a condition on it never holds.

Each line is rounded half up, so lines always add up to the total.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.ledger.rules import AMOUNT_MAX
from haulier.contexts.billing.services.contract import (
    FormCondition,
    FormField,
    FormFieldType,
    OptionPrice,
    ServiceKind,
    ServiceMeasures,
    ServicePricing,
    ServiceZone,
)
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import FieldError, declare_error
from haulier.kernel.operations.fields import ID_MAX
from haulier.kernel.operations.json_schemas import compile_schema
from haulier.kernel.values.postal_codes import matches_postal_prefix
from haulier.kernel.values.rounding import BASIS_POINTS, divide_half_up, share_of
from haulier.kernel.values.taxes import Tax

Form = Sequence[FormField]
Values = Mapping[str, Any]
CHOOSING = frozenset({FormFieldType.CHOICE, FormFieldType.CHOICES})
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def form_faults(form: Form, at: str = "form") -> Iterator[FieldError]:
    """Yield the validation errors of a form."""
    before: dict[str, FormField] = {}
    for index, field in enumerate(form):
        place = f"{at}.{index}"
        if field.name in before:
            yield FieldError(f"{place}.name", "field.form_name_twice")
        values = [option.value for option in field.options]
        if bool(values) != (field.type in CHOOSING) or len(values) != len(set(values)):
            yield FieldError(f"{place}.options", "field.form_options")
        if field.minimum is not None and field.maximum is not None and field.minimum > field.maximum:
            yield FieldError(f"{place}.maximum", "field.form_bounds")
        yield from condition_faults(before, field.visible_when, f"{place}.visible_when")
        yield from condition_faults(before, field.required_when, f"{place}.required_when")
        before[field.name] = field


def condition_faults(
    known: Mapping[str, FormField], conditions: Sequence[FormCondition], at: str
) -> Iterator[FieldError]:
    """Yield the validation errors of conditions."""
    for index, condition in enumerate(conditions):
        field = known.get(condition.field)
        if field is None:
            yield FieldError(f"{at}.{index}.field", "field.form_field_unknown")
        elif not all(_can_have(field, value) for value in condition.one_of):
            yield FieldError(f"{at}.{index}.one_of", "field.form_condition_value")


def _can_have(field: FormField, value: object) -> bool:
    if field.type is FormFieldType.BOOLEAN:
        return isinstance(value, bool)
    if field.type is FormFieldType.INTEGER:
        return isinstance(value, int) and not isinstance(value, bool)
    return field.type in CHOOSING and value in [option.value for option in field.options]


def given_values(values: Values) -> dict[str, Any]:
    """Return the values that are not null."""
    return {name: value for name, value in values.items() if value is not None}


def shown_fields(form: Form, values: Values) -> dict[str, FormField]:
    """Return the fields that are shown for given values, by name."""
    shown: dict[str, FormField] = {}
    for field in form:
        if hold(field.visible_when, shown, values):
            shown[field.name] = field
    return shown


def hold(conditions: Sequence[FormCondition], shown: Mapping[str, FormField], values: Values) -> bool:
    """Return True if all conditions hold."""
    return all(each.field in shown and _has(values.get(each.field), each.one_of) for each in conditions)


def _has(value: Any, wanted: Sequence[object]) -> bool:
    chosen = value if isinstance(value, list) else [value]
    # Compare types too: 1 == True in Python, but not in JSON.
    return any(type(one) is type(each) and one == each for one in chosen for each in wanted)


def values_faults(form: Form, values: Values, at: str) -> list[FieldError]:
    """Return the validation errors of form values, with paths below `at`."""
    given = given_values(values)
    shown = shown_fields(form, given)
    needed = [
        name
        for name, field in shown.items()
        if field.required or (field.required_when and hold(field.required_when, shown, given))
    ]
    schema = {
        "type": "object",
        "properties": {name: _value_schema(field) for name, field in shown.items()},
        "required": needed,
    }
    unasked = [FieldError(f"{at}.{name}", "field.form_not_asked") for name in given if name not in shown]
    return unasked + compile_schema(schema).faults(given, at)


def _value_schema(field: FormField) -> dict[str, Any]:
    options = [option.value for option in field.options]
    if field.type is FormFieldType.BOOLEAN:
        return {"type": "boolean"}
    if field.type is FormFieldType.INTEGER:
        least = -ID_MAX if field.minimum is None else field.minimum
        return {"type": "integer", "minimum": least, "maximum": ID_MAX if field.maximum is None else field.maximum}
    if field.type is FormFieldType.CHOICE:
        return {"type": "string", "enum": options}
    if field.type is FormFieldType.CHOICES:
        return {"type": "array", "items": {"type": "string", "enum": options}, "uniqueItems": True}
    if field.type is FormFieldType.DATE:
        return {"type": "string", "format": "date"}
    return {"type": "string", "minLength": 1, "maxLength": field.max_length}


def form_schema(form: Form, language: str) -> dict[str, Any]:
    """Return the form as JSON Schema (2020-12), with titles in a language.

    The schema accepts exactly the values that the service accepts.
    """
    rules = [rule for field in form for rule in _rules(form, field)]
    return {
        "$schema": _DIALECT,
        "type": "object",
        "properties": {field.name: _described(field, language) for field in form},
        "required": [field.name for field in form if field.required and not field.visible_when],
        "additionalProperties": False,
        **({"allOf": rules} if rules else {}),
    }


def _described(field: FormField, language: str) -> dict[str, Any]:
    shown = _value_schema(field) | {"title": field.labels.get(language) or field.label}  # type: ignore[call-overload]
    if field.help:
        shown["description"] = field.help
    titles = [
        {"const": option.value, "title": option.labels.get(language) or option.label}  # type: ignore[call-overload]
        for option in field.options
    ]
    if field.type is FormFieldType.CHOICE:
        shown["oneOf"] = titles
    elif field.type is FormFieldType.CHOICES:
        shown["items"] = {"type": "string", "oneOf": titles}
    return shown


def _rules(form: Form, field: FormField) -> Iterator[dict[str, Any]]:
    if field.visible_when:
        shown = {"required": [field.name]} if field.required else {}
        yield {"if": _condition(form, field.visible_when), "then": shown, "else": {"properties": {field.name: False}}}
    if field.required_when:
        both = [*field.visible_when, *field.required_when]
        yield {"if": _condition(form, both), "then": {"required": [field.name]}}


def _condition(form: Form, conditions: Sequence[FormCondition]) -> dict[str, Any]:
    several = {field.name for field in form if field.type is FormFieldType.CHOICES}
    parts = []
    for each in conditions:
        wanted: dict[str, Any] = {"enum": list(each.one_of)}
        part = {"type": "array", "contains": wanted} if each.field in several else wanted
        parts.append({"properties": {each.field: part}, "required": [each.field]})
    return parts[0] if len(parts) == 1 else {"allOf": parts}


PRICE_FAMILIES: Mapping[str, PriceFamily] = {
    ServiceKind.PARCEL: PriceFamily.SHIPPING_SERVICE,
    ServiceKind.LTL: PriceFamily.LTL_SERVICE,
    ServiceKind.MOVING: PriceFamily.MOVING_SERVICES,
    ServiceKind.STORAGE: PriceFamily.STORAGE_SERVICES,
    ServiceKind.SHIPOUT: PriceFamily.STORAGE_SERVICES,
    # The interface names no family for it, and a bag in the business's van is a local delivery.
    ServiceKind.LUGGAGE: PriceFamily.LOCAL_DELIVERY,
}

SERVICE_CODE_TAKEN = declare_error("service_code_taken", 409)
SERVICE_IN_USE = declare_error("service_in_use", 409)
SERVICE_OUT_OF_AREA = declare_error("service_out_of_area", 409)
SERVICE_PRICE_OUT_OF_RANGE = declare_error("service_price_out_of_range", 409)
SERVICE_QUOTE_EXPIRED = declare_error("service_quote_expired", 409)
SERVICE_QUOTE_TAKEN = declare_error("service_quote_taken", 409)


CM3_IN_M3 = 1_000_000
M_IN_KM = 1_000
G_IN_KG = 1_000
TAX, MINIMUM = "tax", "minimum"


class PriceLine(Struct, frozen=True):
    """Part of a price in minor units. Lines without a name are labelled by their code."""

    code: str
    minor: int
    name: str | None = None
    rate_bp: int = 0
    """Rate of a tax, in hundredths of a percent."""


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

    @property
    def taxes(self) -> tuple[Tax, ...]:
        """Return the taxes included in the total.

        Prices of earlier versions do not name their rate.
        """
        net = self.total_minor - self.tax_minor
        return tuple(
            Tax(
                name=line.name or "",
                rate_bp=line.rate_bp or divide_half_up(line.minor * BASIS_POINTS, net),
                amount_minor=line.minor,
            )
            for line in self.lines
            if line.code == TAX
        )


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
            added = share_of(net, surcharge.basis_points) + surcharge.amount_minor
            lines.append(PriceLine(f"surcharge.{surcharge.code}", added, surcharge.name))
            net += added
    lines.append(PriceLine(MINIMUM, max(0, pricing.minimum_minor - net)))
    net = max(net, pricing.minimum_minor)
    lines.append(PriceLine(TAX, share_of(net, pricing.tax_basis_points), pricing.tax_name, pricing.tax_basis_points))
    price = ServicePrice(currency, tuple(line for line in lines if line.minor))
    if price.total_minor > AMOUNT_MAX:
        raise SERVICE_PRICE_OUT_OF_RANGE()
    return price


def _basic_lines(pricing: ServicePricing, measures: ServiceMeasures) -> Iterator[PriceLine]:
    yield PriceLine("base", pricing.base_minor)
    yield PriceLine("pieces", pricing.per_piece_minor * measures.pieces)
    yield PriceLine("weight", _weight_price(pricing, billed_weight_g(pricing, measures)))
    yield PriceLine("volume", divide_half_up(pricing.per_cubic_metre_minor * measures.volume_cm3, CM3_IN_M3))
    yield PriceLine("distance", divide_half_up(pricing.per_km_minor * measures.distance_m, M_IN_KM))


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
