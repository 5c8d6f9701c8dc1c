"""Checks of single values, built from small ones: each says everything that is wrong with a value, whatever it is.

Beside what it finds, a check tells the same as a JSON Schema, as far as one can: the schema never refuses what the check
takes, so that the published schema cannot drift from the validator.
"""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import ValidationError, convert

from haulier.contexts.tracking.otep.rules.countries import COUNTRIES
from haulier.contexts.tracking.otep.rules.findings import Finding, found, shown
from haulier.contexts.tracking.otep.rules.gs1 import check_digit, gln_digits, sscc_digits

Find = Callable[[Any, str], Iterator[Finding]]
Schema = dict[str, Any]

FIRST = datetime(1970, 1, 1, tzinfo=UTC)
LAST = datetime(2200, 1, 1, tzinfo=UTC)
"""No parcel of ours moves outside these, and every standard can write the times between them."""

WHOLE_MAX = 2**53 - 1
"""Whole numbers up to this every reader of JSON reads exactly (RFC 8259, section 6)."""

UNLOCODE = re.compile(r"[A-Z]{2}[A-Z2-9]{3}")
URL = re.compile(r"https?://[^\s/?#]+[^\s]*")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_NOT_BLANK = r"\S"
_TIME = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$"


class Check(NamedTuple):
    """What a value must be: how to find what is wrong with one, and its JSON Schema with the records that it names."""

    find: Find
    schema: Schema
    records: dict[str, Schema] = {}

    def __call__(self, value: Any, path: str) -> Iterator[Finding]:
        """Everything that is wrong with a value."""
        return self.find(value, path)


def _flag(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, bool):
        yield found(path, "wrong_type", expected="boolean")


def _anything(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield found(path, "wrong_type", expected="object")
        return
    leaves = list(_leaves(value))
    if any(isinstance(leaf, str) and _UNSTORABLE.search(leaf) for leaf in leaves):
        yield found(path, "unstorable_text")
    if any(isinstance(leaf, int | float) and not -WHOLE_MAX <= leaf <= WHOLE_MAX for leaf in leaves):
        yield found(path, "out_of_range", min=-WHOLE_MAX, max=WHOLE_MAX)


def _leaves(value: Any) -> Iterator[Any]:
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


flag = Check(_flag, {"type": "boolean"})
"""True or false."""

anything = Check(_anything, {"type": "object"})
"""Any object: the sender's own. Its texts and numbers must be such that databases and documents can hold them."""


def text(longest: int) -> Check:
    """Text that is not empty and not too long, and that databases and documents can hold."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif not value.strip():
            yield found(path, "empty")
        elif len(value) > longest:
            yield found(path, "too_long", max=longest)
        elif _UNSTORABLE.search(value):
            yield found(path, "unstorable_text")

    return Check(find, {"type": "string", "maxLength": longest, "pattern": _NOT_BLANK})


def whole(least: int, most: int) -> Check:
    """A whole number within bounds."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int) or isinstance(value, bool):
            yield found(path, "wrong_type", expected="integer")
        elif not least <= value <= most:
            yield found(path, "out_of_range", min=least, max=most)

    return Check(find, {"type": "integer", "minimum": least, "maximum": most})


def number(least: int, most: int) -> Check:
    """A number within bounds; what is not a number is not within any."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int | float) or isinstance(value, bool):
            yield found(path, "wrong_type", expected="number")
        elif not least <= value <= most:
            yield found(path, "out_of_range", min=least, max=most)

    return Check(find, {"type": "number", "minimum": least, "maximum": most})


def one_of(allowed: Collection[str], code: str) -> Check:
    """A word of a list; `code` is the finding for any other."""
    words = ", ".join(allowed)

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif value not in allowed:
            yield found(path, code, value=shown(value), allowed=words)

    return Check(find, {"enum": list(allowed)})


def written_as(pattern: re.Pattern[str], code: str, *, show: bool = True) -> Check:
    """Text of a form."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif not pattern.fullmatch(value):
            yield found(path, code, **({"value": shown(value)} if show else {}))

    return Check(find, {"type": "string", "pattern": f"^{pattern.pattern}$"})


def _country(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield found(path, "wrong_type", expected="string")
    elif value not in COUNTRIES:
        yield found(path, "unknown_country", value=shown(value))


country = Check(_country, {"enum": sorted(COUNTRIES)})
"""A country of ISO 3166-1 in capitals."""


def _completed(read: Callable[[str], str | None], code: str, pattern: str) -> Check:
    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif (digits := read(value)) is None:
            yield found(path, code)
        elif digits[-1] != (right := check_digit(digits[:-1])):
            yield found(path, "wrong_check_digit", expected=right)

    return Check(find, {"type": "string", "pattern": pattern})


sscc = _completed(sscc_digits, "invalid_sscc", "^(00)?[0-9]{18}$")
gln = _completed(gln_digits, "invalid_gln", "^[0-9]{13}$")


def read_time(value: Any) -> datetime | None:
    """An instant of RFC 3339 with its offset; None for anything else."""
    at = _parsed(value)
    return at if at and at.tzinfo and FIRST <= at < LAST else None


def _parsed(value: Any) -> datetime | None:
    try:
        return convert(value, datetime) if isinstance(value, str) else None
    except (ValidationError, UnicodeEncodeError):
        return None


def _moment(value: Any, path: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield found(path, "wrong_type", expected="string")
    elif (at := _parsed(value)) is None:
        yield found(path, "invalid_time")
    elif at.tzinfo is None:
        yield found(path, "time_without_offset")
    elif read_time(value) is None:
        yield found(path, "time_out_of_range", first=FIRST.year, last=LAST.year - 1)


moment = Check(_moment, {"type": "string", "format": "date-time", "pattern": _TIME})
"""An instant of RFC 3339. Without an offset it is no instant: it is refused rather than guessed."""
