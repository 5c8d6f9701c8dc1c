"""Would a write still do what was shown? Two runs of it are compared. Pure.

What each run makes up anew is no difference: the ids of new records, random names such as tracking numbers, and the moment
it ran. Every other value has to be equal. The order in which records were touched does not matter.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from haulier.kernel.values.ids import is_tracking_number

_EPOCH_S = range(1_500_000_000, 5_000_000_000)
"""Between 2017 and 2128. No amount, size or id of ours that a run makes up is as large."""
AT_ONCE = timedelta(seconds=1)
ROUNDING = timedelta(minutes=1)
"""Plans are made to the minute, so a moment that follows from when a run was may be off by as much."""
JOB_FIELD = "job_id"
"""Names a job of the outbox. Jobs are compared as letters; their numbers are made up."""
_DIGEST = re.compile(r"[0-9a-f]{16,64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_NAMES_RECORDS = re.compile(r"(.*_)?ids?")
PlainRecord = Mapping[str, Any]


class WriteEffect(Struct, frozen=True, kw_only=True):
    """What one run of a write did, or would have done."""

    at: datetime
    changes: list[dict[str, Any]]
    """Records as `record`, `id`, `before`, `after`."""
    side_effects: list[dict[str, Any]]
    total: int
    """How many records changed, where not all of them are listed."""


def is_same_effect(shown: WriteEffect, found: WriteEffect) -> bool:
    """Whether two runs of a write come to the same."""
    one, other = _Run(shown), _Run(found)
    changes, side_effects = _paired(one.changes, other.changes), _paired(one.side_effects, other.side_effects)
    if one.total != other.total or changes is None or side_effects is None:
        return False
    return all(_is_same_change(one, other, *pair) for pair in changes) and all(
        _is_same_value(one, other, *p) for p in side_effects
    )


class _Run:
    """One run: its moment, the ids it made up, and what it did in an order that another run shares."""

    def __init__(self, effect: WriteEffect) -> None:
        self.at = effect.at
        self.new_ids = {change["id"] for change in effect.changes if not change["before"]}
        told = [_without_timestamps(change, effect.at) for change in effect.changes]
        self.changes = sorted((change for change in told if change["before"] or change["after"]), key=_sort_key)
        self.total = effect.total - len(told) + len(self.changes)
        self.side_effects = sorted(effect.side_effects, key=_sort_key)

    def made(self, value: Any, name: str) -> bool:
        """Whether a value is the id of a record that this run made, in a field that names records."""
        return _is_id(value, name) and value in self.new_ids


def _sort_key(thing: PlainRecord) -> tuple[bytes, list[str], list[int]]:
    """A place in an order that does not depend on what is made up. Moments and ids rise in the same order in every run."""
    moments: list[str] = []
    ids: list[int] = []

    def masked(value: Any, name: str) -> Any:
        if isinstance(value, Mapping):
            return {key: masked(value[key], key) for key in sorted(value)}
        if isinstance(value, list):
            return [masked(inner, name) for inner in value]
        if moment := _parse_moment(value):
            return moments.append(moment.isoformat())
        if isinstance(value, str):
            document = _parse_json(value)
            return _random_name_kind(value) or (value if document is None else masked(document, name))
        return ids.append(value) if _is_id(value, name) else value

    return msgspec.json.encode(masked(thing, "")), moments, ids


def _is_id(value: Any, name: str) -> bool:
    return type(value) is int and bool(_NAMES_RECORDS.fullmatch(name))


def _paired(ones: list[Any], others: list[Any]) -> list[tuple[Any, Any]] | None:
    return list(zip(ones, others, strict=True)) if len(ones) == len(others) else None


def _is_same_change(one: _Run, other: _Run, a: PlainRecord, b: PlainRecord) -> bool:
    """Whether two changes come to the same."""
    if (a["record"], not a["before"], not a["after"]) != (b["record"], not b["before"], not b["after"]):
        return False
    if a["before"] and a["id"] != b["id"]:
        return False
    return all(_is_same_value(one, other, a[side] or {}, b[side] or {}) for side in ("before", "after"))


def _without_timestamps(change: dict[str, Any], now: datetime) -> dict[str, Any]:
    """A record that was there before, without the fields in which a run noted its moment.

    When it was last touched before is nobody's concern either, so they vanish on both sides.
    """
    before, after = change["before"], change["after"]
    if not before or not after:
        return change
    notes = {name for name, value in after.items() if _is_near(_parse_moment(value), now)}
    return {**change, "before": _without_fields(before, notes), "after": _without_fields(after, notes)}


def _is_same_value(one: _Run, other: _Run, a: Any, b: Any, name: str = "") -> bool:
    """Whether two values come to the same."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_is_same_value(one, other, a[key], b[key], key) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_is_same_value(one, other, *pair, name) for pair in zip(a, b, strict=True))
    if a == b:
        return True
    then, now = _parse_moment(a), _parse_moment(b)
    if then and now:
        return abs(then - one.at + other.at - now) <= ROUNDING
    if isinstance(a, str) and isinstance(b, str):
        return _is_same_text(one, other, a, b)
    return (one.made(a, name) and other.made(b, name)) or (name == JOB_FIELD and type(a) is type(b) is int)


def _is_same_text(one: _Run, other: _Run, a: str, b: str) -> bool:
    if kind := _random_name_kind(a):
        return kind == _random_name_kind(b) and len(a) == len(b)
    left, right = _parse_json(a), _parse_json(b)
    return left is not None and right is not None and _is_same_value(one, other, left, right)


def _random_name_kind(text: str) -> str | None:
    """The kind of a random name."""
    if is_tracking_number(text):
        return "tracking number"
    return "digest" if _DIGEST.fullmatch(text) else None


def _without_fields(row: PlainRecord, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _is_near(one: datetime | None, other: datetime) -> bool:
    return one is not None and abs(one - other) < AT_ONCE


def _parse_moment(value: Any) -> datetime | None:
    """The moment that a value stands for: ISO 8601 with an offset, or a whole number that is seconds since 1970."""
    if type(value) is int and value in _EPOCH_S:
        return datetime.fromtimestamp(value, UTC)
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else None


def _parse_json(text: str) -> Any:
    """The JSON document that a text is, or None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
