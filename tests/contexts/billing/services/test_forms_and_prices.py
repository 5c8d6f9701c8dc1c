"""Forms accept what their JSON Schema accepts; price lines add up."""

from fractions import Fraction
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from haulier.contexts.billing.services.contract import FormField, ServiceMeasures, ServicePricing
from haulier.contexts.billing.services.rules import (
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    form_schema,
    price_of,
    values_faults,
)
from haulier.kernel.operations.errors import OperationError

FORM = TypeAdapter(list[FormField]).validate_python(
    [
        {"name": "pickup", "label": "Pick up?", "type": "boolean", "required": True},
        {
            "name": "extras",
            "label": "Extras",
            "type": "choices",
            "options": [{"value": "tail_lift", "label": "Tail lift"}, {"value": "call", "label": "Call before"}],
            "visible_when": [{"field": "pickup", "one_of": [True]}],
        },
        {
            "name": "phone",
            "label": "Telephone",
            "max_length": 5,
            "visible_when": [{"field": "pickup", "one_of": [True]}],
            "required_when": [{"field": "extras", "one_of": ["call"]}],
        },
        {"name": "floor", "label": "Floor", "type": "integer", "minimum": 0, "maximum": 9},
        {
            "name": "stairs",
            "label": "Stairs",
            "type": "choice",
            "options": [{"value": "wide", "label": "Wide"}, {"value": "narrow", "label": "Narrow"}],
            "visible_when": [{"field": "floor", "one_of": [1, 2]}],
            "required": True,
        },
        {"name": "day", "label": "Day", "type": "date"},
    ]
)
ANY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.sampled_from(["wide", "call", "2026-06-10", "x", "", "far too long"]),
    st.lists(st.sampled_from(["tail_lift", "call", "x"]), max_size=3),
)
MINOR = st.integers(0, 100_000)


@given(values=st.dictionaries(st.sampled_from([*(field.name for field in FORM), "other"]), ANY))
def test_the_form_schema_accepts_exactly_what_the_service_accepts(values: dict[str, Any]) -> None:
    filled = {name: value for name, value in values.items() if value is not None}
    judge = jsonschema_rs.Draft202012Validator(form_schema(FORM, "en"), validate_formats=True)
    assert judge.is_valid(filled) == (values_faults(FORM, values, "values") == [])


@given(
    amounts=st.tuples(MINOR, MINOR, MINOR, MINOR, MINOR, MINOR),
    shares=st.tuples(st.integers(0, 3_000), st.integers(0, 3_000)),
    measures=st.builds(
        ServiceMeasures,
        pieces=st.integers(1, 50),
        weight_g=st.integers(0, 90_000),
        volume_cm3=st.integers(0, 9_000_000),
        distance_m=st.integers(0, 900_000),
    ),
)
def test_each_line_is_rounded_to_half_a_unit_and_lines_add_up(
    amounts: tuple[int, ...], shares: tuple[int, int], measures: ServiceMeasures
) -> None:
    base, piece, volume, distance, kilogram, least = amounts
    pricing = ServicePricing.model_validate(
        {
            "base_minor": base,
            "per_piece_minor": piece,
            "per_cubic_metre_minor": volume,
            "per_km_minor": distance,
            "weight_steps": [{"up_to_g": 5_000, "amount_minor": 700}],
            "per_extra_kg_minor": kilogram,
            "minimum_minor": least,
            "surcharges": [{"code": "fuel", "name": "Fuel", "basis_points": shares[0]}],
            "tax_basis_points": shares[1],
        }
    )
    price = price_of(pricing, "CAD", [], {}, measures)
    lines = {line.code: line.minor for line in price.lines}
    exact = {
        "volume": Fraction(volume * measures.volume_cm3, 1_000_000),
        "distance": Fraction(distance * measures.distance_m, 1_000),
    }
    assert all(abs(lines.get(code, 0) - value) <= Fraction(1, 2) for code, value in exact.items())
    begun = -(-max(0, measures.weight_g - 5_000) // 1_000)
    assert lines.get("weight", 0) == (700 + kilogram * begun if measures.weight_g else 0)
    net = price.total_minor - price.tax_minor
    assert net >= least
    assert abs(price.tax_minor - Fraction(net * shares[1], 10_000)) <= Fraction(1, 2)
    assert sum(lines.values()) == price.total_minor


def test_options_zones_and_bulky_packages_are_priced() -> None:
    pricing = ServicePricing.model_validate(
        {
            "dimensional_divisor": 5000,
            "per_extra_kg_minor": 10,
            "zones": [
                {"code": "city", "name": "City", "countries": ["CA"], "postal_prefixes": ["M5"], "amount_minor": 5},
                {"code": "country", "name": "Country", "countries": ["CA"], "amount_minor": 900},
            ],
            "options": [
                {"field": "pickup", "amount_minor": 100, "per_piece": True},
                {"field": "extras", "option": "call", "amount_minor": 50},
                {"field": "floor", "amount_minor": 7},
            ],
            "surcharges": [
                {"code": "night", "name": "Night", "amount_minor": 3, "when": [{"field": "floor", "one_of": [9]}]}
            ],
        }
    )
    measures = ServiceMeasures(pieces=2, weight_g=900, volume_cm3=10_001, country="CA", postal_code="m5v 2t6")
    values = {"pickup": True, "extras": ["call"], "phone": "1", "floor": 3}
    price = price_of(pricing, "CAD", FORM, values, measures)
    assert [(line.code, line.minor) for line in price.lines] == [
        ("weight", 30),
        ("zone", 5),
        ("option.pickup", 200),
        ("option.extras", 50),
        ("option.floor", 21),
    ]
    for elsewhere, refused in (({"country": "US"}, SERVICE_OUT_OF_AREA), ({"country": "CA"}, None)):
        there = ServiceMeasures.model_validate(elsewhere)
        if refused is None:
            assert price_of(pricing, "CAD", FORM, {"pickup": False}, there).total_minor == 900
            continue
        with pytest.raises(OperationError) as fault:
            price_of(pricing, "CAD", FORM, values, there)
        assert fault.value.error_type is refused


def test_a_price_beyond_the_ledger_maximum_is_refused() -> None:
    pricing = ServicePricing(per_piece_minor=100_000_000, per_km_minor=100_000_000)
    with pytest.raises(OperationError) as refused:
        price_of(pricing, "CAD", [], {}, ServiceMeasures(pieces=1000, distance_m=40_000_000))
    assert refused.value.error_type is SERVICE_PRICE_OUT_OF_RANGE
