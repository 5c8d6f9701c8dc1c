"""Whether a write would still do what its preview showed: two runs of it are compared. Pure.

Four things differ between two runs of the same write, and are no difference:

1. the number of a record that the run made, wherever a field names records by it (`id`, `order_id`, `order_ids`);
2. the values of columns that are declared volatile (`haulier.kernel.data.tables.VOLATILE`), and those values wherever else
   they stand, such as a new tracking number in a job;
3. moments that follow from when the run was: they may be as much later as the run was; seconds since 1970 are moments where
   the column is declared to hold such (`seconds_in`);
4. of a record that existed before, the moment at which the run touched it.

Every other value has to be equal. The order in which records were touched does not matter.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from haulier.kernel.data.tables import ColumnMarks

AT_ONCE = timedelta(seconds=1)
ROUNDING = timedelta(minutes=1)
"""Plans are made to the minute, so a moment that follows from when a run was may be off by as much."""
PlainRecord = Mapping[str, Any]
NO_NAMES = frozenset[str]()


class WriteEffect(Struct, frozen=True, kw_only=True):
    """What one run of a write did, or would have done."""

    at: datetime
    changes: list[dict[str, Any]]
    """Records as `record`, `id`, `before`, `after`."""
    side_effects: list[dict[str, Any]]
    total: int
    """How many records changed, where not all of them are listed."""


def is_same_effect(previewed: WriteEffect, actual: WriteEffect, marks: ColumnMarks) -> bool:
    """Whether two runs of a write come to the same."""
    one, other = _Run(previewed, marks), _Run(actual, marks)
    changes, side_effects = _paired(one.changes, other.changes), _paired(one.side_effects, other.side_effects)
    if one.total != other.total or changes is None or side_effects is None:
        return False
    return all(_is_same_change(one, other, *pair) for pair in changes) and all(
        _is_same_value(one, other, *pair) for pair in side_effects
    )


class _Run:
    """One run: its moment, the values it made anew, and what it did in an order that another run shares."""

    def __init__(self, effect: WriteEffect, marks: ColumnMarks) -> None:
        self.at = effect.at
        self._volatile = marks.volatile
        self.new_ids = {change["id"] for change in effect.changes if not change["before"]}
        self.new_texts = set(self._made_texts(effect.changes))
        dated = [_with_moments(change, marks.seconds.get(change["record"], NO_NAMES)) for change in effect.changes]
        listed = [_without_touch_moments(change, effect.at) for change in dated]
        self.changes = sorted((change for change in listed if change["before"] or change["after"]), key=self._sort_key)
        self.total = effect.total - len(listed) + len(self.changes)
        self.side_effects = sorted(effect.side_effects, key=self._sort_key)

    def is_made(self, value: Any, name: str) -> bool:
        """Whether this run made a value: the number of a new record, or a text of a volatile column."""
        if isinstance(value, str):
            return value in self.new_texts
        return _is_id(value, name) and value in self.new_ids

    def volatile_in(self, change: PlainRecord) -> frozenset[str]:
        """The volatile columns of the record of a change."""
        return self._volatile.get(change["record"], NO_NAMES)

    def _made_texts(self, changes: list[dict[str, Any]]) -> Iterator[str]:
        for change in changes:
            for name in self.volatile_in(change):
                value = (change["after"] or {}).get(name)
                if isinstance(value, str) and value != (change["before"] or {}).get(name):
                    yield value

    def _sort_key(self, thing: PlainRecord) -> tuple[bytes, list[str], list[int]]:
        """A place in an order that does not depend on new values. Moments and ids rise in the same order in every run."""
        moments: list[str] = []
        ids: list[int] = []

        def masked(value: Any, name: str, volatile: frozenset[str] = NO_NAMES) -> Any:
            if isinstance(value, Mapping):
                return {key: key in volatile or masked(value[key], key) for key in sorted(value)}
            if isinstance(value, list):
                return [masked(inner, name) for inner in value]
            if moment := _parse_moment(value):
                return moments.append(moment.isoformat())
            if isinstance(value, str):
                document = _parse_json(value)
                return self.is_made(value, name) or (value if document is None else masked(document, name))
            return ids.append(value) if _is_id(value, name) else value

        volatile = self.volatile_in(thing) if "record" in thing else NO_NAMES
        sides = {key: masked(value, key, volatile) for key, value in sorted(thing.items())}
        return msgspec.json.encode(sides), moments, ids


def _with_moments(value: Any, names: frozenset[str], is_moment: bool = False) -> Any:
    """A document in which the seconds since 1970 in the members of these names are moments."""
    if isinstance(value, Mapping):
        return {key: _with_moments(value[key], names, is_moment or key in names) for key in value}
    if isinstance(value, list):
        return [_with_moments(inner, names, is_moment) for inner in value]
    return datetime.fromtimestamp(value, UTC).isoformat() if is_moment and type(value) is int else value


def _is_id(value: Any, name: str) -> bool:
    return type(value) is int and (name in {"id", "ids"} or name.endswith(("_id", "_ids")))


def _paired(ones: list[Any], others: list[Any]) -> list[tuple[Any, Any]] | None:
    return list(zip(ones, others, strict=True)) if len(ones) == len(others) else None


def _is_same_change(one: _Run, other: _Run, a: PlainRecord, b: PlainRecord) -> bool:
    """Whether two changes come to the same."""
    if (a["record"], not a["before"], not a["after"]) != (b["record"], not b["before"], not b["after"]):
        return False
    if a["before"] and a["id"] != b["id"]:
        return False
    volatile = one.volatile_in(a)
    sides = [(a[side] or {}, b[side] or {}) for side in ("before", "after")]
    return all(
        left.keys() == right.keys()
        and all((left[name] is None) == (right[name] is None) for name in left.keys() & volatile)
        and all(_is_same_value(one, other, left[name], right[name], name) for name in left.keys() - volatile)
        for left, right in sides
    )


def _without_touch_moments(change: dict[str, Any], now: datetime) -> dict[str, Any]:
    """A record that was there before, without the fields in which a run noted its moment.

    When it was touched before does not matter either, so they vanish on both sides.
    """
    before, after = change["before"], change["after"]
    if not before or not after:
        return change
    touched = {name for name, value in after.items() if _is_near(_parse_moment(value), now)}
    return {**change, "before": _without_fields(before, touched), "after": _without_fields(after, touched)}


def _is_same_value(one: _Run, other: _Run, a: Any, b: Any, name: str = "") -> bool:
    """Whether two values come to the same."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_is_same_value(one, other, a[key], b[key], key) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_is_same_value(one, other, *pair, name) for pair in zip(a, b, strict=True))
    if a == b or (one.is_made(a, name) and other.is_made(b, name)):
        return True
    then, now = _parse_moment(a), _parse_moment(b)
    if then and now:
        return abs(then - one.at + other.at - now) <= ROUNDING
    return isinstance(a, str) and isinstance(b, str) and _is_same_document(one, other, a, b)


def _is_same_document(one: _Run, other: _Run, a: str, b: str) -> bool:
    left, right = _parse_json(a), _parse_json(b)
    return left is not None and right is not None and _is_same_value(one, other, left, right)


def _without_fields(row: PlainRecord, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _is_near(one: datetime | None, other: datetime) -> bool:
    return one is not None and abs(one - other) < AT_ONCE


def _parse_moment(value: Any) -> datetime | None:
    """The moment that a text is: ISO 8601 with an offset, as every moment of ours is written."""
    if not isinstance(value, str) or len(value) < len("2026-01-01T00:00Z"):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _parse_json(text: str) -> Any:
    """The JSON document that a text is, or None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
