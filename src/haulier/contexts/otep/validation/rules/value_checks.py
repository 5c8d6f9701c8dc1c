"""Rules of validation: value checks.

Messages are `otep.validate.<code>` and hints `otep.hint.<code>` in the catalogues; both get the finding's parameters.

A check also returns its JSON Schema, as far as possible: the schema never rejects what the check accepts, so that the
published schema cannot drift from the validator.
"""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType, ValidationError, convert

from haulier.contexts.otep.timeline.rules.parser import plain_timestamp
from haulier.contexts.otep.validation.rules.countries import COUNTRY_CODES

_EXCERPT_MAX = 60
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f'\\\ud800-\udfff]")


class FindingSeverity(StrEnum):
    """Severity: errors reject a document, warnings do not, notes explain the level."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FindingRule(NamedTuple):
    """One row of the table."""

    severity: FindingSeverity
    params: tuple[str, ...] = ()
    hint: str | None = None


_ERROR, _WARNING, _NOTE = FindingSeverity.ERROR, FindingSeverity.WARNING, FindingSeverity.NOTE

FINDING_RULES: dict[str, FindingRule] = {
    "wrong_type": FindingRule(_ERROR, ("expected",)),
    "null_value": FindingRule(_ERROR, (), "leave_out"),
    "missing": FindingRule(_ERROR, ("field",)),
    "empty": FindingRule(_ERROR, (), "leave_out"),
    "too_long": FindingRule(_ERROR, ("max",)),
    "too_many": FindingRule(_ERROR, ("max",), "split"),
    "unstorable_text": FindingRule(_ERROR),
    "out_of_range": FindingRule(_ERROR, ("min", "max")),
    "no_identifier": FindingRule(_ERROR, (), "identifiers"),
    "invalid_time": FindingRule(_ERROR, (), "time"),
    "time_without_offset": FindingRule(_ERROR, (), "offset"),
    "time_out_of_range": FindingRule(_ERROR, ("first", "last")),
    "time_ahead": FindingRule(_ERROR, ("max",), "clock"),
    "unknown_profile": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_code": FindingRule(_ERROR, ("value", "profile"), "experimental"),
    "unknown_phase": FindingRule(_ERROR, ("value",), "allowed"),
    "phase_mismatch": FindingRule(_ERROR, ("code", "expected")),
    "unknown_source_type": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_outcome": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_reason": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_correction_reason": FindingRule(_ERROR, ("value",), "allowed"),
    "unknown_country": FindingRule(_ERROR, ("value",), "country"),
    "invalid_unlocode": FindingRule(_ERROR, ("value",), "unlocode"),
    "invalid_sscc": FindingRule(_ERROR, (), "sscc"),
    "invalid_gln": FindingRule(_ERROR, (), "gln"),
    "wrong_check_digit": FindingRule(_ERROR, ("expected",)),
    "invalid_url": FindingRule(_ERROR, (), "url"),
    "invalid_version": FindingRule(_ERROR, ("value",), "version"),
    "unsupported_version": FindingRule(_ERROR, ("value", "supported")),
    "after_terminal": FindingRule(_ERROR, ("code", "terminal"), "late"),
    "summary_mismatch": FindingRule(_ERROR, ("field", "expected"), "summary"),
    "unknown_field": FindingRule(_WARNING, ("field",), "extensions"),
    "newer_version": FindingRule(_WARNING, ("value", "supported")),
    "alias_used": FindingRule(_WARNING, ("value", "code")),
    "experimental_code": FindingRule(_WARNING, ("value",)),
    "duplicate_event": FindingRule(_WARNING, ("first",)),
    "out_of_order": FindingRule(_WARNING),
    "step_back": FindingRule(_WARNING, ("before", "code"), "step_back"),
    "late_event": FindingRule(_WARNING, ("code", "terminal")),
    "not_late": FindingRule(_WARNING),
    "recorded_before_occurred": FindingRule(_WARNING, (), "clock"),
    "half_position": FindingRule(_WARNING),
    "unexpected_proof": FindingRule(_WARNING, ("code",)),
    "has_errors": FindingRule(_NOTE),
    "no_events": FindingRule(_NOTE),
    "no_registered_code": FindingRule(_NOTE),
    "invalid_transitions": FindingRule(_NOTE),
    "no_profile_code": FindingRule(_NOTE, ("profile",)),
    "no_projection": FindingRule(_NOTE),
}


class Finding(Struct, frozen=True, kw_only=True):
    """A finding at a position; `path` is a JSONPath such as `$.events[0].status_code`."""

    path: str
    code: str
    severity: FindingSeverity
    params: dict[str, Any]
    hint_code: str | UnsetType = UNSET


def make_finding(path: str, code: str, /, *, hint: str | None = None, **params: Any) -> Finding:
    """Return a finding of the table; `hint` replaces the usual one of its row."""
    rule = FINDING_RULES[code]
    return Finding(
        path=path, code=code, severity=rule.severity, params=params, hint_code=hint or rule.hint or UNSET
    )  # fmt: skip


def member_path(path: str, name: str) -> str:
    """Return the path of an object's member."""
    return path + _member_step(name)


@lru_cache(maxsize=1024)
def _member_step(name: str) -> str:
    return f".{name}" if _PLAIN.fullmatch(name) else f"['{printable_excerpt(name)}']"


def printable_excerpt(text: str) -> str:
    """Return external text for a message: short, on one line, and valid UTF-8."""
    cut = text if len(text) <= _EXCERPT_MAX else f"{text[:_EXCERPT_MAX]}…"
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", cut)


_SSCC_DIGITS = 18
_GLN_DIGITS = 13
_SSCC_IDENTIFIER = "00"
"""The application identifier that stands before an SSCC on a label."""


def check_digit(body: str) -> str:
    """Return the check digit of a number: weights 3 and 1 from the right, modulo 10."""
    every, second = body.encode(), body[::-2].encode()  # bytes, because these are summed in C
    total = sum(every) + 2 * sum(second) - ord("0") * (len(every) + 2 * len(second))
    return str(-total % 10)


def sscc_digits(text: str) -> str | None:
    """Return the 18 digits of an SSCC with or without `00` before it, or None."""
    digits = text[2:] if len(text) == _SSCC_DIGITS + 2 and text.startswith(_SSCC_IDENTIFIER) else text
    return digits if len(digits) == _SSCC_DIGITS and _decimal(digits) else None


def gln_digits(text: str) -> str | None:
    """Return the 13 digits of a global location number, or None."""
    return text if len(text) == _GLN_DIGITS and _decimal(text) else None


def _decimal(text: str) -> bool:
    return text.isascii() and text.isdigit()


FindingFunction = Callable[[Any, str], Iterator[Finding]]
JsonSchema = dict[str, Any]

EARLIEST_TIME = datetime(1970, 1, 1, tzinfo=UTC)
LATEST_TIME = datetime(2200, 1, 1, tzinfo=UTC)
"""Accepted range of times, which every standard can express."""

INTEGER_MAX = 2**53 - 1
"""Every JSON reader reads whole numbers up to this exactly (RFC 8259, section 6)."""

UNLOCODE = re.compile(r"[A-Z]{2}[A-Z2-9]{3}")
URL = re.compile(r"https?://[^\s/?#]+[^\s]*")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_NOT_BLANK = r"\S"
_TIME = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$"


class ValueCheck(NamedTuple):
    """Check of a value: a function for findings, and its JSON Schema with definitions."""

    find: FindingFunction
    schema: JsonSchema
    records: dict[str, JsonSchema] = {}

    def __call__(self, value: Any, path: str) -> Iterator[Finding]:
        """Yield all findings of a value."""
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
    """Return the names and plain values of a tree."""
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
    """Return the check of a non-empty, storable text of limited length."""

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
    """Return a whole number within bounds."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int) or isinstance(value, bool):
            yield make_finding(path, "wrong_type", expected="integer")
        elif not least <= value <= most:
            yield make_finding(path, "out_of_range", min=least, max=most)

    return ValueCheck(find, {"type": "integer", "minimum": least, "maximum": most})


def number_check(least: int, most: int) -> ValueCheck:
    """Return a number within bounds; what is not a number is not within any."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int | float) or isinstance(value, bool):
            yield make_finding(path, "wrong_type", expected="number")
        elif not least <= value <= most:
            yield make_finding(path, "out_of_range", min=least, max=most)

    return ValueCheck(find, {"type": "number", "minimum": least, "maximum": most})


def enum_check(allowed: Collection[str], code: str) -> ValueCheck:
    """Return a word of a list; `code` is the finding for any other."""
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
    """Return an instant of RFC 3339 with its offset; None for anything else."""
    at = _parsed_timestamp(value)
    return at if at and at.tzinfo and _is_in_range(at) else None


def _is_in_range(at: datetime) -> bool:
    # Years first: Python takes two microseconds to compare moments of different offsets.
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
