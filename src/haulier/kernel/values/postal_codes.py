"""Postal codes and prefixes in a normalized form for comparison.

`00-950`, `00950` and ` 00 950` are the same code. All decisions based on postal codes compare them here.
"""

from collections.abc import Iterable
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field

POSTAL_SEPARATORS = " -\t\u00a0\u2009\u202f\u3000\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d./_,"
"""Characters used between the groups of a postal code."""
Choice = TypeVar("Choice")
_WITHOUT_SEPARATORS = str.maketrans("", "", POSTAL_SEPARATORS)


def normalize_postal_code(postal_code: str) -> str:
    """Return a postal code or prefix in upper case without separators."""
    return postal_code.translate(_WITHOUT_SEPARATORS).upper()


def normalize_postal_prefixes(prefixes: Iterable[str]) -> list[str]:
    """Return prefixes in stored form: normalized and unique, in order."""
    return list(dict.fromkeys(map(normalize_postal_code, prefixes)))


PostalPrefix = Annotated[
    str,
    Field(min_length=1, max_length=12, pattern=r"^[A-Za-z0-9 -]*[A-Za-z0-9][A-Za-z0-9 -]*$", examples=["M5V"]),
    AfterValidator(normalize_postal_code),
]
"""The beginning of a postal code. Case, spaces and hyphens are ignored."""
DISTINCT_PREFIXES = AfterValidator(normalize_postal_prefixes)


def matches_postal_prefix(postal_code: str | None, prefixes: Iterable[str]) -> bool:
    """Return True if a postal code begins with one of the (normalized) prefixes."""
    return postal_code is not None and normalize_postal_code(postal_code).startswith(tuple(prefixes))


def find_longest_postal_prefix(
    postal_code: str | None, choices: Iterable[tuple[Choice, Iterable[str]]]
) -> Choice | None:
    """Return the choice with the longest matching prefix; the first one among equals."""
    code = normalize_postal_code(postal_code or "")
    best: Choice | None = None
    longest = 0
    for choice, prefixes in choices:
        for prefix in prefixes:
            if len(prefix) > longest and code.startswith(prefix):
                best, longest = choice, len(prefix)
    return best
