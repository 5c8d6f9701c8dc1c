"""Multi-row INSERT in one statement, with arrays of values or a list of rows.

PostgreSQL starts and ends its executor once for each statement: inserting a hundred rows this way costs a fifth of a
hundred statements (docs/decisions/transactions.md). Citus would copy selected arrays to the shards, which PostgreSQL
refuses under row-level security, so it gets lists of rows.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

MAX_ROWS = 64
"""Maximum number of rows in a list. Lists have 2, 4, … 64 rows, so that few statements are prepared."""
_PARAMETER = re.compile(r"\$\d+")
_ROW = re.compile(r"VALUES \((\$\d+::[A-Z ]+(?:, \$\d+::[A-Z ]+)*)\)")


@lru_cache(maxsize=2000)
def insert_of_arrays(sql: str) -> str | None:
    """Return a one-row INSERT rewritten to insert arrays of values.

    Returns None for any other form of INSERT. Upserts are excluded: one statement must not change a row twice.
    """
    row = _ROW.search(sql) if sql.startswith("INSERT ") and " DO UPDATE " not in sql else None
    if row is None or "$" in sql[row.end() :]:
        return None
    arrays = row[1].replace(",", "[],") + "[]"
    return f"{sql[: row.start()]}SELECT * FROM unnest({arrays}){sql[row.end() :]}"


@lru_cache(maxsize=2000)
def insert_of_rows(sql: str, count: int) -> str:
    """Return a one-row INSERT rewritten to insert a list of rows.

    Only for the forms that `insert_of_arrays` accepts.
    """
    row: Any = _ROW.search(sql)
    numbers = itertools.count(1)
    listed = ", ".join(f"({_PARAMETER.sub(lambda _: f'${next(numbers)}', row[1])})" for _ in range(count))
    return f"{sql[: row.start()]}VALUES {listed}{sql[row.end() :]}"


def split_rows(rows: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield the rows in order, in groups of 64, 32, … 1."""
    start, size = 0, MAX_ROWS
    while start < len(rows):
        while size > len(rows) - start:
            size //= 2
        yield rows[start : start + size]
        start += size


def columns_of(rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Transpose rows into arrays, one for each column."""
    return tuple(zip(*rows, strict=True))
