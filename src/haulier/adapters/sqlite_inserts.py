"""What an INSERT returns, without SQLite's RETURNING: the values that were given, and the new row's number.

SQLite gathers what RETURNING says in a table of its own for each row, which costs it as much as the row
(docs/decisions/transactions.md).
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
    """An INSERT without its RETURNING. `given` are the places of the returned columns among the values; None for the id."""

    sql: str
    given: tuple[int | None, ...]


@lru_cache(maxsize=2000)
def plain_insert(sql: str) -> PlainInsert | None:
    """The INSERT of one row that returns only its id and what is given; None for any other statement."""
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
    """Insert rows; gives what the statement would have returned of those that were written."""
    cursor = connection.cursor()
    for row in rows:
        cursor.execute(insert.sql, row)
        if connection.changes():
            yield tuple(connection.last_insert_rowid() if at is None else row[at] for at in insert.given)
