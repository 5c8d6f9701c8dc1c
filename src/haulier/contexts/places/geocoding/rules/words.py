"""Rules of geocoding: words.

Two words one typo apart match after removing one letter from one or both. The words of a business are therefore stored
under all their shortened forms, so that an ordinary index finds typos on any database.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from tomllib import loads
from types import MappingProxyType

from babel import Locale
from babel.core import get_global

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.values.countries import country_codes
from haulier.kernel.values.table_columns import plain_column_name
from haulier.kernel.values.words import fold, fold_words

_OTHER_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "AE": ("UAE",),
        "CN": ("People's Republic of China", "PRC", "中华人民共和国", "中華人民共和國", "China mainland"),
        "CZ": ("Czech Republic", "Tschechische Republik", "República Checa", "République tchèque"),
        "GB": (
            *(
                "UK",
                "Great Britain",
                "England",
                "Scotland",
                "Wales",
                "Northern Ireland",
                "Großbritannien",
                "Grande-Bretagne",
            ),
            *("Gran Bretaña", "Angleterre", "Inglaterra"),
        ),
        "HK": ("Hong Kong", "Hongkong", "香港"),
        "IE": ("Republic of Ireland", "Eire"),
        "KR": ("Republic of Korea", "Korea, Republic of", "Korea"),
        "MO": ("Macau", "Macao", "澳门", "澳門"),
        "NL": ("Holland", "The Netherlands", "Hollande", "Holanda"),
        "RU": ("Russian Federation",),
        "TR": ("Turkey",),
        "TW": ("Taiwan, Province of China", "Taiwan (R.O.C.)", "中華民國"),
        "US": (
            *("United States of America", "U.S.", "America", "Vereinigte Staaten von Amerika", "États-Unis d'Amérique"),
            *("Estados Unidos de América", "EE. UU.", "美利坚合众国"),
        ),
        "VN": ("Viet Nam",),
    }
)
"""Common names that the Unicode CLDR leaves out."""


def find_country(text: str) -> str | None:
    """Return the country code (ISO 3166-1 alpha-2) of a name or code, or None.

    Names in all supported languages. The first call takes a tenth of a second, because it reads the names.
    """
    names = _names()
    return names.get(_country_key(text)) or names.get(_country_key(text.replace(".", "")))


def country_code(text: str) -> str:
    """Return the code of a country given by name or a longer code.

    Other texts are returned in capitals and refused later.
    """
    return find_country(text) or text.upper()


def _country_key(text: str) -> str:
    return " ".join(fold_words(text))


@cache
def _names() -> Mapping[str, str]:
    codes = country_codes()
    longer = get_global("territory_aliases")
    names = {_country_key(str(alias)): to[0] for alias, to in longer.items() if len(to) == 1 and to[0] in codes}
    for language in SUPPORTED_LANGUAGES:
        territories = Locale.parse(language, sep="-").territories
        names |= {_country_key(territories[code]): code for code in codes if code in territories}
    names |= {_country_key(name): code for code, others in _OTHER_NAMES.items() for name in others}
    return names | {_country_key(code): code for code in codes}


PARTS = ("address", "unit", "city", "region", "postal_code", "country")
OTHER_NAMES: Mapping[str, str] = {
    "zip": "postal_code",
    "zip_code": "postal_code",
    "zipcode": "postal_code",
    "postcode": "postal_code",
    "post_code": "postal_code",
    "postal": "postal_code",
    "plz": "postal_code",
    "street": "address",
    "street_address": "address",
    "address_1": "address",
    "address1": "address",
    "address_line_1": "address",
    "address_2": "unit",
    "address2": "unit",
    "address_line_2": "unit",
    "province": "region",
    "state": "region",
    "town": "city",
    "ort": "city",
    "ville": "city",
    "country_code": "country",
}


def part_of_address(name: str) -> str | None:
    """Return the address part of a field name, or None for an unrelated name."""
    plain = plain_column_name(name)
    part = OTHER_NAMES.get(plain, plain)
    return part if part in PARTS else None


MIN_LETTERS, MAX_LETTERS = 4, 24
"""Shorter words are near too many others; longer ones are hardly typed."""


def is_corrected(word: str) -> bool:
    """Return True if typos in a word are corrected.

    Applies to words of letters only, with a minimum length.
    """
    return word.isalpha() and MIN_LETTERS <= len(word) <= MAX_LETTERS


def spelling_keys(word: str) -> list[str]:
    """The word, and what is left of it without one of its letters."""
    return list(dict.fromkeys([word, *(word[:at] + word[at + 1 :] for at in range(len(word)))]))


def near_words(word: str, others: Iterable[str]) -> list[str]:
    """Return the words one typo away, those with the same start first."""
    near = {other for other in others if other != word and _is_near(word, other)}
    return sorted(near, key=lambda other: (-_common(word, other), other))


def _common(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _is_near(one: str, other: str) -> bool:
    at = _common(one, other)
    a, b = one[at:], other[at:]
    swapped = a[:2] == b[:2][::-1] and a[2:] == b[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped


MIN_PHONE_DIGITS = 5
NATIONAL_LENGTHS = (10, 9)
"""Number of digits of phone numbers in most countries, without the country code."""


@cache
def _long_forms() -> Mapping[str, str]:
    """Words by which streets are abbreviated, and what they stand for, both folded."""
    text = resources.files("haulier.contexts.places.geocoding.rules").joinpath("street_words.toml").read_text("utf-8")
    tables: dict[str, dict[str, str]] = loads(text)
    return {fold(short): fold(long) for table in tables.values() for short, long in table.items()}


def long_form(word: str) -> str:
    """Return the full form of a street word.

    `st` is `street`, `hauptstr` is `hauptstrasse`; other words are unchanged.
    """
    if word.endswith("str") and len(word) > 3:
        return f"{word}asse"
    return _long_forms().get(word, word)


def search_words(texts: Iterable[str | None], phones: Iterable[str | None] = ()) -> list[str]:
    """Return the search words of an address.

    As written, in full, without apostrophes, and phone numbers as digits.
    """
    given = [text for text in texts if text]
    words = fold_words(*given)
    long = [long_form(word) for word in words]
    joined = fold_words(*(re.sub("['’]", "", text) for text in given if "'" in text or "’" in text))
    numbers = ["".join(sign for sign in phone if sign.isdecimal()) for phone in phones if phone]
    ends = [number[-length:] for number in numbers if number for length in (len(number), *NATIONAL_LENGTHS)]
    return list(dict.fromkeys([*words, *long, *joined, *ends]))


def joined_code(code: str | None) -> str | None:
    """A postal code without spaces, by which it is found too."""
    return code and "".join(code.split())


def query_words(text: str) -> list[str]:
    """Return the words of a query in order, with a phone number as one word."""
    digits = "".join(sign for sign in text if sign.isdecimal())
    if len(digits) >= MIN_PHONE_DIGITS and all(sign.isdecimal() or sign in "+-./() " for sign in text.strip()):
        return [digits]
    return fold_words(text)


def place_key(country: str, city: str, address: str, postal_code: str | None, unit: str | None = None) -> str:
    """Return the common key of different notations of one place: 32 characters.

    The postal code replaces the city if there is one, because a city has several names.
    """
    return _word_key(country, fold(joined_code(postal_code) or "") or town_key(city), _street_words(address, unit))


def place_keys(country: str, city: str, address: str, postal_code: str | None) -> list[str]:
    """The keys by which a place may be known: with its postal code, and with its city."""
    ends = dict.fromkeys(filter(None, (fold(joined_code(postal_code) or ""), town_key(city))))
    words = _street_words(address)
    return [_word_key(country, end, words) for end in ends] if words else []


def street_keys(country: str, city: str, address: str, postal_code: str | None) -> list[str]:
    """Return the keys of an address's street.

    As `place_keys`, without parts that contain a digit.
    """
    words = [word for word in fold_words(address) if word.isalpha()]
    return place_keys(country, city, " ".join(words), postal_code)


def code_keys(country: str, postal_code: str | None) -> list[str]:
    """Return a postal code, and its prefix if the country only publishes wider areas."""
    code = fold(joined_code(postal_code) or "")
    area = {"CA": code[:3], "GB": code[:-3], "IE": code[:3], "NL": code[:4], "US": code[:5]}.get(country, "")
    return list(dict.fromkeys(filter(None, (code, area))))


def house_number(address: str) -> int | None:
    """Return the first number of an address, or None.

    Used to find the nearest house of a street.
    """
    match = re.search(r"\d{1,6}", address)
    return int(match.group()) if match else None


def town_key(city: str) -> str:
    """Return the common key of different spellings of a town."""
    return " ".join(fold_words(city))


def _street_words(*texts: str | None) -> list[str]:
    return sorted(long_form(word) for word in fold_words(*texts))


def _word_key(country: str, end: str, words: list[str]) -> str:
    return sha256(f"{country}|{end}|{' '.join(words)}".encode()).hexdigest()[:32]


def name_key(name: str) -> str:
    """Return the common key of spellings of a name: its words in any order."""
    return " ".join(sorted(fold_words(name)))[:200]
