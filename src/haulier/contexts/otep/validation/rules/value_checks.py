"""Checks of single values, built from small ones: each says everything that is wrong with a value, whatever it is.

Beside what it finds, a check tells the same as a JSON Schema, as far as one can: the schema never refuses what the check
takes, so that the published schema cannot drift from the validator.
"""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import ValidationError, convert

from haulier.contexts.otep.timeline.rules.posted_forms import plain_timestamp
from haulier.contexts.otep.validation.rules.countries import COUNTRY_CODES
from haulier.contexts.otep.validation.rules.findings import Finding, make_finding, printable_excerpt
from haulier.contexts.otep.validation.rules.gs1 import check_digit, gln_digits, sscc_digits

FindingFunction = Callable[[Any, str], Iterator[Finding]]
JsonSchema = dict[str, Any]

EARLIEST_TIME = datetime(1970, 1, 1, tzinfo=UTC)
LATEST_TIME = datetime(2200, 1, 1, tzinfo=UTC)
"""No parcel of ours moves outside these, and every standard can write the times between them."""

INTEGER_MAX = 2**53 - 1
"""Every JSON reader reads whole numbers up to this exactly (RFC 8259, section 6)."""

UNLOCODE = re.compile(r"[A-Z]{2}[A-Z2-9]{3}")
URL = re.compile(r"https?://[^\s/?#]+[^\s]*")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_NOT_BLANK = r"\S"
_TIME = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$"


class ValueCheck(NamedTuple):
    """What a value must be: how to find what is wrong with one, and its JSON Schema with the records that it names."""

    find: FindingFunction
    schema: JsonSchema
    records: dict[str, JsonSchema] = {}

    def __call__(self, value: Any, path: str) -> Iterator[Finding]:
        """Everything that is wrong with a value."""
        return self.find(value, path)


def _find_non_boolean(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, bool):
        yield make_finding(path, "wrong_type", expected="boolean")


def _find_bad_object(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield make_finding(path, "wrong_type", expected="object")
        return
    leaves = list(_tree_leaves(value))
    if any(isinstance(leaf, str) and _UNSTORABLE.search(leaf) for leaf in leaves):
        yield make_finding(path, "unstorable_text")
    if any(isinstance(leaf, int | float) and not -INTEGER_MAX <= leaf <= INTEGER_MAX for leaf in leaves):
        yield make_finding(path, "out_of_range", min=-INTEGER_MAX, max=INTEGER_MAX)


def _tree_leaves(value: Any) -> Iterator[Any]:
    """The names and plain values of a tree."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += part
        else:
            yield part


boolean_check = ValueCheck(_find_non_boolean, {"type": "boolean"})
"""True or false."""

object_check = ValueCheck(_find_bad_object, {"type": "object"})
"""Any object: the sender's own. Its texts and numbers must be such that databases and documents can hold them."""


def text_check(longest: int) -> ValueCheck:
    """Text that is not empty and not too long, and that databases and documents can hold."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield make_finding(path, "wrong_type", expected="string")
        elif not value.strip():
            yield make_finding(path, "empty")
        elif len(value) > longest:
            yield make_finding(path, "too_long", max=longest)
        elif _UNSTORABLE.search(value):
            yield make_finding(path, "unstorable_text")

    return ValueCheck(find, {"type": "string", "maxLength": longest, "pattern": _NOT_BLANK})


def integer_check(least: int, most: int) -> ValueCheck:
    """A whole number within bounds."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int) or isinstance(value, bool):
            yield make_finding(path, "wrong_type", expected="integer")
        elif not least <= value <= most:
            yield make_finding(path, "out_of_range", min=least, max=most)

    return ValueCheck(find, {"type": "integer", "minimum": least, "maximum": most})


def number_check(least: int, most: int) -> ValueCheck:
    """A number within bounds; what is not a number is not within any."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int | float) or isinstance(value, bool):
            yield make_finding(path, "wrong_type", expected="number")
        elif not least <= value <= most:
            yield make_finding(path, "out_of_range", min=least, max=most)

    return ValueCheck(find, {"type": "number", "minimum": least, "maximum": most})


def enum_check(allowed: Collection[str], code: str) -> ValueCheck:
    """A word of a list; `code` is the finding for any other."""
    choices = ", ".join(allowed)

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield make_finding(path, "wrong_type", expected="string")
        elif value not in allowed:
            yield make_finding(path, code, value=printable_excerpt(value), allowed=choices)

    return ValueCheck(find, {"enum": list(allowed)})


def pattern_check(pattern: re.Pattern[str], code: str, *, show: bool = True) -> ValueCheck:
    """Text of a form."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield make_finding(path, "wrong_type", expected="string")
        elif not pattern.fullmatch(value):
            yield make_finding(path, code, **({"value": printable_excerpt(value)} if show else {}))

    return ValueCheck(find, {"type": "string", "pattern": f"^{pattern.pattern}$"})


def _find_bad_country(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield make_finding(path, "wrong_type", expected="string")
    elif value not in COUNTRY_CODES:
        yield make_finding(path, "unknown_country", value=printable_excerpt(value))


country_check = ValueCheck(_find_bad_country, {"enum": sorted(COUNTRY_CODES)})
"""A country of ISO 3166-1 in capitals."""


def _check_digit_check(read: Callable[[str], str | None], code: str, pattern: str) -> ValueCheck:
    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield make_finding(path, "wrong_type", expected="string")
        elif (digits := read(value)) is None:
            yield make_finding(path, code)
        elif digits[-1] != (right := check_digit(digits[:-1])):
            yield make_finding(path, "wrong_check_digit", expected=right)

    return ValueCheck(find, {"type": "string", "pattern": pattern})


sscc_check = _check_digit_check(sscc_digits, "invalid_sscc", "^(00)?[0-9]{18}$")
gln_check = _check_digit_check(gln_digits, "invalid_gln", "^[0-9]{13}$")


def parse_timestamp(value: Any) -> datetime | None:
    """An instant of RFC 3339 with its offset; None for anything else."""
    at = _parsed_timestamp(value)
    return at if at and at.tzinfo and _is_in_range(at) else None


def _is_in_range(at: datetime) -> bool:
    # Why years first: Python takes two microseconds to compare moments of different offsets.
    return EARLIEST_TIME.year < at.year < LATEST_TIME.year - 1 or EARLIEST_TIME <= at < LATEST_TIME


def _parsed_timestamp(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        return convert(plain_timestamp(value), datetime)
    except (ValidationError, UnicodeEncodeError):
        return None


def _find_bad_timestamp(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield make_finding(path, "wrong_type", expected="string")
    elif (at := _parsed_timestamp(value)) is None:
        yield make_finding(path, "invalid_time")
    elif at.tzinfo is None:
        yield make_finding(path, "time_without_offset")
    elif parse_timestamp(value) is None:
        yield make_finding(path, "time_out_of_range", first=EARLIEST_TIME.year, last=LATEST_TIME.year - 1)


timestamp_check = ValueCheck(_find_bad_timestamp, {"type": "string", "format": "date-time", "pattern": _TIME})
"""An instant of RFC 3339. Without an offset it is no instant: it is refused rather than guessed."""
