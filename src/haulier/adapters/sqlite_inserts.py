"""Replacement for RETURNING in INSERT statements on SQLite.

The result is built from the given values and the new row's ID. SQLite collects the output of RETURNING in a temporary
table for each row, which costs as much as the insert (docs/decisions/transactions.md).
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import apsw

_INSERT = re.compile(
    r"(INSERT INTO \S+ \(([^()]+)\) VALUES \(\?(?:, \?)*\)(?: ON CONFLICT DO NOTHING)?) RETURNING ([\w, ]+)"
)
ID = "id"


class PlainInsert(NamedTuple):
    """INSERT without its RETURNING clause.

    `given` has the index of each returned column among the values, or None for the ID.
    """

    sql: str
    given: tuple[int | None, ...]


@lru_cache(maxsize=2000)
def plain_insert(sql: str) -> PlainInsert | None:
    """Return the one-row INSERT without RETURNING.

    Returns None unless the statement returns only its ID and given values.
    """
    match = _INSERT.fullmatch(sql)
    if match is None:
        return None
    names, returned = match[2].split(", "), match[3].split(", ")
    if not {*returned} <= {ID, *names}:
        return None
    return PlainInsert(match[1], tuple(names.index(name) if name in names else None for name in returned))


def insert_each(
    connection: apsw.Connection, insert: PlainInsert, rows: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    """Insert rows and yield the values of the written ones, as RETURNING would."""
    cursor = connection.cursor()
    for row in rows:
        cursor.execute(insert.sql, row)
        if connection.changes():
            yield tuple(connection.last_insert_rowid() if at is None else row[at] for at in insert.given)
