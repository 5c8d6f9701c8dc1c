"""New rows built from the written values instead of being read back.

On SQLite, returning and decoding the fifty columns of an order costs as much as inserting it
(docs/decisions/transactions.md).
"""

from collections.abc import Callable, Mapping
from datetime import UTC
from functools import cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Table

from haulier.kernel.data.statements import row_class
from haulier.kernel.data.tables import Json, UTCDateTime


class _Shape(NamedTuple):
    """The row of a table: its class, columns, required columns and conversions."""

    make: Callable[..., Any]
    names: tuple[str, ...]
    known: frozenset[str]
    needed: frozenset[str]
    changed: tuple[tuple[int, Callable[[Any], Any]], ...]


def stored_row(table: Table, values: Mapping[str, Any]) -> Any:
    """Return the row written with these values, including its `id` and client.

    Other columns are null.

    Raises `TypeError` if one of those is required or has a default, and for an unknown column.
    """
    shape = _shape_of(table)
    if odd := (shape.needed - values.keys()) | (values.keys() - shape.known):
        raise TypeError(f"{table.name}: without a value, or no column: {', '.join(sorted(odd))}")
    row = [values.get(name) for name in shape.names]
    for at, change in shape.changed:
        if row[at] is not None:
            row[at] = change(row[at])
    return shape.make(row)


@cache
def _shape_of(table: Table) -> _Shape:
    names = tuple(table.c.keys())
    changes = ((at, _change_of(column.type)) for at, column in enumerate(table.c))
    return _Shape(
        make=row_class("Row", names)._make,
        names=names,
        known=frozenset(names),
        needed=frozenset(
            column.name
            for column in table.c
            if not column.nullable or column.server_default is not None or column.default
        ),
        changed=tuple((at, change) for at, change in changes if change),
    )


def _change_of(type_: object) -> Callable[[Any], Any] | None:
    """Return the conversion of a type between writing and reading, or None."""
    if isinstance(type_, UTCDateTime):
        return lambda moment: moment.astimezone(UTC)
    return _through_json if isinstance(type_, Json) else None


def _through_json(document: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(document))
