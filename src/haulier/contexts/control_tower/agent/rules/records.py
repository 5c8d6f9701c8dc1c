"""Records behind an answer, by kind and id. Pure."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

RECORDS_MAX = 12
"""Maximum number of records per tool: the first ones."""
KINDS = frozenset(
    {"approval", "customer", "depot", "driver", "invoice", "order", "route", "shipment", "vehicle", "zone"}
)
NAMES: Mapping[str, tuple[str, ...]] = {
    "order": ("order_ref", "tracking_number"),
    "route": ("name",),
    "zone": ("name",),
}
"""Display names of records. People are named by id only: readers with access see the name in the record."""
NAME_MAX = 100


def records_in(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return distinct records of an answer, outer ones first."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for kind, id, row in _records(document):
        known = found.setdefault((kind, id), {"field": f"{kind}_id", "id": id, "name": None})
        known["name"] = known["name"] or _name(kind, row)
        if len(found) == RECORDS_MAX:
            break
    return list(found.values())


def _records(document: Mapping[str, Any]) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    waiting: deque[tuple[str | None, Any]] = deque([(None, document)])
    while waiting:
        kind, value = waiting.popleft()
        if isinstance(value, Mapping):
            yield from _of_row(kind, value)
            waiting += [(_kind(name), inner) for name, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(kind, inner) for inner in value]


def _of_row(kind: str | None, row: Mapping[str, Any]) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    if kind and isinstance(id := row.get("id"), int):
        yield kind, id, row
    for name, id in row.items():
        other = name.removesuffix("_id")
        if other != name and other in KINDS and isinstance(id, int):
            yield other, id, row if other == kind or kind is None else {}


def _kind(name: str) -> str | None:
    single = name.removesuffix("s")
    return single if single in KINDS else None


def _name(kind: str, row: Mapping[str, Any]) -> str | None:
    names = (row.get(field) for field in NAMES.get(kind, ()))
    return next((str(name)[:NAME_MAX] for name in names if name), None)
