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

from haulier.kernel.ids import is_tracking_number

_EPOCH_S = range(1_500_000_000, 5_000_000_000)
"""Between 2017 and 2128. No amount, size or id of ours that a run makes up is as large."""
AT_ONCE = timedelta(seconds=1)
ROUNDING = timedelta(minutes=1)
"""Plans are made to the minute, so a moment that follows from when a run was may be off by as much."""
JOB = "job_id"
"""Names a job of the outbox. Jobs are compared as letters; their numbers are made up."""
_DIGEST = re.compile(r"[0-9a-f]{16,64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_NAMES_RECORDS = re.compile(r"(.*_)?ids?")
Plain = Mapping[str, Any]


class Effect(Struct, frozen=True, kw_only=True):
    """What one run of a write did, or would have done."""

    at: datetime
    changes: list[dict[str, Any]]
    """Records as `record`, `id`, `before`, `after`."""
    letters: list[dict[str, Any]]
    total: int
    """How many records changed, where not all of them are listed."""


def same(shown: Effect, found: Effect) -> bool:
    """Whether two runs of a write come to the same."""
    one, other = _Run(shown), _Run(found)
    changes, letters = _paired(one.changes, other.changes), _paired(one.letters, other.letters)
    if one.total != other.total or changes is None or letters is None:
        return False
    return all(_alike_change(one, other, *pair) for pair in changes) and all(_alike(one, other, *p) for p in letters)


class _Run:
    """One run: its moment, the ids it made up, and what it did in an order that another run shares."""

    def __init__(self, effect: Effect) -> None:
        self.at = effect.at
        self.new_ids = {change["id"] for change in effect.changes if not change["before"]}
        told = [_without_notes(change, effect.at) for change in effect.changes]
        self.changes = sorted((change for change in told if change["before"] or change["after"]), key=_rank)
        self.total = effect.total - len(told) + len(self.changes)
        self.letters = sorted(effect.letters, key=_rank)

    def made(self, value: Any, name: str) -> bool:
        """Whether a value is the id of a record that this run made, in a field that names records."""
        return _is_id(value, name) and value in self.new_ids


def _rank(thing: Plain) -> tuple[bytes, list[str], list[int]]:
    """A place in an order that does not depend on what is made up. Moments and ids rise in the same order in every run."""
    moments: list[str] = []
    ids: list[int] = []

    def masked(value: Any, name: str) -> Any:
        if isinstance(value, Mapping):
            return {key: masked(value[key], key) for key in sorted(value)}
        if isinstance(value, list):
            return [masked(inner, name) for inner in value]
        if moment := _moment(value):
            return moments.append(moment.isoformat())
        if isinstance(value, str):
            document = _document(value)
            return _made_up(value) or (value if document is None else masked(document, name))
        return ids.append(value) if _is_id(value, name) else value

    return msgspec.json.encode(masked(thing, "")), moments, ids


def _is_id(value: Any, name: str) -> bool:
    return type(value) is int and bool(_NAMES_RECORDS.fullmatch(name))


def _paired(ones: list[Any], others: list[Any]) -> list[tuple[Any, Any]] | None:
    return list(zip(ones, others, strict=True)) if len(ones) == len(others) else None


def _alike_change(one: _Run, other: _Run, a: Plain, b: Plain) -> bool:
    """Whether two changes come to the same."""
    if (a["record"], not a["before"], not a["after"]) != (b["record"], not b["before"], not b["after"]):
        return False
    if a["before"] and a["id"] != b["id"]:
        return False
    return all(_alike(one, other, a[side] or {}, b[side] or {}) for side in ("before", "after"))


def _without_notes(change: dict[str, Any], now: datetime) -> dict[str, Any]:
    """A record that was there before, without the fields in which a run noted its moment.

    When it was last touched before is nobody's concern either, so they vanish on both sides.
    """
    before, after = change["before"], change["after"]
    if not before or not after:
        return change
    notes = {name for name, value in after.items() if _near(_moment(value), now)}
    return {**change, "before": _without(before, notes), "after": _without(after, notes)}


def _alike(one: _Run, other: _Run, a: Any, b: Any, name: str = "") -> bool:
    """Whether two values come to the same."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_alike(one, other, a[key], b[key], key) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_alike(one, other, *pair, name) for pair in zip(a, b, strict=True))
    if a == b:
        return True
    then, now = _moment(a), _moment(b)
    if then and now:
        return abs(then - one.at + other.at - now) <= ROUNDING
    if isinstance(a, str) and isinstance(b, str):
        return _alike_texts(one, other, a, b)
    return (one.made(a, name) and other.made(b, name)) or (name == JOB and type(a) is type(b) is int)


def _alike_texts(one: _Run, other: _Run, a: str, b: str) -> bool:
    if kind := _made_up(a):
        return kind == _made_up(b) and len(a) == len(b)
    left, right = _document(a), _document(b)
    return left is not None and right is not None and _alike(one, other, left, right)


def _made_up(text: str) -> str | None:
    """The kind of a random name."""
    if is_tracking_number(text):
        return "tracking number"
    return "digest" if _DIGEST.fullmatch(text) else None


def _without(row: Plain, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _near(one: datetime | None, other: datetime) -> bool:
    return one is not None and abs(one - other) < AT_ONCE


def _moment(value: Any) -> datetime | None:
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


def _document(text: str) -> Any:
    """The JSON document that a text is, or None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
