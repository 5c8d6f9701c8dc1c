"""Addresses as people write them, in one line or in parts, read by the rules of their country.

Nobody reads every line for certain: the town of `1 King St Upper Town` may be one word or two. So there are several readings,
the likeliest first, and whoever looks for them takes what is found best.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from haulier.contexts.places.geocoding.rules.country_names import find_country
from haulier.contexts.places.geocoding.rules.formats import CountryFormat, get_country_format
from haulier.contexts.places.ports import AddressText
from haulier.kernel.values.words import fold

MAX_READINGS = 4
MAX_NAME_WORDS = 3
"""Words that the name of a town, a region or a country has at the end of a line without commas."""
_BREAKS = re.compile(r"\s*[,;\n\r\t|]\s*")


class UnreadAddress(Struct, frozen=True):
    """An address as somebody wrote it: a text, the parts that are named beside it, and the country of those that name none."""

    text: str
    city: str | None = None
    region: str | None = None
    postal_code: str | None = None
    country: str | None = None
    home_country: str | None = None


def read_address(written: UnreadAddress) -> list[AddressText]:
    """What an address may mean, the likeliest first; nothing where no country is named and none is home."""
    pieces = [piece for piece in _BREAKS.split(written.text.replace("〒", "").strip()) if piece]
    country = find_country(written.country) if written.country else None
    if country is None and written.city:
        country = written.home_country
    elif country is None:
        country, pieces = _take_country(pieces, written.home_country)
    if country is None:
        return []
    form = get_country_format(country)
    code, region = written.postal_code, written.region
    if code is None:
        code, pieces = _take_postal_code(pieces, form)
    if region is None:
        region, pieces = _take_region(pieces, form)
    ends = [(" ".join(pieces), written.city)] if written.city else _street_and_town(pieces)
    return [AddressText(country, street, town, region, code) for street, town in dict.fromkeys(ends)][:MAX_READINGS]


def _take_country(pieces: Sequence[str], home: str | None) -> tuple[str | None, list[str]]:
    """The country, and the pieces without it. A code of two letters that is a region at home is that region."""
    last = pieces[-1] if pieces else ""
    if home and _find_region(last, get_country_format(home)):
        return home, list(pieces)
    if len(pieces) > 1 and (country := find_country(last)):
        return country, list(pieces[:-1])
    words = last.split()
    # Why not of one piece at home: `12 rue de France` ends in no country.
    most = min(MAX_NAME_WORDS, len(words) - 1) if home is None or len(pieces) > 1 else 0
    for count in range(most, 0, -1):
        name = " ".join(words[-count:])
        if len(name) > 2 and (country := find_country(name)):
            return country, [*pieces[:-1], " ".join(words[:-count])]
    return home, list(pieces)


def _take_postal_code(pieces: Sequence[str], form: CountryFormat) -> tuple[str | None, list[str]]:
    """The postal code, and the pieces without it, one parted in two where it stood inside.

    Where codes stand before towns, a number is one only with a town behind it or alone; elsewhere it ends its piece.
    # Why: five digits before a street are the number of a house in one country, and a code in the other.
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


def _take_region(pieces: Sequence[str], form: CountryFormat) -> tuple[str | None, list[str]]:
    """The region at the end, and the pieces without it. What is the only name of a town is no region."""
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
    """What may be street and number, and what the town: the last of several pieces, or some words at the end of one.

    A line without a break is also read as a street alone, which is what servers are asked for, and postal codes need no town.
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
