"""A new row as it would be read back, made of what was written: the database need not tell what it was just told.

Returning and decoding the fifty columns of an order costs a database of one file as much as inserting the row
(docs/decisions/0159-new-rows-are-not-read-back.md).
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
    """The row of a table: its class, its columns, those that must be given, and what changes on the way."""

    make: Callable[..., Any]
    names: tuple[str, ...]
    known: frozenset[str]
    needed: frozenset[str]
    changed: tuple[tuple[int, Callable[[Any], Any]], ...]


def stored_row(table: Table, values: Mapping[str, Any]) -> Any:
    """The row that was written with these values, its `id` and client among them; the other columns are null.

    Raises `TypeError` where one of those cannot be null or has a default, and for a name that is no column.
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
    """What becomes of a value of a type between writing and reading it; None for one that stays as it is."""
    if isinstance(type_, UTCDateTime):
        return lambda moment: moment.astimezone(UTC)
    return _through_json if isinstance(type_, Json) else None


def _through_json(document: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(document))
