"""The words of addresses: by which they are found, and by which two are known to be the same."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib import resources
from tomllib import loads

from haulier.kernel.values.words import fold, fold_words

MIN_PHONE_DIGITS = 5
NATIONAL_LENGTHS = (10, 9)
"""A telephone number is also found without its country's digits; most countries have so many without them."""


@cache
def _long_forms() -> Mapping[str, str]:
    """Words by which streets are abbreviated, and what they stand for, both folded."""
    text = resources.files("haulier.contexts.places.geocoding.rules").joinpath("street_words.toml").read_text("utf-8")
    tables: dict[str, dict[str, str]] = loads(text)
    return {fold(short): fold(long) for table in tables.values() for short, long in table.items()}


def long_form(word: str) -> str:
    """A word of a street in full: `st` is `street`, `hauptstr` is `hauptstrasse`; any other as it is."""
    if word.endswith("str") and len(word) > 3:
        return f"{word}asse"
    return _long_forms().get(word, word)


def search_words(texts: Iterable[str | None], phones: Iterable[str | None] = ()) -> list[str]:
    """The words that an address is found by: as written, in full, without apostrophes, and telephone numbers as digits."""
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
    """The words that somebody looks for, in their order; a telephone number is one word, however it is written."""
    digits = "".join(sign for sign in text if sign.isdecimal())
    if len(digits) >= MIN_PHONE_DIGITS and all(sign.isdecimal() or sign in "+-./() " for sign in text.strip()):
        return [digits]
    return fold_words(text)


def place_key(country: str, city: str, address: str, postal_code: str | None, unit: str | None = None) -> str:
    """What two addresses of one place have in common, however they are written: 32 letters and digits.

    The postal code stands for the city where there is one, since a city goes by several names.
    """
    return _key(country, fold(joined_code(postal_code) or "") or town_key(city), _street_words(address, unit))


def place_keys(country: str, city: str, address: str, postal_code: str | None) -> list[str]:
    """The keys by which a place may be known: with its postal code, and with its city."""
    ends = dict.fromkeys(filter(None, (fold(joined_code(postal_code) or ""), town_key(city))))
    words = _street_words(address)
    return [_key(country, end, words) for end in ends] if words else []


def street_keys(country: str, city: str, address: str, postal_code: str | None) -> list[str]:
    """The keys by which the street of an address may be known: as `place_keys`, without what has a digit."""
    words = [word for word in fold_words(address) if word.isalpha()]
    return place_keys(country, city, " ".join(words), postal_code)


def code_keys(country: str, postal_code: str | None) -> list[str]:
    """A postal code, and the beginning of it that stands for a wider area where a country publishes only that freely."""
    code = fold(joined_code(postal_code) or "")
    area = {"CA": code[:3], "GB": code[:-3], "IE": code[:3], "NL": code[:4], "US": code[:5]}.get(country, "")
    return list(dict.fromkeys(filter(None, (code, area))))


def house_number(address: str) -> int | None:
    """The first number of an address, for which of a street's houses is nearest; None without one."""
    match = re.search(r"\d{1,6}", address)
    return int(match.group()) if match else None


def town_key(city: str) -> str:
    """What spellings of a town have in common."""
    return " ".join(fold_words(city))


def _street_words(*texts: str | None) -> list[str]:
    return sorted(long_form(word) for word in fold_words(*texts))


def _key(country: str, end: str, words: list[str]) -> str:
    return sha256(f"{country}|{end}|{' '.join(words)}".encode()).hexdigest()[:32]


def name_key(name: str) -> str:
    """What two spellings of a name have in common: its words in any order."""
    return " ".join(sorted(fold_words(name)))[:200]
