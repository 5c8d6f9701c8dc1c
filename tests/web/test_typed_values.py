"""Typed text is parsed exactly in every usual notation, or refused."""

import random

import pytest

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.web.kinds.habits import Habits
from haulier.web.kinds.names import code_of, name_of
from haulier.web.kinds.numbers import InputFault
from haulier.web.kinds.reading import beside_input, read_value, typed_text
from haulier.web.kinds.table import Kind, ValueKind, kind_of
from haulier.web.kinds.writing import shown_value

MEASURED_NAMES = (
    *("base_minor", "cost_cap_micros", "tax_bp", "speed_percent", "service_time_s", "keep_days"),
    *("weight_g", "unit_g", "length_mm", "distance_m", "radius_m", "volume_cm3", "capacity_volume_cm3", "unit_mm3"),
)
BUSINESSES = [("CAD", "CA"), ("EUR", "DE"), ("USD", "US"), ("JPY", "JP"), ("KWD", "KW")]


def kind(name: str) -> ValueKind:
    """Return the kind of a number."""
    found = kind_of(name, "integer")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "typed", "language", "business", "value"),
    [
        ("base_minor", "6.50", "en", ("EUR", "DE"), 650),
        ("base_minor", "6,50", "en", ("EUR", "DE"), 650),
        ("base_minor", "6,50 €", "de", ("EUR", "DE"), 650),
        ("base_minor", "1 500", "fr", ("EUR", "FR"), 150_000),
        ("base_minor", "1.500 €", "de", ("EUR", "DE"), 150_000),
        ("base_minor", "1,500.25", "en", ("CAD", "CA"), 150_025),
        ("base_minor", "$6.50", "en", ("CAD", "CA"), 650),
        ("base_minor", "１５００", "zh-Hans", ("JPY", "JP"), 1500),
        ("weight_g", "1,5", "en", ("EUR", "DE"), 1500),
        ("weight_g", "500 g", "de", ("EUR", "DE"), 500),
        ("weight_g", "2", "en", ("USD", "US"), 907),
        ("length_mm", "30", "en", ("EUR", "DE"), 300),
        ("length_mm", "12", "en", ("USD", "US"), 305),
        ("service_time_s", "3", "en", ("EUR", "DE"), 180),
        ("service_time_s", "1 h 30 min", "de", ("EUR", "DE"), 5400),
        ("service_time_s", "1:30", "en", ("EUR", "DE"), 5400),
        ("service_time_s", "2 小时", "zh-Hans", ("EUR", "DE"), 7200),
        ("keep_days", "2 weeks", "en", ("EUR", "DE"), 14),
        ("tax_basis_points", "19 %", "de", ("EUR", "DE"), 1900),
        ("tax_rate_bp", "7,25", "de", ("EUR", "DE"), 725),
        ("cost_cap_micros", "0.0079", "en", ("EUR", "DE"), 7900),
    ],
)
def test_typed_text_is_parsed(name: str, typed: str, language: str, business: tuple[str, str], value: int) -> None:
    assert read_value(kind(name), typed, Habits(language, *business)) == value


@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("base_minor", "1.500", "kinds.ambiguous"),
        ("weight_g", "1,500", "kinds.ambiguous"),
        ("base_minor", "6.50 €", "kinds.other_currency"),
        ("base_minor", "6.5555", "kinds.too_many_decimals"),
        ("base_minor", "six", "kinds.not_a_number"),
        ("base_minor", "1.2.3", "kinds.not_a_number"),
        ("weight_g", "3 stone", "kinds.unknown_unit"),
        ("weight_g", "0.0001", "kinds.finer_than"),
        ("keep_days", "5 h", "kinds.whole_units"),
    ],
)
def test_ambiguous_text_is_refused(name: str, typed: str, why: str) -> None:
    with pytest.raises(InputFault) as refused:
        read_value(kind(name), typed, Habits("en", "CAD", "CA"))
    assert refused.value.message_id == why


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
@pytest.mark.parametrize("business", BUSINESSES)
def test_an_unchanged_input_keeps_its_value(language: str, business: tuple[str, str]) -> None:
    habits, chance = Habits(language, *business), random.Random(7)
    for name in MEASURED_NAMES:
        for value in [0, 1, *(chance.randrange(10 ** chance.randrange(1, 8)) for _ in range(20))]:
            assert read_value(kind(name), typed_text(kind(name), value, habits), habits) == value, (name, value)


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_every_unit_has_a_name(language: str) -> None:
    habits = Habits(language, "CAD", "CA")
    for name in ("base_minor", "weight_g", "length_mm", "distance_m", "volume_cm3", "service_time_s", "keep_days"):
        assert beside_input(kind(name), habits).isprintable()
        assert "-" not in (shown_value(kind(name), 5400, habits) or "-")


@pytest.mark.parametrize(
    ("of", "typed", "language", "code"),
    [
        (Kind.COUNTRY, "Deutschland", "de", "DE"),
        (Kind.COUNTRY, "germ", "en", "DE"),
        (Kind.COUNTRY, "de", "en", "DE"),
        (Kind.COUNTRY, "德国", "zh-Hans", "DE"),
        (Kind.CURRENCY, "Euro", "de", "EUR"),
        (Kind.CURRENCY, "€", "fr", "EUR"),
        (Kind.TIME_ZONE, "Berlin", "de", "Europe/Berlin"),
        (Kind.TIME_ZONE, "America/Toronto", "en", "America/Toronto"),
    ],
)
def test_names_are_read_as_codes(of: Kind, typed: str, language: str, code: str) -> None:
    habits = Habits(language)
    assert code_of(of, typed, habits) == code
    assert code_of(of, name_of(of, code, habits), habits) == code


def test_an_ambiguous_name_lists_its_records() -> None:
    with pytest.raises(InputFault) as refused:
        code_of(Kind.COUNTRY, "united", Habits("en"))
    assert refused.value.message_id == "kinds.several_choices"
    assert "United Kingdom" in refused.value.params["names"]
