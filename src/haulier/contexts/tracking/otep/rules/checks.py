"""Checks of single values, built from small ones: each says everything that is wrong with a value, whatever it is."""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec import ValidationError, convert

from haulier.contexts.tracking.otep.rules.countries import COUNTRIES
from haulier.contexts.tracking.otep.rules.findings import Finding, found, member, shown
from haulier.contexts.tracking.otep.rules.gs1 import check_digit, gln_digits, sscc_digits

Check = Callable[[Any, str], Iterator[Finding]]

FIRST = datetime(1970, 1, 1, tzinfo=UTC)
LAST = datetime(2200, 1, 1, tzinfo=UTC)
"""No parcel of ours moves outside these, and every standard can write the times between them."""

UNLOCODE = re.compile(r"[A-Z]{2}[A-Z2-9]{3}")
URL = re.compile(r"https?://[^\s/?#]+[^\s]*")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def flag(value: Any, path: str) -> Iterator[Finding]:
    """True or false."""
    if not isinstance(value, bool):
        yield found(path, "wrong_type", expected="boolean")


def anything(value: Any, path: str) -> Iterator[Finding]:
    """Any object: the sender's own."""
    if not isinstance(value, dict):
        yield found(path, "wrong_type", expected="object")


def text(longest: int) -> Check:
    """Text that is not empty and not too long, and that databases and documents can hold."""

    def check(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif not value.strip():
            yield found(path, "empty")
        elif len(value) > longest:
            yield found(path, "too_long", max=longest)
        elif _UNSTORABLE.search(value):
            yield found(path, "unstorable_text")

    return check


def whole(least: int, most: int) -> Check:
    """A whole number within bounds."""

    def check(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int) or isinstance(value, bool):
            yield found(path, "wrong_type", expected="integer")
        elif not least <= value <= most:
            yield found(path, "out_of_range", min=least, max=most)

    return check


def number(least: int, most: int) -> Check:
    """A number within bounds; what is not a number is not within any."""

    def check(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, int | float) or isinstance(value, bool):
            yield found(path, "wrong_type", expected="number")
        elif not least <= value <= most:
            yield found(path, "out_of_range", min=least, max=most)

    return check


def one_of(allowed: Collection[str], code: str) -> Check:
    """A word of a list; `code` is the finding for any other."""
    words = ", ".join(allowed)

    def check(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif value not in allowed:
            yield found(path, code, value=shown(value), allowed=words)

    return check


def written_as(pattern: re.Pattern[str], code: str, *, show: bool = True) -> Check:
    """Text of a form."""

    def check(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif not pattern.fullmatch(value):
            yield found(path, code, **({"value": shown(value)} if show else {}))

    return check


def country(value: Any, path: str) -> Iterator[Finding]:
    """A country of ISO 3166-1 in capitals."""
    if not isinstance(value, str):
        yield found(path, "wrong_type", expected="string")
    elif value not in COUNTRIES:
        yield found(path, "unknown_country", value=shown(value))


def _completed(read: Callable[[str], str | None], code: str) -> Check:
    def check(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, str):
            yield found(path, "wrong_type", expected="string")
        elif (digits := read(value)) is None:
            yield found(path, code)
        elif digits[-1] != (right := check_digit(digits[:-1])):
            yield found(path, "wrong_check_digit", expected=right)

    return check


sscc = _completed(sscc_digits, "invalid_sscc")
gln = _completed(gln_digits, "invalid_gln")


def read_time(value: Any) -> datetime | None:
    """An instant of RFC 3339 with its offset; None for anything else."""
    at = _parsed(value)
    return at if at and at.tzinfo and FIRST <= at < LAST else None


def _parsed(value: Any) -> datetime | None:
    try:
        return convert(value, datetime) if isinstance(value, str) else None
    except (ValidationError, UnicodeEncodeError):
        return None


def moment(value: Any, path: str) -> Iterator[Finding]:
    """An instant of RFC 3339. Without an offset it is no instant: it is refused rather than guessed."""
    if not isinstance(value, str):
        yield found(path, "wrong_type", expected="string")
    elif (at := _parsed(value)) is None:
        yield found(path, "invalid_time")
    elif at.tzinfo is None:
        yield found(path, "time_without_offset")
    elif read_time(value) is None:
        yield found(path, "time_out_of_range", first=FIRST.year, last=LAST.year - 1)


def listed(check: Check, longest: int) -> Check:
    """A list whose items all pass a check."""

    def check_all(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, list):
            yield found(path, "wrong_type", expected="array")
            return
        if len(value) > longest:
            yield found(path, "too_many", max=longest)
        for index, item in enumerate(value):
            yield from _present(check, item, f"{path}[{index}]")

    return check_all


def record(fields: dict[str, Check], required: Collection[str] = ()) -> Check:
    """An object with known members."""

    def check_members(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, dict):
            yield found(path, "wrong_type", expected="object")
            return
        for name in required:
            if name not in value:
                yield found(member(path, name), "missing", field=name)
        for name, inner in value.items():
            if check := fields.get(name):
                yield from _present(check, inner, member(path, name))
            else:
                yield found(member(path, name), "unknown_field", field=shown(name))

    return check_members


def _present(check: Check, value: Any, path: str) -> Iterator[Finding]:
    if value is None:
        return iter((found(path, "null_value"),))
    return check(value, path)
